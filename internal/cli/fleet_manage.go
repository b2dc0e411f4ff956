package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
)

func newFleetLogs(s streams, o *fleetOptions) *cobra.Command {
	var follow, asJSON bool
	cmd := &cobra.Command{
		Use:   "logs BATCH [TASK]",
		Short: "Show what tasks did",
		Long: `Show the events of a batch or of one task: answers, tool calls and errors. --json
writes the events as 'aura run --json' does, each with the task's id. The queue keeps
events for seven days; the journal in a result has the whole conversation.`,
		Example: `  aura fleet logs migration service-a
  aura fleet logs migration --follow
  aura fleet logs migration service-a --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return usageError{fmt.Errorf("%s takes BATCH [TASK]", cmd.CommandPath())}
			}
			return batchArgs(true)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(cmd.Context(), s, func(q *queue.Queue) error {
				return showLogs(cmd.Context(), s, q, append(args, "")[:2], follow, asJSON)
			})
		},
		ValidArgsFunction: o.complete(s, true),
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&follow, "follow", false, "wait for further events until the batch is finished")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write events as JSON lines")
	return cmd
}

func showLogs(ctx context.Context, s streams, q *queue.Queue, args []string, follow, asJSON bool) error {
	b, err := q.Batch(ctx, args[0])
	if err != nil {
		return err
	}
	finished := func() bool {
		ended := false
		err := q.Follow(ctx, b, time.Hour, func(now *fleet.Overview) bool {
			ended = now.Finished()
			return false
		})
		return err != nil || ended
	}
	err = q.Events(ctx, b.Name, args[1], follow, func(task string, lines []byte) error {
		for line := range bytes.Lines(lines) {
			if err := fleetEvent(s, task, bytes.TrimSpace(line), asJSON); err != nil {
				return err
			}
		}
		return nil
	}, finished)
	if follow && ctx.Err() != nil {
		return nil //nolint:nilerr // the user has seen enough
	}
	return err
}

func fleetEvent(s streams, task string, line []byte, asJSON bool) error {
	if asJSON {
		if !bytes.HasPrefix(line, []byte("{")) || len(line) < 3 || !json.Valid(line) {
			return nil
		}
		name, err := json.Marshal(task)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "{\"task\":%s,%s\n", name, line[1:])
		return err
	}
	text, ok := fleet.EventText(line)
	if !ok {
		return nil
	}
	_, err := fmt.Fprintf(s.out, "%s  %s\n", clean(task), oneLine(text, maxShown))
	return err
}

func newFleetCancel(s streams, o *fleetOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cancel BATCH [TASK...]",
		Short: "Cancel a batch or some of its tasks",
		Long: `Cancel a batch or some of its tasks. Tasks that wait are not run; tasks that run are
ended. Results that exist stay. 'aura fleet retry' runs canceled tasks again.`,
		Example: `  aura fleet cancel migration
  aura fleet cancel migration service-a service-b`,
		Args: batchArgs(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(cmd.Context(), s, func(q *queue.Queue) error {
				n, err := q.Cancel(cmd.Context(), args[0], args[1:])
				if err != nil {
					return err
				}
				fmt.Fprintf(s.out, "%s of batch %s canceled\n", plaintext.Counted(n, "task"), args[0])
				return nil
			})
		},
		ValidArgsFunction: o.complete(s, true),
	}
	o.register(cmd)
	return cmd
}

func newFleetRetry(s streams, o *fleetOptions) *cobra.Command {
	var tokens int
	var cost float64
	cmd := &cobra.Command{
		Use:   "retry BATCH [TASK...]",
		Short: "Run failed tasks of a batch again",
		Long: `Run the tasks of a batch again that have a result other than done, or the named
tasks. Their results are removed. --tokens and --cost replace the limits of the
batch, so that tasks continue that wait because a limit was reached.`,
		Example: `  aura fleet retry migration
  aura fleet retry migration service-a
  aura fleet retry migration --cost 50`,
		Args: batchArgs(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			if tokens < 0 || cost < 0 {
				return usageError{errors.New("--tokens and --cost cannot be negative")}
			}
			return o.with(cmd.Context(), s, func(q *queue.Queue) error {
				n, err := q.Retry(cmd.Context(), args[0], args[1:], func(l *fleet.Limits) {
					if cmd.Flags().Changed("tokens") {
						l.Tokens = tokens
					}
					if cmd.Flags().Changed("cost") {
						l.CostUSD = cost
					}
				})
				if err != nil {
					return err
				}
				fmt.Fprintf(s.out, "%s of batch %s queued again\n", plaintext.Counted(n, "task"), args[0])
				return nil
			})
		},
		ValidArgsFunction: o.complete(s, true),
	}
	o.register(cmd)
	cmd.Flags().IntVar(&tokens, "tokens", 0, "new limit of tokens for the batch; 0 for none")
	cmd.Flags().Float64Var(&cost, "cost", 0, "new limit of cost for the batch, in US dollars; 0 for none")
	return cmd
}

func newFleetRm(s streams, o *fleetOptions) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm BATCH",
		Short: "Remove a batch with its results",
		Long: `Remove a batch with everything that belongs to it: tasks, results, files and events.
Running tasks are ended. In a terminal aura asks first; elsewhere --yes is needed.`,
		Example: `  aura fleet rm migration
  aura fleet rm --yes migration`,
		Args: batchArgs(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(cmd.Context(), s, func(q *queue.Queue) error { return removeBatch(cmd.Context(), s, q, args[0], yes) })
		},
		ValidArgsFunction: o.complete(s, false),
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	return cmd
}

func removeBatch(ctx context.Context, s streams, q *queue.Queue, name string, yes bool) error {
	b, err := q.Batch(ctx, name)
	if err != nil {
		return err
	}
	if !yes {
		r := removal{name: "batch " + b.Name, unattended: usageError{errors.New("removing a batch needs --yes where there is no terminal to ask on")}}
		r.about = append(r.about, plaintext.Counted(b.Tasks, "task")+" with their results")
		if err := r.confirm(ctx, s); err != nil {
			return err
		}
	}
	if err := q.Remove(ctx, name); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "removed batch %s\n", name)
	return nil
}

// limitsOptions holds the flags of fleet limits.
type limitsOptions struct {
	parallel []string
	tokens   int
	cost     float64
	stop     bool
	clear    bool
	json     bool
}

func newFleetLimits(s streams, o *fleetOptions) *cobra.Command {
	var l limitsOptions
	cmd := &cobra.Command{
		Use:   "limits",
		Short: "Show or set the limits of the whole fleet",
		Long: `Show or set what all batches together may use: tasks at once per provider, tokens and
cost. A flag replaces one limit; --clear removes all. When tokens or cost are used up,
the remaining tasks wait, or with --stop they end. Batches have limits of their own.`,
		Example: `  aura fleet limits
  aura fleet limits --parallel anthropic=20 --parallel '*=5'
  aura fleet limits --cost 100 --stop`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.with(cmd.Context(), s, func(q *queue.Queue) error { return l.run(cmd.Context(), s, q, cmd.Flags().Changed) })
		},
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&l.parallel, "parallel", nil, "tasks at once at a provider, as PROVIDER=N; * for each other (repeatable)")
	f.IntVar(&l.tokens, "tokens", 0, "tokens in all; 0 for no limit")
	f.Float64Var(&l.cost, "cost", 0, "cost in all, in US dollars; 0 for no limit")
	f.BoolVar(&l.stop, "stop", false, "end the remaining tasks when a limit is reached, instead of letting them wait")
	f.BoolVar(&l.clear, "clear", false, "remove all limits first")
	f.BoolVar(&l.json, "json", false, "write JSON")
	return cmd
}

// run sets the limits whose flags are given, and shows all. given reports whether a flag is.
func (o *limitsOptions) run(ctx context.Context, s streams, q *queue.Queue, given func(flag string) bool) error {
	before, err := q.FleetLimits(ctx)
	if err != nil {
		return err
	}
	if !o.clear && !given("parallel") && !given("tokens") && !given("cost") && !given("stop") {
		return showLimits(ctx, s, q, before, o.json)
	}
	now, err := o.apply(before, given)
	if err != nil {
		return usageError{err}
	}
	if err := q.SetFleetLimits(ctx, now); err != nil {
		return err
	}
	return showLimits(ctx, s, q, now, o.json)
}

// apply returns the limits with those that the flags give.
func (o *limitsOptions) apply(l fleet.Limits, given func(flag string) bool) (fleet.Limits, error) {
	if o.clear {
		l = fleet.Limits{}
	}
	for _, text := range o.parallel {
		provider, n, ok := strings.Cut(text, "=")
		count, err := strconv.Atoi(n)
		if !ok || err != nil || count < 1 || provider == "" {
			return l, fmt.Errorf("--parallel %s: write PROVIDER=N", text)
		}
		if l.Parallel == nil {
			l.Parallel = map[string]int{}
		}
		l.Parallel[provider] = count
	}
	if given("tokens") {
		l.Tokens = o.tokens
	}
	if given("cost") {
		l.CostUSD = o.cost
	}
	if given("stop") {
		l.Stop = o.stop
	}
	if l.Tokens < 0 || l.CostUSD < 0 {
		return l, errors.New("--tokens and --cost cannot be negative")
	}
	return l, nil
}

func showLimits(ctx context.Context, s streams, q *queue.Queue, l fleet.Limits, asJSON bool) error {
	spent, err := q.Spent(ctx, "")
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(s.out, struct {
			fleet.Limits

			Spent fleet.Spent `json:"spent"`
		}{l, spent})
	}
	rows := [][]string{{"LIMIT", "VALUE", "USED"}}
	for _, provider := range slices.Sorted(maps.Keys(l.Parallel)) {
		rows = append(rows, []string{"tasks at once at " + provider, fmt.Sprint(l.Parallel[provider]), "-"})
	}
	if l.Tokens > 0 {
		rows = append(rows, []string{"tokens", fmt.Sprint(l.Tokens), fmt.Sprint(spent.Tokens)})
	}
	if l.CostUSD > 0 {
		rows = append(rows, []string{"cost in US dollars", fmt.Sprintf("%.2f", l.CostUSD), fmt.Sprintf("%.2f", spent.CostUSD)})
	}
	if len(rows) == 1 {
		fmt.Fprintln(s.out, "the fleet has no limits")
		return nil
	}
	table(s.out, rows)
	fmt.Fprintf(s.out, "when tokens or cost are used up, the remaining tasks %s\n", map[bool]string{true: "end", false: "wait"}[l.Stop])
	return nil
}
