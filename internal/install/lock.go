package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/manifest"
)

// LockFile is the name of the file in a home that records what was installed.
const LockFile = "plugins.lock"

const lockVersion = 1

// lockPrefix begins the names of locks that are being written.
const lockPrefix = ".plugins-lock-"

// maxLock bounds the file in bytes.
const maxLock = 64 << 20

// lockfile is what was installed into a place.
type lockfile struct {
	Version int `json:"version"`
	// Plugins maps the slash-separated directories of plugins, relative to the place's root, to what was installed there.
	Plugins map[string]locked `json:"plugins"`
	// Pending are the same for an update that is about to take place. Until it has, either will do.
	Pending map[string]locked `json:"pending,omitempty"`
}

// locked is one plugin as it was installed.
type locked struct {
	// Unit is the directory that was installed, relative to the place's root: the plugin's own, or that of its pack.
	Unit   string `json:"unit"`
	URL    string `json:"url,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Disabled tells that the user has disabled the plugin in its manifest, not its source.
	Disabled bool `json:"disabled,omitempty"`
	// Hash is over all of Files.
	Hash string `json:"hash"`
	// Files maps slash-separated paths in the plugin's directory to the hashes of their contents.
	Files map[string]string `json:"files"`
}

// readLock reads a place's lock. A place without one has nothing installed.
func readLock(p Place) (*lockfile, error) {
	l := &lockfile{Version: lockVersion, Plugins: map[string]locked{}, Pending: map[string]locked{}}
	path := filepath.Join(p.Home, LockFile)
	text, err := files.Read(path, maxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what is installed: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(l); err != nil {
		return nil, fmt.Errorf("reading what is installed: %s: %w; restore the file, or remove it and `aura plugins trust` each plugin", path, err)
	}
	if l.Version != lockVersion {
		return nil, fmt.Errorf("reading what is installed: %s has version %d, but this aura supports version %d; use a newer aura", path, l.Version, lockVersion)
	}
	if l.Plugins == nil {
		l.Plugins = map[string]locked{}
	}
	return l, nil
}

// write replaces the file in one step. A lock with nothing in it is no file.
func (l *lockfile) write(p Place) error {
	path := filepath.Join(p.Home, LockFile)
	if len(l.Plugins) == 0 && len(l.Pending) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("recording what is installed: %w", err)
		}
		return nil
	}
	text, err := json.MarshalIndent(l, "", "  ")
	if err == nil {
		err = os.MkdirAll(p.Home, 0o755)
	}
	if err != nil {
		return fmt.Errorf("recording what is installed: %w", err)
	}
	if err := files.Replace(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("recording what is installed: %w", err)
	}
	return nil
}

// drop forgets what was installed in a unit.
func (l *lockfile) drop(unit string) {
	maps.DeleteFunc(l.Plugins, func(_ string, e locked) bool { return e.Unit == unit })
	maps.DeleteFunc(l.Pending, func(_ string, e locked) bool { return e.Unit == unit })
}

// prune forgets units whose directories are gone.
func (l *lockfile) prune(p Place) {
	gone := func(_ string, e locked) bool {
		_, err := os.Lstat(filepath.Join(p.Root, filepath.FromSlash(e.Unit)))
		return errors.Is(err, fs.ErrNotExist)
	}
	maps.DeleteFunc(l.Plugins, gone)
	maps.DeleteFunc(l.Pending, gone)
}

// hashTree hashes every file below a directory, hidden and vendored ones included. A symbolic link counts with its target and,
// if that is a file, with its content.
func hashTree(dir string) (map[string]string, error) {
	hashes, size := map[string]string{}, int64(0)
	// A plugin may be a link to a directory elsewhere; what counts is what lies there.
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("hashing the plugin's files: %w", err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if hashes[filepath.ToSlash(rel)], err = hashEntry(path, d.Type()); err != nil {
			return err
		}
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
		if size > manifest.MaxTree {
			return fmt.Errorf("%s: the files have more than %d MiB, which is the limit", path, manifest.MaxTree>>20)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("hashing %s: %w", dir, err)
	}
	return hashes, nil
}

func hashEntry(path string, kind fs.FileMode) (string, error) {
	switch {
	case kind.IsRegular():
		return hashFile(path)
	case kind&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		content := "none"
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			if content, err = hashFile(path); err != nil {
				return "", err
			}
		}
		return "link " + filepath.ToSlash(target) + " " + content, nil
	default:
		return kind.String(), nil
	}
}

func hashFile(path string) (string, error) {
	f, err := files.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, manifest.MaxTree+1))
	if err == nil && n > manifest.MaxTree {
		err = fmt.Errorf("%s: %w", path, &files.TooLargeError{Limit: manifest.MaxTree})
	}
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashAll is one hash over those of many files.
func hashAll(hashes map[string]string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(hashes)) {
		fmt.Fprintf(h, "%s\x00%s\x00", name, hashes[name])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// lockPlugin is a plugin as it lies in dir now.
func lockPlugin(dir string, e locked) (locked, error) {
	hashes, err := hashTree(dir)
	if err != nil {
		return locked{}, err
	}
	e.Files, e.Hash = hashes, hashAll(hashes)
	return e, nil
}

// Difference is what became of the files of a tree.
type Difference struct {
	Added   []string `json:"added"`
	Changed []string `json:"changed"`
	Removed []string `json:"removed"`
}

// Empty tells whether nothing became of any file.
func (d Difference) Empty() bool { return len(d.Added)+len(d.Changed)+len(d.Removed) == 0 }

// shown is how many files a message names.
const shown = 10

// String lists the files for a message.
func (d Difference) String() string {
	var parts []string
	for _, list := range []struct {
		names []string
		what  string
	}{{d.Changed, "changed"}, {d.Added, "new"}, {d.Removed, "removed"}} {
		for _, name := range list.names {
			parts = append(parts, name+" ("+list.what+")")
		}
	}
	if more := len(parts) - shown; more > 0 {
		parts = append(parts[:shown], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// compare tells what became of files between two times. The lists are sorted and never nil.
func compare(before, after map[string]string) Difference {
	d := Difference{Added: []string{}, Changed: []string{}, Removed: []string{}}
	for name, hash := range after {
		old, ok := before[name]
		switch {
		case !ok:
			d.Added = append(d.Added, name)
		case old != hash:
			d.Changed = append(d.Changed, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			d.Removed = append(d.Removed, name)
		}
	}
	slices.Sort(d.Added)
	slices.Sort(d.Changed)
	slices.Sort(d.Removed)
	return d
}
