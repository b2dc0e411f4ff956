package trust

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// The limits of what is hashed: files, bytes and levels of directories. A home that exceeds them cannot be pinned.
const (
	maxFiles = 50_000
	maxBytes = 1 << 30
	maxDepth = 40
)

// absent is the hash of a file that does not exist. Creating the file is a change.
const absent = "absent"

// repository is the directory of Git, or the file that names it. That of a home under version control is not hashed, because every
// command of Git changes it. Further down a directory of this name may contain code.
const repository = ".git"

// Hash hashes the files that contain a project's requests: everything below its home except its repository, and the files and
// directories in beside, whether they exist or not. Paths inside dir are relative to it. Hash follows links, because reading
// the configuration follows them too. The target of a link to a directory is part of the hash.
func Hash(dir, home string, beside []string) (map[string]string, error) {
	h := hasher{dir: dir, out: map[string]string{}}
	if home != "" {
		if err := h.tree(home, 0, repository); err != nil {
			return nil, fmt.Errorf("hashing %s: %w", home, err)
		}
	}
	for _, path := range beside {
		add := h.file
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			add = func(dir string) error { return h.tree(dir, 0, "") }
		}
		if err := add(path); err != nil {
			return nil, fmt.Errorf("hashing %s: %w", path, err)
		}
	}
	return h.out, nil
}

type hasher struct {
	dir   string
	out   map[string]string
	bytes int64
}

func (h *hasher) tree(dir string, depth int, skip string) error {
	if depth > maxDepth {
		return fmt.Errorf("%s is more than %d folders deep: does a link lead in a circle?", dir, maxDepth)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if entry.Name() == skip {
			continue
		}
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			if entry.Type()&fs.ModeSymlink != 0 {
				err = h.link(path)
			}
			if err == nil {
				err = h.tree(path, depth+1, "")
			}
		} else {
			err = h.file(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// link records the target of a link to a directory.
func (h *hasher) link(path string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return err
	}
	return h.put(path, "link to "+target)
}

// file records the hash of a file's content. A path that is not a regular file is never read as configuration, so only that
// fact is recorded.
func (h *hasher) file(path string) error {
	f, err := files.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return h.put(path, absent)
	case errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrLink):
		return h.put(path, "not a regular file")
	case err != nil:
		return err
	}
	defer func() { _ = f.Close() }()
	tooMuch := fmt.Errorf("there are more than %d bytes: consent can only be for the directory", int64(maxBytes))
	if info, err := f.Stat(); err != nil || info.Size() > maxBytes-h.bytes {
		return cmp.Or(err, tooMuch)
	}
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, maxBytes-h.bytes+1))
	if err != nil {
		return err
	}
	if h.bytes += n; h.bytes > maxBytes {
		return tooMuch
	}
	return h.put(path, hex.EncodeToString(sum.Sum(nil)))
}

func (h *hasher) put(path, hash string) error {
	if rel, err := filepath.Rel(h.dir, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	if h.out[filepath.ToSlash(path)] = hash; len(h.out) > maxFiles {
		return fmt.Errorf("there are more than %d files: consent can only be for the directory", maxFiles)
	}
	return nil
}

// Change says how files differ from those that the user consented to. The lists are sorted.
type Change struct {
	Added, Changed, Removed []string
}

// Compare returns the difference between two sets of hashes.
func Compare(before, after map[string]string) Change {
	var c Change
	for _, path := range slices.Sorted(maps.Keys(after)) {
		old, known := before[path]
		now := after[path]
		switch {
		case old == now, !known && now == absent:
		case !known || old == absent:
			c.Added = append(c.Added, path)
		case now == absent:
			c.Removed = append(c.Removed, path)
		default:
			c.Changed = append(c.Changed, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if _, still := after[path]; !still && before[path] != absent {
			c.Removed = append(c.Removed, path)
		}
	}
	return c
}

// And returns both changes as one.
func (c Change) And(other Change) Change {
	return Change{
		Added: slices.Concat(c.Added, other.Added), Changed: slices.Concat(c.Changed, other.Changed), Removed: slices.Concat(c.Removed, other.Removed),
	}
}

// Empty reports whether nothing changed.
func (c Change) Empty() bool { return len(c.Added)+len(c.Changed)+len(c.Removed) == 0 }

// shownPaths is how many paths of each list a message names.
const shownPaths = 10

// String lists what changed, such as "changed: .aura/config/hooks/a.yaml; added: secrets.env".
func (c Change) String() string {
	var parts []string
	for _, part := range []struct {
		what  string
		paths []string
	}{{"changed", c.Changed}, {"added", c.Added}, {"removed", c.Removed}} {
		shown := part.paths
		if len(shown) > shownPaths {
			shown = append(slices.Clone(shown[:shownPaths]), fmt.Sprintf("and %d more", len(part.paths)-shownPaths))
		}
		if len(shown) > 0 {
			parts = append(parts, part.what+": "+strings.Join(shown, ", "))
		}
	}
	return strings.Join(parts, "; ")
}
