// Command soak runs one very long session with all example plugins, in which results are large and plugins crash. It compares
// the processes near the beginning of the session with those at its end: memory, descriptors, threads and goroutines. It fails
// if any of these has more than doubled. In a second session it restarts one plugin thousands of times. Run it from the root of the repository, on Linux, with `make soak`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/idelchi/aura/internal/lab"
)

func main() {
	var o options
	flag.IntVar(&o.calls, "calls", 10_000, "how many tool calls the session has")
	flag.IntVar(&o.early, "early", 100, "the call that the end is compared with")
	flag.IntVar(&o.restarts, "restarts", 5000, "how many times one plugin is restarted in a second session")
	flag.Uint64Var(&o.seed, "seed", 1, "what the calls and the crashes are drawn from")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// options holds the settings of one session.
type options struct {
	// calls is 0 for no session with calls, and restarts is 0 for none with restarts.
	calls, early, restarts int
	seed                   uint64
}

// soak is one run, with a project in its lab.
type soak struct {
	options
	*lab.Lab

	out io.Writer
}

func (l *soak) project() string { return filepath.Join(l.Dir, "project") }

// run runs a session and prints how its processes changed.
func run(ctx context.Context, out io.Writer, o options) (err error) {
	if o.calls > 0 && (o.early < 2*window || o.calls < o.early+2*window) {
		return fmt.Errorf("comparing call %d with call %d: they must be %d calls apart, and as far from the beginning", o.early, o.calls, 2*window)
	}
	place, err := lab.Open(ctx, "soak")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, place.Close()) }()
	l := &soak{options: o, Lab: place, out: out}
	if err := l.prepare(); err != nil {
		return err
	}
	if o.calls > 0 {
		s, err := l.session(ctx)
		if err != nil {
			return err
		}
		if err := l.report(s); err != nil {
			return err
		}
	}
	if o.restarts == 0 {
		return nil
	}
	return l.restart(ctx)
}
