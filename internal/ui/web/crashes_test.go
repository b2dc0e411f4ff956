package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/ui/web"
)

// TestPluginPage checks what the page of a plugin shows beside its health: requests and grants, and the crashes of this plugin alone with the
// source at the place that the stack names first. Only files of the plugin are read, none through a link, and no secret of the project is shown.
func TestPluginPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside.go")
	lines := strings.Repeat("filler\n", 6) + "before\nthe line <b>\nafter project-secret-value\n" + strings.Repeat("rest\n", 6) + "too far\n"
	for path, text := range map[string]string{filepath.Join(dir, "main.go"): lines, filepath.Join(dir, "hook.py"): "one\ntwo\n", outside: "outside\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.go")); err != nil {
		t.Fatal(err)
	}
	rows := []struct{ stack, shows, lacks string }{
		{"panic: no luck\n/somewhere/my/main.go:8:2: panic: my.Hook(...)", "my/main.go:8:2", "no such text"},
		{"panic: no luck (in my.Hook, main.go:8)", "&gt;  8  the line &lt;b&gt;", "outside"},
		{"runtime/panic.go:1\nmain.go:9: x", "&gt;  9  after ...", "too far"},
		{"Traceback:\n  File \"/x/hook.py\", line 2, in f", "&gt; 2  two", "<h4>main"},
		{"main.go:99", "<h4>main.go:99</h4>", "&gt; "},
		{"link.go:1", "The file cannot be read", "outside"},
		{outside + ":1", "outside.go:1", "<h4>"},
		{"../main.go/../" + filepath.Base(outside) + ":1", "outside.go:1", "<h4>"},
	}
	w := serve(t, false, func(w *world) {
		j := w.talk(llm.Message{Role: llm.RoleUser, Content: "hi"})
		for _, row := range rows {
			if err := j.Tell(session.Fact{Kind: session.FactState, Turn: 3, At: time.Now().Add(time.Hour), Plugin: "mine", Outcome: "restarting", Error: row.stack}); err != nil {
				t.Fatal(err)
			}
		}
		for _, err := range []error{
			j.Tell(session.Fact{Kind: session.FactState, At: time.Now().Add(-time.Hour), Plugin: "mine", Outcome: "quarantined", Error: "main.go:1"}),
			j.Tell(session.Fact{Kind: session.FactState, At: time.Now(), Plugin: "other", Outcome: "restarting", Error: "of another plugin"}),
			j.Append(llm.Message{Role: llm.RoleAssistant, Content: "done"}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		w.statuses = []host.Status{{PluginHealth: host.PluginHealth{Name: "mine", Dir: dir, Health: host.Health{Session: j.ID(), State: host.StateReady}}}}
		w.plugin = &web.Described{Secrets: redact.New("project-secret-value"), Plugin: inspect.Plugin{Dir: dir, Files: []string{"hook.py", "link.go", "main.go"}, SettingsInfo: inspect.SettingsInfo{
			Requested: manifest.Asks{Env: []string{"API_KEY", "project-secret-value"}, Programs: true}, Granted: manifest.Asks{Env: []string{"API_KEY"}},
		}}}
	})
	_, list := w.do(request{path: "/plugins"})
	path := addresses(list, "/plugins/")[0]
	answer, page := w.do(request{path: path})
	if answer.StatusCode != http.StatusOK || strings.Contains(page, "of another plugin") || strings.Contains(page, "project-secret-value") {
		t.Errorf("status %d: %s", answer.StatusCode, page)
	}
	_, rights, _ := strings.Cut(page, `<div id="rights-of">`)
	requested, granted, _ := strings.Cut(rights, "<dt>granted</dt>")
	granted, crashes, _ := strings.Cut(granted, `<div id="crashes">`)
	for text, want := range map[string][]string{requested: manifest.Asks{Env: []string{"API_KEY", redact.Mark}, Programs: true}.List(), granted: manifest.Asks{Env: []string{"API_KEY"}}.List()} {
		for _, right := range want {
			if !strings.Contains(text, "<li>"+right+"</li>") {
				t.Errorf("no %q in %s", right, text)
			}
		}
		if n := strings.Count(text, "<li>"); n != len(want) {
			t.Errorf("%d rights in %s, want %q", n, text, want)
		}
	}
	articles := strings.Split(crashes, "<article")[1:]
	if len(articles) != len(rows)+1 || !strings.Contains(articles[0], "quarantined") || !strings.Contains(articles[0], "The file was changed after this.") {
		t.Fatalf("%d crashes: %s", len(articles), crashes)
	}
	slices.Reverse(articles)
	for i, row := range rows {
		shows := strings.ReplaceAll(row.shows, "...", redact.Mark)
		if !strings.Contains(articles[i], shows) || strings.Contains(articles[i], row.lacks) || strings.Contains(articles[i], "was changed after") {
			t.Errorf("%q: want %q and no %q in %s", row.stack, shows, row.lacks, articles[i])
		}
	}
}
