package readguard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// linkLimit is the maximum length of a chain of dangling links.
const linkLimit = 40

// resolve returns an absolute path without links. The path need not exist: a dangling link is followed, and the existing parent
// directories are resolved.
func resolve(path string) (string, error) { return follow(path, linkLimit) }

func follow(path string, links int) (string, error) {
	full, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return full, err
	}
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && links > 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		return follow(target, links-1)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path, nil
	}
	parent, err = follow(parent, links)
	if err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}
