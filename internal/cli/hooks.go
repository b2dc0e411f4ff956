package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

func newHooks(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "List, show and try shell hooks",
		Long: `List, show and try the shell hooks of config/hooks/: commands that run before
and after tool calls and at other moments. Without a command, aura lists them. --agent and --mode select
the agent and the mode; without them, aura uses those of a run.`,
		Example: `  aura hooks
  aura hooks show format
  aura hooks run format --tool Write --input '{"path":"main.go","content":""}'`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return root.listHooks(s, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	cmd.AddCommand(newHooksList(s, root), newHooksShow(s, root), newHooksRun(s, root))
	return cmd
}

// hookChoice returns the agent and the mode whose hooks are selected.
func (o *rootOptions) hookChoice() inspect.HookChoice {
	return inspect.HookChoice{Agent: o.agent, Mode: o.mode}
}

func (o *rootOptions) loadHooks(s streams) (*config.Config, []setup.Hook, error) {
	l, err := o.list(s)
	if err != nil {
		return nil, nil, err
	}
	list, err := inspect.Hooks(l.Text, o.hookChoice())
	for i := range list {
		if l.Foreign(l.Text.Hooks[list[i].Name].Source) {
			list[i].Active, list[i].Reason = false, string(setup.StatusUntrusted)
		}
	}
	return l.Text, list, err
}

func newHooksList(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the hooks in the order in which they run, and why others do not",
		Example: `  aura hooks list
  aura hooks list --agent reviewer --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return root.listHooks(s, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

func (o *rootOptions) listHooks(s streams, asJSON bool) error {
	_, list, err := o.loadHooks(s)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(s.out, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "no shell hooks are configured; put one into .aura/config/hooks/")
		return nil
	}
	table(s.out, hookRows(list))
	return nil
}

// hookRows returns the rows of the table of hooks. The active hooks of each event are numbered in their order.
func hookRows(list []setup.Hook) [][]string {
	rows := [][]string{{"NAME", "EVENT", "ORDER", "MATCHER", "FILES", "SANDBOX", "DESCRIPTION"}}
	for _, h := range list {
		order := "off: " + h.Reason
		if h.Active {
			order = strconv.Itoa(h.Order)
		}
		rows = append(rows, []string{h.Name, dash(h.Event), order, dash(h.Matcher), dash(h.Files), h.Sandbox, dash(oneLine(h.Description, resultLimit))})
	}
	return rows
}

func newHooksShow(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show NAME",
		Short:   "Show a hook in detail",
		Example: "  aura hooks show format",
		Args:    exactArgs("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			c, list, err := root.loadHooks(s)
			if err != nil {
				return err
			}
			for _, h := range list {
				if h.Name != args[0] {
					continue
				}
				if asJSON {
					return writeJSON(s.out, h)
				}
				showHook(s, h)
				return nil
			}
			return fmt.Errorf("showing hook %q: it does not exist; known hooks: %s", args[0], dash(strings.Join(slices.Sorted(maps.Keys(c.Hooks)), ", ")))
		},
		ValidArgsFunction: first(completeNames(s, root, hookNames)),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func showHook(s streams, h setup.Hook) {
	state := fmt.Sprintf("runs, as number %d of its event", h.Order)
	if !h.Active {
		state = "does not run: " + h.Reason
	}
	for _, row := range [][2]string{
		{"name", h.Name},
		{"description", h.Description},
		{"event", h.Event},
		{"protocol", h.Protocol},
		{"state", state},
		{"matcher", h.Matcher},
		{"files", h.Files},
		{"calls", strings.Join(h.Calls, ", ")},
		{"timeout", h.Timeout},
		{"silent", strconv.FormatBool(h.Silent)},
		{"depends", strings.Join(h.Depends, ", ")},
		{"inherit", strings.Join(h.Inherit, ", ")},
		{"sandbox", h.Sandbox},
		{"file", h.File},
		{"command", h.Command},
	} {
		fmt.Fprintf(s.out, "%-12s %s\n", row[0], indent(clean(dash(row[1]))))
	}
}

func hookNames(c *config.Config) []cobra.Completion {
	return described(c.Hooks, func(h config.Hook) string { return h.Description })
}

func newHooksRun(s streams, root *rootOptions) *cobra.Command {
	var (
		trial  inspect.HookTrial
		input  string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Run a hook as if a tool were called or its moment had come",
		Long: `Run a hook, active or not, as if a tool were called, and show the outcome: whether
it blocks the call, what the model would see, and the hook's output. A hook of another
moment needs no --tool; it reads the keys of --input. aura runs no model and no tool.
The exit code is 0 whatever the hook returns.`,
		Example: `  aura hooks run format --tool Write --input '{"path":"main.go","content":""}'
  aura hooks run audit --tool Bash --input '{"command":"ls"}' --output done --json
  aura hooks run greet --input '{"prompt":"hello"}'`,
		Args: exactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := root.loadUsable(cmd.Context(), s)
			if err != nil {
				return err
			}
			choice := root.hookChoice()
			if choice.Agent, err = c.ChooseAgent(choice.Agent); err != nil {
				return err
			}
			trial.Name, trial.Input = args[0], json.RawMessage(input)
			report, err := inspect.TryHook(cmd.Context(), c, choice, trial)
			if errors.Is(err, inspect.ErrToolMissing) {
				return usageError{err}
			}
			if err != nil {
				return because(cmd.Context(), err)
			}
			if asJSON {
				return writeJSON(s.out, report)
			}
			showReport(s, report)
			return nil
		},
		ValidArgsFunction: first(completeNames(s, root, hookNames)),
	}
	cmd.Flags().StringVar(&trial.Tool, "tool", "", "tool that is called, for a hook about tool calls")
	cmd.Flags().StringVar(&input, "input", "{}", "arguments of the call, or what a hook of another moment reads: a JSON object")
	cmd.Flags().StringVar(&trial.Subject, "subject", "", "what the matcher of a hook of another moment is compared with")
	cmd.Flags().StringVar(&trial.Output, "output", "", "what the tool returned, for a post hook")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func showReport(s streams, r inspect.HookReport) {
	if r.Skipped != "" {
		fmt.Fprintf(s.out, "hook %s does not run for this call: %s\n", oneLine(r.Hook, resultLimit), oneLine(r.Skipped, resultLimit))
		return
	}
	outcome := "lets the call pass"
	switch {
	case r.Blocked:
		outcome = "blocks the call"
	case r.Error != "":
		outcome = "failed and lets the call pass"
	case r.TimedOut:
		outcome = "was killed at its timeout and lets the call pass"
	}
	fmt.Fprintf(s.out, "hook %s %s (exit code %d, %s)\n", oneLine(r.Hook, resultLimit), outcome, r.ExitCode, r.Duration.Round(time.Millisecond))
	if r.Decision != "" {
		fmt.Fprintf(s.out, "decision: %s\n", r.Decision)
	}
	prompt := ""
	if r.Prompt != nil {
		prompt = *r.Prompt
	}
	for _, part := range [][2]string{{"the model sees", r.Message}, {"the prompt becomes", prompt}, {"you see", r.Notice}, {"standard output", r.Stdout}, {"standard error", r.Stderr}} {
		if strings.TrimSpace(part[1]) != "" {
			fmt.Fprintf(s.out, "%s:\n  %s\n", part[0], indent(clean(part[1])))
		}
	}
}
