package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ledger records the completed changes, so that they can be undone.
type ledger struct {
	undo []func() error
	// aside holds the temporary names of removed files. They are deleted once nothing can fail any more.
	aside []string
}

// commit makes all changes, or none if one of them fails.
func commit(steps []step) error {
	l := &ledger{}
	for _, s := range steps {
		if err := l.do(s); err != nil {
			return l.rollback(fmt.Errorf("patching %s: %w", s.path, err))
		}
	}
	var left []error
	for _, path := range l.aside {
		if err := os.Remove(path); err != nil {
			left = append(left, fmt.Errorf("the patch is applied, but a file that it deletes is left under another name: %w", err))
		}
	}
	return errors.Join(left...)
}

// rollback undoes the completed changes in reverse order.
func (l *ledger) rollback(cause error) error {
	problems := []error{cause}
	for _, undo := range slices.Backward(l.undo) {
		if err := undo(); err != nil {
			problems = append(problems, fmt.Errorf("undoing the rest of the patch: %w; check the file", err))
		}
	}
	if len(problems) == 1 {
		problems = append(problems, errors.New("nothing was changed"))
	}
	return errors.Join(problems...)
}

func (l *ledger) do(s step) error {
	switch {
	case s.head == patchAdd:
		return l.add(s.to, s.content, newFile)
	case s.head == patchDelete:
		return l.remove(s.from)
	case s.move != "":
		if err := l.add(s.to, s.content, s.old.mode); err != nil {
			return err
		}
		// The umask may have changed the mode of the created file.
		if err := os.Chmod(s.to, s.old.mode); err != nil {
			return err
		}
		return l.remove(s.from)
	default:
		l.undo = append(l.undo, func() error { return overwrite(s.from, s.old.String(), s.old.mode) })
		return overwrite(s.from, s.content, s.old.mode)
	}
}

// add creates a file and its parent directories.
func (l *ledger) add(path, content string, mode fs.FileMode) error {
	if err := l.mkdir(filepath.Dir(path)); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	l.undo = append(l.undo, func() error { return os.Remove(path) })
	_, err = file.WriteString(content)
	return errors.Join(err, file.Close())
}

// mkdir creates a directory and its missing parents, and records which ones it created.
func (l *ledger) mkdir(dir string) error {
	var made []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err == nil || filepath.Dir(at) == at {
			break
		}
		made = append(made, at)
	}
	for _, at := range slices.Backward(made) {
		if err := os.Mkdir(at, 0o755); err != nil {
			return err
		}
		l.undo = append(l.undo, func() error { return os.Remove(at) })
	}
	return nil
}

// remove renames a file to a temporary name with a random part.
func (l *ledger) remove(path string) error {
	place, err := os.CreateTemp(filepath.Dir(path), ".aura-deleted-*")
	if err != nil {
		return err
	}
	aside := place.Name()
	if err := errors.Join(place.Close(), os.Rename(path, aside)); err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	l.aside = append(l.aside, aside)
	l.undo = append(l.undo, func() error { return os.Rename(aside, path) })
	return nil
}
