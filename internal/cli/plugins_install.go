package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idelchi/aura/internal/agent/agentimport"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/portable"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/supply/sources"
)

// installOptions holds the flags that all installing commands share.
type installOptions struct {
	noVendor bool
	force    bool
	yes      bool
	json     bool

	// waiting is shared by all installations of the command.
	waiting func(dir string)
}

func (o *installOptions) register(f *pflag.FlagSet) {
	f.BoolVar(&o.noVendor, "no-vendor", false, "do not vendor imports, and install no Python packages")
	f.BoolVar(&o.force, "force", false, "install despite errors that the check finds")
	f.BoolVar(&o.yes, "yes", false, "grant what the plugins ask for, and replace changed files, without a question")
	f.BoolVar(&o.json, "json", false, "write a JSON list")
}

// options returns the options of an installation for this command line.
func (o *installOptions) options(c *config.Config, s streams, root *rootOptions) (install.Options, func()) {
	progress, done := progressBar(s.err)
	if o.waiting == nil {
		o.waiting = waiting(s.err)
	}
	options := install.Options{
		Workdir: c.Workdir, Writable: setup.Writable(c), Environ: c.Environ, UserHome: root.configOptions(s).UserHome,
		Private: vendorDir(c), Go: setup.GoCommand(c),
		Python:   func() (string, error) { i, err := setup.Python(c); return i.Program, err },
		NoVendor: o.noVendor, Force: o.force, Check: checkPlugin(c, root.unsafePlugins),
		Convert:      convertPlugin,
		BuiltinTools: inspect.BuiltinTools(), Progress: progress, Waiting: o.waiting, Signing: c.Signing, Inspect: setup.VerifyPlugin(c),
	}
	options.Index = func(name, plugin string) (*install.Expected, error) {
		return sources.Expected(name, plugin, sourcesIn(c, options))
	}
	return options, done
}

// convertPlugin converts a plugin of Claude Code. No link in the directory is followed out of it.
func convertPlugin(dir string, entry map[string]any) (portable.Converted, error) {
	root, err := files.OpenRoot(dir)
	if err != nil {
		return portable.Converted{}, err
	}
	defer func() { _ = root.Close() }()
	return agentimport.Plugin(&importDir{top: dir, root: root}, entry)
}

// vendorDir returns the directory of aura's state in which modules are downloaded, or "".
func vendorDir(c *config.Config) string {
	if cache := c.State.Cache(); cache != "" {
		return filepath.Join(cache, "vendor")
	}
	return ""
}

// waiting returns a function that tells the user once that the command waits for another aura.
func waiting(w io.Writer) func(dir string) {
	told := false
	return func(dir string) {
		if !told {
			fmt.Fprintf(w, "aura: waiting for another aura that is changing the plugins in %s\n", clean(dir))
		}
		told = true
	}
}

// progressBar shows how much was received, if w is a terminal. The bar is erased when it is done.
func progressBar(w io.Writer) (show func(int64), done func()) {
	if !isTerminal(w) {
		return nil, func() {}
	}
	bar := progressbar.NewOptions64(-1, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("cloning"),
		progressbar.OptionShowBytes(true), progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(false),
		// Without this option, the library draws from its own goroutine, concurrently with aura.
		progressbar.OptionSetSpinnerChangeInterval(0))
	// Errors are ignored, because a bar that cannot be drawn is no reason to stop.
	return func(n int64) { _ = bar.Set64(n) }, func() { _ = bar.Finish() }
}

// placeFor returns where to install: the project's home, or the user's home. They are the same if the user works in the home
// directory.
func placeFor(l gate.Listing, global bool) (install.Place, error) {
	if !global {
		// The project's home is not read with --safe, or if it cannot be read.
		place := install.Place{Home: l.Project, Root: filepath.Join(l.Project, "plugins")}
		if places := l.InstallPlaces(config.HomeProject); len(places) > 0 {
			place = places[0]
		}
		return place, refuseLinks(l, place.Home, place.Root, filepath.Join(place.Home, "extensions"))
	}
	for _, p := range l.InstallPlaces() {
		if p.Home == l.User {
			return p, nil
		}
	}
	return install.Place{}, usageError{errors.New("--global: there is no user's home: name one with --home")}
}

// needsSome requires at least one argument.
func needsSome(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return usageError{fmt.Errorf("%s takes at least one %s", cmd.CommandPath(), name)}
	}
}

// writeFacts lists what plugins may do, one line per plugin.
func writeFacts(w io.Writer, before string, list []install.Facts) {
	for _, f := range list {
		var parts []string
		for _, part := range []struct {
			what  string
			names []string
		}{{"hooks", f.Hooks}, {"tools", f.Tools}, {"commands", f.Commands}, {"packages", f.Packages}, {"env", f.Env}, {"unsafe imports", f.Unsafe}} {
			if len(part.names) > 0 {
				parts = append(parts, part.what+" "+strings.Join(part.names, ", "))
			}
		}
		if f.Components != nil {
			parts = append(parts, componentsText(*f.Components)...)
		}
		fmt.Fprintf(w, "%s%s: %s\n", before, clean(f.Name), clean(dash(strings.Join(parts, "; "))))
	}
}

func writeWarnings(w io.Writer, list []install.Warning) {
	for _, warning := range list {
		fmt.Fprintf(w, "  warning: %s: %s\n", clean(warning.Plugin), indent(clean(warning.String())))
	}
}

// short returns an abbreviated commit.
func short(commit string) string {
	const digits = 7
	if len(commit) <= digits {
		return commit
	}
	return commit[:digits]
}
