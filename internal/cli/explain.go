package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/author/explain"
	"github.com/idelchi/aura/internal/settings/setup"
)

const explainHelp = `Show what happened in a session: turn by turn, who changed what, before and after,
and how long it took. Without SESSION it is the session of the project that was used
last.

A turn is one model call with its tool calls. The list names changes of the system
prompt, of messages, of arguments and results of tools; tools that were withheld;
calls that were refused, and by whom; errors, switches of the agent, compactions and
restarts of plugins. Calls that changed nothing are counted; --plugin lists each call
of one plugin.

aura keeps this for every session, without secrets that it knows. Long texts are
shortened. 'aura run --record' keeps whole calls.`

// explainOptions holds the flags of explain.
type explainOptions struct {
	explain.Filter

	json bool
}

func newExplain(s streams, root *rootOptions) *cobra.Command {
	o := &explainOptions{}
	cmd := &cobra.Command{
		Use:   "explain [SESSION]",
		Short: "Show which plugin changed what in a session",
		Long:  explainHelp,
		Example: `  aura explain
  aura explain 01a1 --turn 3
  aura explain "release notes" --plugin careful
  aura explain --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes at most one SESSION; quote a title with spaces; to run a prompt, use: aura run %s",
					cmd.CommandPath(), promptExample(append([]string{cmd.Name()}, args...)))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("turn") && o.Turn < 1 {
				return usageError{fmt.Errorf("--turn %d: turns are counted from 1", o.Turn)}
			}
			return o.run(s, root, args)
		},
		ValidArgsFunction: first(sessionIDs(s, root)),
	}
	cmd.Flags().IntVar(&o.Turn, "turn", 0, "show only this turn")
	cmd.Flags().StringVar(&o.Plugin, "plugin", "", "show only this plugin, with each of its calls")
	cmd.Flags().BoolVar(&o.json, "json", false, "write a JSON object")
	return cmd
}

// explained is what --json writes.
type explained struct {
	Session string         `json:"session"`
	Turns   []explain.Turn `json:"turns"`
}

func (o *explainOptions) run(s streams, root *rootOptions, args []string) error {
	cfg, err := root.list(s)
	if err != nil {
		return err
	}
	secrets := setup.Secrets(cfg.Config, nil)
	var found session.Summary
	if len(args) == 0 {
		found, err = session.Latest("", cfg.State.Sessions())
	} else {
		found, err = inspect.FindSession(cfg.Config, args[0])
	}
	if err != nil {
		return secrets.Error(err)
	}
	turns, err := explain.Session(found.Path, o.Filter)
	if err != nil {
		return err
	}
	if o.json {
		raw, err := json.Marshal(explained{Session: found.ID, Turns: append([]explain.Turn{}, turns...)})
		if err != nil {
			return err
		}
		return writeJSON(s.out, json.RawMessage(secrets.JSON(raw)))
	}
	_, err = io.WriteString(s.out, clean(secrets.String(explain.Text(turns, o.Plugin != ""))))
	return err
}
