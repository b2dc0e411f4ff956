package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/settings/setup"
)

func newSessionsSearch(s streams, root *rootOptions) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "search TEXT",
		Short: "Find sessions by a text in their titles and messages",
		Long: `Find the project's sessions whose title or messages have a text, the newest first.
Upper and lower case are the same. Messages that a compaction replaced are
searched, too. The table shows the first line with the text.`,
		Example: `  aura sessions search "race condition"
  aura sessions search --all TODO`,
		Args: exactArgs("TEXT"),
		RunE: func(_ *cobra.Command, args []string) error {
			text := strings.TrimSpace(args[0])
			if text == "" {
				return usageError{errors.New("the text to search for is empty")}
			}
			cfg, err := root.list(s)
			if err != nil {
				return err
			}
			found, faults, err := session.Search(text, setup.Secrets(cfg.Config, nil).String, sessionDirs(cfg.Config, all)...)
			if err != nil {
				return err
			}
			for _, fault := range faults {
				fmt.Fprintf(s.err, "! a session is not searched: %s\n", clean(fault.Error()))
			}
			if asJSON {
				return writeJSON(s.out, append([]session.Match{}, found...))
			}
			short, err := session.ShortIDs(cfg.State.AllSessions()...)
			if err != nil {
				return err
			}
			writeMatches(s.out, found, short, all)
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list with more lines of each session")
	cmd.Flags().BoolVar(&all, "all", false, "search the sessions of every project")
	return cmd
}

func writeMatches(w io.Writer, found []session.Match, short map[string]string, directories bool) {
	if len(found) == 0 {
		fmt.Fprintln(w, "no session has it")
		return
	}
	head := []string{"ID", "STARTED"}
	if directories {
		head = append(head, "DIRECTORY")
	}
	rows := [][]string{append(head, "TITLE", "LINE")}
	for _, m := range found {
		line := "-"
		if len(m.Lines) > 0 {
			line = m.Lines[0]
		}
		row := []string{short[m.ID], started(m.Summary)}
		if directories {
			row = append(row, dash(m.Workdir))
		}
		rows = append(rows, append(row, m.Title, line))
	}
	table(w, rows)
}
