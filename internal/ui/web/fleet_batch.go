package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
)

const (
	// tasksPerPage is how many tasks of a batch a page shows, and maxTasks how many a search looks at, those that ended last.
	tasksPerPage = 200
	maxTasks     = 20_000
	// longestAnswer is how much of an answer or an error the list shows, in bytes.
	longestAnswer = 200
)

// batchPageModel is the data of the page of a batch.
type batchPageModel struct {
	Name, Find            string
	Pages, Earlier, Later string
}

// taskModel is a task in the list of a batch.
type taskModel struct{ ID, Batch, Status, Kind, Class, Worker, Took, Calls, Attempt, Text string }

// batchTasks are the tasks of a batch that ended or run.
type batchTasks struct {
	rows []taskModel
	left int
	bad  []queue.Bad
}

// tasksOf reads the tasks of a batch: those that run, then the others, those that ended last first.
func tasksOf(ctx context.Context, q Fleet, batch string) (any, error) {
	type ended struct {
		at  time.Time
		row taskModel
	}
	var results []ended
	var out batchTasks
	known := map[string]bool{}
	bad, err := q.Results(ctx, batch, func(r fleet.Result) error {
		known[r.Task] = true
		row := taskModel{
			ID: r.Task, Batch: batch, Status: string(r.Status), Kind: map[bool]string{true: "ended", false: "failed"}[r.Status == fleet.StatusDone], Class: cmp.Or(r.Class, "-"), Worker: cmp.Or(r.Worker, "-"),
			Took: seconds(r.Started, r.Ended), Calls: strconv.Itoa(r.Requests), Attempt: strconv.Itoa(r.Attempt), Text: cmp.Or(r.Error, r.Final),
		}
		results = append(results, ended{r.Ended, row})
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = q.Progress(ctx, batch, func(task string, p fleet.Progress) error {
		if !known[task] && p.Running && len(out.rows) < maxTasks {
			out.rows = append(out.rows, taskModel{
				ID: task, Batch: batch, Status: "running", Kind: "running", Class: "-", Worker: cmp.Or(p.Worker, "-"), Took: "since " + clock(p.Started), Calls: "-", Attempt: strconv.Itoa(p.Attempt), Text: p.Words,
			})
		}
		return nil
	})
	slices.SortFunc(out.rows, func(a, b taskModel) int { return strings.Compare(a.ID, b.ID) })
	slices.SortStableFunc(results, func(a, b ended) int { return b.at.Compare(a.at) })
	out.left = max(0, len(results)-maxTasks)
	for _, r := range results[:len(results)-out.left] {
		out.rows = append(out.rows, r.row)
	}
	out.bad = bad[:min(len(bad), maxTasks)]
	for _, one := range out.bad {
		out.rows = append(out.rows, taskModel{ID: one.Task, Batch: batch, Status: "damaged", Kind: "failed", Class: "-", Worker: "-", Took: "-", Calls: "-", Attempt: "-", Text: one.Err.Error()})
	}
	return out, err
}

// batchPage shows a batch: its progress, its failures by class, and its tasks.
func (s *site) batchPage(r *http.Request) (view, error) {
	name := r.PathValue("batch")
	if fleet.CheckName(name) != nil {
		return view{}, errNotFound
	}
	m := &batchPageModel{Name: name, Find: r.URL.Query().Get("find")}
	v := view{status: http.StatusOK, layout: layout{Title: name + " - aura", Section: "/fleet"}, page: "batch"}
	now, failed := s.fleetStatus(r)
	i := slices.IndexFunc(now.Batches, func(o *fleet.Overview) bool { return o.Batch == name })
	if failed == nil && i < 0 {
		return v, fmt.Errorf("%w: the fleet has no such batch", errNotFound)
	}
	var heads []*batchModel
	var tasks batchTasks
	if failed == nil {
		heads = append(heads, cleaned(s.reader.source.Secrets, batchModelOf(now.Batches[i], now.throughput[name])))
		var answer any
		answer, failed = s.fleet.ask(r.Context(), "tasks "+name, func(ctx context.Context, q Fleet) (any, error) { return tasksOf(ctx, q, name) })
		tasks, _ = answer.(batchTasks)
	}
	found := slices.DeleteFunc(slices.Clone(tasks.rows), func(t taskModel) bool { return !finds(m.Find, t.ID, t.Status, t.Class, t.Worker, t.Text) })
	page, _ := strconv.Atoi(r.URL.Query().Get("page")) // an address that somebody wrote shows the first page
	last := max(0, (len(found)-1)/tasksPerPage)
	page = min(max(page, 0), last)
	if page > 0 {
		m.Earlier = withPage(r.URL, page-1)
	}
	if page < last {
		m.Later = withPage(r.URL, page+1)
	}
	if last > 0 {
		m.Pages = fmt.Sprintf("page %d of %d", page+1, last+1)
	}
	var models []*taskModel
	for _, t := range found[min(page*tasksPerPage, len(found)):min((page+1)*tasksPerPage, len(found))] {
		// Secrets are removed from the whole text: the beginning of one would not be recognized.
		t.Text = plaintext.Line(s.reader.source.Secrets.String(t.Text))
		if len(t.Text) > longestAnswer {
			t.Text = strings.ToValidUTF8(t.Text[:longestAnswer], "") + "…"
		}
		models = append(models, cleaned(s.reader.source.Secrets, &t))
	}
	faults, err := s.faultItems(failed)
	if err != nil {
		return v, err
	}
	headItems, err := items("batch-head", heads, func(*batchModel) string { return "batch" })
	if err != nil {
		return v, err
	}
	rows, err := items("task-row", models, func(m *taskModel) string { return "t-" + m.ID })
	v.model = cleaned(s.reader.source.Secrets, m)
	v.boxes = []box{{"faults", faults}, {"heads", headItems}, {"tasks", rows}}
	return v, err
}

// taskPageModel is the data of the page of a task.
type taskPageModel struct{ Batch, Task string }

// taskHead is what is known about a task.
type taskHead struct {
	State, Kind string
	Facts       []cellModel
	Error       string
	Notes       []string
	// Log is what a task without a result did so far.
	Log string
	// Pages, Earlier and Later are those of the conversation.
	Pages, Earlier, Later string
}

// taskAnswer is what the server has about a task.
type taskAnswer struct {
	head  *taskHead
	boxes []box
}

// taskPage shows a task: its result and its conversation, or what it did so far.
func (s *site) taskPage(r *http.Request) (view, error) {
	batch, task := r.PathValue("batch"), r.PathValue("task")
	if fleet.CheckName(batch) != nil || fleet.CheckName(task) != nil {
		return view{}, errNotFound
	}
	v := view{status: http.StatusOK, layout: layout{Title: task + " - aura", Section: "/fleet"}, page: "task", model: &taskPageModel{batch, task}}
	key := fmt.Sprintf("task %s %s %s %s", batch, task, r.URL.Query().Get("page"), r.URL.Query().Get("turn"))
	answer, failed := s.fleet.ask(r.Context(), key, func(ctx context.Context, q Fleet) (any, error) { return s.taskAnswer(ctx, q, r, batch, task) })
	if errors.Is(failed, errNotFound) {
		return v, failed
	}
	faults, err := s.faultItems(failed)
	if err != nil {
		return v, err
	}
	known, _ := answer.(taskAnswer)
	var heads []*taskHead
	if known.head != nil {
		heads = append(heads, known.head)
	}
	shown, err := items("task-head", heads, func(*taskHead) string { return "task" })
	v.boxes = append([]box{{"faults", faults}, {"heads", shown}}, known.boxes...)
	if known.boxes == nil {
		v.boxes = append(v.boxes, box{"turns", nil}, box{"messages", nil})
	}
	return v, err
}

// taskAnswer reads the result of a task with its journal, or its log.
func (s *site) taskAnswer(ctx context.Context, q Fleet, r *http.Request, batch, task string) (any, error) {
	result, ended, err := q.Result(ctx, batch, task)
	if err != nil {
		return nil, err
	}
	if !ended {
		return s.runningTask(ctx, q, batch, task)
	}
	head := &taskHead{State: string(result.Status), Kind: map[bool]string{true: "ended", false: "failed"}[result.Status == fleet.StatusDone], Error: result.Error, Notes: result.Notes, Facts: []cellModel{
		{Title: "class", Text: cmp.Or(result.Class, "-")},
		{Title: "worker", Text: cmp.Or(result.Worker, "-")},
		{Title: "model", Text: modelName(result.Provider, result.Model)},
		{Title: "began", Text: clock(result.Started)},
		{Title: "took", Text: seconds(result.Started, result.Ended)},
		{Title: "model calls", Text: strconv.Itoa(result.Requests)},
		{Title: "attempts", Text: strconv.Itoa(result.Attempt)},
		{Title: "tokens", Text: strconv.Itoa(result.Tokens)},
		{Title: "cost", Text: fmt.Sprintf("%.2f US dollars", result.CostUSD)},
		{Title: "exit code", Text: strconv.Itoa(result.Exit)},
	}}
	var boxes []box
	if result.Journal.Size > 0 {
		boxes, err = s.taskConversation(ctx, q, r, result.Journal, head)
	}
	if err != nil {
		head.Notes = append(head.Notes, "The conversation cannot be shown: "+err.Error())
	}
	cleaned(s.reader.source.Secrets, head)
	return taskAnswer{head, boxes}, nil
}

// taskConversation returns the conversation in a journal that a worker brought back. The journal is a file for a moment, because it is read as
// those of sessions are.
func (s *site) taskConversation(ctx context.Context, q Fleet, r *http.Request, journal fleet.Blob, head *taskHead) (boxes []box, err error) {
	data, err := q.Blob(ctx, journal)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "aura-web-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "journal.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, err
	}
	index := session.NewIndex(path)
	if _, err := index.Update(); err != nil {
		return nil, err
	}
	m := &conversationModel{}
	page := choosePage(m, r.URL, index.Len())
	head.Pages, head.Earlier, head.Later = m.Pages, m.Earlier, m.Later
	return s.conversation(inspect.SessionRow{Summary: index.Summary()}, index, page, m, r.URL.Path)
}

// runningTask returns what is known about a task without a result.
func (s *site) runningTask(ctx context.Context, q Fleet, batch, task string) (any, error) {
	var head *taskHead
	err := q.Progress(ctx, batch, func(name string, p fleet.Progress) error {
		if name == task {
			head = &taskHead{State: map[bool]string{true: "running", false: "waiting"}[p.Running], Kind: "running", Facts: []cellModel{
				{Title: "worker", Text: cmp.Or(p.Worker, "-")}, {Title: "began", Text: clock(p.Started)}, {Title: "attempts", Text: strconv.Itoa(p.Attempt)},
			}}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if head == nil {
		return nil, fmt.Errorf("%w: no such task was begun", errNotFound)
	}
	var lines []string
	err = q.Events(ctx, batch, task, false, func(_ string, piece []byte) error {
		for line := range strings.Lines(string(piece)) {
			if text, ok := fleet.EventText([]byte(strings.TrimSpace(line))); ok {
				text, _ = shorten(s.reader.source.Secrets.String(text))
				lines = append(lines, plaintext.Line(text))
			}
		}
		lines = lines[max(0, len(lines)-logLines):]
		return nil
	}, func() bool { return true })
	if err != nil && !errors.Is(err, io.EOF) {
		head.Notes = append(head.Notes, "The log cannot be read: "+err.Error())
	}
	head.Log, _ = shorten(strings.Join(lines, "\n"))
	return taskAnswer{head: cleaned(s.reader.source.Secrets, head)}, nil
}
