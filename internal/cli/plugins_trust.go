package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/supply/install"
)

const trustHelp = `Accept the current files of an installed plugin, or of all plugins of a pack. aura
does not load a plugin whose files have changed since it was installed, until you
accept them. 'aura plugins update' instead restores the installed version or
installs a newer one.`

func newPluginsTrust(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "trust NAME",
		Short:   "Accept the changed files of an installed plugin",
		Long:    trustHelp,
		Example: `  aura plugins trust metrics`,
		Args:    exactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := root.list(s)
			if err != nil {
				return err
			}
			list, err := install.Trust(cmd.Context(), l.InstallPlaces(), args[0], install.Options{Waiting: waiting(s.err)})
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(s.out, list)
			}
			for _, t := range list {
				what := "nothing had changed"
				if !t.Files.Empty() {
					what = t.Files.String()
				}
				fmt.Fprintf(s.out, "trusted %s: %s\n", clean(t.Name), clean(what))
				writeGranted(s.out, []install.Facts{{Name: t.Name, Asks: t.Asks}})
			}
			return nil
		},
		ValidArgsFunction: pluginNames(s, root),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}
