package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/network"
)

const sandboxPresetsHelp = `List the hosts that the presets of sandbox.network stand for on this machine, and
where each host comes from. aura has no list of hosts: it asks your tools, such as
go, npm and pip, and reads their settings of you and of the machine. It reads
nothing of the working directory. Without names, aura lists all presets.`

func newSandboxPresets(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "presets [NAME...]",
		Short: "List the hosts of network presets and where they come from",
		Long:  sandboxPresetsHelp,
		Example: `  aura sandbox presets
  aura sandbox presets go npm
  aura sandbox presets --json`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: network.PresetNames(),
		RunE:      func(cmd *cobra.Command, names []string) error { return root.listPresets(cmd, s, names, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

func (o *rootOptions) listPresets(cmd *cobra.Command, s streams, names []string, asJSON bool) error {
	for _, name := range names {
		if _, err := network.Parse(network.Preset(name).String()); err != nil {
			return usageError{err}
		}
	}
	if len(names) == 0 {
		names = network.PresetNames()
	}
	l, err := o.list(s)
	if err != nil {
		return err
	}
	found := setup.Presets(cmd.Context(), l.Config, names...)
	if asJSON {
		return writeJSON(s.out, found)
	}
	rows := [][]string{{"PRESET", "HOST", "SOURCE"}}
	for _, p := range found {
		for _, h := range p.Hosts {
			rows = append(rows, []string{p.Name, h.Pattern.String(), plaintext.Line(h.Source)})
		}
		if len(p.Hosts) == 0 {
			rows = append(rows, []string{p.Name, "-", "-"})
		}
	}
	table(s.out, rows)
	for _, p := range found {
		for _, note := range p.Notes {
			fmt.Fprintf(s.out, "%s: %s\n", p.Name, plaintext.Line(note))
		}
	}
	return nil
}
