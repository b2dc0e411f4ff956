package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/fleet"
)

// Apply makes the changes of a patch. A patch that leads out of the workspace, or has anything but files and links, is refused. Git
// applies it to the files that the workspace began with, in the private repository; aura writes what is different.
func (s *Workspace) Apply(ctx context.Context, patch []byte) error {
	if len(patch) == 0 {
		return nil
	}
	if err := s.apply(ctx, patch); err != nil {
		return fmt.Errorf("continuing with the changes of an earlier attempt: %w", err)
	}
	return nil
}

func (s *Workspace) apply(ctx context.Context, patch []byte) error {
	if err := s.beginEmpty(); err != nil {
		return err
	}
	if _, err := s.git(ctx, "read-tree", s.base.String()); err != nil {
		return err
	}
	if err := s.gitWith(ctx, bytes.NewReader(patch), io.Discard, "apply", "--cached", "--binary", "--whitespace=nowarn", "-"); err != nil {
		return err
	}
	tree, err := s.git(ctx, "write-tree")
	if err != nil {
		return err
	}
	list, err := s.git(ctx, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", s.base.String(), strings.TrimSpace(string(tree)))
	if err != nil {
		return err
	}
	changes, err := parseChanges(string(list))
	if err != nil {
		return err
	}
	root, err := files.OpenRoot(s.Dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := removeOld(root, changes); err != nil {
		return err
	}
	return s.writeNew(ctx, root, changes)
}

// fileChange is a file that a patch adds, replaces or removes.
type fileChange struct {
	path string
	// mode is empty for a file that is removed.
	mode string
	id   objectID
}

// parseChanges reads a list of git: for each file a line with the old and the new mode and object, and its path.
func parseChanges(list string) ([]fileChange, error) {
	var out []fileChange
	words := strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		about := strings.Fields(words[i])
		if len(about) != 5 {
			return nil, fmt.Errorf("git describes a change as %.80q", words[i])
		}
		id, err := parseID(about[3])
		if err != nil {
			return nil, err
		}
		c := fileChange{path: filepath.FromSlash(words[i+1]), mode: about[1], id: id}
		switch c.mode {
		case modeFile, modeProgram, modeLink:
		case "000000":
			c.mode = ""
		default:
			return nil, fmt.Errorf("%s has the mode %s, and only files and links are possible: nested repositories are no part of a patch", c.path, c.mode)
		}
		if !filepath.IsLocal(c.path) {
			return nil, fmt.Errorf("%s leads out of the workspace", c.path)
		}
		out = append(out, c)
	}
	return out, nil
}

// removeOld removes the files that change, and directories that are empty then.
func removeOld(root *os.Root, changes []fileChange) error {
	for _, c := range changes {
		if err := root.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if c.mode != "" {
			continue
		}
		for dir := filepath.Dir(c.path); dir != "." && root.Remove(dir) == nil; dir = filepath.Dir(dir) {
		}
	}
	return nil
}

// writeNew writes the files that a patch adds or replaces, with what git has stored for them.
func (s *Workspace) writeNew(ctx context.Context, root *os.Root, changes []fileChange) error {
	var wanted []fileChange
	var ids bytes.Buffer
	for _, c := range changes {
		if c.mode != "" {
			wanted = append(wanted, c)
			fmt.Fprintln(&ids, c.id)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r, w := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := writeAll(root, bufio.NewReader(r), wanted)
		if err != nil {
			cancel(err)
		}
		_ = r.CloseWithError(err)
		written <- err
	}()
	err := s.gitWith(ctx, &ids, w, "cat-file", "--batch")
	_ = w.Close()
	if failed := <-written; failed != nil && !errors.Is(err, failed) {
		err = errors.Join(err, failed)
	}
	return err
}

// writeAll writes files from the output of git, in which each has a line with its size.
func writeAll(root *os.Root, in *bufio.Reader, wanted []fileChange) error {
	left := int64(fleet.MaxArchive)
	for _, c := range wanted {
		line, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("reading %s: %w", c.path, err)
		}
		var id string
		var size int64
		if _, err := fmt.Sscanf(line, "%s blob %d\n", &id, &size); err != nil || id != c.id.String() {
			return fmt.Errorf("reading %s: git answers %.80q", c.path, line)
		}
		if left -= size; left < 0 {
			return &TooLargeError{What: "what the patch adds", Limit: fleet.MaxArchive}
		}
		if err := writeOne(root, io.LimitReader(in, size), c); err != nil {
			return err
		}
		if _, err := in.Discard(1); err != nil {
			return fmt.Errorf("reading %s: %w", c.path, err)
		}
	}
	return nil
}

// maxLink is the length of the longest target of a link, in bytes.
const maxLink = 4096

func writeOne(root *os.Root, content io.Reader, c fileChange) error {
	if err := root.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
		return err
	}
	if c.mode == modeLink {
		target, err := io.ReadAll(io.LimitReader(content, maxLink+1))
		if err == nil && len(target) > maxLink {
			err = fmt.Errorf("%s is a link with more than %d bytes", c.path, maxLink)
		}
		if err != nil {
			return err
		}
		return root.Symlink(string(target), c.path)
	}
	mode := fs.FileMode(0o644)
	if c.mode == modeProgram {
		mode = 0o755
	}
	f, err := root.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
