// Command run breaks a large fleet on this machine and compares what a task costs with plain 'aura run'. Run it from the root of the
// repository, on Linux, with `make fleet`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/lab"
	"github.com/idelchi/aura/internal/lab/fleetlab"
)

func main() {
	o := fleetlab.Options{Out: os.Stdout}
	compare := 0
	flag.IntVar(&o.Tasks, "tasks", 10_000, "how many tasks the batch has")
	flag.IntVar(&o.Servers, "servers", 3, "how many servers: 1 or 3")
	flag.IntVar(&o.Workers, "workers", 4, "how many workers")
	flag.IntVar(&o.Slots, "slots", 1, "how many tasks each worker runs at once")
	flag.DurationVar(&o.Takeover, "takeover", 0, "after how much silence of a worker others get its tasks (default that of aura)")
	flag.IntVar(&o.Kills, "kills", 20, "how many workers are killed")
	flag.IntVar(&o.ServerKills, "server-kills", 3, "how many servers are killed")
	flag.BoolVar(&o.Cut, "cut", true, "cut the network of one worker")
	flag.BoolVar(&o.FullDisk, "full-disk", true, "fill the disk of one worker; needs user namespaces")
	flag.Uint64Var(&o.Seed, "seed", 1, "what the moments of the faults are drawn from")
	flag.StringVar(&o.Bin, "bin", "", "directory with the programs (default they are built)")
	flag.IntVar(&compare, "compare", 160, "how many tasks are compared with plain 'aura run'")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, compare); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o fleetlab.Options, compare int) (err error) {
	if o.Bin == "" {
		place, err := lab.Open(ctx, "fleet")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, place.Close()) }()
		o.Bin = filepath.Dir(place.Bin("aura"))
	}
	// The temporary directory of the system is granted to tools. Workers do not belong there.
	dir, err := os.MkdirTemp("/var/tmp", "aura-fleet-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if compare > 0 {
		if err := overhead(ctx, o, dir, compare); err != nil {
			return err
		}
	}
	if o.Tasks == 0 {
		return nil
	}
	o.Dir = filepath.Join(dir, "faults")
	out, err := fleetlab.Run(ctx, o)
	fmt.Fprintf(o.Out, "%d results in %s, stored %d times; %d tasks were begun more than once, %d model calls\n", out.Results, out.Took.Round(time.Second), out.Writes, out.Repeated, out.Requests)
	for _, bad := range out.Bad {
		fmt.Fprintln(o.Out, "BAD:", bad)
	}
	if len(out.Bad) > 0 {
		err = errors.Join(err, fmt.Errorf("%d findings", len(out.Bad)))
	}
	return err
}

// rounds is how often tasks and plain runs take turns.
const rounds = 8

// overhead compares how long a number of tasks take in a fleet without faults with how long as many plain runs take, both with as many
// at once. What the first ones find out, such as where Python is, serves the others, so the first ones do not count. Other work on this
// machine, or on its host, makes a round slower and never faster: the fastest rounds are compared.
func overhead(ctx context.Context, o fleetlab.Options, dir string, n int) error {
	o.Kills, o.ServerKills, o.Cut, o.FullDisk = 0, 0, false, false
	o.Servers, o.Workers, o.Slots = 1, 1, 2
	o.Warm = 2 * o.Slots
	n = max(n/rounds, 1)
	o.Tasks = o.Warm + n
	show := o.Out
	o.Out = io.Discard
	var tasks, plain []time.Duration
	for round := range rounds {
		o.Dir = filepath.Join(dir, fmt.Sprintf("compare-%d", round))
		out, err := fleetlab.Run(ctx, o)
		if err != nil {
			return err
		}
		took, err := plainRuns(ctx, o)
		if err != nil {
			return err
		}
		fmt.Fprintf(show, "round %d: %d tasks in %s, as many plain runs in %s\n", round+1, n, out.Worked.Round(time.Millisecond), took.Round(time.Millisecond))
		tasks, plain = append(tasks, out.Worked), append(plain, took)
	}
	a, b := slices.Min(tasks), slices.Min(plain)
	each := func(d time.Duration) time.Duration { return (d / time.Duration(n)).Round(100 * time.Microsecond) }
	fmt.Fprintf(show, "%d at once, fastest rounds: a task in a fleet takes %s, plain aura run %s: overhead %.0f %% (wanted: at most 25 %%)\n", o.Slots, each(a), each(b), 100*(float64(a)/float64(b)-1))
	return nil
}

// plainRuns runs the prompts of the tasks without a fleet, each in an empty directory. It returns the time from the beginning of the first
// run after the warm ones to the end of the last.
func plainRuns(ctx context.Context, o fleetlab.Options) (time.Duration, error) {
	next := make(chan int)
	errs := make([]error, o.Slots)
	var wg sync.WaitGroup
	for slot := range o.Slots {
		wg.Go(func() {
			for i := range next {
				dir := filepath.Join(o.Dir, "plain", fmt.Sprint(i))
				if err := os.MkdirAll(dir, 0o700); err != nil {
					errs[slot] = err
					continue
				}
				cmd := exec.CommandContext(ctx, filepath.Join(o.Bin, "aura"), "run", "--json", "--safe", "--home", "", "--config", filepath.Join(o.Dir, "config"), "--provider", "lab", fmt.Sprintf("task %d", i)) //nolint:gosec // the lab's own program
				cmd.Dir = dir
				cmd.Env = []string{"HOME=" + filepath.Join(o.Dir, "home"), "XDG_STATE_HOME=" + filepath.Join(o.Dir, "plain-state"), "PATH=" + os.Getenv("PATH"), "GOGC=400"}
				if out, err := cmd.CombinedOutput(); err != nil {
					errs[slot] = fmt.Errorf("plain aura run: %w: %s", err, out)
				}
			}
		})
	}
	var began time.Time
	for i := range o.Tasks {
		next <- i
		if i == o.Warm {
			began = time.Now()
		}
	}
	close(next)
	wg.Wait()
	return time.Since(began), errors.Join(errs...)
}
