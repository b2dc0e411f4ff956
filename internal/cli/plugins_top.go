package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/ui/top"
)

// topHelp ends before the list of columns.
const topHelp = `Show the plugin processes of all your running sessions on this machine, in all
projects: state, calls per second, how long calls take (p50, p99), memory,
processor time and restarts. The table is redrawn every second.

Keys: up, down or j, k select; s and S sort by the next or previous column; r
reverses; enter or l shows the plugin's log; R restarts the plugin and Q
quarantines it, after a question; ? shows all keys; q quits.

--once prints the table and ends, after a second in which calls and processor time
are measured. On a narrow terminal the less important columns are left out; in a
pipe the table is complete.

Columns: `

// topOptions holds the flags of plugins top.
type topOptions struct {
	once, json, project bool
	order               top.Order
}

func newPluginsTop(s streams, root *rootOptions) *cobra.Command {
	o := &topOptions{}
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch the plugin processes of all running sessions",
		Long:  topHelp + strings.Join(top.Names(), ", ") + ".",
		Example: `  aura plugins top
  aura plugins top --once --sort memory
  aura plugins top --json | jq '.[] | select(.state == "quarantined")'`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Locate(root.configOptions(s))
			if err == nil {
				err = o.check(s)
			}
			if err != nil {
				return err
			}
			return o.run(cmd.Context(), s, cfg)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.once, "once", false, "print the table once")
	f.BoolVar(&o.json, "json", false, "print a JSON array once")
	f.BoolVar(&o.project, "project", false, "only sessions of this project")
	f.StringVar(&o.order.Column, "sort", "cpu", "column to sort by")
	f.BoolVar(&o.order.Reverse, "reverse", false, "reverse the order")
	// The only possible error is a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(top.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check refuses what cannot be shown.
func (o *topOptions) check(s streams) error {
	if names := top.Names(); !slices.Contains(names, o.order.Column) {
		return usageError{fmt.Errorf("--sort %s: there is no such column; columns: %s%s", o.order.Column, strings.Join(names, ", "), nearest.Hint(o.order.Column, names))}
	}
	if o.once || o.json {
		return nil
	}
	if _, ok := keyboardOn(s.in); !ok || !s.screen.OutLook().Live {
		return usageError{errors.New("watching plugins needs a terminal for input and output; --once prints the table")}
	}
	return nil
}

func (o *topOptions) run(ctx context.Context, s streams, cfg *config.Config) error {
	dirs := setup.RuntimeDirs(cfg)
	read := func() top.Reading {
		list := host.Statuses(dirs...)
		if o.project {
			list = slices.DeleteFunc(list, func(r host.Status) bool { return r.Project != cfg.Workdir })
		}
		return top.Reading{At: time.Now(), List: list}
	}
	if o.once || o.json {
		return o.print(ctx, s, read)
	}
	keys, _ := keyboardOn(s.in)
	return top.Watch(ctx, top.Options{
		Input: keys.in, Output: os.Stdout, Environ: s.environ, Look: s.screen.OutLook(), Order: o.order, Read: read, None: o.none(),
	})
}

// noPlugins reports that there is nothing to show.
const noPlugins = "no running session has plugins"

// none returns what is shown instead of an empty table.
func (o *topOptions) none() string {
	if o.project {
		return "no running session of this project has plugins"
	}
	return noPlugins
}

// print prints the table once.
func (o *topOptions) print(ctx context.Context, s streams, read func() top.Reading) error {
	before := read()
	if len(before.List) > 0 {
		select {
		case <-time.After(top.Interval):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	rows := top.Rows(before, read())
	o.order.Sort(rows)
	look := s.screen.OutLook()
	switch {
	case o.json:
		return writeJSON(s.out, rows)
	case len(rows) == 0:
		fmt.Fprintln(s.out, o.none())
	case isTerminal(s.out) && look.Width != nil && look.Width() > 0:
		for _, line := range top.Lines(rows, look.Width()) {
			fmt.Fprintln(s.out, line)
		}
	default:
		table(s.out, top.Cells(rows))
	}
	return nil
}
