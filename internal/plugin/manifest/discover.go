package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/plugin/portable"
)

// vendorDir is the directory in which a plugin keeps the source of its imports.
const vendorDir = "vendor"

// Runtime is what runs a plugin.
type Runtime string

// The runtimes.
const (
	RuntimeGo     Runtime = "go"
	RuntimePython Runtime = "python"
	// RuntimePortable is a portable plugin. Nothing of it is run as a plugin: its skills, servers, hooks, commands and agents are used as if
	// a home contained them, and its plugins in Go and Python are plugins of their own.
	RuntimePortable Runtime = "portable"
)

// Plugin is a plugin that was found on disk.
type Plugin struct {
	// Name identifies the plugin. It is the name of the plugin's directory, unless the manifest or the origin sets another.
	Name string
	// Dir is the absolute path of the plugin's directory, or of its file if it is an extension that consists of one file.
	Dir string
	// Target is where Dir led when the plugin was found, if Dir is a link; empty otherwise.
	Target string
	// Runtime is what runs the plugin; empty means RuntimeGo.
	Runtime Runtime
	// Entry is the function that registers an extension, as module:function, if metadata declares it. If it is empty, the
	// extension is the file or package at Dir.
	Entry string
	// Root is the absolute path of the directory that was passed to Discover.
	Root     string
	Manifest Manifest
	// Package is the directory of the portable plugin that contains the plugin; empty if none does.
	Package string
	// Notes are faults of the manifest that have no effect.
	Notes []string
	// Origin is nil if the plugin was not installed from elsewhere.
	Origin *Origin
	// Installed is true if plugins.lock records the plugin.
	Installed bool
	// From is the address that the plugin was installed from, and Hash the hash of its files, as plugins.lock records them; empty for a
	// plugin that was not installed.
	From, Hash string
	// Altered is true if the user accepted files that are not those that were installed.
	Altered bool
	// Signer is who signed the installed version, with the key and what was signed; empty if no signature was verified.
	Signer string
	// Index is the index from which the version was installed, with its serial; empty if there was none.
	Index string
	// Err is the reason why the plugin cannot be loaded. Name is then the name of the directory.
	Err error
}

// Python reports whether the plugin is a Python extension.
func (p Plugin) Python() bool { return p.Runtime == RuntimePython }

// Go reports whether the plugin is one in Go.
func (p Plugin) Go() bool { return p.Runtime == "" || p.Runtime == RuntimeGo }

// Portable reports whether the plugin is a portable plugin, which is not run itself.
func (p Plugin) Portable() bool { return p.Runtime == RuntimePortable }

// Added reports whether the plugin was installed, not written in place.
func (p Plugin) Added() bool { return p.Installed || p.Origin != nil }

// DuplicateError reports two plugins with the same name in one tier of a home.
type DuplicateError struct {
	Name string
	Dirs [2]string
}

// Error names both directories and the remedy.
func (e *DuplicateError) Error() string {
	remedy := "set name: in the " + FileName + " of one of them"
	if strings.HasSuffix(e.Dirs[0], ".py") || strings.HasSuffix(e.Dirs[1], ".py") {
		remedy = "rename one of them"
	}

	return fmt.Sprintf("two plugins are named %q: %s and %s; %s", e.Name, e.Dirs[0], e.Dirs[1], remedy)
}

// RefusedError reports a plugin that has no faulty files but may not be loaded as it is.
type RefusedError struct{ Err error }

// Error returns only the reason. The caller that shows it names the plugin.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// Discover returns the plugins below root, sorted by name. If root does not exist, there are none. The returned error must keep
// aura from starting: a *DuplicateError, or a root that cannot be read. Any other fault affects only one plugin and is stored in its
// Err.
func Discover(root string) ([]Plugin, error) {
	found, err := Search(root)
	if err != nil {
		return nil, err
	}

	if err := startupErrors(found); err != nil {
		return nil, err
	}

	return found, nil
}

// Search is Discover for a caller that calls StartupErrors itself, once for each tier of the plugins.
func Search(root string) ([]Plugin, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("looking for plugins: %w", err)
	}

	if _, err := os.ReadDir(abs); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}

		return nil, fmt.Errorf("looking for plugins: %w", err)
	}

	w := walker{root: abs}
	w.walk(abs, nil)

	sortByName(w.found)

	return w.found, nil
}

func sortByName(found []Plugin) {
	slices.SortFunc(found, func(a, b Plugin) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Dir, b.Dir))
	})
}

// startupErrors returns the faults that must keep aura from starting.
func startupErrors(found []Plugin) error {
	var faults []error

	for i, p := range found {
		if i > 0 && found[i-1].Name == p.Name {
			faults = append(faults, &DuplicateError{Name: p.Name, Dirs: [2]string{found[i-1].Dir, p.Dir}})
		}
	}

	return errors.Join(faults...)
}

// walker collects plugins below a root.
type walker struct {
	root  string
	found []Plugin
}

// walk searches dir. origin comes from a directory above and applies unless dir has its own origin.
func (w *walker) walk(dir string, origin *Origin) {
	own, err := ReadOrigin(dir)
	if err != nil {
		w.broken(dir, err)

		return
	}

	if own == nil {
		w.look(dir, origin)

		return
	}

	roots := own.Roots()
	for _, sub := range roots {
		from := len(w.found)
		w.look(filepath.Join(dir, filepath.FromSlash(sub)), cmp.Or(own.remote(), origin))

		if len(roots) == 1 && own.Name != "" && len(w.found) > from && (len(w.found) == from+1 || w.found[from].Portable()) {
			w.found[from].Name = own.Name
		}
	}
}

// look searches a directory whose own origin, if any, is already known.
func (w *walker) look(dir string, origin *Origin) {
	if isPlugin(dir) {
		w.add(dir, origin)

		return
	}

	entries, err := os.ReadDir(dir)
	if err != nil {
		w.broken(dir, fmt.Errorf("looking for plugins: %w", err))

		return
	}

	for _, entry := range entries {
		name := entry.Name()
		path := filepath.Join(dir, name)

		switch {
		case strings.HasPrefix(name, ".") || name == vendorDir:
		case entry.IsDir():
			w.walk(path, origin)
		case entry.Type()&fs.ModeSymlink != 0 && isPlugin(path):
			// Only a link to a plugin is followed. Nothing below the link is searched, so that links cannot form a loop.
			w.link(path, origin)
		}
	}
}

func (w *walker) link(dir string, origin *Origin) {
	own, err := ReadOrigin(dir)
	if err != nil {
		w.broken(dir, err)

		return
	}

	w.add(dir, cmp.Or(own.remote(), origin))
}

// add records the plugin in a directory and, if it is a portable one, the plugins that it contains.
func (w *walker) add(dir string, origin *Origin) {
	if !portable.Is(dir) || hasManifest(dir) {
		w.found = append(w.found, load(w.root, dir, origin))

		return
	}

	p, inner := loadPortable(w.root, dir, origin)
	from := len(w.found)
	w.found = append(w.found, p)

	if inner != "" {
		w.look(inner, origin)
	}

	for i := from + 1; i < len(w.found); i++ {
		w.found[i].Package = dir
	}

	Contained(w.found[from:])
}

// broken records a directory that may contain plugins but cannot be searched.
func (w *walker) broken(dir string, err error) {
	w.found = append(w.found, Plugin{Name: filepath.Base(dir), Dir: dir, Root: w.root, Manifest: salvage(nil), Err: err})
}

// target returns where a link leads; empty if the path is no link.
func target(path string) string {
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return ""
	}

	end, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "" // reading the plugin reports it
	}

	return end
}

// isPlugin reports whether dir contains a manifest of aura or of a portable plugin, readable or not.
func isPlugin(dir string) bool { return hasManifest(dir) || portable.Is(dir) }

func hasManifest(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, FileName))

	return err == nil && !info.IsDir()
}

func load(root, dir string, origin *Origin) Plugin {
	p := Plugin{Name: filepath.Base(dir), Dir: dir, Target: target(dir), Root: root, Origin: origin}
	file := filepath.Join(dir, FileName)

	data, err := readFile(file)
	if err != nil {
		p.Manifest, p.Err = salvage(nil), fmt.Errorf("reading the manifest: %w", err)

		return p
	}

	p.Manifest, p.Err = Parse(file, data)

	switch invalid := CheckName(p.Name); {
	case p.Manifest.Name != "" && CheckName(p.Manifest.Name) == nil:
		p.Name = p.Manifest.Name
	case p.Err == nil && invalid != nil:
		p.Err = fmt.Errorf("%s: %w; %w", dir, invalid, errName)
	}

	if p.Manifest.Disabled {
		p.Err = nil // nothing but the name of a disabled plugin counts
	}

	return p
}
