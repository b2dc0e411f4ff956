package cli

import (
	"cmp"
	"errors"
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
received. Without SESSION it is the session of the project that was used last. --all
sums up all sessions of all projects by host and verdict.

A program with the whole network is not listed. At most 256 connections of a turn are
listed one by one; the others are counted. The rule of each verdict is in --json and
in 'aura explain'.`

func newSandboxLog(s streams, root *rootOptions) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "log [SESSION]",
		Short: "List the connections of a session, or the hosts of all sessions",
		Long:  sandboxLogHelp,
		Example: `  aura sandbox log
  aura sandbox log 01a1 --json
  aura sandbox log --all`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes at most one SESSION; quote a title with spaces", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if !all {
				return root.listConnections(s, args, asJSON)
			}
			if len(args) > 0 {
				return usageError{errors.New("--all is about all sessions; leave out SESSION")}
			}
			return root.listHosts(s, asJSON)
		},
		ValidArgsFunction: first(sessionIDs(s, root)),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	cmd.Flags().BoolVar(&all, "all", false, "sum up the connections of all sessions by host")
	return cmd
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
	list := inspect.Connections(facts, secrets)
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

// listHosts lists the hosts of all sessions. A journal that cannot be read does not keep the others from being listed.
func (o *rootOptions) listHosts(s streams, asJSON bool) error {
	l, err := o.list(s)
	if err != nil {
		return err
	}
	secrets := setup.Secrets(l.Config, nil)
	var catalog session.Catalog
	sessions, err := catalog.List(l.State.AllSessions()...)
	if err != nil {
		return secrets.Error(err)
	}
	hosts := []inspect.HostUse{}
	for _, found := range sessions {
		use, err := inspect.NetworkUseOf(found, catalog.Index(found.Path), secrets)
		if err != nil {
			fmt.Fprintf(s.err, "! %s\n", clean(err.Error()))
			continue
		}
		if use.Left > 0 {
			fmt.Fprintf(s.err, "! session %s: %d earlier connections and refused tool calls are left out\n", clean(found.ID), use.Left)
		}
		hosts = append(hosts, use.Hosts...)
	}
	if asJSON {
		return writeJSON(s.out, hosts)
	}
	if len(hosts) == 0 {
		fmt.Fprintln(s.out, "no program of any session used the network under rules")
		return nil
	}
	rows := [][]string{{"SESSION", "HOST", "VERDICT", "CONNECTIONS", "SENT", "RECEIVED", "LAST"}}
	for _, h := range hosts {
		rows = append(rows, []string{
			h.Session, dash(plaintext.Line(h.Host)), cmp.Or(h.Verdict, "not listed"), strconv.Itoa(h.Connections), strconv.FormatInt(h.Sent, 10),
			strconv.FormatInt(h.Received, 10), h.Last.Local().Format(time.DateTime),
		})
	}
	table(s.out, rows)
	return nil
}

func connectionRows(list []inspect.Connection) [][]string {
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
			c.Time.Local().Format(time.DateTime), dash(plaintext.Line(c.By)), dash(plaintext.Line(c.Host)), port, dash(plaintext.Line(c.Address)), verdict,
			strconv.FormatInt(c.Sent, 10), strconv.FormatInt(c.Received, 10),
		})
	}
	return rows
}
