package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/install"
)

const removeHelp = `Remove plugins or packs with all their files, wherever they came from. A plugin
of a pack cannot be removed alone: disable it with 'aura plugins disable', or remove
the pack.

If files were written by hand, or were changed since they were installed, aura asks
before it removes them. Without a terminal it needs --yes.`

func newPluginsRemove(s streams, root *rootOptions) *cobra.Command {
	var asJSON, yes bool
	cmd := &cobra.Command{
		Use:   "remove NAME...",
		Short: "Remove plugins or packs",
		Long:  removeHelp,
		Example: `  aura plugins remove metrics
  aura plugins remove my-own --yes`,
		Args: needsSome("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return root.renewing(s, func() error { return removePlugins(cmd, s, root, args, yes, asJSON) })
		},
		ValidArgsFunction: completeListing(s, root, installedNames),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "remove files that were written or changed by hand without a question")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

func removePlugins(cmd *cobra.Command, s streams, root *rootOptions, args []string, yes, asJSON bool) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	list, options := []install.Removed{}, install.Options{Waiting: waiting(s.err), Confirm: confirmHandmade(cmd.Context(), s, yes)}
	for _, name := range args {
		var removed install.Removed
		if removed, err = install.Remove(cmd.Context(), l.InstallPlaces(), name, options); err != nil {
			break
		}
		list = append(list, removed)
		if !asJSON {
			fmt.Fprintf(s.out, "removed %s (plugins: %s)\n", clean(removed.Dir), clean(strings.Join(removed.Plugins, ", ")))
		}
	}
	if asJSON {
		if err := writeJSON(s.out, list); err != nil {
			return err
		}
	}
	return err
}

// confirmHandmade asks before files are removed that cannot be restored from a source.
func confirmHandmade(ctx context.Context, s streams, yes bool) func(install.Handmade) error {
	return func(h install.Handmade) error {
		if yes {
			return nil
		}
		return removal{
			about: []string{clean(h.Reason)}, name: clean(h.Dir),
			unattended: fmt.Errorf("%s; its files cannot be restored from a source: repeat the command in a terminal, or with --yes to remove them", h.Reason),
		}.confirm(ctx, s)
	}
}
