package web_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/ui/web"
)

// fakeFleet is the queue of a fleet with one batch, all of whose texts are the same.
type fakeFleet struct {
	text    string
	journal []byte
	// hangs makes each question wait for its end.
	hangs bool
}

func (f *fakeFleet) Status(ctx context.Context) (queue.Status, error) {
	if f.hangs {
		<-ctx.Done()
		return queue.Status{}, ctx.Err()
	}
	o := fleet.NewOverview(fleet.Batch{Name: "batch", State: fleet.BatchState(f.text), Tasks: 7})
	results := []fleet.Result{{Status: fleet.StatusDone}, {Status: fleet.StatusFailed, Class: f.text}, {Status: fleet.StatusTimeout, Class: f.text}}
	for _, r := range results {
		r.Ended, r.CostKnown, r.Spent = time.Now(), true, fleet.Spent{Tokens: 100, CostUSD: 0.5}
		o.Add(r)
	}
	o.At(time.Now(), 1)
	return queue.Status{
		Batches: []*fleet.Overview{o}, Workers: []queue.Worker{{ID: f.text, Host: f.text, Version: f.text, Slots: 4, Running: []string{"batch.run"}, Note: f.text}},
		Limits: fleet.Limits{Parallel: map[string]int{f.text: 2}, Tokens: 1000}, Spent: fleet.Spent{Tokens: 300, CostUSD: 1.5},
	}, nil
}

func (f *fakeFleet) result(task string) fleet.Result {
	r := fleet.Result{Batch: "batch", Task: task, Status: fleet.StatusFailed, Class: f.text, Error: f.text, Final: f.text, Worker: f.text, Provider: f.text, Model: f.text, Notes: []string{f.text}, Requests: 3}
	r.Started, r.Ended = time.Unix(100, 0), time.Unix(102, 5e8)
	if f.journal != nil {
		r.Journal = fleet.Blob{Size: int64(len(f.journal))}
	}
	return r
}

func (f *fakeFleet) Results(_ context.Context, _ string, each func(fleet.Result) error) ([]queue.Bad, error) {
	return []queue.Bad{{Task: "bad", Err: errors.New(f.text)}}, each(f.result("ended"))
}

func (f *fakeFleet) Result(_ context.Context, _, task string) (fleet.Result, bool, error) {
	return f.result(task), task == "ended", nil
}

func (f *fakeFleet) Progress(_ context.Context, _ string, each func(string, fleet.Progress) error) error {
	return each("run", fleet.Progress{Worker: f.text, Words: f.text, Running: true, Attempt: 1})
}

func (f *fakeFleet) Events(_ context.Context, _, _ string, _ bool, each func(string, []byte) error, _ func() bool) error {
	return each("run", []byte("{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"in the log\"}\nno event "+f.text+"\n{\"type\":\"notice\",\"text\":\"a notice\"}\n"))
}

func (f *fakeFleet) Blob(context.Context, fleet.Blob) ([]byte, error) { return f.journal, nil }

func (f *fakeFleet) Close() {}

// connect makes the pages show a fleet.
func (f *fakeFleet) connect(w *world) {
	w.fleet = func(context.Context) (web.Fleet, error) { return f, nil }
}

// TestFleet checks what the pages of a fleet show.
func TestFleet(t *testing.T) {
	t.Parallel()
	f := &fakeFleet{text: "rate_limit " + secret}
	w := serve(t, false, f.connect)
	j := w.talk(llm.Message{Role: llm.RoleUser, Content: "the prompt of the task"}, llm.Message{Role: llm.RoleAssistant, Content: "the **answer**"})
	var err error
	if f.journal, err = os.ReadFile(j.Path()); err != nil {
		t.Fatal(err)
	}
	for path, wanted := range map[string][]string{
		"/fleet": {
			`<a href="/fleet/batch">batch</a>`, `data-label="Tasks" class="number">7<`, `data-label="Done" class="number">1<`, `data-label="Failed" class="number">2<`, `data-label="Running" class="number">1<`,
			`data-label="Waiting" class="number">3<`, `data-label="Per minute" class="number">3<`, `data-label="Slots" class="number">4<`, "<dd>300</dd>", "<dd>1000</dd>", "1.50 US dollars", "no limit",
		},
		"/fleet/batch":                  {"42%", "<dt>done</dt><dd>1</dd>", "<dt>timeout</dt><dd>1</dd>", "<dt>rate_limit ", "<dd>2</dd>", `href="/fleet/batch/run"`, `href="/fleet/batch/ended"`, "2.5 s", ">damaged<", `aria-label="tasks per minute, the last 1 readings, at most 3"`},
		"/fleet/batch?find=run+running": {`href="/fleet/batch/run"`},
		"/fleet/batch/ended":            {"the prompt of the task", "the <strong>answer</strong>", `<span class="state failed">failed</span>`, "2.5 s"},
		"/fleet/batch/run":              {"assistant: in the log", "! a notice", `<span class="state running">running</span>`},
	} {
		answer, page := w.do(request{path: path})
		for _, want := range wanted {
			if answer.StatusCode != http.StatusOK || !strings.Contains(page, want) {
				t.Errorf("%s: status %d, no %s in %s", path, answer.StatusCode, want, page)
			}
		}
		if strings.Contains(page, secret) {
			t.Errorf("%s has the secret", path)
		}
	}
	if _, page := w.do(request{path: "/fleet/batch?find=run+running"}); strings.Contains(page, "/fleet/batch/ended") {
		t.Errorf("the search shows %s", page)
	}
	for _, path := range []string{"/fleet/none", "/fleet/-x", "/fleet/batch/none", "/fleet/batch/%2e%2e", "/fleet/a%2fb"} {
		if answer, _ := w.do(request{path: path}); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, answer.StatusCode)
		}
	}
}

// TestFleetSilent checks that a server that does not answer delays no other page, and that its page says so.
func TestFleetSilent(t *testing.T) {
	t.Parallel()
	w := serve(t, false, (&fakeFleet{hangs: true}).connect)
	w.talk(llm.Message{Role: llm.RoleUser, Content: marker})
	for range 3 {
		if answer, page := w.do(request{path: "/fleet"}); answer.StatusCode != http.StatusOK || !strings.Contains(page, "the server has not answered yet") {
			t.Errorf("status %d: %s", answer.StatusCode, page)
		}
	}
	if answer, page := w.do(request{path: "/sessions"}); answer.StatusCode != http.StatusOK || !strings.Contains(page, marker) {
		t.Errorf("status %d: %s", answer.StatusCode, page)
	}
}

// TestFleetGone checks that a page says why there is no fleet.
func TestFleetGone(t *testing.T) {
	t.Parallel()
	w := serve(t, false, func(w *world) {
		w.fleet = func(context.Context) (web.Fleet, error) { return nil, errors.New("nobody listens") }
	})
	for _, path := range []string{"/fleet", "/fleet/batch", "/fleet/batch/task"} {
		if answer, page := w.do(request{path: path}); answer.StatusCode != http.StatusOK || !strings.Contains(page, "The fleet is not shown: nobody listens") {
			t.Errorf("%s: status %d: %s", path, answer.StatusCode, page)
		}
	}
}

// TestHostileFleet fills the records of a fleet with hostile texts, its journals among them.
func TestHostileFleet(t *testing.T) {
	t.Parallel()
	f := &fakeFleet{text: hostile}
	w := serve(t, false, func(w *world) { everywhere(w); f.connect(w) })
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if raw, err := os.ReadFile(w.dir + "/" + e.Name()); err == nil && bytes.HasPrefix(raw, []byte(`{"meta`)) && !strings.HasPrefix(e.Name(), "damaged") {
			f.journal = raw
		}
	}
	for _, path := range []string{"/fleet", "/fleet/batch", "/fleet/batch?find=%22%3E%3Cscript%3E", "/fleet/batch/ended", "/fleet/batch/run"} {
		_, page := w.do(request{path: path})
		checkText(t, path, page)
		if !strings.Contains(path, "?") && !strings.Contains(page, "shown") {
			t.Errorf("%s does not show the text: %s", path, page)
		}
		for _, c := range w.follow(path, 1) {
			for _, i := range c.Items {
				checkText(t, path+", changed", "<table><tbody>"+i.HTML+"</tbody></table>")
			}
		}
	}
	// A journal that is none is named, and the rest is shown.
	bad := &fakeFleet{text: hostile, journal: []byte(hostile)}
	_, page := serve(t, false, bad.connect).do(request{path: "/fleet/batch/ended?page=1"})
	checkText(t, "a bad journal", page)
	if !strings.Contains(page, "The conversation cannot be shown") {
		t.Errorf("a bad journal: %s", page)
	}
}
