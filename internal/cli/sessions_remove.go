package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

func newSessionsRm(s streams, root *rootOptions) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm SESSION...",
		Short: "Remove sessions",
		Long: `Remove sessions with everything that belongs to them: messages, output of tools that
was too long for the model, and the recording of plugin calls. A session that is open stays. In a terminal aura
asks first; elsewhere --yes is needed.`,
		Example: `  aura sessions rm 01a1
  aura sessions rm --yes 01a1 "release notes"`,
		Args: needsSome("SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return removeSessions(cmd.Context(), s, root, args, yes)
		},

		ValidArgsFunction: sessionIDs(s, root),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	return cmd
}

func removeSessions(ctx context.Context, s streams, root *rootOptions, words []string, yes bool) error {
	var cfg *config.Config
	var list []session.Summary
	named := map[string]bool{}
	for _, word := range words {
		c, found, err := root.meantSession(s, word)
		if err != nil {
			return err
		}
		if cfg = c; !named[found.Path] {
			named[found.Path], list = true, append(list, found)
		}
	}
	short, err := session.ShortIDs(cfg.State.AllSessions()...)
	if err != nil {
		return err
	}
	describe := func(f session.Summary) string {
		return fmt.Sprintf("session %s (%s, %s)", clean(short[f.ID]), started(f), oneLine(setup.Secrets(cfg, nil).String(f.Title), maxCell))
	}
	if !yes {
		r := removal{name: plaintext.Counted(len(list), "session"), unattended: usageError{errors.New("removing sessions needs --yes where there is no terminal to ask on")}}
		for _, found := range list {
			r.about = append(r.about, describe(found))
		}
		if err := r.confirm(ctx, s); err != nil {
			return err
		}
	}
	var faults []error
	for _, found := range list {
		bytes, err := inspect.RemoveSession(cfg, found)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		fmt.Fprintf(s.out, "removed %s, %s\n", describe(found), size(bytes))
	}
	return errors.Join(faults...)
}

const pruneHelp = `Remove sessions that were not used for some time, with everything that belongs to
them, and output of tools whose session is gone. A session that is open stays.

--older takes hours, days or weeks: 12h, 30d, 2w. --keep spares the sessions of each
project that were used last; without --older, all others are removed. --dry-run
lists what would be removed.`

func newSessionsPrune(s streams, root *rootOptions) *cobra.Command {
	var (
		older string
		o     inspect.PruneOptions
	)
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old sessions",
		Long:  pruneHelp,
		Example: `  aura sessions prune --older 30d --dry-run
  aura sessions prune --older 2w --keep 10 --all`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kept := cmd.Flags().Changed("keep")
			switch {
			case older == "" && !kept:
				return usageError{errors.New("sessions prune needs --older or --keep, such as --older 30d")}
			case o.Keep < 0:
				return usageError{fmt.Errorf("--keep %d is negative", o.Keep)}
			case older != "":
				var err error
				if o.Older, err = session.ParseAge(older); err != nil {
					return usageError{fmt.Errorf("--older: %w", err)}
				}
			}
			return pruneSessions(s, root, o)
		},
	}
	cmd.Flags().StringVar(&older, "older", "", "remove sessions that were not used for this long: 12h, 30d, 2w")
	cmd.Flags().IntVar(&o.Keep, "keep", 0, "spare so many sessions of each project, those that were used last")
	cmd.Flags().BoolVar(&o.All, "all", false, "remove the sessions of every project")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "list what would be removed, and remove nothing")
	return cmd
}

func pruneSessions(s streams, root *rootOptions, o inspect.PruneOptions) error {
	cfg, err := root.list(s)
	if err != nil {
		return err
	}
	short, err := session.ShortIDs(cfg.State.AllSessions()...)
	if err != nil {
		return err
	}
	list, failed := inspect.Prune(cfg.Config, o, time.Now())
	did, secrets := "removed", setup.Secrets(cfg.Config, nil)
	if o.DryRun {
		did = "would be removed"
	}
	count, total := 0, int64(0)
	rows := [][]string{{"ID", "LAST USED", "SIZE", "RESULT", "TITLE"}}
	for _, p := range list {
		result, id, title := did, short[p.Session.ID], secrets.String(p.Session.Title)
		switch {
		case p.Open:
			result = "kept: open"
		case p.Rest:
			id, title = p.Session.ID, "output of a session that is gone"
			fallthrough
		default:
			count, total = count+1, total+p.Bytes
		}
		rows = append(rows, []string{id, p.Session.UsedAt.Local().Format("2006-01-02 15:04"), size(p.Bytes), result, title})
	}
	if len(list) > 0 {
		table(s.out, rows)
	}
	fmt.Fprintf(s.out, "%s: %s, %s\n", did, plaintext.Counted(count, "session"), size(total))
	return failed
}

// size formats a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f KB", float64(n)/1e3)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
}
