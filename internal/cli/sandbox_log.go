package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/setup"
)

const sandboxLogHelp = `List the connections of a session that the rules of sandbox.network decided about:
when, by whom, to which host, port and address, the verdict, and the bytes sent and
received. Without SESSION it is the session of the project that was used last.

A program with the whole network is not listed. At most 256 connections of a turn are
listed one by one; the others are counted. The rule of each verdict is in --json and
in 'aura explain'.`

func newSandboxLog(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "log [SESSION]",
		Short: "List the connections of a session",
		Long:  sandboxLogHelp,
		Example: `  aura sandbox log
  aura sandbox log 01a1 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes at most one SESSION; quote a title with spaces", cmd.CommandPath())}
			}
			return nil
		},
		RunE:              func(_ *cobra.Command, args []string) error { return root.listConnections(s, args, asJSON) },
		ValidArgsFunction: first(sessionIDs(s, root)),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

// connection is a row of the log.
type connection struct {
	Time    time.Time `json:"time"`
	By      string    `json:"by,omitempty"`
	Host    string    `json:"host,omitempty"`
	Verdict string    `json:"verdict,omitempty"`
	Rule    string    `json:"rule,omitempty"`

	session.Connection
}

func (o *rootOptions) listConnections(s streams, args []string, asJSON bool) error {
	l, err := o.list(s)
	if err != nil {
		return err
	}
	secrets := setup.Secrets(l.Config, nil)
	var found session.Summary
	if len(args) == 0 {
		found, err = session.Latest("", l.State.Sessions())
	} else {
		found, err = inspect.FindSession(l.Config, args[0])
	}
	if err != nil {
		return secrets.Error(err)
	}
	_, facts, err := session.Facts(found.Path)
	if err != nil {
		return secrets.Error(err)
	}
	list := []connection{}
	for _, f := range facts {
		if f.Kind == session.FactNetwork && f.Network != nil {
			list = append(list, connection{f.At, f.By, secrets.String(f.Name), f.Outcome, secrets.String(f.Error), *f.Network})
		}
	}
	if asJSON {
		return writeJSON(s.out, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "no program of this session used the network under rules")
		return nil
	}
	table(s.out, connectionRows(list))
	return nil
}

func connectionRows(list []connection) [][]string {
	rows := [][]string{{"TIME", "BY", "HOST", "PORT", "ADDRESS", "VERDICT", "SENT", "RECEIVED"}}
	for _, c := range list {
		port, verdict := "-", c.Verdict
		if c.Port != 0 {
			port = strconv.Itoa(c.Port)
		}
		if c.Dropped > 0 {
			verdict = fmt.Sprintf("%d not listed", c.Dropped)
		}
		rows = append(rows, []string{
			c.Time.Local().Format("2006-01-02 15:04:05"), dash(plaintext.Line(c.By)), dash(plaintext.Line(c.Host)), port, dash(plaintext.Line(c.Address)), verdict,
			strconv.FormatInt(c.Sent, 10), strconv.FormatInt(c.Received, 10),
		})
	}
	return rows
}
