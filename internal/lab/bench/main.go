// Command bench measures what aura promises about speed and memory. It prints the numbers side by side, all from the same run:
// on a noisy machine only the ratios are meaningful. Run it from the root of the repository, with `make bench`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/idelchi/aura/internal/lab"
)

// echoArgument makes this program serve the other end of the bare gRPC call.
const echoArgument = "echo"

func main() {
	if serve := servant(os.Args[1:]); serve != nil {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// servant returns what this program does as a process that a measurement started; nil if it is the measurement itself.
func servant(args []string) func() error {
	switch {
	case len(args) == 2 && args[0] == echoArgument:
		return func() error { return serveEcho(args[1]) }
	case len(args) == 2 && args[0] == proxyArgument:
		return func() error { return serveProxy(args[1]) }
	case len(args) == 1 && args[0] == clientArgument:
		return measureConnections
	default:
		return nil
	}
}

// bench is one run.
type bench struct {
	*lab.Lab

	out io.Writer
}

// run measures the named parts, or all parts if there are no names.
func run(ctx context.Context, out io.Writer, names []string) (err error) {
	l := &bench{out: out}
	parts, err := l.parts(names)
	if err != nil {
		return err
	}
	if l.Lab, err = lab.Open(ctx, "bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for _, part := range parts {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// part is one measurement.
type part func(context.Context) error

func (l *bench) parts(names []string) ([]part, error) {
	known := []string{"calls", "faults", "startup", "turns", "hooks", "sandbox", "network", "python", "native", "screen", "acp", "record", "rewind", "web"}
	all := []part{l.calls, l.faults, l.startup, l.turns, l.hooks, l.sandbox, l.network, l.python, l.native, l.screen, l.acp, l.record, l.rewind, l.web}
	if len(names) == 0 {
		return all, nil
	}
	var out []part
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, fmt.Errorf("there is no part %q; the parts are %s", name, strings.Join(known, ", "))
		}
		out = append(out, all[i])
	}
	return out, nil
}

// table prints rows in columns under a title.
func (l *bench) table(title string, rows [][]string) {
	fmt.Fprintf(l.out, "%s\n\n", title)
	tw := tabwriter.NewWriter(l.out, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		fmt.Fprint(tw, "  ")
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(tw, "\t")
			}
			fmt.Fprint(tw, cell)
		}
		fmt.Fprintln(tw)
	}
	_ = tw.Flush()
	fmt.Fprintln(l.out)
}
