package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/base/plaintext"
)

const approvalsHelp = `List and remove the tool calls, hosts and paths that you approved for all sessions of
the project, by answering "always" when aura asked about one. Such a call runs, and such
a host or path is reached, without asking in the same working directory, unless the
policy or sandbox.network denies it. Without a command, aura lists them.`

func newApprovals(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "List and remove the tool calls that you approved for good",
		Long:  approvalsHelp,
		Example: `  aura approvals
  aura approvals list --json
  aura approvals rm 2`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return root.listApprovals(s, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	cmd.AddCommand(newApprovalsList(s, root), newApprovalsRm(s, root))
	return cmd
}

func newApprovalsList(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the approvals with their numbers",
		Example: `  aura approvals list
  aura approvals list --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return root.listApprovals(s, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

// approvals returns the approvals of the project, and the file that holds them.
func (o *rootOptions) approvals(s streams) (policy.Store, []policy.Kept, error) {
	l, err := o.list(s)
	if err != nil {
		return policy.Store{}, nil, err
	}
	store := policy.Store{Path: l.State.Approvals()}
	kept, err := store.All()
	return store, kept, err
}

func (o *rootOptions) listApprovals(s streams, asJSON bool) error {
	_, kept, err := o.approvals(s)
	switch {
	case err != nil:
		return err
	case asJSON:
		return writeJSON(s.out, append([]policy.Kept{}, kept...))
	case len(kept) == 0:
		fmt.Fprintln(s.out, "no tool calls or hosts are approved for good in this project")
		return nil
	}
	rows := [][]string{{"N", "PATTERN", "LIFTS RULE", "TOOL OF", "DIRECTORY", "GIVEN"}}
	for i, k := range kept {
		rows = append(rows, []string{strconv.Itoa(i + 1), k.Pattern, dash(k.Rule), k.Source, k.Dir, k.Given.Local().Format("2006-01-02 15:04")})
	}
	table(s.out, rows)
	return nil
}

func newApprovalsRm(s streams, root *rootOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "rm N...",
		Short: "Remove approvals by their numbers",
		Long: `Remove approvals by their numbers in 'aura approvals list'. aura asks again about
the calls that they covered, also in running sessions.`,
		Example: `  aura approvals rm 1
  aura approvals rm 2 3`,
		Args:              needsSome("N"),
		RunE:              func(_ *cobra.Command, args []string) error { return root.removeApprovals(s, args) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

// removeApprovals removes approvals. It removes none if one of the numbers is wrong.
func (o *rootOptions) removeApprovals(s streams, numbers []string) error {
	store, kept, err := o.approvals(s)
	if err != nil {
		return err
	}
	var chosen []policy.Approval
	for _, word := range numbers {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(kept) {
			return usageError{fmt.Errorf("removing approval %q: there is none with this number; 'aura approvals' lists them", word)}
		}
		chosen = append(chosen, kept[n-1].Approval)
	}
	for _, one := range chosen {
		if _, err := store.Remove(one); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "removed the approval of %s\n", plaintext.Reveal(one.Pattern))
	}
	return nil
}
