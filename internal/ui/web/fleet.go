package web

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
)

// fleetModel is the data of the page about the fleet.
type fleetModel struct{}

// faultModel is why something is not shown.
type faultModel struct{ Text string }

// batchModel is a batch in the list and at the head of its own page.
type batchModel struct {
	Name, State, Kind                              string
	Tasks, Done, Failed, Running, Waiting, Damaged string
	PerMinute, Ends, Tokens, Cost                  string
	// Percent is the share of the tasks that ended.
	Percent string
	Chart   ready
	// Results and Classes count the results by status and the failures by class.
	Results, Classes []cellModel
}

// workerModel is a worker of the fleet.
type workerModel struct{ ID, Host, Version, Running, Slots, Since, Note, Kind string }

// fleetFacts are the limits of the fleet and what was spent.
type fleetFacts struct{ Facts []cellModel }

// maxThroughput is how many readings the chart of a batch shows.
const maxThroughput = 90

// fleetReading is an answer of the server with the throughput of the batches in the readings before.
type fleetReading struct {
	queue.Status

	throughput map[string][]sample
}

// fleetStatus asks the server what fleet status prints.
func (s *site) fleetStatus(r *http.Request) (fleetReading, error) {
	answer, err := s.fleet.ask(r.Context(), "status", func(ctx context.Context, q Fleet) (any, error) {
		now, err := q.Status(ctx)
		out := fleetReading{Status: now, throughput: map[string][]sample{}}
		for _, b := range now.Batches {
			before := s.throughput[b.Batch]
			out.throughput[b.Batch] = append(slices.Clone(before[max(0, len(before)-maxThroughput+1):]), sample{calls: float64(b.PerMinute)})
		}
		if err == nil {
			s.throughput = out.throughput // one question is asked at a time
		}
		return out, err
	})
	if err != nil {
		return fleetReading{}, err
	}
	out, _ := answer.(fleetReading)
	return out, nil
}

// fleetPage shows the batches, the workers and the limits of a fleet.
func (s *site) fleetPage(r *http.Request) (view, error) {
	v := view{status: http.StatusOK, layout: layout{Title: "Fleet - aura", Section: "/fleet"}, page: "fleet", model: &fleetModel{}}
	now, failed := s.fleetStatus(r)
	var batches []*batchModel
	for _, b := range slices.Backward(now.Batches) {
		batches = append(batches, cleaned(s.reader.source.Secrets, batchModelOf(b, now.throughput[b.Batch])))
	}
	var workers []*workerModel
	for _, w := range now.Workers {
		workers = append(workers, cleaned(s.reader.source.Secrets, workerModelOf(w)))
	}
	faults, err := s.faultItems(failed)
	if err != nil {
		return v, err
	}
	batchItems, err := items("batch-row", batches, func(m *batchModel) string { return "b-" + m.Name })
	if err != nil {
		return v, err
	}
	workerItems, err := items("worker-row", workers, func(m *workerModel) string { return "w-" + m.ID })
	if err != nil {
		return v, err
	}
	var facts []*fleetFacts
	if failed == nil {
		facts = append(facts, cleaned(s.reader.source.Secrets, fleetFactsOf(now.Status)))
	}
	factItems, err := items("fleet-facts", facts, func(*fleetFacts) string { return "fleet-facts" })
	v.boxes = []box{{"faults", faults}, {"batches", batchItems}, {"workers", workerItems}, {"facts", factItems}}
	return v, err
}

// faultItems says why the fleet is not shown; nothing without an error.
func (s *site) faultItems(failed error) ([]item, error) {
	var faults []*faultModel
	if failed != nil {
		faults = append(faults, cleaned(s.reader.source.Secrets, &faultModel{failed.Error()}))
	}
	return items("fleet-fault", faults, func(*faultModel) string { return "fault" })
}

func batchModelOf(o *fleet.Overview, throughput []sample) *batchModel {
	done := o.Results[fleet.StatusDone]
	m := &batchModel{
		Name: o.Batch, State: string(o.State), Kind: "running", Tasks: strconv.Itoa(o.Tasks), Done: strconv.Itoa(done), Failed: strconv.Itoa(o.Ended() - done), Running: strconv.Itoa(o.Running),
		Waiting: strconv.Itoa(o.Waiting), Damaged: strconv.Itoa(o.Damaged), PerMinute: strconv.Itoa(o.PerMinute), Ends: "-", Tokens: strconv.Itoa(o.Tokens), Cost: fmt.Sprintf("%.2f US dollars", o.CostUSD),
		Chart: sparkline("tasks per minute", "readings", maxThroughput, throughput, func(x sample) float64 { return x.calls }, func(v float64) string { return fmt.Sprint(v) }),
	}
	if !o.CostKnown {
		m.Cost = "at least " + m.Cost
	}
	switch {
	case o.Finished():
		m.Ends, m.Kind = "finished", "ended"
	case !o.Ends.IsZero():
		m.Ends = clock(o.Ends)
	}
	if o.Tasks > 0 {
		m.Percent = strconv.Itoa(100 * min(o.Ended(), o.Tasks) / o.Tasks)
	}
	for _, status := range fleet.Statuses() {
		if n := o.Results[status]; n > 0 {
			m.Results = append(m.Results, cellModel{Title: string(status), Text: strconv.Itoa(n)})
		}
	}
	for _, class := range slices.Sorted(maps.Keys(o.Classes)) {
		m.Classes = append(m.Classes, cellModel{Title: cmp.Or(class, "-"), Text: strconv.Itoa(o.Classes[class])})
	}
	return m
}

func workerModelOf(w queue.Worker) *workerModel {
	m := &workerModel{
		ID: w.ID, Host: cmp.Or(w.Host, "-"), Version: w.Version, Running: strconv.Itoa(len(w.Running)), Slots: strconv.Itoa(w.Slots), Since: clock(w.Since), Note: cmp.Or(w.Note, "-"), Kind: "running",
	}
	if w.Note != "" {
		m.Kind = "approval"
	}
	return m
}

func fleetFactsOf(f queue.Status) *fleetFacts {
	limit := func(text string, set bool) string {
		if !set {
			return "no limit"
		}
		return text
	}
	m := &fleetFacts{Facts: []cellModel{
		{Title: "tokens spent", Text: strconv.Itoa(f.Spent.Tokens)},
		{Title: "limit of tokens", Text: limit(strconv.Itoa(f.Limits.Tokens), f.Limits.Tokens > 0)},
		{Title: "cost", Text: fmt.Sprintf("%.2f US dollars", f.Spent.CostUSD)},
		{Title: "limit of cost", Text: limit(fmt.Sprintf("%.2f US dollars", f.Limits.CostUSD), f.Limits.CostUSD > 0)},
	}}
	var parallel []string
	for _, provider := range slices.Sorted(maps.Keys(f.Limits.Parallel)) {
		parallel = append(parallel, fmt.Sprintf("%s %d", provider, f.Limits.Parallel[provider]))
	}
	m.Facts = append(m.Facts, cellModel{Title: "tasks at once by provider", Text: limit(strings.Join(parallel, ", "), len(parallel) > 0)})
	return m
}

// seconds formats how long a task took.
func seconds(from, to time.Time) string { return fmt.Sprintf("%.1f s", to.Sub(from).Seconds()) }
