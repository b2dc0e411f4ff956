package web_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// record writes calls to the recording of a session.
func (w *world) record(j *session.Journal, calls ...host.Call) {
	w.t.Helper()
	out, err := recording.Create(recording.Beside(j.Path()), recording.Run{Aura: "1", Session: j.ID()}, func() *redact.Redactor { return nil })
	if err != nil {
		w.t.Fatal(err)
	}
	for i, c := range calls {
		if err := out.Call(i+1, c, false); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// chat is a call of a hook.
func chat(plugin, workdir string, out sdk.Result) host.Call {
	c := host.Call{Plugin: plugin, Point: "BeforeChat", Out: out, Request: shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{
		Context: sdk.Context{Workdir: workdir, Turns: []sdk.Turn{{Role: "user", Content: "line one\nline two " + secret}}},
	}}}
	c.Took = time.Millisecond
	return c
}

// TestRecordings checks the list of recordings, a recording with its search, a call as a tree, and what a replay found.
func TestRecordings(t *testing.T) {
	t.Parallel()
	w := serve(t, false, nil)
	j := w.talk(llm.Message{Role: llm.RoleUser, Content: marker})
	other := w.talk(llm.Message{Role: llm.RoleUser, Content: "without a recording"})
	w.record(j, chat("first", "/here", sdk.Result{Message: "the answer"}), chat("second", "/here", sdk.Result{Message: "hello"}))
	page := func(path string) string {
		t.Helper()
		answer, text := w.do(request{path: path})
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d: %s", path, answer.StatusCode, text)
		}
		return text
	}
	has := func(text string, wanted ...string) {
		t.Helper()
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("the page lacks %s: %s", want, text)
			}
		}
		if strings.Contains(text, secret) {
			t.Errorf("the page has a secret: %s", text)
		}
	}
	list, of := page("/recordings"), "/recordings/"+j.ID()
	has(list, `href="`+of+`">`+marker, "/project")
	if strings.Contains(list, other.ID()) {
		t.Errorf("a session without a recording is listed: %s", list)
	}
	if found := page("/recordings?find=nothing"); strings.Contains(found, of) {
		t.Errorf("the search shows %s", found)
	}
	has(page("/sessions/"+j.ID()), `href="`+of+`"`)
	has(page(of), `href="`+of+`/1">call 1</a>`, ">second</td>", "1ms", `<span class="state ended">ok</span>`, "aura plugins replay "+j.ID())
	if found := page(of + "?find=second"); strings.Contains(found, ">first</td>") || !strings.Contains(found, ">second</td>") {
		t.Errorf("the search shows %s", found)
	}
	has(page(of+"/1"), `<span class="name">Workdir</span>: &#34;/here&#34;`, "list of 1", "line one\nline two", `<span class="name">Message</span>: &#34;the answer&#34;`, `href="`+of+`/2"`)
	for _, path := range []string{"/recordings/none", "/recordings/" + other.ID(), of + "/0", of + "/3", of + "/x"} {
		if answer, _ := w.do(request{path: path}); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, answer.StatusCode)
		}
	}

	// A replay appears on a page that is open.
	next := w.stream(of)
	next()
	report := recording.Report{At: time.Now().Add(time.Second), Calls: 2, Same: 1, Differ: 1, Plugins: []string{"second"}, Unrecorded: map[string][]string{"second": {"time.Now (main.go:3)"}}, Findings: []recording.Finding{
		{N: 2, Turn: 2, Plugin: "second", Point: "BeforeChat", Differences: []recording.Difference{{Field: "Message", Before: `"hello"`, After: `"bye"`}, {Field: "Notice", After: `"new"`}}},
	}}
	if err := report.Save(recording.ReportBeside(j.Path())); err != nil {
		t.Fatal(err)
	}
	for seen := ""; !strings.Contains(seen, "differs in 2"); {
		for _, c := range next() {
			for _, i := range c.Items {
				seen += i.HTML
			}
		}
	}
	has(page(of), "2 calls: 1 with the same result, 1 with another", "- &#34;hello&#34;", "+ &#34;bye&#34;", "- (missing)", "Only calls of second", "time.Now (main.go:3)")
	has(page(of+"/2"), "- &#34;hello&#34;")
	if first := page(of + "/1"); strings.Contains(first, "hello") {
		t.Errorf("call 1 has the differences of call 2: %s", first)
	}
	if err := os.WriteFile(recording.ReportBeside(j.Path()), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	has(page(of), "reading the report of the replay")
	if err := os.WriteFile(recording.Beside(j.Path()), []byte("no recording\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if answer, text := w.do(request{path: of}); answer.StatusCode != http.StatusInternalServerError || !strings.Contains(text, "no complete first record") {
		t.Errorf("a damaged recording: status %d: %s", answer.StatusCode, text)
	}
}

// TestRecordedLimits checks that a call with a huge and deep input makes a page of a bounded size.
func TestRecordedLimits(t *testing.T) {
	t.Parallel()
	w := serve(t, false, nil)
	j := w.talk(llm.Message{Role: llm.RoleUser, Content: marker})
	deep := any("the bottom")
	for range 500 {
		deep = map[string]any{"in": deep}
	}
	wide := make([]any, 50_000)
	for i := range wide {
		wide[i] = "many"
	}
	w.record(j,
		host.Call{Plugin: "p", Point: host.PointTool, Request: shared.ToolCall{Tool: "T", Args: map[string]any{"deep": deep}}, Out: strings.Repeat("long ", 1<<20)},
		host.Call{Plugin: "p", Point: host.PointTool, Request: shared.ToolCall{Tool: "T", Args: map[string]any{"wide": wide}}, Err: errors.New("failed"), Out: ""},
	)
	for n, want := range []string{"bytes more", "parts are not shown"} {
		answer, text := w.do(request{path: fmt.Sprintf("/recordings/%s/%d", j.ID(), n+1)})
		if answer.StatusCode != http.StatusOK || len(text) > 1<<20 || !strings.Contains(text, want) || strings.Contains(text, "the bottom") {
			t.Errorf("call %d: status %d, %d bytes", n+1, answer.StatusCode, len(text))
		}
	}
}
