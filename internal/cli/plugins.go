package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/setup"
)

const pluginsHelp = `List, inspect, install, update, enable, disable and remove plugins. Without a
command, aura lists them.

Plugins are directories with a plugin.yaml below plugins/ of a home: the
project's .aura or the user's ~/.aura. Python extensions are files and packages in
extensions/ of a home, in ~/.aar/extensions and in .agent/extensions, or declared by
installed packages. A plugin of the project hides one of the user with the same
name.`

func newPlugins(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plugins",
		Short: "List, inspect, install, update, enable, disable and remove plugins",
		Long:  pluginsHelp,
		Example: `  aura plugins
  aura plugins show notepad
  aura plugins logs notepad -f`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listPlugins(cmd, s, root, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	cmd.AddCommand(newPluginsList(s, root), newPluginsShow(s, root), newPluginsInspect(s, root), newPluginsLogs(s, root),
		newPluginsTop(s, root), newPluginsRestart(s, root), newPluginsQuarantine(s, root),
		newPluginsAdd(s, root), newPluginsSearch(s, root), newPluginsOutdated(s, root), newPluginsUpdate(s, root), newPluginsRemove(s, root), newPluginsEnable(s, root), newPluginsDisable(s, root), newPluginsTrust(s, root),
		newPluginsNew(s, root), newPluginsDev(s, root), newPluginsSDK(s, root), newPluginsSign(s, root), newPluginsCheck(s, root), newPluginsCall(s, root), newPluginsTest(s, root), newPluginsRecordings(s, root), newPluginsReplay(s, root), newPluginsBisect(s, root), newPluginsPythonPath(s, root))
	return cmd
}

func newPluginsList(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all plugins with their status, exports, source and health",
		Example: `  aura plugins list
  aura plugins list --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listPlugins(cmd, s, root, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

func listPlugins(cmd *cobra.Command, s streams, root *rootOptions, asJSON bool) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	list, err := inspect.Plugins(cmd.Context(), l, root.unsafePlugins)
	if err != nil {
		return err
	}
	newMask(l.Config).plugins(list)
	for _, text := range setup.RootNotices(l.Config) {
		fmt.Fprintf(s.err, "! %s\n", clean(text))
	}
	if asJSON {
		return writeJSON(s.out, append([]inspect.Plugin{}, list...))
	}
	root.gateFor(s).Report(probeFaults(list)...)
	writeList(s.out, list)
	return nil
}

// probeFaults says why plugins cannot be loaded. The table has no room for it.
func probeFaults(list []inspect.Plugin) []string {
	var out []string
	for _, p := range list {
		if p.ProbeError != "" && p.Status == setup.StatusEnabled {
			out = append(out, fmt.Sprintf("plugin %q: %s", p.Name, p.ProbeError))
		}
	}
	return out
}

func newPluginsShow(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show everything about one plugin, and its health in every running session",
		Long: `Show everything about one plugin: its exports, its grants, its source, and the
health of its process in each of your running sessions on this machine. If no
session runs the plugin, aura starts it, measures it and stops it.`,
		Example: `  aura plugins show notepad
  aura plugins show notepad --json`,
		Args: exactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := root.inspect(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(s.out, list[0])
			}
			for i, p := range list {
				if i > 0 {
					fmt.Fprintln(s.out)
				}
				writeDetails(s.out, p)
			}
			return nil
		},
		ValidArgsFunction: pluginNames(s, root),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

// inspect loads the plugin of a name and returns what is known about it, followed by the plugins that it shadows. Secrets are masked.
func (o *rootOptions) inspect(ctx context.Context, s streams, name string) ([]inspect.Plugin, error) {
	l, err := o.list(s)
	if err != nil {
		return nil, err
	}
	list, err := inspect.PluginsNamed(ctx, l, name, o.unsafePlugins)
	if err != nil {
		return nil, err
	}
	newMask(l.Config).plugins(list)
	return list, nil
}

// pluginNames completes the names of plugins.
func pluginNames(s streams, root *rootOptions) cobra.CompletionFunc {
	return first(completeListing(s, root, installedNames))
}

func writeJSON(w io.Writer, v any) error {
	var document bytes.Buffer
	enc := json.NewEncoder(&document)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	if err == nil {
		_, err = w.Write(plaintext.JSON(document.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
