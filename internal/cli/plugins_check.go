package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/author/check"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/portable"
	"github.com/idelchi/aura/internal/runtime/python"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/supply/install"
)

const checkHelp = `Find errors in a plugin before it runs: in plugin.yaml and go.mod, functions with a
wrong signature, imports that cannot be resolved, Go that the interpreter refuses,
crashes on or silently gets wrong, and files that differ from those installed. The
check itself runs no code of the plugin and needs no Go toolchain.

Of a Python extension, aura checks that its file has the function that registers it.
Of a portable plugin, it checks plugin.json, mcp.json and the skills.

With --compare, aura also makes the calls of the plugins' recordings again, in the
interpreter and in the compiled program, and reports differences as errors. This
runs the plugins, and needs a Go toolchain.

An error keeps the plugin from loading, or fails every time the line runs. A
warning depends on values. The exit code is 1 if there are errors, else 0.

Without an argument, aura checks all plugins of all homes.`

func newPluginsCheck(s streams, root *rootOptions) *cobra.Command {
	var asJSON, compare, lowered bool
	cmd := &cobra.Command{
		Use:   "check [NAME|PACK|PATH]",
		Short: "Find errors in plugins before they run",
		Long:  checkHelp,
		Example: `  aura plugins check
  aura plugins check notepad
  aura plugins check ./my-plugin --json
  aura plugins check notepad --compare
  aura plugins check notepad --lowered
  aura plugins check ./guard.py`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes one NAME or PATH at most", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if compare && len(args) == 1 && isPath(args[0]) {
				return usageError{errors.New("--compare needs the name of a plugin: one that is not installed has no sandbox to run in")}
			}
			targets, options, problem := checkTargets(s, root, args)
			if problem != nil && len(targets) == 0 {
				return problem
			}
			if lowered {
				return writeLowered(s.out, targets, options)
			}
			found := []check.Finding{}
			for i, t := range targets {
				list := t.check(options)
				if len(list) > 0 {
					targets[i].name = list[0].Plugin
				}
				list = append(t.found, list...)
				found = append(found, list...)
				targets[i].found = list
			}
			if compare && problem == nil {
				differing, err := compareTargets(cmd.Context(), s, root, targets, len(args) == 1)
				if err != nil {
					return err
				}
				found = append(found, differing...)
			}
			if err := writeFindings(s.out, asJSON, found, targets); err != nil {
				return err
			}
			if slices.ContainsFunc(found, func(f check.Finding) bool { return f.Severity == check.Error }) {
				return errShown
			}
			return problem
		},
		ValidArgsFunction: pluginNames(s, root),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list of findings")
	cmd.Flags().BoolVar(&compare, "compare", false, "make recorded calls interpreted and compiled, and compare the results")
	cmd.Flags().BoolVar(&lowered, "lowered", false, "write the Go that the interpreter runs instead of the findings")
	cmd.MarkFlagsMutuallyExclusive("lowered", "json", "compare")
	return cmd
}

// writeLowered writes the lowered source of the plugins in Go.
func writeLowered(w io.Writer, targets []checkTarget, o check.Options) error {
	for _, t := range targets {
		if t.python || t.portable {
			continue
		}
		if err := check.Lowered(w, t.dir, o.Unsafe); err != nil {
			return err
		}
	}
	return nil
}

// checkTarget is a plugin to check, with its findings. At first, found holds only findings that do not come from the source.
type checkTarget struct {
	name, dir string
	// pack is the directory below the plugin root that contains the plugin. It is empty if the plugin has its own directory
	// there.
	pack string
	// unused plugins are in no session, so that their tools need no unique names.
	unused bool
	found  []check.Finding
	// python is true for an extension and portable for a portable plugin, whose findings are in found already.
	python, portable bool
}

// check returns the findings of the check. Of several plugins in one session, the first one owns the name of its tool.
func (t checkTarget) check(o check.Options) []check.Finding {
	if t.python || t.portable {
		return nil
	}
	if t.unused {
		o.Taken = nil
		return check.Dir(t.dir, o)
	}
	tool := ""
	o.Tool = func(name string) { tool = name }
	found := check.Dir(t.dir, o)
	if _, known := o.Taken[tool]; tool != "" && !known {
		o.Taken[tool] = fmt.Sprintf("plugin %q", t.name)
	}
	return found
}

// newCheckTarget returns the target for an installed plugin. A plugin whose files differ from the installed ones is not loaded,
// even if it has no other faults.
func newCheckTarget(e setup.Entry) checkTarget {
	t := checkTarget{name: e.Name, dir: e.Dir, unused: e.Status != setup.StatusEnabled, python: e.Python()}
	if rel, err := filepath.Rel(e.Root, e.Dir); err == nil {
		if first, _, nested := strings.Cut(filepath.ToSlash(rel), "/"); nested {
			t.pack = first
		}
	}
	t.found, t.portable = extensionFindings(e.Plugin, setup.CheckExtension(e)), e.Portable()
	if e.Portable() {
		t.found = portableFindings(e.Plugin)
	}
	if changed, ok := errors.AsType[*install.ChangedError](e.Err); ok && e.Status == setup.StatusEnabled {
		t.found = []check.Finding{{Plugin: e.Name, File: e.Dir, Severity: check.Error, Rule: "lock", Message: changed.Error()}}
	}
	return t
}

// portableFindings returns what is wrong with a portable plugin: an error if nothing of it is used, and warnings for the parts that are left
// out.
func portableFindings(p manifest.Plugin) []check.Finding {
	file := filepath.Join(p.Dir, portable.FileName)
	if p.Err != nil {
		return []check.Finding{{Plugin: p.Name, File: file, Severity: check.Error, Rule: "portable", Message: p.Err.Error()}}
	}
	var out []check.Finding
	for _, text := range manifest.Faults(p) {
		out = append(out, check.Finding{Plugin: p.Name, File: file, Severity: check.Warning, Rule: "portable", Message: text})
	}
	return out
}

// extensionFindings returns what is wrong with a Python extension.
func extensionFindings(p manifest.Plugin, err error) []check.Finding {
	if err == nil {
		return nil
	}
	return []check.Finding{{Plugin: p.Name, File: p.Dir, Severity: check.Error, Rule: "extension", Message: err.Error()}}
}

// checkTargets returns the plugins that the argument refers to, or all. If an error keeps aura from starting, it still returns
// the plugins that can be checked.
func checkTargets(s streams, root *rootOptions, args []string) ([]checkTarget, check.Options, error) {
	options := check.Options{Unsafe: root.unsafePlugins, Taken: map[string]string{}}
	cfg, err := root.list(s)
	if err == nil {
		options.Unsafe = options.Unsafe || cfg.Features.Plugins.Unsafe
		options.Taken = setup.TakenToolNames(cfg.Config)
	}
	if len(args) == 1 && isPath(args[0]) {
		targets, err := checkPath(args[0])
		return targets, options, err
	}
	if err != nil {
		return nil, options, err
	}
	entries, problem := cfg.Entries()
	var targets []checkTarget
	for _, e := range entries {
		targets = append(targets, newCheckTarget(e))
	}
	if problem != nil {
		for _, r := range cfg.PluginRoots() {
			targets = append(targets, pluginsBelow(r.Dir)...)
		}
	}
	if len(args) == 0 {
		return targets, options, problem
	}
	known := targets
	targets = slices.DeleteFunc(slices.Clone(targets), func(t checkTarget) bool { return t.name != args[0] })
	if len(targets) == 0 {
		targets = slices.DeleteFunc(slices.Clone(known), func(t checkTarget) bool { return t.pack != args[0] })
	}
	if len(targets) == 0 {
		var names []string
		for _, t := range known {
			names = append(names, t.name)
		}
		slices.Sort(names)
		return nil, options, fmt.Errorf("checking plugin %q: it does not exist; known plugins: %s; a directory is written with a slash, such as ./%[1]s",
			args[0], dash(strings.Join(slices.Compact(names), ", ")))
	}
	return targets, options, nil
}

// isPath reports whether an argument is a directory and not a name.
func isPath(arg string) bool {
	return arg == "." || arg == ".." || strings.ContainsRune(arg, '/') || strings.ContainsRune(arg, filepath.Separator)
}

// checkPath returns the plugin in a directory, or the plugins below it.
func checkPath(path string) ([]checkTarget, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("checking a plugin: %w", err)
	}
	dir, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("checking a plugin: %w", err)
	}
	var extensions []checkTarget
	for _, p := range python.At(dir) {
		extensions = append(extensions, checkTarget{name: p.Name, dir: p.Dir, python: true, found: extensionFindings(p, python.Check(p))})
	}
	if len(extensions) > 0 {
		return extensions, nil
	}
	if portable.Is(dir) {
		return packageTargets(dir)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("checking a plugin: %s is neither a Python file nor a directory; name the directory with the %s", path, manifest.FileName)
	}
	if targets := pluginsBelow(dir); len(targets) > 0 {
		return targets, nil
	}
	return []checkTarget{{name: filepath.Base(dir), dir: dir}}, nil
}

// packageTargets returns the portable plugin in a directory, and the plugins that it contains.
func packageTargets(dir string) ([]checkTarget, error) {
	found, err := python.SearchPlugins(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	var out []checkTarget
	for _, p := range found {
		t := checkTarget{name: p.Name, dir: p.Dir, pack: filepath.Base(dir), python: p.Python(), portable: p.Portable()}
		switch {
		case p.Dir != dir && p.Package != dir:
			continue
		case p.Portable():
			t.found = portableFindings(p)
		case p.Python():
			t.found = extensionFindings(p, python.Check(p))
		}
		out = append(out, t)
	}
	return out, nil
}

// pluginsBelow returns the directories that contain a manifest, valid or not.
func pluginsBelow(root string) []checkTarget {
	var targets []checkTarget
	// A directory that cannot be read contains no plugins that could be checked.
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case path != root && d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "vendor"):
			return fs.SkipDir
		case !d.IsDir() && d.Type()&fs.ModeSymlink == 0:
			return nil
		}
		if _, err := os.Lstat(filepath.Join(path, manifest.FileName)); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return fs.SkipDir
		}
		targets = append(targets, checkTarget{name: filepath.Base(path), dir: path})
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return targets
}

func writeFindings(w io.Writer, asJSON bool, found []check.Finding, targets []checkTarget) error {
	if asJSON {
		return writeJSON(w, found)
	}
	count := map[check.Severity]int{}
	for _, t := range targets {
		if len(t.found) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s (%s)\n", clean(t.name), clean(t.dir))
		for _, f := range t.found {
			count[f.Severity]++
			fmt.Fprintf(w, "  %s: %s: %s [%s]\n", clean(placeIn(t.dir, f)), f.Severity, indent(clean(f.Message)), f.Rule)
			if f.Fix != "" {
				fmt.Fprintf(w, "      fix: %s\n", indent(clean(f.Fix)))
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "checked %s: %s, %s\n", plaintext.Counted(len(targets), "plugin"), plaintext.Counted(count[check.Error], "error"), plaintext.Counted(count[check.Warning], "warning"))
	return nil
}

// placeIn returns the location of a finding, relative to the plugin's directory.
func placeIn(dir string, f check.Finding) string {
	file := f.File
	if rel, err := filepath.Rel(dir, f.File); err == nil && filepath.IsLocal(rel) {
		file = rel
	}
	switch {
	case f.Line == 0:
		return file
	case f.Column == 0:
		return fmt.Sprintf("%s:%d", file, f.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", file, f.Line, f.Column)
	}
}
