package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
)

// entriesAtOnce is how many entries of a directory are read before the call checks whether it must stop.
const entriesAtOnce = 1024

// errEntries refuses a directory that is too large to hold in memory.
var errEntries = fmt.Errorf("a directory has more than the limit of %d entries", limit.DirEntries)

// stopper returns a function that returns why the context has ended, or nil.
func stopper(ctx context.Context) func() error {
	return func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
}

// eachEntries passes the entries of a directory to visit, some at a time and in no order.
func eachEntries(dir string, stopped func() error, visit func([]fs.DirEntry) error) error {
	if info, err := os.Stat(dir); err != nil {
		return err
	} else if !info.IsDir() {
		return &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	root, err := files.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	file, err := root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	for {
		if err := stopped(); err != nil {
			return err
		}
		some, err := file.ReadDir(entriesAtOnce)
		if failed := visit(some); failed != nil {
			return failed
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readDir returns the entries of a directory, sorted by name. With an error, it returns those that were read before it.
func readDir(dir string, stopped func() error) ([]fs.DirEntry, error) {
	var out []fs.DirEntry
	err := eachEntries(dir, stopped, func(some []fs.DirEntry) error {
		if out = append(out, some...); len(out) > limit.DirEntries {
			return fmt.Errorf("%w: %s", errEntries, dir)
		}
		return nil
	})
	slices.SortFunc(out, byName)
	return out, err
}

func byName(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) }
