package python

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// initFile makes a directory a package.
const initFile = "__init__.py"

// Discover returns the extensions in a directory, sorted by name. If the directory does not exist, there are none. An extension
// is a file *.py, a package, or a directory whose pyproject.toml declares extensions. Names that begin with _ or . are skipped.
// An error must keep aura from starting. A fault of one extension is stored in its Err.
func Discover(root string) ([]manifest.Plugin, error) {
	found, err := Search(root)
	if err != nil {
		return nil, err
	}
	return found, manifest.StartupErrors(found)
}

// Search is Discover for a caller that calls manifest.StartupErrors itself, once for each tier of the extensions.
func Search(root string) ([]manifest.Plugin, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("looking for extensions: %w", err)
	}
	entries, err := os.ReadDir(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for extensions: %w", err)
	}
	var found []manifest.Plugin
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "_") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		found = append(found, unit(abs, filepath.Join(abs, e.Name()))...)
	}
	return found, nil
}

// At returns the extensions at a path: of a file or of a directory. The path must be absolute.
func At(path string) []manifest.Plugin { return unit(filepath.Dir(path), path) }

// unit returns the extensions of one entry of a directory. Links are followed.
func unit(root, path string) []manifest.Plugin {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil // a link that leads nowhere
	case info.Mode().IsRegular() && strings.HasSuffix(path, ".py"):
		return []manifest.Plugin{manifest.NewExtension(root, path, nil)}
	case !info.IsDir():
		return nil
	}
	origin, err := manifest.ReadOrigin(path)
	if err != nil {
		broken := manifest.NewExtension(root, path, nil)
		broken.Err = err
		return []manifest.Plugin{broken}
	}
	dirs := []string{path}
	if origin != nil {
		dirs = nil
		for _, sub := range origin.Roots() {
			dirs = append(dirs, filepath.Join(path, filepath.FromSlash(sub)))
		}
	}
	var found []manifest.Plugin
	for _, dir := range dirs {
		found = append(found, inDir(root, dir, origin)...)
	}
	if origin != nil && origin.Name != "" && len(found) == 1 {
		found[0].Name = origin.Name
	}
	return found
}

// inDir returns the extensions of a directory: the package that it is, or those that its pyproject.toml declares.
func inDir(root, dir string, origin *manifest.Origin) []manifest.Plugin {
	if origin != nil && origin.URL == "" {
		origin = nil // it only sets a name
	}
	if exists(filepath.Join(dir, initFile)) {
		return []manifest.Plugin{manifest.NewExtension(root, dir, origin)}
	}
	project, err := ReadProject(dir)
	if err != nil {
		broken := manifest.NewExtension(root, dir, origin)
		broken.Err = err
		return []manifest.Plugin{broken}
	}
	var found []manifest.Plugin
	for _, d := range project.Extensions {
		p := manifest.NewExtension(root, dir, origin)
		p.Name, p.Entry = d.Name, d.Entry
		if err := manifest.CheckName(p.Name); err != nil && p.Err == nil {
			p.Err = fmt.Errorf("%s: %w", filepath.Join(dir, projectFile), err)
		}
		if _, _, err := split(p.Entry); err != nil && p.Err == nil {
			p.Err = fmt.Errorf("%s: extension %q: %w", filepath.Join(dir, projectFile), d.Name, err)
		}
		found = append(found, p)
	}
	return found
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Installed returns the extensions that the packages of an interpreter declare.
func Installed(i Interpreter) []manifest.Plugin {
	var found []manifest.Plugin
	for _, d := range i.Extensions {
		root := i.Library
		if d.Dir != "" {
			root = filepath.Dir(d.Dir)
		}
		p := manifest.NewExtension(root, d.Dir, nil)
		p.Name, p.Entry = d.Name, d.Entry
		if p.Manifest.Description == "" {
			p.Manifest.Description = "declared by the package " + d.Package
		}
		switch _, _, bad := split(d.Entry); {
		case manifest.CheckName(d.Name) != nil:
			p.Err = manifest.CheckName(d.Name)
		case bad != nil:
			p.Err = bad
		case d.Dir == "":
			p.Dir = i.Library
			p.Err = &manifest.RefusedError{Err: fmt.Errorf("the package %s declares %s, but Python does not find the module", d.Package, d.Entry)}
		}
		found = append(found, p)
	}
	// Of two packages that declare the same name, the interpreter's first one is used.
	slices.SortStableFunc(found, func(a, b manifest.Plugin) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(found, func(a, b manifest.Plugin) bool { return a.Name == b.Name })
}
