package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/settings/config"
)

const pathsHelp = `Print the paths of this project: the homes with its configuration, and the
directories in which aura keeps its own state. The state is outside of the project,
so tools and plugins cannot write to it.

State is below $XDG_STATE_HOME/aura, or ~/.local/state/aura if the variable is not
set. Each project has a directory there.`

func newPaths(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "paths",
		Short: "Print the paths of configuration, sessions, logs and other state",
		Long:  pathsHelp,
		Example: `  aura paths
  aura paths --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := config.Locate(root.configOptions(s))
			if err != nil {
				return err
			}
			p := inspect.PathsOf(cfg)
			if asJSON {
				return writeJSON(s.out, p)
			}
			table(s.out, pathRows(p))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func pathRows(p inspect.Paths) [][]string {
	rows := [][]string{{"WHAT", "PATH"}}
	for _, dir := range p.Config {
		rows = append(rows, []string{"config", dir})
	}
	for _, row := range [][]string{
		{"state", p.State},
		{"sessions", p.Sessions},
		{"output", p.Output},
		{"logs", p.Logs},
		{"data", p.Data},
		{"cache", p.Cache},
		{"runtime", p.Runtime},
		{"trust", p.Trust},
	} {
		rows = append(rows, []string{row[0], cmp.Or(row[1], "-")})
	}
	return rows
}
