package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/sdk/version"
)

// sdkReport is what plugins sdk did to a plugin, as JSON.
type sdkReport struct {
	Name    string `json:"name"`
	Dir     string `json:"dir"`
	Version string `json:"sdk_version"`
}

func newPluginsSDK(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sdk [NAME...]",
		Short: "Put the SDK beside plugins, where Go and editors find it",
		Long: `Put the source of the SDK into vendor/ of the named plugins, or of all plugins of the
project, and require it in their go.mod. gopls, 'go vet' and 'go test' then work
without a network. aura contains the source and replaces an older copy. aura itself
does not read vendor/ for the SDK, except for its version.

Plugins that 'aura plugins add' installed have the SDK already, and are not changed.
A plugin that imports other modules which are not vendored needs a Go toolchain.`,
		Example: `  aura plugins sdk
  aura plugins sdk hello && (cd .aura/plugins/hello && go vet ./...)`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return root.renewing(s, func() error { return putSDK(cmd.Context(), s, root, args, asJSON) })
		},
		ValidArgsFunction: completeListing(s, root, installedNames),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

func putSDK(ctx context.Context, s streams, root *rootOptions, names []string, asJSON bool) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	entries, err := sdkTargets(l, names)
	if err != nil {
		return err
	}
	list := []sdkReport{}
	options := install.Options{
		Workdir: l.Workdir, Writable: setup.Writable(l.Config), Environ: l.Environ, UserHome: root.configOptions(s).UserHome,
		Private: vendorDir(l.Config), Go: setup.GoCommand(l.Config),
	}
	for _, e := range entries {
		if err := install.VendorSDK(ctx, e.Dir, options); err != nil {
			return fmt.Errorf("plugin %q: %w", e.Name, because(ctx, err))
		}
		list = append(list, sdkReport{Name: e.Name, Dir: e.Dir, Version: version.Version})
		if !asJSON {
			fmt.Fprintf(s.out, "%s has the SDK %s in %s\n", clean(e.Name), version.Version, clean(e.Dir))
		}
	}
	if asJSON {
		return writeJSON(s.out, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "the project has no plugins in Go of its own")
	}
	return nil
}

// sdkTargets returns the named plugins, or those of the project.
func sdkTargets(l gate.Listing, names []string) ([]setup.Entry, error) {
	entries, err := l.Entries()
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e setup.Entry) bool { return e.Status == setup.StatusShadowed })
	if len(names) == 0 {
		return slices.DeleteFunc(entries, func(e setup.Entry) bool { return e.Python() || e.Added() || e.Home.Dir != l.Project }), nil
	}
	var out []setup.Entry
	for _, name := range names {
		i := slices.IndexFunc(entries, func(e setup.Entry) bool { return e.Name == name })
		switch {
		case i < 0:
			return nil, usageError{fmt.Errorf("looking for plugin %q: it does not exist; 'aura plugins' lists them", name)}
		case entries[i].Python():
			return nil, usageError{fmt.Errorf("plugin %q is a Python extension, which needs no SDK; 'aura plugins python-path' shows the modules for an editor", name)}
		case entries[i].Added():
			return nil, usageError{fmt.Errorf("plugin %q was installed with its SDK; 'aura plugins update %[1]s' updates both", name)}
		}
		out = append(out, entries[i])
	}
	return out, nil
}
