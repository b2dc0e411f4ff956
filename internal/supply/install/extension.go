package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/python"
)

const (
	// extensionsDir is the directory of a home that holds its Python extensions. In a lock, their keys begin with a slash and are
	// relative to the home, so that they differ from the keys of plugins.
	extensionsDir = "extensions"
	pythonFile    = ".py"
	// caches is the directory in which Python keeps compiled modules. It is not copied.
	caches = "__pycache__"
)

// extensions returns the directory of the place's Python extensions.
func (p Place) extensions() string { return filepath.Join(p.Home, extensionsDir) }

// key returns the key of a plugin or extension in the lock.
func (p Place) key(dir string) (string, error) {
	if files.Within(p.extensions(), dir) {
		rel, err := relative(p.Home, dir)
		return "/" + rel, err
	}
	return relative(p.Root, dir)
}

// path returns the path of a key in the lock.
func (p Place) path(key string) string {
	if rel, ok := strings.CutPrefix(key, "/"); ok {
		return filepath.Join(p.Home, filepath.FromSlash(rel))
	}
	return filepath.Join(p.Root, filepath.FromSlash(key))
}

// plugins returns the plugins and extensions of the place, those that were installed first: one that was written in place may have the
// name of one that was installed.
func (p Place) plugins() ([]manifest.Plugin, error) {
	found, err := python.SearchPlugins(p.Root)
	if err != nil {
		return nil, err
	}
	extensions, err := python.Search(p.extensions())
	if err != nil {
		return nil, err
	}
	lock, err := readLock(p)
	if err != nil {
		return nil, err
	}
	var added, own []manifest.Plugin
	for _, plugin := range slices.Concat(found, extensions) {
		_, plugin.Installed = lock.entry(p, plugin)
		if plugin.Added() {
			added = append(added, plugin)
		} else {
			own = append(own, plugin)
		}
	}
	manifest.RefuseDuplicates(added)
	manifest.RefuseDuplicates(own)
	return slices.Concat(added, own), nil
}

// discoverUnit finds the plugins of a staged unit: those of portable plugins or, if there are none, its extensions or, if there are none
// either, its plugins in Go.
func discoverUnit(root string) ([]manifest.Plugin, error) {
	all, err := python.SearchPlugins(root)
	if err == nil && slices.ContainsFunc(all, manifest.Plugin.Portable) {
		return all, manifest.StartupErrors(all)
	}
	found, err := python.Discover(root)
	if err != nil || len(found) > 0 {
		return found, err
	}
	return manifest.Discover(root)
}

// isExtension reports whether a unit consists of Python extensions.
func isExtension(plugins []manifest.Plugin) bool {
	return len(plugins) > 0 && !slices.ContainsFunc(plugins, func(p manifest.Plugin) bool { return !p.Python() })
}

// target returns where a unit is installed.
func (p Place) target(ready prepared, name string) string {
	switch {
	case !isExtension(ready.plugins):
		return filepath.Join(p.Root, name)
	case strings.HasSuffix(ready.dir, pythonFile):
		return filepath.Join(p.extensions(), name+pythonFile)
	default:
		return filepath.Join(p.extensions(), name)
	}
}

// occupied returns an error if a unit of the name exists.
func (p Place) occupied(name string, o Options) error {
	for _, target := range []string{filepath.Join(p.Root, name), filepath.Join(p.extensions(), name), filepath.Join(p.extensions(), name+pythonFile)} {
		if _, err := os.Lstat(target); err == nil {
			return fmt.Errorf("%s is there already; %schoose another name with --name", target, p.remedy(target, name, o))
		}
	}
	return nil
}

// remedy names the commands that work for what is at target: an update needs a repository.
func (p Place) remedy(target, name string, o Options) string {
	u, err := find([]Place{p}, name)
	if err != nil || u.path() != target {
		return ""
	}
	remove := "`aura plugins remove " + word(name) + "`"
	if o.Global {
		remove = "`aura plugins remove --global " + word(name) + "`"
	}
	if u.origin == nil {
		return "run " + remove + " first, or "
	}
	return "`aura plugins update " + word(name) + "` or " + remove + ", or "
}

// copyFile copies an extension that consists of one file.
func copyFile(ctx context.Context, from, to string) error {
	dir, err := os.MkdirTemp(filepath.Dir(to), "file")
	if err != nil {
		return err
	}
	w, err := newWriter(dir)
	if err != nil {
		return err
	}
	root, err := files.OpenRoot(filepath.Dir(from))
	if err == nil {
		c := copier{root: root, writer: w}
		var info fs.FileInfo
		if info, err = root.Stat(filepath.Base(from)); err == nil {
			err = c.entry(filepath.Base(from), fs.FileInfoToDirEntry(info))
		}
		err = errors.Join(err, root.Close())
	}
	if err := errors.Join(err, w.close(), ctx.Err()); err != nil {
		return fmt.Errorf("copying %s: %w", from, err)
	}
	return os.Rename(filepath.Join(dir, filepath.Base(from)), to)
}

// prepareExtensions checks the extensions of a staged unit. One without a function that registers it is installed with a warning.
func (p *prepared) prepareExtensions() {
	for _, plugin := range p.plugins {
		p.prepareExtension(plugin)
	}
}

func (p *prepared) prepareExtension(plugin manifest.Plugin) {
	stage := filepath.Dir(p.dir) + string(filepath.Separator)
	if err := python.Check(plugin); err != nil {
		p.warnings = append(p.warnings, Warning{plugin.Name, Finding{Message: "IT WILL NOT RUN: " + strings.ReplaceAll(err.Error(), stage, "")}})
	}
	p.facts = append(p.facts, factsOf(plugin))
}
