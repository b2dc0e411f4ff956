package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/portable"
)

// prepared is a unit in the stage that passed all checks.
type prepared struct {
	// dir is the unit's directory in the stage.
	dir      string
	plugins  []manifest.Plugin
	facts    []Facts
	warnings []Warning
	// disabled holds the keys in the lock of the plugins that the user disabled.
	disabled []string
	// index is the index from which it is installed; nil if there is none.
	index *Indexed
}

// Warning is a finding of a check that does not keep the plugin from running.
type Warning struct {
	Plugin string `json:"plugin"`
	Finding
}

// prepare finds the plugins of a staged unit from a source, vendors what they import and checks them. It does neither if one of them is not permitted.
func (s *stage) prepare(ctx context.Context, dir, url string, o Options) (prepared, error) {
	p := prepared{dir: dir}
	var err error
	if p.plugins, err = discover(filepath.Dir(dir)); err != nil {
		return p, err
	}
	policy := o.policy(s.place, url)
	for _, plugin := range p.plugins {
		if err := policy.Permitted(plugin.Name); err != nil {
			return p, named(plugin, err)
		}
	}
	if err := p.installPackages(ctx, o); err != nil {
		return p, err
	}
	if isExtension(p.plugins) {
		p.prepareExtensions()
		return p, nil
	}
	for _, plugin := range p.plugins {
		f := factsOf(plugin)
		if err := checkTools(plugin, f, o.BuiltinTools); err != nil {
			return p, named(plugin, err)
		}
	}
	if err := s.vendor(ctx, p, o); err != nil {
		return p, err
	}
	for _, plugin := range p.plugins {
		switch plugin.Runtime {
		case manifest.RuntimePython:
			p.prepareExtension(plugin)
		case manifest.RuntimePortable:
			p.preparePackage(plugin)
		default:
			if err := checkSDK(plugin.Dir); err != nil {
				return p, named(plugin, err)
			}
			if err := p.check(plugin, o); err != nil {
				return p, named(plugin, err)
			}
			p.facts = append(p.facts, factsOf(plugin))
		}
	}
	return p, nil
}

func (s *stage) vendor(ctx context.Context, p prepared, o Options) (err error) {
	if o.NoVendor {
		return nil
	}
	v, remove, err := newVendoring(o, p.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	for _, plugin := range p.plugins {
		if !plugin.Go() {
			continue
		}
		if err := v.plugin(ctx, plugin.Dir); err != nil {
			return named(plugin, err)
		}
	}
	return nil
}

// named adds the plugin's name to an error.
func named(p manifest.Plugin, err error) error { return fmt.Errorf("plugin %q: %w", p.Name, err) }

// discover finds the plugins of a staged unit. It returns an error if any of them is invalid.
func discover(root string) ([]manifest.Plugin, error) {
	found, err := discoverUnit(root)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("there is no %s in it, and no %s, so it holds no plugin; a Python extension has an __init__.py, or a pyproject.toml that declares aar_extensions", manifest.FileName, portable.FileName)
	}
	for _, p := range found {
		if p.Err != nil {
			err = errors.Join(err, named(p, p.Err))
		}
	}
	if err != nil {
		// The path of the stage is removed from the message: it is useless to the user, and the stage will be deleted.
		return nil, pathlessError{err, root + string(filepath.Separator)}
	}
	return found, nil
}

// pathlessError is an error whose message leaves out the name of a directory.
type pathlessError struct {
	error
	dir string
}

func (e pathlessError) Error() string { return strings.ReplaceAll(e.error.Error(), e.dir, "") }

func (e pathlessError) Unwrap() error { return e.error }

// checkTools returns an error if a tool would replace a built-in tool without override: true in the manifest.
func checkTools(p manifest.Plugin, f Facts, builtin []string) error {
	for _, name := range f.Tools {
		if slices.Contains(builtin, name) && !p.Manifest.Override {
			return fmt.Errorf("its tool is named %s like a built-in one, and its %s does not say override: true", name, manifest.FileName)
		}
	}
	return nil
}

// preparePackage reports what is left out of a portable plugin.
func (p *prepared) preparePackage(plugin manifest.Plugin) {
	stage := filepath.Dir(p.dir) + string(filepath.Separator)
	for _, text := range manifest.Faults(plugin) {
		p.warnings = append(p.warnings, Warning{plugin.Name, Finding{Message: strings.ReplaceAll(text, stage, "")}})
	}
	p.facts = append(p.facts, factsOf(plugin))
}

// check checks the source and keeps its warnings.
func (p *prepared) check(plugin manifest.Plugin, o Options) error {
	if o.Check == nil {
		return nil
	}
	warnings, faults := o.Check(plugin.Dir)
	if o.Force {
		warnings, faults = append(warnings, faults...), nil
	}
	stage := filepath.Dir(p.dir) + string(filepath.Separator)
	for _, w := range warnings {
		w.Message = strings.ReplaceAll(w.Message, stage, "")
		p.warnings = append(p.warnings, Warning{plugin.Name, w})
	}
	if len(faults) == 0 {
		return nil
	}
	lines := make([]string, 0, len(faults))
	for _, f := range faults {
		lines = append(lines, f.String())
	}
	return fmt.Errorf("the check found errors:\n%s\n--force installs it anyway", strings.Join(lines, "\n"))
}

// lock returns the entries of the unit's plugins for plugins.lock.
func (p prepared) lock(unit, url, commit string, signed *Signed) (map[string]locked, error) {
	out := map[string]locked{}
	for _, plugin := range p.plugins {
		rel, err := relative(p.dir, plugin.Dir)
		if err != nil {
			return nil, err
		}
		key := unit
		if rel != "." {
			key += "/" + rel
		}
		entry := locked{Unit: unit, URL: url, Commit: commit, Signed: signed, Index: p.index, Disabled: slices.Contains(p.disabled, key)}
		if out[key], err = lockPlugin(plugin.Dir, entry); err != nil {
			return nil, err
		}
	}
	return out, nil
}
