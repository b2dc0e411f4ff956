package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/install"
)

const removeHelp = `Remove plugins or packs with all their files, wherever they came from. A plugin
of a pack cannot be removed alone: set disabled: true in its plugin.yaml, or
remove the pack.`

func newPluginsRemove(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "remove NAME...",
		Short: "Remove plugins or packs",
		Long:  removeHelp,
		Example: `  aura plugins remove metrics
  aura plugins remove collection`,
		Args: needsSome("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return root.renewing(s, func() error { return removePlugins(cmd, s, root, args, asJSON) })
		},
		ValidArgsFunction: completeListing(s, root, installedNames),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

func removePlugins(cmd *cobra.Command, s streams, root *rootOptions, args []string, asJSON bool) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	list, options := []install.Removed{}, install.Options{Waiting: waiting(s.err)}
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
