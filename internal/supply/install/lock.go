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
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// LockFile is the name of the file in a home that records what was installed.
const LockFile = "plugins.lock"

const lockVersion = 1

// lockPrefix is the prefix of lock files that are being written.
const lockPrefix = ".plugins-lock-"

// maxLock is the largest lock file, in bytes.
const maxLock = 64 << 20

// lockfile records what was installed into a place.
type lockfile struct {
	Version int `check:"required,min=1,max=1" json:"version"`
	// Plugins maps the directories of plugins to what was installed there. The directories are slash-separated and relative to
	// the place's root. Those of extensions begin with a slash and are relative to the home.
	Plugins map[string]locked `check:"required" json:"plugins"`
	// Pending holds the same for an update that is in progress. Until the update has finished, a plugin may match either map.
	Pending map[string]locked `json:"pending,omitempty"`
}

// locked records one plugin as it was installed.
type locked struct {
	// Unit is the key of the installed directory: the plugin's own directory or the directory of its pack.
	Unit   string `check:"required"        json:"unit"`
	URL    string `json:"url,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Signed records the signature that was verified at the installation; nil if there was none.
	Signed *Signed `json:"signed,omitempty"`
	// Index records the index from which it was installed; nil if there was none.
	Index *Indexed `json:"index,omitempty"`
	// Disabled reports whether the user, not the source, disabled the plugin in its manifest.
	Disabled bool `json:"disabled,omitempty"`
	// Installed holds the hashes of the files as they were installed, if the user has trusted changes since; nil otherwise.
	Installed map[string]string `json:"installed,omitempty"`
	// Hash is a hash of all of Files.
	Hash string `check:"required" json:"hash"`
	// Files maps slash-separated paths in the plugin's directory to the hashes of their contents.
	Files map[string]string `check:"required" json:"files"`
}

// LockType returns the type into which a lock is decoded. Its tags describe the file to internal/settings/schema.
func LockType() reflect.Type { return reflect.TypeFor[lockfile]() }

// readLock reads a place's lock. If the file does not exist, nothing is installed.
func readLock(p Place) (*lockfile, error) {
	file := filepath.Join(p.Home, LockFile)
	text, err := files.Read(file, maxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return &lockfile{Version: lockVersion, Plugins: map[string]locked{}, Pending: map[string]locked{}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what is installed: %w", err)
	}
	l, err := parseLock(text)
	if err != nil {
		return nil, fmt.Errorf("reading what is installed: %s: %w; restore the file, or remove it and `aura plugins trust` each plugin", file, err)
	}
	if l.Version > lockVersion {
		return nil, fmt.Errorf("reading what is installed: %s has version %d, but this aura supports version %d; use a newer aura", file, l.Version, lockVersion)
	}
	return l, nil
}

// parseLock reads a lock strictly. It does not check the content of a lock of a later version.
func parseLock(text []byte) (*lockfile, error) {
	l := &lockfile{Pending: map[string]locked{}}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(l)
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("there is more after the end of the object")
	}
	var head struct{ Version int }
	if err != nil && json.Unmarshal(text, &head) == nil && head.Version > lockVersion {
		return &lockfile{Version: head.Version}, nil
	}
	if err != nil || l.Version > lockVersion {
		return l, err
	}
	if l.Version != lockVersion || l.Plugins == nil {
		return nil, fmt.Errorf("it needs \"version\": %d and \"plugins\"", lockVersion)
	}
	for _, entries := range []map[string]locked{l.Plugins, l.Pending} {
		for dir, e := range entries {
			if err := e.check(dir); err != nil {
				return nil, fmt.Errorf("plugin %q: %w", dir, err)
			}
		}
	}
	return l, nil
}

// check returns an error for an incomplete entry, and for one whose unit does not contain the plugin: `aura plugins remove` removes
// the unit. A project's lock can be written by somebody else.
func (e locked) check(dir string) error {
	switch {
	case e.Unit == "" || e.Hash == "" || e.Files == nil:
		return errors.New("an entry needs \"unit\", \"hash\" and \"files\"")
	case !isUnit(e.Unit) || dir != e.Unit && !strings.HasPrefix(dir, e.Unit+"/"):
		return fmt.Errorf("the unit %q is not its directory or a directory above it", e.Unit)
	default:
		return nil
	}
}

// isUnit reports whether a key names something below the place's root or, if it begins with a slash, below the home's directory of
// extensions.
func isUnit(key string) bool {
	rel, extension := strings.CutPrefix(key, "/")
	if extension && !strings.HasPrefix(rel, extensionsDir+"/") {
		return false
	}
	return rel != "." && path.Clean(rel) == rel && filepath.IsLocal(filepath.FromSlash(rel))
}

// write replaces the file atomically. It removes the file if the lock is empty. The audit log has what changes before it does.
func (l *lockfile) write(p Place) error {
	path := filepath.Join(p.Home, LockFile)
	if err := l.record(p); err != nil {
		return fmt.Errorf("recording what is installed: %w", err)
	}
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

// drop removes the entries of a unit.
func (l *lockfile) drop(unit string) {
	maps.DeleteFunc(l.Plugins, func(_ string, e locked) bool { return e.Unit == unit })
	maps.DeleteFunc(l.Pending, func(_ string, e locked) bool { return e.Unit == unit })
}

// prune removes the entries of units whose directories no longer exist.
func (l *lockfile) prune(p Place) {
	gone := func(_ string, e locked) bool {
		_, err := os.Lstat(p.path(e.Unit))
		return errors.Is(err, fs.ErrNotExist)
	}
	maps.DeleteFunc(l.Plugins, gone)
	maps.DeleteFunc(l.Pending, gone)
}

// hashTree hashes every file below a directory, including hidden and vendored files. The hash of a symbolic link covers its
// target and, if the target is a file, the content.
func hashTree(dir string) (map[string]string, error) {
	hashes, size := map[string]string{}, int64(0)
	// A plugin may be a link to a directory elsewhere; the files of that directory are hashed.
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
		if rel == "." {
			rel = filepath.Base(dir) // the plugin is a single file
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

// hashAll returns one hash over the hashes of many files.
func hashAll(hashes map[string]string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(hashes)) {
		fmt.Fprintf(h, "%s\x00%s\x00", name, hashes[name])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// lockPlugin returns e with the hashes of the current files in dir.
func lockPlugin(dir string, e locked) (locked, error) {
	hashes, err := hashTree(dir)
	if err != nil {
		return locked{}, err
	}
	e.Files, e.Hash = hashes, hashAll(hashes)
	return e, nil
}

// Difference lists how the files of a tree changed.
type Difference struct {
	Added   []string `json:"added"`
	Changed []string `json:"changed"`
	Removed []string `json:"removed"`
}

// Empty reports whether no file changed.
func (d Difference) Empty() bool { return len(d.Added)+len(d.Changed)+len(d.Removed) == 0 }

// shown is the number of files that a message names.
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

// compare returns the changes of files between before and after. The lists are sorted and never nil.
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
