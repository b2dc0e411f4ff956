package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// linkedDepth is how many levels below a linked folder are searched for plugins.
const linkedDepth = 2

// Overlooked describes what is below a root and looks like a plugin, but is not loaded: a manifest with another name, Go source with a
// go.mod but without a manifest, and a link to a folder with plugins. It returns a sentence for each.
func Overlooked(root string) []string {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil // discovery reports it
	}

	var out []string

	for _, entry := range entries {
		name, path := entry.Name(), filepath.Join(root, entry.Name())

		switch {
		case strings.HasPrefix(name, ".") || name == vendorDir || isPlugin(path):
		case entry.IsDir():
			if text := overlooked(path); text != "" {
				out = append(out, text)
			} else {
				out = append(out, Overlooked(path)...)
			}
		case containsPlugin(path, linkedDepth):
			out = append(out, fmt.Sprintf("%s is a link to a folder with plugins, which is not searched: link each plugin, or name the folder in plugins.dir", path))
		}
	}

	return out
}

// overlooked describes why a directory without a manifest is not loaded; empty if it does not look like a plugin.
func overlooked(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}

	module, source := false, false

	for _, entry := range entries {
		name := entry.Name()
		if lower := strings.ToLower(name); lower == FileName || lower == "plugin.yml" {
			return fmt.Sprintf("%s is not loaded: the name of its manifest must be %s, not %s", dir, FileName, name)
		}

		module = module || name == "go.mod"
		source = source || strings.HasSuffix(name, ".go")
	}

	if module && source {
		return fmt.Sprintf("%s is not loaded: it has Go source, but no %s", dir, FileName)
	}

	return ""
}

// containsPlugin reports whether a directory has plugins at most some levels below it.
func containsPlugin(dir string, depth int) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}

	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if entry.IsDir() && (isPlugin(path) || depth > 1 && containsPlugin(path, depth-1)) {
			return true
		}
	}

	return false
}
