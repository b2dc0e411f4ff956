package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/app/migrate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

const sessionsHelp = `List, search, show, export, rename and remove saved sessions. Without a command
it lists the sessions of the project.

'aura run --continue' continues the session of the project that was used last,
'aura run --resume SESSION' any session. SESSION is an id, its beginning, a name, or
the beginning of a title. '/name' in a session and 'aura sessions rename' name a
session. 'aura paths' shows where sessions are kept.`

func newSessions(s streams, root *rootOptions) *cobra.Command {
	o := &sessionsListOptions{}
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List, search, show and remove saved sessions",
		Long:  sessionsHelp,
		Example: `  aura sessions
  aura sessions search "race condition"
  aura sessions show 01a1
  aura sessions prune --older 30d`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return o.run(s, root) },
	}
	o.register(cmd)
	cmd.AddCommand(
		newSessionsList(s, root), newSessionsSearch(s, root), newSessionsShow(s, root), newSessionsExport(s, root), newSessionsRename(s, root),
		newSessionsRm(s, root), newSessionsPrune(s, root), newSessionsRestore(s, root),
	)
	return cmd
}

type sessionsListOptions struct{ json, all bool }

func (o *sessionsListOptions) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "write a JSON list")
	cmd.Flags().BoolVar(&o.all, "all", false, "list the sessions of every project")
}

func newSessionsList(s streams, root *rootOptions) *cobra.Command {
	o := &sessionsListOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the project's sessions, the newest first",
		Long: `List the project's sessions, the newest first. The list shows the shortest prefix
of each id that is unique. --json writes whole ids, and for a session that runs also
what it does now, its context, tokens and cost, and the states of its plugins.`,
		Example: `  aura sessions list
  aura sessions list --all --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return o.run(s, root) },
	}
	o.register(cmd)
	return cmd
}

func (o *sessionsListOptions) run(s streams, root *rootOptions) error {
	cfg, err := root.list(s)
	if err != nil {
		return err
	}
	migrate.State(cfg.Config, func(text string) { fmt.Fprintf(s.err, "! %s\n", clean(text)) })
	list, err := session.List(sessionDirs(cfg.Config, o.all)...)
	if err != nil {
		return err
	}
	rows := inspect.SessionRows(list, host.Sessions(setup.RuntimeDirs(cfg.Config)...), host.Statuses(setup.RuntimeDirs(cfg.Config)...), setup.Secrets(cfg.Config, nil))
	if o.json {
		return writeJSON(s.out, rows)
	}
	if len(rows) == 0 {
		fmt.Fprintln(s.out, "no sessions are saved yet")
		return nil
	}
	short, err := session.ShortIDs(cfg.State.AllSessions()...)
	if err != nil {
		return err
	}
	writeSessions(s.out, rows, short, o.all)
	return nil
}

// sessionDirs returns the directories with the sessions of the project, or of all projects.
func sessionDirs(c *config.Config, all bool) []string {
	if all {
		return c.State.AllSessions()
	}
	return []string{c.State.Sessions()}
}

// writeSessions writes a table. It includes the directories if the sessions belong to several.
func writeSessions(w io.Writer, list []inspect.SessionRow, short map[string]string, directories bool) {
	head := []string{"ID", "STARTED", "MESSAGES", "END"}
	if directories {
		head = append(head, "DIRECTORY")
	}
	rows := [][]string{append(head, "TITLE")}
	for _, s := range list {
		end := s.Condition()
		title := s.Title
		if s.Err != "" {
			title = s.Err
		}
		row := []string{short[s.ID], started(s.Summary), fmt.Sprint(s.Messages), end}
		if directories {
			row = append(row, dash(s.Workdir))
		}
		rows = append(rows, append(row, title))
	}
	table(w, rows)
}

// started formats the start time of a session for a table.
func started(s session.Summary) string {
	if s.StartedAt.IsZero() {
		return "-"
	}
	return s.StartedAt.Local().Format("2006-01-02 15:04")
}

// sessionIDs completes the ids and names of sessions.
func sessionIDs(s streams, root *rootOptions) cobra.CompletionFunc {
	return completeNames(s, root, sessionNames)
}
