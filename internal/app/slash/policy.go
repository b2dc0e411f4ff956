package slash

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/policy"
)

// policy lists the rules, the approvals and what the user refused for the session, or removes one of the latter.
func (c currentCommands) policy(_ context.Context, args string) (string, error) {
	kept, err := c.Setup().Kept().All()
	given, refused := c.sessionApprovals(), c.sessionRefusals()
	words := strings.Fields(args)
	switch {
	case len(words) == 0:
		return c.rules() + c.approvals(kept, given, refused) + fault(err), nil
	case err != nil:
		return "", err
	case len(words) == 2 && words[0] == "remove":
		n, err := strconv.Atoi(words[1])
		if err != nil || n < 1 || n > len(kept)+len(given)+len(refused) {
			return "", fmt.Errorf("removing approval %s: there is none with this number; /policy lists them", words[1])
		}
		if i := n - len(kept) - len(given) - 1; i >= 0 {
			c.Setup().Approvals.Forget(refused[i])
			return "aura asks about " + refused[i].Pattern + " again", nil
		}
		return c.removeApproval(n, kept, given)
	default:
		return "", fmt.Errorf("reading %q: /policy takes nothing, or remove and the number of an approval", args)
	}
}

// fault returns an error as the last paragraph of a list.
func fault(err error) string {
	if err == nil {
		return ""
	}
	return "\n\n" + err.Error()
}

// sessionApprovals returns what the user approved until the session ends.
func (c currentCommands) sessionApprovals() []policy.Approval {
	if c.Setup().Approvals == nil {
		return nil
	}
	return c.Setup().Approvals.All()
}

// sessionRefusals returns what the user refused until the session ends.
func (c currentCommands) sessionRefusals() []policy.Refusal {
	if c.Setup().Approvals == nil {
		return nil
	}
	return c.Setup().Approvals.Refusals()
}

func (c currentCommands) rules() string {
	var b strings.Builder
	by := "rule"
	for _, r := range c.Setup().Policy().Rules() {
		fmt.Fprintf(&b, "%-8s %s\n", r.Action, r.Rule)
		if strings.HasPrefix(r.Rule, policy.DefaultPrefix) {
			by = "rule or default"
		}
	}
	b.WriteString("what no " + by + " names runs without asking")
	if c.Setup().Confirm == nil {
		b.WriteString("; there is no terminal, so confirm means deny")
	}
	return b.String()
}

// approvals lists approvals and refusals by numbers. Those that are kept come first. It names the directory of those that count elsewhere.
func (c currentCommands) approvals(kept []policy.Kept, given []policy.Approval, refused []policy.Refusal) string {
	var b strings.Builder
	line := func(n int, a policy.Approval, more string) {
		fmt.Fprintf(&b, "\n%3d  %s  (%s)", n, a.Pattern, a.Describe()+more)
	}
	if len(kept) > 0 {
		b.WriteString("\n\napproved in this project, until you remove it with /policy remove N:")
	}
	here := c.Setup().ApprovalDir()
	for i, k := range kept {
		more := ", since " + k.Given.Local().Format("2006-01-02")
		if k.Dir != here {
			more += ", in " + k.Dir
		}
		line(i+1, k.Approval, more)
	}
	if len(given) > 0 {
		b.WriteString("\n\napproved until the session ends:")
	}
	for i, a := range given {
		line(len(kept)+i+1, a, "")
	}
	if len(refused) > 0 {
		b.WriteString("\n\nrefused until the session ends, or until you remove it with /policy remove N:")
	}
	for i, r := range refused {
		fmt.Fprintf(&b, "\n%3d  %s", len(kept)+len(given)+i+1, r.Pattern)
	}
	return b.String()
}

// removeApproval removes the approval with a number in the list.
func (c currentCommands) removeApproval(n int, kept []policy.Kept, given []policy.Approval) (string, error) {
	var one policy.Approval
	var had bool
	var err error
	if n <= len(kept) {
		one = kept[n-1].Approval
		had, err = c.Setup().Kept().Remove(one)
	} else {
		one = given[n-len(kept)-1]
		had = c.Setup().Approvals.Remove(one)
	}
	if err == nil && !had {
		err = errors.New("removing an approval: it is gone already")
	}
	return "removed the approval of " + one.Pattern, err
}

// beyond lists what the user granted beyond the sandbox, for the working directory.
func (c currentCommands) beyond() string {
	var b strings.Builder
	kept, err := c.Setup().Kept().All()
	for i, a := range c.sessionApprovals() {
		c.grant(&b, a, fmt.Sprintf("until the session ends; /policy remove %d", len(kept)+i+1))
	}
	for i, k := range kept {
		c.grant(&b, k.Approval, fmt.Sprintf("always; /policy remove %d", i+1))
	}
	return b.String() + fault(err)
}

func (c currentCommands) grant(b *strings.Builder, a policy.Approval, until string) {
	if (a.Rule == policy.PathRule || a.Rule == policy.HostRule) && a.Dir == c.Setup().ApprovalDir() {
		fmt.Fprintf(b, "\ngranted: %s (%s)", a.Pattern, until)
	}
}
