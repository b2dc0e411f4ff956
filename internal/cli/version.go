package cli

import (
	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/build"
)

func newVersion(s streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what aura was built from",
		Long: `Print the version of aura and of the plugin SDK, the commit that aura was built
from and its date, the Go release and the platform. A part that is not known is
printed as a dash, and is empty in JSON.`,
		Example: `  aura version
  aura version --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			info := build.Read()
			if asJSON {
				return writeJSON(s.out, info)
			}
			table(s.out, versionRows(info))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func versionRows(i build.Info) [][]string {
	return [][]string{
		{"aura", i.Version},
		{"commit", dash(i.Revision())},
		{"date", dash(i.Date)},
		{"go", i.Go},
		{"sdk", i.SDK},
		{"platform", i.Platform},
	}
}
