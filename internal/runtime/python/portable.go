package python

import (
	"path/filepath"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/portable"
)

// SearchPlugins returns the plugins below a root as manifest.Search does, together with the extensions that portable plugins contain.
func SearchPlugins(root string) ([]manifest.Plugin, error) {
	found, err := manifest.Search(root)
	for _, p := range found {
		if p.Portable() && p.Err == nil {
			found = append(found, inPackage(p)...)
		}
	}
	return found, err
}

// inPackage returns the extensions of a portable plugin.
func inPackage(p manifest.Plugin) []manifest.Plugin {
	read, err := portable.Open(p.Dir)
	if err != nil {
		return nil // it was removed meanwhile
	}
	dir, err := read.Folder("extensions")
	if err != nil || dir == "" {
		return nil // Faults of the package reports it
	}
	// The paths are those below the plugin's own directory, which may be a link, so that the lock knows them.
	found, err := Search(filepath.Join(p.Dir, portable.Namespace, "extensions"))
	if err != nil {
		return nil
	}
	for i := range found {
		found[i].Package, found[i].Root = p.Dir, p.Root
		if found[i].Origin == nil {
			found[i].Origin = p.Origin
		}
	}
	manifest.Contained(found)
	return found
}
