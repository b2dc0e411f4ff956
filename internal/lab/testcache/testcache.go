// Package testcache tells Go's test cache what a test depends on besides its own package.
package testcache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// skipped are the directories that hold no source: of Git, of the Makefile's targets, and of npm.
var skipped = []string{".git", "bin", "dist", "node_modules"}

// DependOnSources makes the result of a test program depend on every file of the repository, except for tests. A test that builds a
// program of this repository calls it: the test cache sees which files a test opens, but not which files a compiler opens for it.
func DependOnSources() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	entries, err := unseen(root)
	for _, e := range entries {
		if err == nil && !slices.Contains(skipped, e.Name()) {
			err = filepath.WalkDir(filepath.Join(root, e.Name()), open)
		}
	}
	return err
}

// unseen lists a directory without the test cache seeing it: the directory also holds what changes all the time.
func unseen(dir string) ([]fs.DirEntry, error) {
	fd, err := syscall.Open(dir, syscall.O_RDONLY, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	f := os.NewFile(uintptr(fd), dir)
	entries, err := f.ReadDir(-1)
	return entries, errors.Join(err, f.Close())
}

// open opens a file, which the test cache sees.
func open(path string, d fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case d.IsDir() && slices.Contains(skipped, d.Name()):
		return fs.SkipDir
	case !d.Type().IsRegular() || strings.HasSuffix(path, "_test.go"):
		return nil
	}
	f, err := os.Open(path) //nolint:forbidigo // the test cache sees only this function, and the file is a regular one
	if err != nil {
		return err
	}
	return f.Close()
}

// moduleRoot returns the directory of the go.mod above the working directory, which is that of the tested package.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			err = errors.New("there is no go.mod above the tested package")
		}
		dir = parent
	}
	return "", err
}
