package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/settings/config"
)

// nounKinds maps the kinds whose commands only list and show them to their names in the help. Other kinds, such as tasks, have
// more subcommands.
var nounKinds = map[string]string{
	"agents": "agents", "modes": "modes", "prompts": "prompts", "commands": "your own slash commands", skillsKind: "skills",
	"providers": "providers", "features": "settings",
}

const skillsKind = "skills"

// newNouns returns a command for each kind of nounKinds. Without a subcommand and with list it lists all entities. With show it
// shows one. Skills can also be checked.
func newNouns(s streams, root *rootOptions) []*cobra.Command {
	var out []*cobra.Command
	for _, kind := range shownKinds {
		if called, ok := nounKinds[kind.plural]; ok {
			cmd := newNoun(s, root, kind, called)
			if kind.plural == skillsKind {
				cmd.Example += "\n  aura skills check"
				cmd.AddCommand(newSkillsCheck(s, root))
			}
			out = append(out, cmd)
		}
	}
	return out
}

func newNoun(s streams, root *rootOptions, kind shownKind, called string) *cobra.Command {
	o := &nounOptions{root: root, kind: kind}
	cmd := &cobra.Command{
		Use:     kind.plural,
		Short:   "List and show " + called,
		Long:    fmt.Sprintf("List %s, and show one, with the files that they come from.\n'aura show %s' is the same.", called, kind.plural),
		Example: fmt.Sprintf("  aura %s\n  aura %[1]s list --json\n  aura %[1]s show NAME", kind.plural),
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s, nil) },
	}
	o.register(cmd, "list")
	cmd.AddCommand(newNounList(s, o), newNounShow(s, o))
	return cmd
}

// nounOptions holds the flags of a noun's commands.
type nounOptions struct {
	root *rootOptions
	kind shownKind
	json bool
}

func (o *nounOptions) register(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&o.json, "json", false, "write a JSON "+what)
}

func (o *nounOptions) run(cmd *cobra.Command, s streams, names []string) error {
	l, err := o.root.list(s)
	if err != nil {
		return err
	}
	v, err := viewerFor(cmd, l.Text)
	if err != nil {
		return err
	}
	return show(s.out, l.Text, v, append([]string{o.kind.plural}, names...), o.json)
}

func newNounList(s streams, o *nounOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   fmt.Sprintf("List the %s", o.kind.plural),
		Example: fmt.Sprintf("  aura %s list\n  aura %[1]s list --json", o.kind.plural),
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s, nil) },
	}
	o.register(cmd, "list")
	return cmd
}

func newNounShow(s streams, o *nounOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show NAME",
		Short:   fmt.Sprintf("Show one %s", o.kind.one),
		Example: fmt.Sprintf("  aura %s show NAME\n  aura %[1]s show NAME --json", o.kind.plural),
		Args:    exactArgs("NAME"),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
		ValidArgsFunction: first(completeNames(s, o.root, func(c *config.Config) []cobra.Completion {
			return namesOfKind(c, o.kind.plural)
		})),
	}
	o.register(cmd, "object")
	return cmd
}
