package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/system/gitcmd"
	"github.com/idelchi/aura/internal/system/process"
)

const (
	// gitTime is how long git may take for anything but fetching. fetchTime is for fetching.
	gitTime   = 5 * time.Minute
	fetchTime = 30 * time.Minute
	// maxListing is the size of the largest output of git that is not a patch, in bytes.
	maxListing = 256 << 20
)

// Mark is the variable by which the processes of workers are found.
const Mark = "AURA_FLEET"

// init creates the private repository, once. These four are all that git needs.
func (s *Workspace) init() error {
	if s.objects != nil {
		return nil
	}
	dir := filepath.Join(s.private(), "objects")
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.MkdirAll(filepath.Join(s.private(), "refs"), 0o700)
	}
	for name, content := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(s.private(), name), []byte(content), 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("preparing the workspace: %w", err)
	}
	s.objects = &objects{dir: dir, known: map[objectID]bool{}}
	return nil
}

// git runs git in the private repository, which has no working directory, and returns its output.
func (s *Workspace) git(ctx context.Context, args ...string) ([]byte, error) {
	return s.runGit(ctx, gitTime, gitcmd.Job{Args: args, Repository: s.private()})
}

// gitWith is like git, with input and output.
func (s *Workspace) gitWith(ctx context.Context, in io.Reader, out io.Writer, args ...string) error {
	_, err := s.runGit(ctx, gitTime, gitcmd.Job{Args: args, Repository: s.private(), Stdin: in, Stdout: out})
	return err
}

func (s *Workspace) runGit(ctx context.Context, limit time.Duration, job gitcmd.Job) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("git %s took more than %s", job.Args[0], limit))
	defer cancel()
	job.Environ, job.Mark = s.o.Environ, Mark
	if job.Stdout != nil {
		return nil, gitcmd.Run(ctx, job)
	}
	out := &process.Head{Max: maxListing}
	job.Stdout = out
	if err := gitcmd.Run(ctx, job); err != nil {
		return nil, err
	}
	data, dropped := out.Kept()
	if dropped > 0 {
		return nil, &TooLargeError{What: "the output of git " + job.Args[0], Limit: maxListing}
	}
	return data, nil
}

// TooLargeError means that a task left more than is brought back.
type TooLargeError struct {
	What  string
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has more than %d MiB, which is the limit", e.What, e.Limit>>20)
}

// compare returns the difference between two trees as a patch.
func (s *Workspace) compare(ctx context.Context, from, to objectID) ([]byte, error) {
	out := &process.Head{Max: fleet.MaxBlob + 1}
	args := []string{"diff-tree", "-r", "-p", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", from.String(), to.String()}
	if err := s.gitWith(ctx, nil, out, args...); err != nil {
		return nil, err
	}
	data, dropped := out.Kept()
	if dropped > 0 || len(data) > fleet.MaxBlob {
		return nil, &TooLargeError{What: "the patch of the workspace", Limit: fleet.MaxBlob}
	}
	return data, nil
}
