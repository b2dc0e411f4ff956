//go:build linux

package screen

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// newStory returns a project for stories of the interactive screen. It has a scripted model that plays turns, given in YAML. It has
// neither plugins nor a sandbox, so that the screens are the same on all machines and the tests are cheap.
func newStory(t *testing.T, turns string) *harness.Project {
	t.Helper()
	p := harness.NewProject(t)
	p.Check(os.RemoveAll(p.Path(".aura/plugins")))
	p.Write(".aura/config/sandbox/sandbox.yaml", "sandbox: {enabled: false}\n")
	p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: ['Bash:touch *']}}\n")
	p.Write(".aura/config/features/compaction.yaml", "compaction: {keep_last_messages: 1}\n")
	p.Write(".git/HEAD", "ref: refs/heads/story\n")
	p.Script(turns)
	return p
}

// interactive starts the interactive screen on a terminal of 80 columns and 24 rows.
func interactive(p *harness.Project, args ...string) *screen {
	p.T.Helper()
	return startScreen(p, p.Command(args...), 80, 24)
}

// ready waits until the session is open and idle.
func (s *screen) ready() *screen {
	s.T.Helper()
	s.shows(idle)
	s.hides(spinner)
	return s
}

const (
	// idle matches the status line of an open session.
	idle = `^talker · `
	// spinner matches the line that shows what is being waited for.
	spinner = `^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] `
)

// The keys that are more than a character.
const (
	enter, escape, tab, shiftTab  = "\r", "\x1b", "\t", "\x1b[Z"
	up, down                      = "\x1b[A", "\x1b[B"
	ctrlC, ctrlD, ctrlG           = "\x03", "\x04", "\x07"
	ctrlO, ctrlR, ctrlS, ctrlX    = "\x0f", "\x12", "\x13", "\x18"
	pasteStart, pasteEnd, deleted = "\x1b[200~", "\x1b[201~", "\x7f"
)

// volatile are the parts of a screen that differ from run to run, and what stands for them in golden screens.
var volatile = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]`), `⠿`},
	{regexp.MustCompile(`(?m)^(.*\btalker · ).*…$`), `$1<cut>`},
	{regexp.MustCompile(`\b\d+% context · (?:[\d.]+[kM]? tokens · )?`), `<context> · `},
	{regexp.MustCompile(`\b(?:\d+ min \d+ s|\d+(?:\.\d+)? m?s)\b`), `<time>`},
	{regexp.MustCompile(`\b[\d.]+(?:ms|µs|s)\b`), `<time>`},
	{regexp.MustCompile(`, ~?[\d.]+[kM]? tokens`), `, <tokens>`},
	{regexp.MustCompile(`(⠿ [^\n]*?), (?:<time>|\d+ s)`), `$1, <time>`},
	{regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}[ T-]\d{2}:?\d{2}(?::?\d{2})?(?:Z|-[0-9a-f]+)?\b`), `<date>`},
	{regexp.MustCompile(`\b01[0-9a-f]{6}(?:-[0-9a-f]+)*\b`), `<session>`},
}

// steadyLines is how many lines of the terminal a golden screen has at most.
const steadyLines = 40

// steady returns the lines that are compared.
func (g *golden) steady(s *screen) string {
	text := s.steady()
	return text[max(0, strings.LastIndex(text, g.from)*min(1, len(g.from))):]
}

// steady returns the end of what the terminal holds, its scrollback included, with placeholders for the volatile parts. How much of it
// is in the scrollback depends on the heights of earlier frames, and is left out.
func (s *screen) steady() string {
	lines := s.everything()
	text := strings.Join(lines[max(0, len(lines)-steadyLines):], "\n") + "\n"
	return steadied(strings.ReplaceAll(text, s.Dir, "<project>"))
}

// steadied returns a text with placeholders for its volatile parts.
func steadied(text string) string {
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.instead)
	}
	return text
}

// golden is a file of golden screens, one per step of a story.
type golden struct {
	t     *testing.T
	path  string
	steps map[string]string
	// from is the text with which the last lines begin that are compared. It is empty if all are compared.
	from string
}

// newGolden reads the golden screens of a story. With -update it writes them at the end of the test.
func newGolden(t *testing.T, story string) *golden {
	t.Helper()
	g := &golden{t: t, path: filepath.Join("../testdata", "interactive", story+".golden"), steps: map[string]string{}}
	if *harness.Update {
		archive := &txtar.Archive{}
		g.write(archive)
		return g
	}
	archive, err := txtar.ParseFile(g.path)
	if err != nil {
		t.Fatalf("%v; write it with -update", err)
	}
	for _, f := range archive.Files {
		g.steps[f.Name] = string(f.Data)
	}
	return g
}

func (g *golden) write(archive *txtar.Archive) {
	if err := os.MkdirAll(filepath.Dir(g.path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(g.path, txtar.Format(archive), 0o644); err != nil { //nolint:gosec // it is part of the source
		g.t.Fatal(err)
	}
}

// looks waits until the screen is the golden one of the step. With -update it waits until the screen matches the patterns and no
// longer changes, and records it.
func (g *golden) looks(s *screen, step string, patterns ...string) {
	s.T.Helper()
	if *harness.Update {
		g.record(s, step, patterns)
		return
	}
	want, ok := g.steps[step]
	if !ok {
		s.T.Fatalf("%s has no step %q; write it with -update", g.path, step)
	}
	deadline := time.Now().Add(harness.Patience)
	for g.steady(s) != want {
		if time.Now().After(deadline) {
			s.T.Fatalf("step %q: the screen is\n%s\nwant\n%s", step, g.steady(s), want)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// record adds a step to the file.
func (g *golden) record(s *screen, step string, patterns []string) {
	s.T.Helper()
	const quiet = 700 * time.Millisecond
	s.shows(patterns...)
	text, since := g.steady(s), time.Now()
	for time.Since(since) < quiet {
		time.Sleep(5 * time.Millisecond)
		if now := g.steady(s); now != text {
			text, since = now, time.Now()
		}
	}
	g.add(step, text)
}

func (g *golden) add(step, text string) {
	g.t.Helper()
	archive, err := txtar.ParseFile(g.path)
	if err != nil {
		g.t.Fatal(err)
	}
	archive.Files = append(archive.Files, txtar.File{Name: step, Data: []byte(text)})
	g.write(archive)
}

// model is a service whose answers a test sends piece by piece.
type model struct {
	t      *testing.T
	pieces chan string
	mu     sync.Mutex
	bodies []string
}

// newModel makes a project talk to a model of its own.
func newModel(p *harness.Project) *model {
	p.T.Helper()
	m := &model{t: p.T, pieces: make(chan string)}
	closing := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		m.mu.Lock()
		m.bodies = append(m.bodies, string(body))
		m.mu.Unlock()
		m.stream(w, r.Context().Done(), closing)
	}))
	p.T.Cleanup(func() {
		close(closing)
		server.Close()
	})
	p.Write(".aura/config/providers/test.yaml", fmt.Sprintf("test: {type: openai, url: %q, token: x}\n", server.URL))
	p.Write(".aura/config/agents/main.md", "---\nname: talker\ndefault: true\nmodel: {name: slow, context: 100000}\n---\nYou are a test.\n")
	return m
}

func (m *model) stream(w http.ResponseWriter, gone, closing <-chan struct{}) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	if flush() != nil {
		return
	}
	for {
		select {
		case piece := <-m.pieces:
			if piece == "" {
				_, _ = io.WriteString(w, chunk(`{}`, `"stop"`)+"data: [DONE]\n\n")
				return
			}
			content, _ := json.Marshal(piece)
			_, _ = io.WriteString(w, chunk(`{"role":"assistant","content":`+string(content)+`}`, "null"))
			if flush() != nil {
				return
			}
		case <-gone:
			return
		case <-closing:
			return
		}
	}
}

func chunk(delta, finish string) string {
	return `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"slow","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + "}]}\n\n"
}

// say sends a piece of the answer.
func (m *model) say(piece string) {
	m.t.Helper()
	select {
	case m.pieces <- piece:
	case <-time.After(harness.Patience):
		m.t.Fatalf("aura does not wait for an answer: %q is left", piece)
	}
}

// end ends the answer.
func (m *model) end() { m.t.Helper(); m.say("") }
