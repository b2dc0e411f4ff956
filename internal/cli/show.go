package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/settings/config"
)

const showHelp = `Show the configuration in effect and the file that each part comes from, with
inherited settings included. If a file hides another in a home of lower precedence,
aura names it. Tokens, headers and the values of variables are never shown.

The kinds are %s. Without one, an overview of all of them is shown; without a
name, all of a kind.

Features are those of the homes. With --agent and --mode, they include the settings
of that agent and mode.`

const showExamples = `  aura show
  aura show agents
  aura show agents assistant
  aura show features tools --agent reviewer
  aura show providers --json`

func newShow(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show [KIND] [NAME]",
		Short:   "Show the configuration in effect and its source files",
		Long:    fmt.Sprintf(showHelp, strings.Join(kindNames(), ", ")),
		Example: showExamples,
		Args:    showArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := root.list(s)
			if err != nil {
				return err
			}
			v, err := viewerFor(cmd, l.Text)
			if err != nil {
				return err
			}
			return show(s.out, l.Text, v, args, asJSON)
		},
		ValidArgsFunction: completeShow(s, root),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON: an object by kinds, a list, or one object")
	cmd.AddCommand(newShowSchema(s))
	return cmd
}

func kindNames() []string {
	var out []string
	for _, k := range shownKinds {
		out = append(out, k.plural)
	}
	return out
}

func showArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 2 {
		return usageError{fmt.Errorf("%s takes [KIND] [NAME]", cmd.CommandPath())}
	}
	if len(args) > 0 {
		if _, ok := kindOf(args[0]); !ok {
			return usageError{fmt.Errorf("%s: unknown kind %q; known kinds: %s", cmd.CommandPath(), args[0], strings.Join(kindNames(), ", "))}
		}
	}
	return nil
}

// kindOf returns the kind with a plural or singular name.
func kindOf(name string) (shownKind, bool) {
	i := slices.IndexFunc(shownKinds, func(k shownKind) bool { return k.plural == name || k.one == name })
	if i < 0 {
		return shownKind{}, false
	}
	return shownKinds[i], true
}

// viewerFor returns a viewer for the agent and the mode that the flags name. If they name no mode, the mode of the agent is used.
func viewerFor(cmd *cobra.Command, c *config.Config) (viewer, error) {
	v := viewer{hide: newMask(c)}
	var err error
	if v.agent, err = flagged(cmd, "agent", c.Agents); err != nil {
		return v, err
	}
	if v.mode, err = flagged(cmd, "mode", c.Modes); v.mode.Name == "" {
		v.mode = c.Modes[v.agent.Mode]
	}
	return v, err
}

// flagged returns the entity that a flag of the same name selects. It is the zero value if the flag is not set.
func flagged[T any](cmd *cobra.Command, flag string, all map[string]T) (T, error) {
	var none T
	f := cmd.Flag(flag)
	if f == nil || f.Value.String() == "" {
		return none, nil
	}
	found, ok := all[f.Value.String()]
	if !ok {
		return none, fmt.Errorf("choosing %s %q: it does not exist; known %ss: %s", flag, f.Value, flag, known(all))
	}
	return found, nil
}

func known[T any](all map[string]T) string {
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), ", ")
}

func show(w io.Writer, c *config.Config, v viewer, args []string, asJSON bool) error {
	if len(args) == 0 {
		return showAll(w, c, v, asJSON)
	}
	kind, _ := kindOf(args[0])
	list, err := kind.list(c, v)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		if asJSON {
			return writeJSON(w, append([]shown{}, list...))
		}
		writeKind(w, kind, list)
		return nil
	}
	i := slices.IndexFunc(list, func(e shown) bool { return e.Name == args[1] })
	switch {
	case i < 0:
		return fmt.Errorf("showing %s %q: it does not exist; known %s: %s", kind.one, args[1], kind.plural, dash(strings.Join(namesOf(list), ", ")))
	case asJSON:
		return writeJSON(w, list[i])
	}
	writeEntity(w, list[i])
	return nil
}

func namesOf(list []shown) []string {
	var out []string
	for _, e := range list {
		out = append(out, e.Name)
	}
	return out
}

// showAll shows the overview.
func showAll(w io.Writer, c *config.Config, v viewer, asJSON bool) error {
	all := map[string][]shown{}
	for _, kind := range shownKinds {
		list, err := kind.list(c, v)
		if err != nil {
			return err
		}
		all[kind.plural] = append([]shown{}, list...)
	}
	if asJSON {
		return writeJSON(w, all)
	}
	writeOverview(w, c, all)
	return nil
}
