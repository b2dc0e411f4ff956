package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/planted"
)

const sandboxQuarantineHelp = `List what aura moved away because confined code left it in a place that other
programs run: settings and hooks of Git, directories of agents, env files. Nothing
in the quarantine of the project takes effect. Without a command, aura lists it.`

func newSandboxQuarantine(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "quarantine",
		Short: "List, restore and remove what confined code left",
		Long:  sandboxQuarantineHelp,
		Example: `  aura sandbox quarantine
  aura sandbox quarantine --json
  aura sandbox quarantine restore 2
  aura sandbox quarantine remove --all`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return root.listQuarantine(s, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	cmd.AddCommand(newQuarantineRestore(s, root), newQuarantineRemove(s, root))
	return cmd
}

func (o *rootOptions) quarantine(s streams) (planted.Store, []planted.Entry, error) {
	l, err := o.list(s)
	if err != nil {
		return planted.Store{}, nil, err
	}
	store := setup.Quarantine(l.Config)
	all, err := store.List()
	return store, all, err
}

func (o *rootOptions) listQuarantine(s streams, asJSON bool) error {
	_, all, err := o.quarantine(s)
	switch {
	case err != nil:
		return err
	case asJSON:
		return writeJSON(s.out, append([]planted.Entry{}, all...))
	case len(all) == 0:
		fmt.Fprintln(s.out, "the quarantine of this project is empty")
		return nil
	}
	rows := [][]string{{"ID", "PATH", "MOVED", "BYTES", "WHY"}}
	for _, e := range all {
		rows = append(rows, []string{strconv.Itoa(e.ID), e.Path, e.Time.Local().Format("2006-01-02 15:04"), strconv.FormatInt(e.Bytes, 10), e.Why})
	}
	table(s.out, rows)
	return nil
}

func newQuarantineRestore(s streams, root *rootOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID...",
		Short: "Move things back to where they were",
		Long: `Move things back to where they were, by their IDs in 'aura sandbox quarantine'. Look
at them first: other programs run them. aura replaces no file that is there now.`,
		Example: `  aura sandbox quarantine restore 1
  aura sandbox quarantine restore 2 3`,
		Args: needsSome("ID"),
		RunE: func(_ *cobra.Command, args []string) error {
			return root.eachQuarantined(s, args, func(store planted.Store, id int) (string, error) {
				e, err := store.Restore(id)
				return "restored " + plaintext.Reveal(e.Path), err
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func newQuarantineRemove(s streams, root *rootOptions) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "remove [ID...]",
		Short: "Delete things for good",
		Example: `  aura sandbox quarantine remove 1
  aura sandbox quarantine remove --all`,
		Args: func(_ *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return usageError{errors.New("aura sandbox quarantine remove takes either ID... or --all")}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if all {
				_, entries, err := root.quarantine(s)
				if err != nil {
					return err
				}
				for _, e := range entries {
					args = append(args, strconv.Itoa(e.ID))
				}
			}
			return root.eachQuarantined(s, args, func(store planted.Store, id int) (string, error) {
				return fmt.Sprintf("removed %d", id), store.Remove(id)
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().BoolVar(&all, "all", false, "delete everything")
	return cmd
}

// eachQuarantined does something with the entries of the quarantine that have the given IDs. It stops at the first error.
func (o *rootOptions) eachQuarantined(s streams, ids []string, do func(planted.Store, int) (string, error)) error {
	store, _, err := o.quarantine(s)
	if err != nil {
		return err
	}
	for _, word := range ids {
		id, err := strconv.Atoi(word)
		if err != nil {
			return usageError{fmt.Errorf("looking for %q in the quarantine: an ID is a number; 'aura sandbox quarantine' lists them", word)}
		}
		text, err := do(store, id)
		if err != nil {
			return err
		}
		fmt.Fprintln(s.out, text)
	}
	return nil
}
