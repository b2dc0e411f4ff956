package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
)

// made writes a closed session with one prompt.
func made(t *testing.T, dir, prompt string) string {
	t.Helper()
	j, err := session.Create(dir, session.Meta{Provider: "p", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(llm.Message{Role: llm.RoleUser, Content: prompt}); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(session.End{Reason: session.ReasonDone}); err != nil {
		t.Fatal(err)
	}
	return j.Path()
}

func TestList(t *testing.T) {
	t.Parallel()
	project, user := t.TempDir(), t.TempDir()
	first := made(t, project, "the first\n prompt")
	second := made(t, user, strings.Repeat("long ", 30))
	if err := os.WriteFile(filepath.Join(project, "broken.jsonl"), []byte("{}\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := session.List(project, user, filepath.Join(user, "none"))
	if err != nil || len(list) != 3 {
		t.Fatalf("got %+v, %v", list, err)
	}
	if list[0].Err == "" || list[1].Path != second || list[2].Path != first {
		t.Errorf("wrong order: %+v", list)
	}
	if list[2].Title != "the first prompt" || list[2].End != session.ReasonDone || list[2].Messages != 1 {
		t.Errorf("wrong summary: %+v", list[2])
	}
	if n := len([]rune(list[1].Title)); n != 60 {
		t.Errorf("the title has %d runes", n)
	}
	if _, err := session.Latest("", t.TempDir()); err == nil {
		t.Error("a session was found where there is none")
	}
	if _, err := session.Latest("", project, user); err == nil || !strings.Contains(err.Error(), "not a journal") {
		t.Errorf("the newest is damaged: got %v", err)
	}
}

func TestLatest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begun := func(workdir string, said ...string) string {
		j, err := session.Create(dir, session.Meta{Workdir: workdir})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range said {
			err = errors.Join(err, j.Append(llm.Message{Role: llm.RoleUser, Content: text}))
		}
		if err = errors.Join(err, j.Close(session.End{Reason: session.ReasonDone})); err != nil {
			t.Fatal(err)
		}
		return j.Path()
	}
	here := begun("/here", "one")
	there := begun("/there", "two")
	begun("/here")
	if err := os.WriteFile(filepath.Join(dir, "ffff"+session.Ext), []byte(`{"meta":{"id":"x`), 0o600); err != nil {
		t.Fatal(err)
	}
	for workdir, want := range map[string]string{"": there, "/here": here, "/there": there, "/nowhere": ""} {
		got, err := session.Latest(workdir, dir)
		if got.Path != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %s, %v", workdir, got.Path, err)
		}
	}
	used := time.Now().Add(time.Hour)
	if err := os.Chtimes(here, used, used); err != nil {
		t.Fatal(err)
	}
	if got, err := session.Latest("", dir); err != nil || got.Path != here {
		t.Errorf("used later: got %s, %v", got.Path, err)
	}
}

func TestReopen(t *testing.T) {
	t.Parallel()
	path := made(t, t.TempDir(), "one")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"message":{"role":"assis`); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	j, before, err := session.Reopen(path)
	if err != nil || !before.Torn || len(before.Messages) != 1 {
		t.Fatalf("got %+v, %v", before, err)
	}
	if _, _, err := session.Reopen(path); err == nil {
		t.Error("a session was opened twice")
	}
	summary := llm.Message{Role: llm.RoleUser, Content: "summary", Synthetic: true}
	for _, err := range []error{
		j.Append(llm.Message{Role: llm.RoleAssistant, Content: "two"}), j.Compact(summary, 1),
		j.Append(llm.Message{Role: llm.RoleUser, Content: "three"}), j.Close(session.End{Reason: session.ReasonError}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	after, err := session.Load(path)
	if err != nil || after.Torn || after.End == nil || after.End.Reason != session.ReasonError {
		t.Fatalf("got %+v, %v", after, err)
	}
	var texts []string
	for _, m := range after.Messages {
		texts = append(texts, m.Content)
	}
	if got := strings.Join(texts, ","); got != "summary,two,three" {
		t.Errorf("got %s", got)
	}
	if after.Meta.ID != before.Meta.ID {
		t.Error("the session has another id")
	}
	if j.Compact(summary, 0) == nil {
		t.Error("a closed journal was written to")
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	user := func(text string) []llm.Message { return []llm.Message{{Role: llm.RoleUser, Content: text}} }
	for want, messages := range map[string][]llm.Message{
		"":                     nil,
		"review it":            user("review  it\n"),
		"change @a.txt please": user("change @a.txt\nplease\n\n<file path=\"a.txt\">\none\n</file>"),
		"why?":                 user("why?\n\n<stdin>\na log\n</stdin>"),
		"two paragraphs":       user("two\n\nparagraphs"),
		"said":                 append([]llm.Message{{Role: llm.RoleUser, Content: "injected", Synthetic: true}, {Role: llm.RoleAssistant, Content: "no"}}, user("said")...),
	} {
		if got := session.Title(messages); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
