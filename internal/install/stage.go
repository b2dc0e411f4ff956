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

	"github.com/idelchi/aura/internal/lock"
)

// The names of directories that are no plugins yet, or no longer. They are hidden, so that plugins are not looked for in them.
const (
	stagePrefix = ".aura-stage-"
	oldPrefix   = ".aura-old-"
	// treeDir is where in a stage the files of a source lie.
	treeDir = "tree"
)

// stage is a directory beside the installed plugins in which something is made ready, while no one else changes the place.
type stage struct {
	place Place
	dir   string
	// made are the directories that were made for it, the innermost first.
	made []string
	held *lock.Lock
}

// newStage waits for others who change the place, and removes what one that was killed has left.
func newStage(ctx context.Context, p Place, o Options) (*stage, error) {
	s := &stage{place: p}
	for {
		if err := s.makeRoot(); err != nil {
			return nil, fmt.Errorf("preparing %s: %w", p.Root, err)
		}
		held, err := lock.WaitDir(ctx, p.Root, func() { o.waiting(p.Root) })
		if errors.Is(err, fs.ErrNotExist) {
			continue // whoever made it has just removed it again
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

func (s *stage) makeRoot() error {
	for dir := s.place.Root; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		s.made = append(s.made, dir)
	}
	return os.MkdirAll(s.place.Root, 0o755)
}

// close removes what is left of the stage, and the directories that were made for it if nothing came into them.
func (s *stage) close() error {
	var err error
	if s.dir != "" {
		err = removeAll(s.dir)
	}
	s.unmake()
	err = errors.Join(err, s.held.Release())
	// Where a file in it is what is held, the directory is empty only now.
	if runtime.GOOS == "windows" {
		s.unmake()
	}
	if err != nil {
		return fmt.Errorf("tidying up %s: %w", s.place.Root, err)
	}
	return nil
}

// unmake removes the directories that were made, as far as they are empty.
func (s *stage) unmake() {
	for _, dir := range s.made {
		if os.Remove(dir) != nil {
			return
		}
	}
}

// path is a new directory in the stage.
func (s *stage) path(parts ...string) (string, error) {
	dir := filepath.Join(append([]string{s.dir}, parts...)...)
	return dir, os.MkdirAll(dir, 0o755)
}

// readable is an error in which the stage, which will be gone, is not named. If the disk is full, it says what to do.
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

// sweep removes the stages of those who were killed, and brings back what they had put aside.
func sweep(p Place) error {
	entries, err := os.ReadDir(p.Root)
	if err != nil {
		return err
	}
	torn, err := filepath.Glob(filepath.Join(p.Home, lockPrefix+"*"))
	if err != nil {
		return err
	}
	for _, path := range torn {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for _, e := range entries {
		path := filepath.Join(p.Root, e.Name())
		if name, ok := strings.CutPrefix(e.Name(), oldPrefix); ok {
			target := filepath.Join(p.Root, name)
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

// removeAll removes a directory even if it holds directories that may not be written to, as the Go command makes them.
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

// replace puts a staged directory in the place of an installed one. The old one is in the stage afterwards, or put aside for
// the next sweep.
func replace(p Place, staged, target string) error {
	if exchange(staged, target) == nil {
		return nil
	}
	aside := filepath.Join(p.Root, oldPrefix+filepath.Base(target))
	if filepath.Dir(target) != p.Root {
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
