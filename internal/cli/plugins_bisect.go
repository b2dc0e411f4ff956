package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/author/bisect"
	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/base/condition"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/shell"
)

// bisectOptions holds the flags of plugins bisect.
type bisectOptions struct {
	bad     string
	command string
}

func newPluginsBisect(s streams, root *rootOptions) *cobra.Command {
	o := &bisectOptions{}
	cmd := &cobra.Command{
		Use:   "bisect RECORDING --bad CONDITION | --bad-command LINE",
		Short: "Find the plugins that make a recorded conversation go wrong",
		Long: `Repeat a recorded conversation with fewer and fewer plugins until the smallest set
is found that makes it bad. RECORDING is a file, or a session that was recorded with
'aura run --record': its id, its name or its title.

The prompts, the answers of the model and the results of tools come from the
recording: no model is asked, and no tool and no shell hook runs. The plugins are
those of now, and keep their data in a temporary directory.

--bad is a condition that holds at the end of a bad conversation, such as
tool_errors_gt:2. --bad-command is a shell line of yours. It gets the events of the
conversation as JSON lines on standard input, and exits with 0 if the conversation is
bad and with another code if it is good.

One plugin among n is found in log₂ n steps. Exit codes: 0 found, 1 the conversation
is not bad with all plugins, or is bad without any, 2 wrong usage.`,
		Example: `  aura plugins bisect 01a1 --bad tool_errors_gt:2
  aura plugins bisect 01a1 --bad-command 'grep -q "blocked by"'`,
		Args:              exactArgs("RECORDING"),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, root, args[0]) },
		ValidArgsFunction: first(sessionIDs(s, root)),
	}
	cmd.Flags().StringVar(&o.bad, "bad", "", "condition that a bad conversation fulfills at its end")
	cmd.Flags().StringVar(&o.command, "bad-command", "", "shell line that exits with 0 if the events on its standard input are bad")
	return cmd
}

func (o *bisectOptions) run(ctx context.Context, s streams, root *rootOptions, word string) (err error) {
	if (strings.TrimSpace(o.bad) == "") == (strings.TrimSpace(o.command) == "") {
		return usageError{errors.New("say what is bad: either --bad CONDITION or --bad-command LINE")}
	}
	expr, err := condition.Parse(o.bad)
	if err != nil {
		return usageError{fmt.Errorf("--bad: %w", err)}
	}
	rec, err := root.openReplay(ctx, s, word)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.close()) }()
	options := rec.options
	run := setup.Source{Config: options.Config}.RunCondition(options.Features)
	options.Adjust = func(h *host.Options) { h.Shell = run }
	judge := judge{options: options, bad: expr, command: o.command, shell: run}
	found, err := bisect.Search(rec.Plugins(), func(plugins []string) (bool, error) {
		each, err := judge.anew()
		if err != nil {
			return false, err
		}
		told, err := bisect.Repeat(ctx, each, rec.Recording, plugins)
		if err != nil {
			return false, because(ctx, err)
		}
		bad, err := judge.isBad(ctx, told)
		if err == nil {
			fmt.Fprintf(s.err, "%s with %s\n", map[bool]string{true: "bad ", false: "good"}[bad], listedPlugins(plugins))
		}
		return bad, err
	})
	if err != nil {
		return rec.secrets.Error(fmt.Errorf("searching %s: %w", rec.Path, err))
	}
	fmt.Fprintf(s.out, "%s\n", clean(strings.Join(found.Culprits, "\n")))
	fmt.Fprintf(s.err, "found in %d steps, after 2 that checked all plugins and none\n", found.Steps)
	return nil
}

// listedPlugins returns the names of plugins for a line.
func listedPlugins(plugins []string) string {
	if len(plugins) == 0 {
		return "no plugin"
	}
	return clean(strings.Join(plugins, ", "))
}

// judge decides whether a conversation is bad.
type judge struct {
	options plugincall.Options
	bad     condition.Expr
	command string
	shell   func(ctx context.Context, workdir, command string) (bool, error)
}

// anew returns options with a directory for the plugins' data that no other conversation used. The directory of the search holds it.
func (j judge) anew() (plugincall.Options, error) {
	o := j.options
	dir, err := os.MkdirTemp(o.Scratch, "run-")
	if err != nil {
		return o, fmt.Errorf("making a directory for the plugins' data: %w", err)
	}
	o.Scratch = dir
	return o, nil
}

func (j judge) isBad(ctx context.Context, told bisect.Outcome) (bool, error) {
	if j.command == "" {
		return j.bad.Eval(ctx, host.ConditionState(told.State, j.options.Config.Workdir, j.shell))
	}
	program, err := toolhost.Program()
	if err != nil {
		return false, err
	}
	done, err := shell.Run(ctx, shell.Command{
		Executable: program.Start, Line: j.command, Dir: j.options.Config.Workdir, Env: j.options.Config.Inherited, Stdin: told.Events,
	})
	switch {
	case err != nil:
		return false, fmt.Errorf("running --bad-command: %w", err)
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case done.ExitCode < 0, done.ExitCode > 125:
		return false, fmt.Errorf("running --bad-command: it ended with code %d: %s", done.ExitCode, clean(string(done.Stderr)))
	}
	return done.ExitCode == 0, nil
}
