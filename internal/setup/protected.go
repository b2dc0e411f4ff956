package setup

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/manifest"
)

// pluginDirs returns the directories that plugins and extensions are loaded from: the directories that the configuration names, and
// the links in them.
func pluginDirs(c *config.Config) []string {
	var out []string
	for _, root := range c.Roots() {
		depth := linkDepth
		if root.Python {
			depth = 1 // extensions are not searched in folders
		}
		out = append(append(out, root.Dir), linked(root.Dir, depth, root.Python)...)
	}
	return out
}

// linkDepth is how many levels below a plugin directory are searched for links to plugins.
const linkDepth = 4

// linked returns the links to directories below dir and, if files is set, the links to files. It does not search inside a plugin,
// because plugins are not nested.
func linked(dir string, depth int, files bool) []string {
	entries, err := os.ReadDir(dir)
	if err != nil || depth == 0 {
		return nil // no plugins are loaded from there either
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			if info, err := os.Stat(path); err == nil && (files || info.IsDir()) {
				out = append(out, path)
			}
		case e.IsDir() && !exists(filepath.Join(path, manifest.FileName)):
			out = append(out, linked(path, depth-1, files)...)
		}
	}
	return out
}
