package python

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// mostOverlooked is how many files of a directory are searched for an extension that is not loaded.
const mostOverlooked = 50

// Overlooked describes what is in a directory of extensions and looks like an extension or a plugin, but is not loaded: a link that leads
// nowhere, a file whose name does not end in .py, a directory that is no package, and a plugin in Go. It returns a sentence for each.
func Overlooked(root string) []string {
	return each(root, func(path string) string {
		info, err := os.Stat(path)
		switch name := filepath.Base(path); {
		case err != nil:
			return fmt.Sprintf("%s is a link that cannot be followed, so nothing is loaded from it: %v", path, errors.Unwrap(err))
		case !info.IsDir():
			if registers(path) && strings.EqualFold(filepath.Ext(name), ".py") && filepath.Ext(name) != ".py" {
				return path + " is not loaded: the name of an extension must end in .py"
			}
			return ""
		case len(At(path)) > 0:
			return ""
		case exists(filepath.Join(path, manifest.FileName)) || exists(filepath.Join(path, "go.mod")):
			return path + " is not loaded: plugins in Go belong into the directory plugins of a home"
		case registers(inside(path)...):
			return fmt.Sprintf("%s is not loaded: it has a function register, but no %s", path, initFile)
		}
		return ""
	})
}

// Misplaced describes the extensions in a directory of plugins, which is not searched for them.
func Misplaced(root string) []string {
	return each(root, func(path string) string {
		if exists(filepath.Join(path, manifest.FileName)) || !registers(path) && !registers(filepath.Join(path, initFile)) {
			return ""
		}
		return path + " is not loaded: Python extensions belong into the directory extensions of a home"
	})
}

// each collects what a function says about the entries of a directory that are not hidden.
func each(root string, say func(path string) string) []string {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil // discovery reports it
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "_") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if text := say(filepath.Join(root, e.Name())); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// inside returns the Python files directly in a directory.
func inside(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it cannot be searched either
	}
	var out []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".py") && len(out) < mostOverlooked {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// registers reports whether one of some files defines the function that registers an extension.
func registers(paths ...string) bool {
	for _, path := range paths {
		if !strings.EqualFold(filepath.Ext(path), ".py") || !exists(path) {
			continue
		}
		if text, err := files.Read(path, files.MaxText); err == nil && defines(string(text), "register") {
			return true
		}
	}
	return false
}
