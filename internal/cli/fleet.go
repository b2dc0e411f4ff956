package cli

import "github.com/spf13/cobra"

func newFleet(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Run many tasks on many machines",
		Long:  "Run many tasks on many machines, each in a sandbox of its own.",
		Example: `  aura fleet manifest kubernetes --image registry.example.com/aura:1.0
  aura fleet manifest systemd --slots 4`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newFleetManifest(s))
	return cmd
}
