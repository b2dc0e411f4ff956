package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/sandbox"
)

func newSandbox(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Show what the kernel of this machine enforces",
		Long:  sandboxHelp + " 'aura sandbox status'\nis the same.",
		Example: `  aura sandbox
  aura sandbox status --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return sandboxStatus(cmd, s, root, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	cmd.AddCommand(newSandboxStatus(s, root), newSandboxQuarantine(s, root), newSandboxPresets(s, root), newSandboxLog(s, root))
	return cmd
}

const sandboxHelp = `Confine a process as tools and plugins are confined, and print what this machine
enforces and what it cannot. The exit code is 1 if nothing can be confined here.`

func newSandboxStatus(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Check what this machine can enforce",
		Long:  sandboxHelp,
		Example: `  aura sandbox status
  aura sandbox status --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return sandboxStatus(cmd, s, root, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func sandboxStatus(cmd *cobra.Command, s streams, root *rootOptions, asJSON bool) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	status, err := setup.SandboxStatus(cmd.Context(), l.Config)
	if err != nil {
		return because(cmd.Context(), err)
	}
	if asJSON {
		err = writeJSON(s.out, status)
	} else {
		table(s.out, statusRows(status))
	}
	if err == nil && !status.Enabled {
		err = errors.New("trying the sandbox: nothing can be confined on this machine")
	}
	return err
}

func statusRows(status sandbox.Status) [][]string {
	rows := [][]string{{"WHAT", "ENFORCED", "DETAIL"}}
	for _, r := range status.Rows {
		enforced := "no"
		if r.Enforced {
			enforced = "yes"
		}
		rows = append(rows, []string{r.Name, enforced, dash(oneLine(r.Detail, resultLimit))})
	}
	return append(rows, []string{"the sandbox as a whole", fmt.Sprintf("%v", map[bool]string{true: "yes", false: "no"}[status.Enabled]), "-"})
}
