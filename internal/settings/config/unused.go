package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/nearest"
)

// configFolder is the folder of a home that contains its configuration. The other folders do not contain YAML configuration.
const configFolder = "config"

var (
	homeFolders   = []string{configFolder, "plugins", "skills"}
	configFolders = []string{
		"agents", "commands", "features", "hooks", "mcp", "modes", "prompts", "providers", "sandbox", "tasks", "tools",
	}
)

// strangeFolders reports the folders of all homes that aura does not read but that resemble a folder that it reads. Other folders
// belong to the user, such as one for scripts.
func (l *loader) strangeFolders() []string {
	var out []string
	for _, home := range l.homes {
		out = append(out, strange(home.Dir, homeFolders)...)
		out = append(out, strange(filepath.Join(home.Dir, configFolder), configFolders)...)
	}
	return out
}

func strange(dir string, known []string) []string {
	// A folder that cannot be read is reported by the code that needs its content.
	entries, _ := os.ReadDir(dir)
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || slices.Contains(known, e.Name()) || !isDir(path, e) {
			continue
		}
		if sameFolder(dir, e.Name(), known) {
			continue
		}
		if hint := nearest.Hint(e.Name(), known); hint != "" {
			out = append(out, fmt.Sprintf("the folder %s is not read%s", path, hint))
		}
	}
	return out
}

// sameFolder reports whether a folder is in fact one that is read: some file systems treat Hooks and hooks as the same folder.
func sameFolder(dir, name string, known []string) bool {
	i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
	if i < 0 {
		return false
	}
	this, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		return false
	}
	read, err := os.Stat(filepath.Join(dir, known[i]))
	return err == nil && os.SameFile(this, read)
}

// idleTasks reports the tasks that cannot run, unless other tasks inherit from them.
func idleTasks(tasks map[string]Task) []string {
	parents := map[string]bool{}
	for _, t := range tasks {
		for _, name := range t.Inherit {
			parents[name] = true
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		if t := tasks[name]; len(t.Commands) == 0 && !t.Disabled && !parents[name] {
			out = append(out, fmt.Sprintf("task %q has no commands, so it cannot run: add commands, or set disabled: true (%s)", name, t.Source.File))
		}
	}
	return out
}
