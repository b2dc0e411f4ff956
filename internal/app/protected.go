package app

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/manifest"
)

// pluginDirs are the directories that plugins are loaded from: those that the configuration names, and those that links in them
// lead to.
func pluginDirs(c *config.Config) []string {
	var out []string
	for _, root := range c.PluginRoots() {
		out = append(append(out, root.Dir), linked(root.Dir, linkDepth)...)
	}
	return out
}

// linkDepth is how deep links to plugins are looked for below a directory of plugins.
const linkDepth = 4

// linked are the links to directories. Inside of a plugin none leads to another one.
func linked(dir string, depth int) []string {
	entries, err := os.ReadDir(dir)
	if err != nil || depth == 0 {
		return nil // there are no plugins then either
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				out = append(out, path)
			}
		case e.IsDir() && !exists(filepath.Join(path, manifest.FileName)):
			out = append(out, linked(path, depth-1)...)
		}
	}
	return out
}

// tellPlugins says what the plugins that run could not be kept from. That a plugin asked for freedom is shown where plugins are.
func (a *App) tellPlugins() {
	for _, p := range a.plugins() {
		exports, known := p.Exports()
		free := known && exports.Tool != nil && !exports.Tool.Sandboxable
		// What the plugin exports may be known before its process is up.
		if free && !p.Spec().Unconfined {
			a.tellUngranted(p.Name())
		}
		report := p.Health().Sandbox
		if report == nil {
			continue
		}
		said := report.Uncovered
		if free && p.Spec().Unconfined && len(said) > 0 {
			said = said[1:]
		}
		a.tellUncovered(said)
	}
}
