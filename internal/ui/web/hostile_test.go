package web_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/ui/web"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// hostile is a text that would run, load, hide or style something if it were more than text. It ends with a word that a page shows.
const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)></svg><style>*{display:none}</style>` +
	`<a href="javascript:alert(1)">[x](javascript:alert(2))</a><form action=//evil.example><iframe src=//evil.example></iframe><base href=//evil.example>` +
	"<meta http-equiv=refresh content=0;url=//evil.example>](javascript:alert(3)) ![i](//evil.example/i) <!-- {{.M}} ]]> \x1b[31m\x07\u202e\u200b&#x202e; " + secret + " shown"

// everywhere returns a world whose every text from outside is hostile.
func everywhere(w *world) {
	dir := w.t.TempDir()
	log := filepath.Join(dir, "plugin.log")
	if err := os.WriteFile(log, []byte(hostile+"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	j, err := session.Create(w.dir, session.Meta{Provider: hostile, Model: hostile, Workdir: hostile, Agent: hostile})
	if err != nil {
		w.t.Fatal(err)
	}
	now := time.Now()
	arguments, _ := json.Marshal(map[string]string{hostile: hostile})
	steps := []error{
		j.Tell(session.Fact{Kind: session.FactNetwork, At: now, By: hostile, Name: hostile, Outcome: hostile, Error: hostile, Network: &session.Connection{Port: 1, Address: hostile}}),
		j.Tell(session.Fact{Kind: session.FactRefused, At: now, By: hostile, Name: hostile, Error: hostile}),
		j.Append(llm.Message{Role: llm.RoleUser, Content: hostile, CreatedAt: now}),
		j.Tell(session.Fact{Kind: session.FactTurn, Turn: 1, At: now.Add(time.Second)}),
		j.Tell(session.Fact{
			Kind: session.FactCall, Turn: 1, At: now.Add(2 * time.Second), Plugin: hostile, Point: hostile, Name: hostile, Error: hostile, Took: time.Second,
			Changes: []session.Change{{Field: hostile, Before: hostile, After: hostile, Diff: hostile}},
		}),
		j.Append(llm.Message{
			Role: llm.RoleAssistant, Content: "# " + hostile + "\n\n" + hostile + "\n\n```\n" + hostile + "\n```\n\n`" + hostile + "`\n\n> * " + hostile + "\n\n| a |\n|---|\n| " + hostile + " |\n\n[a](" + "javascript:alert(1)) <https://evil.example/>",
			Thinking: hostile, CreatedAt: now.Add(3 * time.Second), ToolCalls: []llm.ToolCall{{ID: hostile, Name: hostile, Arguments: arguments}},
		}),
		j.Append(llm.Message{Role: llm.RoleTool, ToolName: hostile, ToolCallID: hostile, Content: hostile, CreatedAt: now.Add(4 * time.Second)}),
		j.Append(llm.Message{Role: llm.Role(hostile), Content: hostile, CreatedAt: now.Add(5 * time.Second)}),
		j.Tell(session.Fact{Kind: session.FactFiles, Turn: 1, At: now, Name: hostile, Call: hostile, Changes: []session.Change{{Diff: "--- a/" + hostile + "\n+++ b/x\n@@ -1 +1 @@ " + hostile + "\n-" + hostile + "\n+" + hostile}}}),
		j.Tell(session.Fact{Kind: session.FactState, Turn: 1, At: now, Plugin: hostile, Outcome: hostile, Error: hostile + "\nmain.go:1:2: panic: " + hostile}),
		j.Note(session.State{Title: hostile}),
	}
	for _, err := range steps {
		if err != nil {
			w.t.Fatal(err)
		}
	}
	w.t.Cleanup(func() { _ = j.Close(session.End{Reason: session.ReasonDone}) })
	call := host.Call{
		Plugin: hostile, Point: host.PointTool, Request: shared.ToolCall{Tool: hostile, Args: map[string]any{hostile: hostile, "list": []any{hostile, hostile + "\n" + hostile}}, Context: sdk.Context{Workdir: hostile}},
		Out: hostile, Err: &host.Error{Plugin: hostile, Kind: host.ErrorKind(hostile), Err: errors.New(hostile)},
	}
	call.Asked = []host.Ask{{Err: hostile}}
	w.record(j, call)
	report := recording.Report{Aura: hostile, Plugins: []string{hostile}, Calls: 1, Differ: 1, Unrecorded: map[string][]string{hostile: {hostile}}, Findings: []recording.Finding{
		{N: 1, Plugin: hostile, Point: hostile, Name: hostile, Differences: []recording.Difference{{Field: hostile, Before: hostile, After: hostile}}}, {N: 2, NotRepeated: hostile},
	}}
	if err := report.Save(recording.ReportBeside(j.Path())); err != nil {
		w.t.Fatal(err)
	}
	raw, err := json.Marshal(session.Live{
		ID: j.ID(), Workdir: hostile, Agent: hostile, Mode: hostile, Provider: hostile, Model: hostile, Title: hostile, State: session.ActivityApproval, For: []string{hostile},
		Questions: hostileQuestions(arguments),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.reports, w.control = []json.RawMessage{raw}, (&terminal{}).control()
	w.statuses = []host.Status{{
		PluginHealth: host.PluginHealth{Name: hostile, Dir: hostile, Health: host.Health{Session: j.ID(), State: host.State(hostile), LastExit: hostile, Runtime: hostile}}, Project: hostile, Log: log,
	}}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(hostile), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.plugin = &web.Described{Plugin: inspect.Plugin{Dir: dir, Files: []string{"main.go"}, SettingsInfo: inspect.SettingsInfo{
		Requested: manifest.Asks{Env: []string{hostile}, Unsafe: []string{hostile}, Commands: []string{hostile}}, Granted: manifest.Asks{Env: []string{hostile}},
	}}}
	if err := os.WriteFile(filepath.Join(w.dir, "damaged.jsonl"), []byte(`{"meta":{"id":"x"}}`+"\n"+hostile+"\n{}\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// ourElements are the elements of our pages, and ourAttributes their attributes.
var (
	ourElements = strings.Fields("html head meta title link script body a header nav p main h1 h2 h3 h4 h5 h6 form label input select option button table caption thead tbody tr th td span meter " +
		"section dl div dt dd article time details summary pre code figure figcaption svg g rect text polyline ul ol li blockquote em strong s br hr output")
	ourAttributes = strings.Fields("lang charset name content rel href src defer data-live class aria-label aria-current id role tabindex action method type value selected scope data-label min max data-key open " +
		"viewbox x y width height text-anchor points aria-live")
)

// checkText fails for anything in a page that is not ours.
func checkText(t *testing.T, name, page string) {
	t.Helper()
	if strings.ContainsAny(page, "\x1b\x07\u202e\u200b") || strings.Contains(page, secret) {
		t.Errorf("%s: the page has control characters or the secret", name)
	}
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("%s: a comment: %s", name, n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(ourElements, n.Data) {
			t.Errorf("%s: element %s", name, n.Data)
		}
		for _, a := range n.Attr {
			key := strings.ToLower(a.Key)
			leads := key == "href" || key == "src" || key == "action"
			if !slices.Contains(ourAttributes, key) || leads && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "#") || strings.HasPrefix(a.Val, "//") {
				t.Errorf("%s: <%s %s=%q>", name, n.Data, a.Key, a.Val)
			}
		}
	}
}

// TestHostileTexts fills every field with a hostile text and checks that all pages, and the changes that they get, have it as text.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	w := serve(t, false, everywhere)
	_, list := w.do(request{path: "/sessions"})
	_, plugins := w.do(request{path: "/plugins"})
	_, network := w.do(request{path: "/network"})
	paths := []string{"/sessions", "/sessions?find=" + "%22%3E%3Cscript%3E&show=%22%3E%3Cb%3E", "/plugins", "/sessions/%3Cscript%3E", "/network", "/network?find=%22%3E%3Cscript%3E"}
	_, recordings := w.do(request{path: "/recordings"})
	recorded := addresses(recordings, "/recordings/")
	paths = append(paths, "/recordings", "/recordings?find=%22%3E%3Cscript%3E", recorded[0], recorded[0]+"/1", recorded[0]+"?find=%22%3E%3Cscript%3E")
	paths = append(paths, addresses(list, "/sessions/")...)
	paths = append(paths, addresses(plugins, "/plugins/")...)
	paths = append(paths, addresses(network, "/network/")...)
	if len(paths) != 15 {
		t.Fatalf("not all pages are there: %v", paths)
	}
	for _, session := range addresses(list, "/sessions/") {
		paths = append(paths, session+"?page=1&turn=1&zoom=4", session+"?turn=%22%3E%3Cb%3E&zoom=%22%3E%3Cb%3E&page=%22%3E%3Cb%3E")
	}
	for _, path := range paths {
		answer, page := w.do(request{path: path})
		checkText(t, path, page)
		if answer.StatusCode == http.StatusOK && !strings.Contains(path, "?") && !strings.Contains(page, map[bool]string{true: "damaged record", false: "shown"}[strings.HasSuffix(path, "/damaged")]) {
			t.Errorf("%s does not show the text: %s", path, page)
		}
		if answer.StatusCode != http.StatusOK {
			continue
		}
		for _, c := range w.follow(path, 1) {
			for _, i := range c.Items {
				checkText(t, path+", changed", "<table><tbody>"+i.HTML+"</tbody></table>")
			}
		}
	}
}

// hostileQuestions returns a question of each kind with hostile texts.
func hostileQuestions(arguments json.RawMessage) []session.Question {
	var out []session.Question
	for i, kind := range []session.QuestionKind{session.QuestionCall, session.QuestionCall, session.QuestionNetwork, session.QuestionPath, session.QuestionPlan, session.QuestionServer, hostile} {
		q := session.Question{
			ID: fmt.Sprint(hostile, i), Kind: kind, Tool: hostile, About: hostile, Why: []string{hostile}, Cut: i%2 == 0,
			Answers: []session.QuestionAnswer{{Value: hostile, Title: hostile, Pattern: hostile, Covers: hostile}},
		}
		if i == 0 {
			q.Arguments, q.About = arguments, ""
		} else {
			q.Changes = "--- a/" + hostile + "\n+++ b/x\n@@ -1 +1 @@ " + hostile + "\n-" + hostile + "\n+" + hostile
		}
		out = append(out, q)
	}
	return out
}

// addresses returns the addresses in a page that begin with a text.
func addresses(page, begin string) []string {
	var out []string
	for part := range strings.SplitSeq(page, `href="`) {
		if address, _, ok := strings.Cut(part, `"`); ok && strings.HasPrefix(address, begin) {
			out = append(out, address)
		}
	}
	return out
}

// FuzzMarkdown checks that no text makes an element, an attribute or an address that is not ours.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{hostile, "[a](javascript:x)", "<b>", "<!-- a", "```\n</code>", "![a](x)", "|a|\n|-|\n|<|", "&lt;script&gt;", "&#27;[31m", "<https://a>", "1. a\n   - b\n\n> c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		page := string(web.Markdown(text))
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type == html.CommentNode || n.Type == html.ElementNode && (!slices.Contains(ourElements, n.Data) || slices.Contains([]string{"a", "script", "link", "meta", "form", "svg"}, n.Data)) {
				t.Fatalf("%q: %s in %s", text, n.Data, page)
			}
			for _, a := range n.Attr {
				if a.Key != "tabindex" && a.Key != "class" {
					t.Fatalf("%q: attribute %s in %s", text, a.Key, page)
				}
			}
		}
	})
}
