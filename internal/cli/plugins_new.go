package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/author/plugintest"
	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/portable"
	"github.com/idelchi/aura/internal/settings/scaffold"
	"github.com/idelchi/aura/internal/settings/schema"
	"github.com/idelchi/aura/internal/supply/install"
)

// newOptions holds the flags of plugins new.
type newOptions struct {
	hooks    []string
	tool     bool
	command  bool
	python   bool
	portable bool
	dir      string
	json     bool
}

func newPluginsNew(s streams, root *rootOptions) *cobra.Command {
	o := &newOptions{}
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a new plugin with tests, ready to run",
		Long: `Write a plugin that works at once, with commented source, a plugin.yaml, tests in
testdata/ and in Go, and the SDK in vendor/, where Go and editors find it without a
network.

--hook, --tool and --command choose what the plugin has; without them it has the
hook BeforeChat. --python writes a Python extension with a hook, a tool and a
command. --portable writes a plugin for every agent that reads the Agent Plugins
format: plugin.json, a skill, an empty mcp.json, and a command for aura.
The plugin goes into plugins/ of the project's home, and a Python extension
into extensions/, or into the directory of --dir. aura overwrites nothing.

If you trusted the project, or it had no configuration, the consent covers the new
plugin. Otherwise aura asks for your consent when the plugin is used.`,
		Example: `  aura plugins new hello
  aura plugins new guard --hook BeforeToolExecution,AfterToolExecution
  aura plugins new word-count --tool --command
  aura plugins new careful --python
  aura plugins new reports --portable
  aura plugins new shared --tool --dir ~/.aura/plugins`,
		Args: o.checkArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return root.renewing(s, func() error { return o.run(cmd.Context(), s, root, args[0]) })
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.hooks, "hook", nil, "hooks of the plugin, such as BeforeChat,AfterResponse")
	f.BoolVar(&o.tool, "tool", false, "add a tool for the model, named after the plugin")
	f.BoolVar(&o.command, "command", false, "add a slash command, named after the plugin")
	f.BoolVar(&o.python, "python", false, "write a Python extension")
	f.BoolVar(&o.portable, "portable", false, "write a portable plugin, for every agent that reads the format")
	f.StringVar(&o.dir, "dir", "", "directory in which the plugin's directory is made")
	f.BoolVar(&o.json, "json", false, "write a JSON object")
	// The only possible error is a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("hook", listOf(func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return hookpoint.Names(), cobra.ShellCompDirectiveNoFileComp
	}))
	_ = cmd.RegisterFlagCompletionFunc("dir", directories)
	return cmd
}

// checkArgs requires a name. A word after it is often meant as the value of --tool or --command, which have none.
func (o *newOptions) checkArgs(cmd *cobra.Command, args []string) error {
	if len(args) < 2 || !o.tool && !o.command {
		return exactArgs("NAME")(cmd, args)
	}
	return usageError{fmt.Errorf("%s takes one NAME, and there are %d: %s; --tool and --command take no value, because the tool and the command are named after the plugin (%[1]s word-count --tool makes the tool WordCount)",
		cmd.CommandPath(), len(args), strings.Join(args, ", "))}
}

// newReport is the result of plugins new as JSON.
type newReport struct {
	Name  string   `json:"name"`
	Dir   string   `json:"dir"`
	Files []string `json:"files"`
}

func (o *newOptions) run(ctx context.Context, s streams, root *rootOptions, name string) error {
	p, err := o.plugin(name)
	if err != nil {
		return usageError{err}
	}
	l, err := root.list(s)
	if err != nil {
		return err
	}
	place, err := placeFor(l, false)
	if err != nil {
		return err
	}
	parent, err := o.parent(l, place)
	if err != nil {
		return err
	}
	if err := unused(l, place, p, parent); err != nil {
		return err
	}
	p.Schemas = schemasFrom(filepath.Join(parent, name), place.Home)
	dir, err := p.Create(l.Workdir, parent, func(home, dir string) error {
		if p.Portable {
			return nil
		}
		if !p.Python {
			if err := install.VendorSDK(ctx, dir, install.Options{}); err != nil {
				return err
			}
		}
		if err := root.recordTests(ctx, s, home, name); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			fmt.Fprintf(s.err, "! the plugin has no recording among its tests: %s\n", clean(err.Error()))
		}
		return nil
	})
	if err != nil {
		return because(ctx, err)
	}
	files, err := manifest.Files(dir)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(s.out, newReport{Name: name, Dir: dir, Files: files})
	}
	o.tell(s, p, dir, files)
	return nil
}

// recordTests records the tests of a new plugin, the only one in a home. Nothing else of the project takes effect.
func (o *rootOptions) recordTests(ctx context.Context, s streams, home, name string) error {
	options := o.configOptions(s)
	options.Configs, options.Workdir, options.EnvFiles = []string{home}, home, []string{}
	c, err := o.quietGate().Load(ctx, options) // the home that the options name needs no consent
	if err != nil {
		return err
	}
	call := plugincall.Options{Config: c, Features: c.Features}
	entries, err := tested(call, []string{name})
	if err != nil {
		return err
	}
	return plugintest.Record(ctx, call, entries[0], build.Version)
}

// plugin returns the plugin that the flags describe.
func (o *newOptions) plugin(name string) (scaffold.Plugin, error) {
	p := scaffold.Plugin{Name: name, Tool: o.tool, Command: o.command, Python: o.python, Portable: o.portable}
	if o.portable && (len(o.hooks) > 0 || o.tool || o.command || o.python) {
		return p, fmt.Errorf("--portable writes a plugin without code: leave out --hook, --tool, --command and --python; a plugin in Go can be added to it with --dir DIR/%s/plugins", portable.Namespace)
	}
	if o.python && (len(o.hooks) > 0 || o.tool || o.command) {
		return p, errors.New("--python writes an extension with a hook, a tool and a command: leave out --hook, --tool and --command")
	}
	if len(o.hooks) == 0 && !o.tool && !o.command && !o.python && !o.portable {
		o.hooks = []string{string(hookpoint.BeforeChat)}
	}
	for _, hook := range o.hooks {
		point, ok := hookpoint.Lookup(hookpoint.Name(hook))
		if !ok {
			return p, fmt.Errorf("--hook %s: there is no such hook; known hooks: %s%s", hook, strings.Join(hookpoint.Names(), ", "), nearest.Hint(hook, hookpoint.Names()))
		}
		if !slices.ContainsFunc(p.Hooks, func(h hookpoint.Point) bool { return h.Name == point.Name }) {
			p.Hooks = append(p.Hooks, point)
		}
	}
	return p, p.Check()
}

// parent returns the directory in which the plugin's directory is made.
func (o *newOptions) parent(l gate.Listing, place install.Place) (string, error) {
	dir := o.dir
	switch {
	case dir != "" && !filepath.IsAbs(dir):
		dir = filepath.Join(l.Workdir, dir)
	case dir != "":
	case o.python:
		dir = filepath.Join(place.Home, "extensions")
	default:
		dir = place.Root
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the directory to write into: %w", err)
	}
	return dir, nil
}

// unused returns an error if the name is taken: by a plugin in the same home, which would keep aura from starting, or by a tool of aura.
func unused(l gate.Listing, place install.Place, p scaffold.Plugin, parent string) error {
	if p.Tool && slices.Contains(inspect.BuiltinTools(), p.ToolName()) {
		return usageError{fmt.Errorf("naming the plugin: its tool would be called %s, as one of aura's own tools is: choose another name", p.ToolName())}
	}
	if !files.Within(place.Home, parent) {
		return nil
	}
	entries, err := l.Entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name == p.Name && e.Home.Dir == place.Home {
			return fmt.Errorf("making plugin %q: it exists already, in %s, and nothing is overwritten; choose another name", p.Name, e.Dir)
		}
	}
	return nil
}

// schemasFrom returns the path from a plugin to the schemas of a home, or an empty text if the home has none.
func schemasFrom(plugin, home string) string {
	dir := filepath.Join(home, schema.Dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	rel, err := filepath.Rel(plugin, dir)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// tell prints the files, and what to do next.
func (o *newOptions) tell(s streams, p scaffold.Plugin, dir string, files []string) {
	fmt.Fprintf(s.out, "created %s:\n", clean(dir))
	for _, name := range files {
		fmt.Fprintf(s.out, "  %s\n", clean(name))
	}
	if p.Portable {
		fmt.Fprintf(s.out, "next: aura plugins check %s\n", p.Name)
		return
	}
	if !p.Python {
		fmt.Fprintf(s.out, "  vendor/ (the SDK %s, for your editor and for Go)\n", p.SDKVersion())
	}
	if o.dir != "" {
		fmt.Fprintf(s.out, "next: aura plugins check %s\n", clean(dir))
		return
	}
	// The tool needs arguments.
	point := "tool:" + p.ToolName() + " --template"
	switch {
	case p.Python:
		point = "tool:" + p.Name + " --template"
	case len(p.Hooks) > 0:
		point = string(p.Hooks[0].Name)
	case !p.Tool:
		point = "command:" + p.Name
	}
	fmt.Fprintf(s.out, "next: aura plugins test %s\n      aura plugins call %[1]s %s\n", p.Name, point)
}
