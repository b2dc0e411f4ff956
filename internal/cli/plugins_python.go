package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/runtime/aar"
	"github.com/idelchi/aura/internal/settings/config"
)

const pythonPathHelp = `Print a directory with the Python modules that extensions written for Aar import,
such as agent.extensions.api. Put it into PYTHONPATH to test an extension without
an agent. aura writes the modules there if they are missing.`

func newPluginsPythonPath(s streams, root *rootOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "python-path",
		Short: "Print the directory of the Python modules for extensions",
		Long:  pythonPathHelp,
		Example: `  aura plugins python-path
  PYTHONPATH=$(aura plugins python-path) python3 -m unittest`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := config.Locate(root.configOptions(s))
			if err != nil {
				return err
			}
			dir := cfg.State.Cache()
			if dir == "" {
				return errors.New("there is no directory for the modules: set HOME or XDG_STATE_HOME")
			}
			path, err := aar.PythonPath(dir)
			if err != nil {
				return err
			}
			fmt.Fprintln(s.out, path)
			return nil
		},
	}
}
