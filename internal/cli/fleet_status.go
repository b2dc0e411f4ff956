package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
)

type statusOptions struct {
	*fleetOptions

	json, watch bool
}

func newFleetStatus(s streams, fo *fleetOptions) *cobra.Command {
	o := &statusOptions{fleetOptions: fo}
	cmd := &cobra.Command{
		Use:   "status [BATCH]",
		Short: "Show batches, their progress and the workers",
		Long: `Show all batches, or one batch with its failures by class, its cost and when it will
be finished. --watch keeps the display up to date until the batch is finished; in a
pipe it prints a line whenever something changed.`,
		Example: `  aura fleet status
  aura fleet status migration --watch
  aura fleet status migration --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return batchArgs(false)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(cmd.Context(), s, func(q *queue.Queue) error { return o.run(cmd.Context(), s, q, args) })
		},
		ValidArgsFunction: fo.complete(s, false),
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON; with --watch an object per line")
	cmd.Flags().BoolVar(&o.watch, "watch", false, "keep the display up to date")
	return cmd
}

func (o *statusOptions) run(ctx context.Context, s streams, q *queue.Queue, args []string) error {
	if len(args) == 1 {
		b, err := q.Batch(ctx, args[0])
		if err != nil {
			return err
		}
		return o.batch(ctx, s, q, b)
	}
	if !o.watch {
		now, err := q.Status(ctx)
		if err != nil {
			return err
		}
		if o.json {
			return writeJSON(s.out, now)
		}
		writeFleet(s.out, now)
		return nil
	}
	live := newLive(s)
	for {
		now, err := q.Status(ctx)
		if err != nil {
			return err
		}
		live.show(func(w io.Writer) { writeFleet(w, now) })
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
	}
}

// batch shows one batch, once or until it is finished.
func (o *statusOptions) batch(ctx context.Context, s streams, q *queue.Queue, b fleet.Batch) error {
	live := newLive(s)
	var failed error
	err := q.Follow(ctx, b, time.Second, func(now *fleet.Overview) bool {
		switch {
		case o.json:
			failed = writeJSON(s.out, now)
		case o.watch:
			live.show(func(w io.Writer) { writeBatch(w, now) })
		default:
			writeBatch(s.out, now)
		}
		return failed == nil && o.watch && !now.Finished()
	})
	if ctx.Err() != nil && o.watch {
		return nil
	}
	if failed != nil {
		return failed
	}
	return err
}

func writeFleet(w io.Writer, f queue.Status) {
	if len(f.Batches) == 0 {
		fmt.Fprintln(w, "there are no batches")
	} else {
		rows := [][]string{{"BATCH", "STATE", "TASKS", "DONE", "FAILED", "RUNNING", "WAITING", "PER MINUTE", "ENDS"}}
		for _, b := range f.Batches {
			done := b.Results[fleet.StatusDone]
			rows = append(rows, []string{
				b.Batch, string(b.State), fmt.Sprint(b.Tasks), fmt.Sprint(done), fmt.Sprint(b.Ended() - done), fmt.Sprint(b.Running), fmt.Sprint(b.Waiting),
				fmt.Sprint(b.PerMinute), ends(b),
			})
		}
		table(w, rows)
	}
	fmt.Fprintln(w)
	if len(f.Workers) == 0 {
		fmt.Fprintln(w, "no worker runs; start one with `aura fleet work`")
		return
	}
	rows := [][]string{{"WORKER", "VERSION", "RUNNING", "SLOTS", "POLICY", "NOTE"}}
	for _, worker := range f.Workers {
		rows = append(rows, []string{worker.ID, worker.Version, fmt.Sprint(len(worker.Running)), fmt.Sprint(worker.Slots), dash(oneLine(fmt.Sprintf("%.12s", worker.Policy), maxCell)), dash(oneLine(worker.Note, maxCell))})
	}
	table(w, rows)
}

func ends(o *fleet.Overview) string {
	switch {
	case o.Finished():
		return "finished"
	case o.Ends.IsZero():
		return "-"
	default:
		return "in " + time.Until(o.Ends).Round(time.Second).String()
	}
}

// barWidth is the width of the progress bar.
const barWidth = 40

func writeBatch(w io.Writer, o *fleet.Overview) {
	full := 0
	if o.Tasks > 0 {
		full = barWidth * min(o.Ended(), o.Tasks) / o.Tasks
	}
	fmt.Fprintf(w, "batch %s (%s): %d of %s ended\n", o.Batch, oneLine(string(o.State), maxCell), o.Ended(), plaintext.Counted(o.Tasks, "task"))
	fmt.Fprintf(w, "[%s%s]\n", strings.Repeat("#", full), strings.Repeat(".", barWidth-full))
	for _, status := range fleet.Statuses() {
		if n := o.Results[status]; n > 0 {
			fmt.Fprintf(w, "  %-9s %d\n", status, n)
		}
	}
	fmt.Fprintf(w, "  %-9s %d\n  %-9s %d\n", "running", o.Running, "waiting", o.Waiting)
	if o.Damaged > 0 {
		fmt.Fprintf(w, "  %-9s %d\n", "damaged", o.Damaged)
	}
	if len(o.Classes) > 0 {
		fmt.Fprintln(w, "failures by class:")
		for _, class := range slices.Sorted(maps.Keys(o.Classes)) {
			fmt.Fprintf(w, "  %s: %d\n", dash(oneLine(class, maxCell)), o.Classes[class])
		}
	}
	cost := fmt.Sprintf("%.2f US dollars", o.CostUSD)
	if !o.CostKnown {
		cost = "at least " + cost
	}
	fmt.Fprintf(w, "%d tokens, %s; %d tasks per minute; %s\n", o.Tokens, cost, o.PerMinute, ends(o))
}

// liveView shows a text that changes: in place on a terminal, otherwise again whenever it is different.
type liveView struct {
	s     streams
	lines int
	last  string
}

func newLive(s streams) *liveView { return &liveView{s: s} }

func (l *liveView) show(write func(io.Writer)) {
	var text strings.Builder
	write(&text)
	if text.String() == l.last {
		return
	}
	l.last = text.String()
	if !l.s.screen.OutLook().Live {
		fmt.Fprint(l.s.out, l.last)
		return
	}
	// The text is clean. Only the movement of the cursor bypasses the fence before the terminal.
	if l.lines > 0 {
		fmt.Fprintf(os.Stdout, "\x1b[%dA\x1b[J", l.lines)
	}
	fmt.Fprint(l.s.out, l.last)
	l.lines = strings.Count(l.last, "\n")
}
