package install

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/python"
)

// vendoredDir returns the name of the directory that holds what aura installs for a plugin's imports.
func vendoredDir(p manifest.Plugin) string {
	if p.Python() {
		return python.LibraryDir
	}
	return vendorDir
}

// keepVendored copies what was installed for the imports of the old version to the new version in dir.
func keepVendored(ctx context.Context, u unit, dir string) error {
	lock, err := readLock(u.place)
	if err != nil {
		return err
	}
	for _, p := range u.plugins {
		key, err := u.place.key(p.Dir)
		if err != nil {
			return err
		}
		rel, err := relative(u.path(), p.Dir)
		if err != nil {
			return err
		}
		if err := lock.Plugins[key].keepVendored(ctx, p, filepath.Join(dir, filepath.FromSlash(rel)), u.place.Home); err != nil {
			return named(p, err)
		}
	}
	return nil
}

// keepVendored copies the vendored files of a plugin to its new version in dir, unless that has its own. It copies only files that are as
// they were installed, and no SDK that does not fit this aura.
func (e locked) keepVendored(ctx context.Context, p manifest.Plugin, dir, home string) error {
	name := vendoredDir(p)
	from, to := filepath.Join(p.Dir, name), filepath.Join(dir, name)
	if !isDir(from) || !isDir(dir) || p.Go() && checkSDK(p.Dir) != nil {
		return nil //nolint:nilerr // without the SDK the new version may work
	}
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	if err := copyLocal(ctx, from, to, home); err != nil {
		return err
	}
	// The copy is compared, not the original, which could be changed meanwhile.
	copied, err := hashTree(to)
	if err != nil || hashAll(copied) == hashAll(e.below(name)) {
		return err
	}
	return removeAll(to)
}

// below returns the files in a directory of the plugin, with their paths relative to that directory.
func (e locked) below(dir string) map[string]string {
	out := map[string]string{}
	for name, hash := range e.Files {
		if rel, ok := strings.CutPrefix(name, dir+"/"); ok {
			out[rel] = hash
		}
	}
	return out
}

// unvendored reports whether aura would vendor the imports of a plugin, or install its packages, but has not done so.
func unvendored(p manifest.Plugin) bool {
	if p.Portable() {
		return false
	}
	if _, err := os.Lstat(filepath.Join(p.Dir, vendoredDir(p))); err == nil {
		return false
	}
	if p.Python() {
		needs, err := declaredPackages(p)
		return err == nil && len(needs) > 0
	}
	// After vendoring there is always a vendor directory, even if it has only modules.txt.
	_, err := os.Lstat(filepath.Join(p.Dir, "go.mod"))
	return err == nil
}

// isDir reports whether a path is a directory, not a link to one.
func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
