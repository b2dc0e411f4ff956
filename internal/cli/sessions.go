package cli

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/redact"
	"github.com/idelchi/aura/internal/session"
	"github.com/idelchi/aura/internal/setup"
)

func newSessions(s streams, root *rootOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List, show and export saved sessions",
		Long: `List, show and export saved sessions. 'aura run --continue' continues the newest
session of the project, 'aura run --resume ID' any session. 'aura paths' shows
where they are kept.`,
		Example: `  aura sessions list
  aura sessions show 01a1
  aura sessions export 01a1 --output talk.md`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSessionsList(s, root), newSessionsShow(s, root), newSessionsExport(s, root))
	return cmd
}

func newSessionsList(s streams, root *rootOptions) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the project's sessions, the newest first",
		Example: `  aura sessions list
  aura sessions list --all --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := root.list(s)
			if err != nil {
				return err
			}
			app.MoveState(cfg.Config, func(text string) { fmt.Fprintf(s.err, "! %s\n", clean(text)) })
			dirs := []string{cfg.State.Sessions()}
			if all {
				dirs = cfg.State.AllSessions()
			}
			list, err := session.List(dirs...)
			if err != nil {
				return err
			}
			secrets := setup.Secrets(cfg.Config, nil)
			for i := range list {
				list[i].Title = secrets.String(list[i].Title)
			}
			if asJSON {
				return writeJSON(s.out, append([]session.Summary{}, list...))
			}
			writeSessions(s.out, list)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	cmd.Flags().BoolVar(&all, "all", false, "list the sessions of every project")
	return cmd
}

func writeSessions(w io.Writer, list []session.Summary) {
	if len(list) == 0 {
		fmt.Fprintln(w, "no sessions are saved yet")
		return
	}
	rows := [][]string{{"ID", "STARTED", "MESSAGES", "END", "TITLE"}}
	for _, s := range list {
		end := string(s.End)
		if end == "" {
			end = "open or killed"
		}
		title, started := s.Title, s.StartedAt.Local().Format("2006-01-02 15:04")
		if s.Err != "" {
			end, title, started = "damaged", s.Err, "-"
		}
		rows = append(rows, []string{s.ID, started, fmt.Sprint(s.Messages), end, title})
	}
	table(w, rows)
}

func newSessionsShow(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show a session; the beginning of its id is enough",
		Example: "  aura sessions show 01a1",
		Args:    exactArgs("ID"),
		RunE: func(_ *cobra.Command, args []string) error {
			saved, secrets, err := root.findSession(s, args[0])
			if err != nil {
				return err
			}
			format := session.FormatMarkdown
			if asJSON {
				format = session.FormatJSON
			}
			text, err := app.Export(saved, format, secrets)
			if err != nil {
				return err
			}
			if !asJSON {
				text = clean(text)
			}
			_, err = io.WriteString(s.out, text)
			return err
		},
		ValidArgsFunction: sessionIDs(s, root),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func newSessionsExport(s streams, root *rootOptions) *cobra.Command {
	var format, output string
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a session as Markdown or JSON",
		Example: `  aura sessions export 01a1 --output talk.md
  aura sessions export 01a1 --format json`,
		Args: exactArgs("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("format") && strings.EqualFold(filepath.Ext(output), ".json") {
				format = string(session.FormatJSON)
			}
			if err := session.Format(format).Check(); err != nil {
				return usageError{fmt.Errorf("--format: %w", err)}
			}
			saved, secrets, err := root.findSession(s, args[0])
			if err != nil {
				return err
			}
			text, err := app.Export(saved, session.Format(format), secrets)
			if err != nil {
				return err
			}
			return export(s.out, text, output)
		},
		ValidArgsFunction: sessionIDs(s, root),
	}
	cmd.Flags().StringVar(&format, "format", "markdown", "markdown or json; json also if --output ends in .json")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]cobra.Completion{"markdown", "json"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write; standard output if none is named")
	return cmd
}

func export(stdout io.Writer, text, output string) error {
	if output == "" {
		_, err := io.WriteString(stdout, text)
		return err
	}
	save := files.Save
	if !filepath.IsAbs(output) {
		save = func(path string, data []byte, mode fs.FileMode) error { return files.SaveBelow(".", path, data, mode) }
	}
	if err := save(output, []byte(text), 0o600); err != nil {
		return fmt.Errorf("exporting session: %w", err)
	}
	return nil
}

// findSession also returns the secrets that are not shown of it.
func (o *rootOptions) findSession(s streams, prefix string) (session.Session, *redact.Redactor, error) {
	cfg, err := o.list(s)
	if err != nil {
		return session.Session{}, nil, err
	}
	found, err := app.FindSession(cfg.Config, prefix)
	if err != nil {
		return session.Session{}, nil, err
	}
	saved, err := session.Load(found.Path)
	return saved, setup.Secrets(cfg.Config, nil), err
}

// sessionIDs completes the ids of sessions.
func sessionIDs(s streams, root *rootOptions) cobra.CompletionFunc {
	return first(completeNames(s, root, sessionNames))
}
