package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

const restartHelp = `Restart the process of a plugin in every running session of this project, or with
--session in one session of any project. The current call of the plugin fails, and
its package-level state is lost. A quarantined plugin starts again.

aura loads the plugin from its current files. If they cannot be loaded, the plugin
stays down.
` + controlHelp

const quarantineHelp = `Quarantine a plugin in every running session of this project, or with --session in
one session of any project: aura kills its process and does not call it again in
the session. /reload in the session, or 'aura plugins restart', starts it again.

A guard with on_failure: closed blocks the tool calls of a session while it is
quarantined. To keep a plugin from later sessions, use 'aura plugins disable'.
` + controlHelp

const controlHelp = `
The session shows a notice. 'aura plugins top' lists the running sessions.
This does not work on Windows; use /reload there.`

func newPluginsRestart(s streams, root *rootOptions) *cobra.Command {
	return newControl(s, root, &controlOptions{action: host.ActionRestart}, "Restart a plugin in running sessions", restartHelp)
}

func newPluginsQuarantine(s streams, root *rootOptions) *cobra.Command {
	return newControl(s, root, &controlOptions{action: host.ActionQuarantine}, "Stop calling a plugin in running sessions", quarantineHelp)
}

// controlOptions holds the flags of plugins restart and quarantine.
type controlOptions struct {
	action  host.Action
	session string
}

func newControl(s streams, root *rootOptions, o *controlOptions, short, long string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     string(o.action) + " NAME",
		Short:   short,
		Long:    long,
		Example: fmt.Sprintf("  aura plugins %s notepad\n  aura plugins %[1]s notepad --session 01a1", o.action),
		Args:    exactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := config.Locate(root.configOptions(s))
			if err != nil {
				return err
			}
			chosen, err := o.choose(host.Statuses(setup.RuntimeDirs(cfg)...), args[0], cfg.Workdir)
			if err != nil {
				return fmt.Errorf("%s plugin %q: %w", o.doing(), args[0], err)
			}
			return o.run(cmd.Context(), s, chosen)
		},
		ValidArgsFunction: first(completeRunning(s, root, func(r host.Status) string { return r.Name })),
	}
	cmd.Flags().StringVar(&o.session, "session", "", "only in this session: its id or the beginning of it")
	// The only possible error is a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("session", completeRunning(s, root, func(r host.Status) string { return r.Session }))
	return cmd
}

// completeRunning completes a property of the plugins that run.
func completeRunning(s streams, root *rootOptions, of func(host.Status) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if fromEnvironment(cmd, s.environ) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		cfg, err := config.Locate(root.configOptions(s))
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found := slices.DeleteFunc(distinct(host.Statuses(setup.RuntimeDirs(cfg)...), of), func(name string) bool { return !strings.HasPrefix(name, typed) })
		return candidates(found), cobra.ShellCompDirectiveNoFileComp
	}
}

// doing is the beginning of an error message.
func (o *controlOptions) doing() string {
	if o.action == host.ActionRestart {
		return "restarting"
	}
	return "quarantining"
}

// run asks the sessions one after the other. A session that refuses does not keep the others from being asked.
func (o *controlOptions) run(ctx context.Context, s streams, chosen []host.Status) error {
	var failed []error
	for _, r := range chosen {
		answer, err := r.Do(ctx, o.action)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s plugin %q in session %s: %w", o.doing(), r.Name, dash(r.Session), err))
			continue
		}
		fmt.Fprintf(s.out, "plugin %s in session %s: %s%s\n", clean(r.Name), clean(dash(r.Session)), done(o.action), pidNote(answer.Pid))
	}
	return errors.Join(failed...)
}

func done(a host.Action) string {
	if a == host.ActionRestart {
		return "restarted"
	}
	return "quarantined"
}

func pidNote(pid int) string {
	if pid == 0 {
		return ""
	}
	return fmt.Sprintf(" (pid %d)", pid)
}

// choose returns the plugins that the command line means.
func (o *controlOptions) choose(running []host.Status, name, project string) ([]host.Status, error) {
	if len(running) == 0 {
		return nil, errors.New(noPlugins)
	}
	scope, within, err := o.scope(running, project)
	if err != nil {
		return nil, err
	}
	named := func(r host.Status) bool { return r.Name != name }
	if chosen := slices.DeleteFunc(slices.Clone(scope), named); len(chosen) > 0 {
		return chosen, nil
	}
	if others := slices.DeleteFunc(slices.Clone(running), named); len(others) > 0 {
		return nil, fmt.Errorf("%s does not run it; use --session for: %s", within, strings.Join(places(others), ", "))
	}
	known := distinct(running, func(r host.Status) string { return r.Name })
	return nil, fmt.Errorf("no session runs it; running plugins: %s%s", strings.Join(known, ", "), nearest.Hint(name, known))
}

// scope returns the plugins of the sessions that the command line means, and what to call these sessions.
func (o *controlOptions) scope(running []host.Status, project string) ([]host.Status, string, error) {
	if o.session == "" {
		return slices.DeleteFunc(slices.Clone(running), func(r host.Status) bool { return r.Project != project }), "a session of this project", nil
	}
	ids := distinct(running, func(r host.Status) string { return r.Session })
	meant := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !strings.HasPrefix(id, o.session) })
	if slices.Contains(ids, o.session) {
		meant = []string{o.session}
	}
	if len(meant) != 1 {
		why, hint := "several sessions begin with it", ""
		if len(meant) == 0 {
			why, hint = "it is not running", nearest.Hint(o.session, ids)
		}
		return nil, "", fmt.Errorf("--session %s: %s; running sessions: %s%s", o.session, why, strings.Join(ids, ", "), hint)
	}
	return slices.DeleteFunc(slices.Clone(running), func(r host.Status) bool { return r.Session != meant[0] }), "session " + meant[0], nil
}

// places describes sessions by their ids and projects.
func places(running []host.Status) []string {
	var out []string
	for _, r := range running {
		out = append(out, fmt.Sprintf("%s (%s)", dash(r.Session), dash(r.Project)))
	}
	return out
}

// distinct returns a property of the plugins that run, sorted, each value once and without empty ones.
func distinct(running []host.Status, of func(host.Status) string) []string {
	var out []string
	for _, r := range running {
		if name := of(r); name != "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
