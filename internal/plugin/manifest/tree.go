package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// hashBuffer is the size of each read, in bytes.
const hashBuffer = 64 << 10

// MaxTree is the largest total size of a plugin's files, in bytes.
const MaxTree = 512 << 20

// TreeHash returns a SHA-256 hash over all files below dir, including vendored files but not hidden ones. It covers their paths,
// kinds and contents, but neither permissions nor times, so it is the same on every machine. If dir is a file, the hash covers the
// file.
func TreeHash(dir string) (string, error) {
	t := treeHasher{outer: sha256.New(), inner: sha256.New(), buf: make([]byte, hashBuffer)}

	info, err := os.Stat(dir)
	if err == nil && info.Mode().IsRegular() {
		err = t.add(filepath.Dir(dir), filepath.Base(dir), info.Mode())
	} else if err == nil {
		err = pluginsource.EachFile(dir, func(string) bool { return true }, func(rel string, kind fs.FileMode) error {
			return t.add(dir, rel, kind)
		})
	}

	if err != nil {
		return "", fmt.Errorf("hashing %s: %w", dir, err)
	}

	return hex.EncodeToString(t.outer.Sum(nil)), nil
}

// treeHasher adds one entry after the other to outer. Contents are added as a hash of fixed length, so that no content can
// imitate another entry.
type treeHasher struct {
	outer, inner hash.Hash
	buf          []byte
	// size is the number of bytes read so far.
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

	tooLarge := fmt.Errorf("%s: the files of the plugin have more than %d MiB, which is the limit", file, MaxTree>>20)
	// A file that is known to be too large is not read up to the limit first. Others can grow meanwhile.
	if info, err := f.Stat(); err == nil && info.Size() > MaxTree-t.size {
		return tooLarge
	}

	n, err := io.CopyBuffer(t.inner, io.LimitReader(f, MaxTree-t.size+1), t.buf)
	if t.size += n; err == nil && t.size > MaxTree {
		err = tooLarge
	}

	return err
}

// Files returns the plugin's own files below dir as slash-separated relative paths, sorted. It skips hidden files and the vendor
// directory. If dir is a file, it is the only one.
func Files(dir string) ([]string, error) {
	if info, err := os.Stat(dir); err == nil && info.Mode().IsRegular() {
		return []string{filepath.Base(dir)}, nil
	}

	var names []string

	own := func(rel string) bool { return rel != vendorDir }

	err := pluginsource.EachFile(dir, own, func(rel string, _ fs.FileMode) error {
		names = append(names, rel)

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", dir, err)
	}

	slices.Sort(names)

	return names, nil
}
