//go:build unix

package docs

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// patience is the timeout of one command; a command that reaches it has failed.
const patience = 2 * time.Minute

// project is the environment of a page: the home directory of a user with a clone of aura in aura/ and an empty project in
// project/. The README starts in the clone, which is a copy, without aura in PATH; the other pages start in the project.
type project struct {
	t    *testing.T
	home string
	// state is a directory that keeps the shell's directory and variables from one command to the next.
	state string
	env   []string
	// server is the address of the release that the page downloads; see release_test.go.
	server string
}

func newProject(t *testing.T, page string) *project {
	t.Helper()
	home := newHome(t)
	runtime, err := os.MkdirTemp("", "ad") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(runtime) })
	p := &project{t: t, home: home, state: t.TempDir()}
	p.env = append(goEnv(t),
		"HOME="+home, "XDG_RUNTIME_DIR="+runtime, "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "STATE="+p.state, "LANG=C.UTF-8",
	)
	if page != readme && page != installPage {
		// The pages are about something else than models. Those that begin without one name the demonstration.
		p.env = append(p.env, "AURA_DEMONSTRATION=1")
	}
	if page != readme && page != "docs/trust.md" {
		// The pages' projects belong to the reader, so they are trusted. The README explains how to trust a project, and the
		// page about trust is about that.
		p.env = append(p.env, "AURA_TRUST=1")
	}
	clone, dir, path := filepath.Join(home, "aura"), filepath.Join(home, "project"), os.Getenv("PATH")
	switch page {
	case readme:
		dir, err = clone, copyTree(repo, clone)
	case installPage:
		// The page is for a machine without Go and without aura.
		err = errors.Join(os.Mkdir(dir, 0o755), p.offer())
		path = p.newcomersPath()
	default:
		err = errors.Join(os.Mkdir(dir, 0o755), link(repo, clone))
		path = p.programs() + string(os.PathListSeparator) + bin + string(os.PathListSeparator) + path
	}
	p.env = append(p.env, "PATH="+path)
	err = errors.Join(err,
		os.WriteFile(filepath.Join(p.state, "cwd"), []byte(dir), 0o600),
		os.WriteFile(filepath.Join(p.state, "env"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newHome creates a home directory. Like a real home, it is not located in the temporary directory: everything there is
// writable in the sandbox.
func newHome(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "aura-docs-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	home, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return home
}

func link(from, to string) error {
	from, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	return os.Symlink(from, to)
}

// goEnv returns variables with which the go command works without the user's home and without the network.
func goEnv(t *testing.T) []string {
	t.Helper()
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS="}
	for i, value := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		env = append(env, names[i]+"="+value)
	}
	return env
}

// programs returns the directory of the page's own programs. It exists once the page has a policy of the machine.
func (p *project) programs() string { return filepath.Join(p.state, "bin") }

// restrict makes a text the policy of the machine: programs for tests read it beside themselves.
func (p *project) restrict(policy string) {
	p.t.Helper()
	dir := filepath.Join(p.programs(), machinepolicy.TestDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	programs, err := os.ReadDir(bin)
	for _, program := range programs {
		if linked := os.Link(filepath.Join(bin, program.Name()), filepath.Join(p.programs(), program.Name())); !errors.Is(linked, fs.ErrExist) {
			err = errors.Join(err, linked)
		}
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, machinepolicy.FileName), []byte(policy), 0o644))
	if err != nil {
		p.t.Fatal(err)
	}
}

// cwd returns the current directory of the page's shell.
func (p *project) cwd() string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.state, "cwd"))
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// shell runs a command line as if the whole page were typed into one shell, and returns the output of both streams.
func (p *project) shell(line string) (string, error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	script := ". \"$STATE/env\"\n" + line + "\nstatus=$?\nexport -p >\"$STATE/env\"\npwd >\"$STATE/cwd\"\nexit $status\n"
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
	cmd.Dir, cmd.Env = p.cwd(), p.env
	// A process group of its own can be killed as a whole.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	return output.String(), err
}
