package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/files"
)

// hashBuffer is the size of the reads in bytes.
const hashBuffer = 64 << 10

// MaxTree bounds the files of a plugin, all together, in bytes.
const MaxTree = 512 << 20

// TreeHash is a SHA-256 over all files below dir, vendored ones included and hidden ones not: their paths, kinds and
// contents, but neither permissions nor times. It is the same on every machine.
func TreeHash(dir string) (string, error) {
	t := treeHasher{outer: sha256.New(), inner: sha256.New(), buf: make([]byte, hashBuffer)}

	err := eachFile(dir, "", func(string) bool { return true }, t.add)
	if err != nil {
		return "", fmt.Errorf("hashing %s: %w", dir, err)
	}

	return hex.EncodeToString(t.outer.Sum(nil)), nil
}

// treeHasher folds one entry after the other into outer. Contents enter as a hash of fixed length, so that no content
// can pass for another entry.
type treeHasher struct {
	outer, inner hash.Hash
	buf          []byte
	// size is how many bytes were read.
	size int64
}

func (t *treeHasher) add(dir, rel string, kind fs.FileMode) error {
	full := filepath.Join(dir, filepath.FromSlash(rel))
	t.inner.Reset()

	switch {
	case kind.IsRegular():
		if err := t.content(full); err != nil {
			return err
		}
	case kind&fs.ModeSymlink != 0:
		target, err := os.Readlink(full)
		if err != nil {
			return err
		}

		fmt.Fprintf(t.inner, "%s\x00", filepath.ToSlash(target))

		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() {
			if err := t.content(full); err != nil {
				return err
			}
		}
	}

	fmt.Fprintf(t.outer, "%s\x00%s\x00%s", rel, kind.Type(), t.inner.Sum(nil))

	return nil
}

func (t *treeHasher) content(file string) error {
	f, err := files.Open(file)
	if err != nil {
		return err
	}

	defer func() { _ = f.Close() }()

	n, err := io.CopyBuffer(t.inner, io.LimitReader(f, MaxTree-t.size+1), t.buf)
	if t.size += n; err == nil && t.size > MaxTree {
		err = fmt.Errorf("%s: the files of the plugin have more than %d MiB, which is the limit", file, MaxTree>>20)
	}

	return err
}

// Files lists the plugin's own files below dir as slash-separated relative paths, sorted. Hidden ones and the vendor
// directory are left out.
func Files(dir string) ([]string, error) {
	var names []string

	own := func(rel string) bool { return rel != vendorDir }

	err := eachFile(dir, "", own, func(_, rel string, _ fs.FileMode) error {
		names = append(names, rel)

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", dir, err)
	}

	slices.Sort(names)

	return names, nil
}

// eachFile visits everything below dir/rel that is neither a directory nor hidden, in the order of names within each
// directory. It enters the directories that enter allows and follows no links but dir itself.
func eachFile(dir, rel string, enter func(rel string) bool, visit func(dir, rel string, kind fs.FileMode) error) error {
	entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(rel)))
	if err != nil {
		return err
	}

	for _, entry := range entries {
		child := path.Join(rel, entry.Name())

		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case !entry.IsDir():
			err = visit(dir, child, entry.Type())
		case enter(child):
			err = eachFile(dir, child, enter, visit)
		}

		if err != nil {
			return err
		}
	}

	return nil
}
