package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNestedCommands checks that commands within commands end, also if each of them replaces the session's setup.
func TestNestedCommands(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"loop.txt": "/set x=1\n/replay loop.txt\n"})
	got := p.run(t.Context(), "/replay loop.txt")
	if !strings.Contains(got.told(), "they are 8 deep") {
		t.Errorf("got %v\n%s", got.err, got.told())
	}
	if n := strings.Count(got.said(), "x"); n > 8 {
		t.Errorf("/set ran %d times", n)
	}
}

// TestResumeFails resumes a session whose todos are invalid: the running session goes on in its own file.
func TestResumeFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{".aura/config/talk.yaml": "turns:\n  - text: Fine.\n"})
	if got := p.run(t.Context(), "one"); got.err != nil {
		t.Fatal(got.err)
	}
	broken := p.sessions()[0]
	before := p.change(broken, func(text string) string {
		return strings.Replace(text, `{"end":`, `{"state":{"todos":[{"content":""}]}}`+"\n"+`{"end":`, 1)
	})
	got := p.run(t.Context(), "two", "/resume "+strings.TrimSuffix(filepath.Base(broken), ".jsonl"), "three")
	if told := got.told(); !strings.Contains(told, "item 1 has no content") {
		t.Errorf("told %s", told)
	}
	if text := p.change(broken, func(text string) string { return text }); strings.Contains(strings.TrimPrefix(text, before), "three") {
		t.Errorf("the other session got the prompt:\n%s", text)
	}
	for _, file := range p.sessions() {
		if text := p.change(file, func(text string) string { return text }); file != broken && !strings.Contains(text, "three") {
			t.Errorf("the running session did not get the prompt:\n%s", text)
		}
	}
}

// sessions returns the files of the saved sessions.
func (p *place) sessions() []string {
	p.t.Helper()
	state := strings.TrimPrefix(p.o.Config.Environ[0], "XDG_STATE_HOME=")
	found, err := filepath.Glob(filepath.Join(state, "aura", "projects", "*", "sessions", "*.jsonl"))
	if err != nil || len(found) == 0 {
		p.t.Fatalf("sessions: %v, %v", found, err)
	}
	return found
}

// change changes a file and returns its new text.
func (p *place) change(file string, edit func(string) string) string {
	p.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	changed := edit(string(text))
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return changed
}
