package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/idelchi/aura/internal/base/lock"
)

// The prefixes of directories that are not plugins yet, or no longer. They are hidden, so that plugins are not searched in
// them.
const (
	stagePrefix = ".aura-stage-"
	oldPrefix   = ".aura-old-"
	// treeDir is the directory of a stage that holds the files of a source.
	treeDir = "tree"
)

// stage is a directory beside the installed plugins in which a change is prepared. While it is open, no other process changes
// the place.
type stage struct {
	place Place
	dir   string
	// made lists the directories that were created for the stage and its unit, each before the directories above it.
	made []string
	held *lock.Lock
}

// newStage waits until no other process changes the place, and removes the remains of a process that was killed.
func newStage(ctx context.Context, p Place, o Options) (*stage, error) {
	s := &stage{place: p}
	for {
		if err := s.makeRoot(); err != nil {
			return nil, fmt.Errorf("preparing %s: %w", p.Root, err)
		}
		held, err := lock.WaitDir(ctx, p.Root, func() { o.waiting(p.Root) })
		if errors.Is(err, fs.ErrNotExist) {
			continue // the process that created it has just removed it
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("waiting for another change of %s to finish: %w", p.Root, err), s.close())
		}
		s.held = held
		break
	}
	err := sweep(p)
	if err == nil {
		s.dir, err = os.MkdirTemp(p.Root, stagePrefix)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("preparing %s: %w", p.Root, err), s.close())
	}
	return s, nil
}

func (s *stage) makeRoot() error { return s.makeDir(s.place.Root) }

// makeDir creates a directory. If it is empty in the end, it is removed.
func (s *stage) makeDir(path string) error {
	for dir := path; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		s.made = append(s.made, dir)
	}
	return os.MkdirAll(path, 0o755)
}

// close removes the stage, and the directories that were created for it if they are empty.
func (s *stage) close() error {
	var err error
	if s.dir != "" {
		err = removeAll(s.dir)
	}
	s.unmake()
	err = errors.Join(err, s.held.Release())
	// On Windows the lock is a file in the directory, so the directory is empty only after the release.
	if runtime.GOOS == "windows" {
		s.unmake()
	}
	if err != nil {
		return fmt.Errorf("tidying up %s: %w", s.place.Root, err)
	}
	return nil
}

// unmake removes the created directories that are empty.
func (s *stage) unmake() {
	// The inner directories come before the outer ones, for each of the paths that were created.
	for _, outer := range []bool{false, true} {
		for _, dir := range s.made {
			if (dir == s.place.Home) == outer {
				_ = os.Remove(dir)
			}
		}
	}
}

// path creates a directory in the stage and returns its path.
func (s *stage) path(parts ...string) (string, error) {
	dir := filepath.Join(append([]string{s.dir}, parts...)...)
	return dir, os.MkdirAll(dir, 0o755)
}

// readable returns an error whose message leaves out the path of the stage, which will be deleted. If the disk is full, the
// message says what to do.
func (s *stage) readable(err error) error {
	if err == nil {
		return nil
	}
	err = pathlessError{pathlessError{err, filepath.Join(s.dir, treeDir) + string(filepath.Separator)}, s.dir + string(filepath.Separator)}
	if strings.Contains(err.Error(), "no space left on device") {
		return fmt.Errorf("%w; make room for it on the disk that holds %s", err, s.place.Root)
	}
	return err
}

// sweep removes the stages of processes that were killed, and restores directories that they had moved aside.
func sweep(p Place) error {
	torn, err := filepath.Glob(filepath.Join(p.Home, lockPrefix+"*"))
	if err != nil {
		return err
	}
	for _, path := range torn {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return errors.Join(sweepDir(p.Root), sweepDir(p.extensions()))
}

func sweepDir(root string) error {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		if name, ok := strings.CutPrefix(e.Name(), oldPrefix); ok {
			target := filepath.Join(root, name)
			if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
				if err := os.Rename(path, target); err != nil {
					return err
				}
				continue
			}
		} else if !strings.HasPrefix(e.Name(), stagePrefix) {
			continue
		}
		if err := removeAll(path); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes a directory even if it holds directories without write permission, such as those that the Go command
// creates.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	walkErr := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	if walkErr != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// replace replaces an installed directory with a staged one. Afterwards the old directory is in the stage. If the system has
// no atomic exchange, the old directory is moved aside and removed; if aura is killed in between, the next sweep cleans up.
func replace(p Place, staged, target string) error {
	if exchange(staged, target) == nil {
		return nil
	}
	root := filepath.Dir(target)
	aside := filepath.Join(root, oldPrefix+filepath.Base(target))
	if root != p.Root && root != p.extensions() {
		return fmt.Errorf("%s does not lie directly in %s", target, p.Root)
	}
	if err := os.Rename(target, aside); err != nil {
		return err
	}
	if err := os.Rename(staged, target); err != nil {
		return errors.Join(err, os.Rename(aside, target))
	}
	return removeAll(aside)
}
