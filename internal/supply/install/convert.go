package install

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/portable"
)

// Converter turns the plugin of another agent in a directory into a portable plugin. entry is what a marketplace says about it; nil without one.
type Converter func(dir string, entry map[string]any) (portable.Converted, error)

// claudeDir is the directory with the manifest of a plugin of Claude Code, and with the list of a marketplace.
const (
	claudeDir      = ".claude-plugin"
	claudeManifest = "plugin.json"
)

// convert turns the plugins of Claude Code in a staged unit into portable plugins. What is a plugin of aura, or a portable one, stays as it is.
func (s *stage) convert(ctx context.Context, dir string, roots []string, entry map[string]any, o Options) error {
	if o.Convert == nil {
		return nil
	}
	for _, root := range roots {
		top := filepath.Join(dir, filepath.FromSlash(root))
		// What cannot be read is reported when the plugins are made ready.
		own, _ := manifest.Search(top)
		if slices.ContainsFunc(own, func(p manifest.Plugin) bool { return p.Err == nil && (entry == nil || p.Dir == top) }) {
			continue
		}
		found := []string{top}
		if entry == nil {
			found = claudePlugins(top)
		}
		for _, plugin := range found {
			made, err := o.Convert(plugin, entry)
			if err == nil {
				err = s.write(ctx, plugin, made)
			}
			if err != nil {
				return fmt.Errorf("converting the plugin of Claude Code: %w", err)
			}
		}
	}
	return nil
}

// claudePlugins returns the directories with plugins of Claude Code: the directory itself or those below it.
func claudePlugins(top string) []string {
	var out []string
	// What cannot be read has no plugin.
	_ = filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil //nolint:nilerr // see above
		}
		if info, err := os.Lstat(filepath.Join(name, claudeDir, claudeManifest)); err == nil && info.Mode().IsRegular() {
			out = append(out, name)
			return fs.SkipDir
		}
		return nil
	})
	return out
}

// write writes a converted plugin into its directory.
func (s *stage) write(ctx context.Context, dir string, made portable.Converted) error {
	root, err := files.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, name := range slices.Sorted(maps.Keys(made.Skills)) {
		to := filepath.Join(dir, portable.SkillsDir, name)
		// A skill that is all of the plugin does not contain itself.
		if err = os.MkdirAll(to, 0o755); err == nil {
			err = copyLocal(ctx, filepath.Join(dir, filepath.FromSlash(made.Skills[name])), to, filepath.Dir(to))
		}
		if err != nil {
			return fmt.Errorf("copying the skill %s: %w", name, err)
		}
	}
	if made.Only != nil {
		entries, err := files.ReadDirBelow(root, portable.SkillsDir, -1)
		for _, e := range entries {
			if !slices.Contains(made.Only, e.Name()) && err == nil {
				err = root.RemoveAll(path.Join(portable.SkillsDir, e.Name()))
			}
		}
		if err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(made.Files)) {
		native := filepath.FromSlash(name)
		if err = root.RemoveAll(native); err == nil {
			err = root.MkdirAll(filepath.Dir(native), 0o755)
		}
		if err == nil {
			err = root.WriteFile(native, made.Files[name], 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
