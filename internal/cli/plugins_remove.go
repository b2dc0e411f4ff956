package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
)

const removeHelp = `Remove plugins or packs with all their files, wherever they came from. A plugin
of a pack cannot be removed alone: disable it with 'aura plugins disable', or remove
the pack.

If files were written by hand, or were changed since they were installed, aura asks
before it removes them, and keeps a copy in its state. Without a terminal it needs
--yes. Plugins that are installed for all projects are removed with --global.`

func newPluginsRemove(s streams, root *rootOptions) *cobra.Command {
	var asJSON, yes, global bool
	cmd := &cobra.Command{
		Use:   "remove NAME...",
		Short: "Remove plugins or packs",
		Long:  removeHelp,
		Example: `  aura plugins remove metrics
  aura plugins remove my-own --yes`,
		Args: needsSome("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return root.renewing(s, func() error {
				return removePlugins(cmd, s, root, args, removeFlags{yes: yes, json: asJSON, global: global})
			})
		},
		ValidArgsFunction: completeListing(s, root, installedNames),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "remove files that were written or changed by hand without a question")
	cmd.Flags().BoolVar(&global, "global", false, "remove plugins that are installed for all projects, from your own home")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

// removeFlags holds the flags of plugins remove.
type removeFlags struct{ yes, json, global bool }

// elsewhere says where a plugin is that the flags do not reach.
func (f removeFlags) elsewhere() string {
	if f.global {
		return "for this project only: repeat the command without --global"
	}
	return "for all projects: repeat the command with --global"
}

// writeKept reports the copy of files that were changed by hand.
func writeKept(w io.Writer, dir string) {
	if dir != "" {
		fmt.Fprintf(w, "  a copy of your files is in %s\n", clean(dir))
	}
}

func removePlugins(cmd *cobra.Command, s streams, root *rootOptions, args []string, f removeFlags) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	places, elsewhere := l.InstallPlaces(config.HomeProject), l.InstallPlaces(config.HomeUser)
	if f.global {
		places, elsewhere = elsewhere, places
	}
	list, options := []install.Removed{}, install.Options{Waiting: waiting(s.err), Confirm: confirmHandmade(cmd.Context(), s, f.yes, "Remove"), Keep: l.State.Kept()}
	for _, name := range args {
		var removed install.Removed
		if removed, err = install.Remove(cmd.Context(), places, name, options); err != nil {
			if install.Has(elsewhere, name) && !install.Has(places, name) {
				err = fmt.Errorf("%w; it is installed %s", err, f.elsewhere())
			}
			break
		}
		list = append(list, removed)
		if !f.json {
			fmt.Fprintf(s.out, "removed %s (plugins: %s)\n", clean(removed.Dir), clean(strings.Join(removed.Plugins, ", ")))
			writeKept(s.out, removed.Kept)
		}
	}
	if f.json {
		if err := writeJSON(s.out, list); err != nil {
			return err
		}
	}
	return err
}

// confirmHandmade asks before files are removed or replaced that cannot be restored from a source. verb is what happens to them.
func confirmHandmade(ctx context.Context, s streams, yes bool, verb string) func(install.Handmade) error {
	return func(h install.Handmade) error {
		if yes {
			return nil
		}
		return removal{
			about: []string{clean(h.Reason)}, verb: verb, name: clean(h.Dir),
			unattended: fmt.Errorf("%s; its files cannot be restored from a source: repeat the command in a terminal, or with --yes to %s them", h.Reason, strings.ToLower(verb)),
		}.confirm(ctx, s)
	}
}
