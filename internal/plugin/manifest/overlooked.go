package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Overlooked describes what is below a root and looks like a plugin, but is not loaded: a manifest with another name, Go source with a
// go.mod but without a manifest, and a link that leads to no plugin. It returns a sentence for each.
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
		case entry.Type()&fs.ModeSymlink != 0:
			if text := linked(path); text != "" {
				out = append(out, text)
			}
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

// linked describes why nothing is loaded from a link; empty if the link leads to a file.
func linked(path string) string {
	switch info, err := os.Stat(path); {
	case err != nil:
		return fmt.Sprintf("%s is a link that cannot be followed, so nothing is loaded from it: %v", path, errors.Unwrap(err))
	case !info.IsDir():
		return ""
	}

	if text := overlooked(path); text != "" {
		return text
	}

	return fmt.Sprintf("%s is a link to a folder that has no %s, and linked folders are not searched: link each plugin, or name the folder in plugins.dir", path, FileName)
}
