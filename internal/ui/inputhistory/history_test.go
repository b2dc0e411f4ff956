package inputhistory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/ui/inputhistory"
)

func open(t *testing.T, path string) *inputhistory.History {
	t.Helper()
	h, err := inputhistory.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func add(t *testing.T, h *inputhistory.History, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := h.Add(text); err != nil {
			t.Fatal(err)
		}
	}
}

// all returns the prompts, newest first.
func all(h *inputhistory.History) []string {
	var out []string
	h.Reset("")
	for text, found := h.Older(""); found; text, found = h.Older("") {
		out = append(out, text)
	}
	return out
}

func TestAdd(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 64<<10)
	tests := map[string]struct {
		add  []string
		want []string
	}{
		"none":               {nil, nil},
		"newest first":       {[]string{"a", "b"}, []string{"b", "a"}},
		"duplicate":          {[]string{"a", "a"}, []string{"a"}},
		"again later":        {[]string{"a", "b", "a"}, []string{"a", "b", "a"}},
		"empty":              {[]string{"", "a"}, []string{"a"}},
		"begins with blank":  {[]string{" a", "\tb", "\nc", "\u00a0d", "e "}, []string{"e "}},
		"several lines":      {[]string{"a\n\tb\n", "c"}, []string{"c", "a\n\tb\n"}},
		"odd characters":     {[]string{"<&>\u2028\x1b[31m\x00\"\\"}, []string{"<&>\u2028\x1b[31m\x00\"\\"}},
		"invalid UTF-8":      {[]string{"a\xff"}, []string{"a\uFFFD"}},
		"longest":            {[]string{long}, []string{long}},
		"longer than longer": {[]string{"a", long + "x"}, []string{"a"}},
	}
	for name, tt := range tests {
		for where, path := range map[string]string{"disk": filepath.Join(t.TempDir(), "new", "prompts"), "memory": ""} {
			t.Run(name+" on "+where, func(t *testing.T) {
				t.Parallel()
				h := open(t, path)
				add(t, h, tt.add...)
				if got := all(h); fmt.Sprint(got) != fmt.Sprint(tt.want) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
				if path == "" {
					return
				}
				if got := all(open(t, path)); fmt.Sprint(got) != fmt.Sprint(tt.want) {
					t.Errorf("opened again: got %q, want %q", got, tt.want)
				}
			})
		}
	}
}

func TestWalk(t *testing.T) {
	t.Parallel()
	h := open(t, "")
	add(t, h, "go test", "git log", "git diff", "ls", "git diff")
	type step struct{ do, want string }
	tests := map[string]struct {
		draft string
		steps []step
	}{
		"to the draft":      {"dra", []step{{"", "git diff"}, {"", "ls"}, {"newer", "git diff"}, {"newer", "dra"}, {"newer", "-"}}},
		"to the oldest":     {"", []step{{"", "git diff"}, {"", "ls"}, {"", "git diff"}, {"", "git log"}, {"", "go test"}, {"", "-"}, {"newer", "git log"}}},
		"prefix":            {"git", []step{{"git", "git diff"}, {"git", "git log"}, {"git", "-"}, {"newer", "git diff"}, {"newer", "git"}}},
		"no such prefix":    {"x", []step{{"x", "-"}, {"newer", "-"}}},
		"equal to the text": {"git diff", []step{{"", "ls"}, {"newer", "git diff"}}},
		"newer at first":    {"x", []step{{"newer", "-"}}},
	}
	for name, tt := range tests {
		h.Reset(tt.draft)
		for i, step := range tt.steps {
			text, found := "", false
			if step.do == "newer" {
				text, found = h.Newer()
			} else {
				text, found = h.Older(step.do)
			}
			if !found {
				text += "-"
			}
			if text != step.want {
				t.Errorf("%s, step %d: got %q, want %q", name, i, text, step.want)
			}
		}
	}
}

// A prompt that is added in the meantime does not move the walk.
func TestWalkAndAdd(t *testing.T) {
	t.Parallel()
	h := open(t, "")
	add(t, h, "one", "two")
	h.Reset("draft")
	h.Older("")
	add(t, h, "three")
	if text, _ := h.Older(""); text != "one" {
		t.Errorf("older: got %q", text)
	}
	h.Newer()
	if text, _ := h.Newer(); text != "draft" {
		t.Errorf("newer: got %q", text)
	}
	if text, _ := h.Older(""); text != "three" {
		t.Errorf("the next walk: got %q", text)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	h := open(t, "")
	add(t, h, "Fix the bug", "run tests", "fix the docs", "run tests again", "Fix the bug")
	tests := []struct {
		query string
		skip  int
		want  string
	}{
		{"fix", 0, "Fix the bug"},
		{"FIX", 1, "fix the docs"},
		{"fix", 2, ""},
		{"tests", 0, "run tests again"},
		{"tests", 1, "run tests"},
		{"none", 0, ""},
		{"", 0, "Fix the bug"},
	}
	for _, tt := range tests {
		text, found := h.Search(tt.query, tt.skip)
		if text != tt.want || found != (tt.want != "") {
			t.Errorf("%q, %d: got %q, %t, want %q", tt.query, tt.skip, text, found, tt.want)
		}
	}
}

func TestUnreadableLines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "prompts")
	lines := "{\"text\":\"one\"}\nnoise\n\n{\"text\":7}\n\x00\xff\n[]\n{\"other\":\"x\"}\n{\"text\":\"two\",\"more\":1}\n{\"text\":\"cu"
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	h := open(t, path)
	if got := all(h); fmt.Sprint(got) != "[two one]" {
		t.Errorf("got %q", got)
	}
	add(t, h, "three")
	if got := all(open(t, path)); fmt.Sprint(got) != "[three two one]" {
		t.Errorf("after another: got %q", got)
	}
}

// Two sessions of a project add prompts at the same time.
func TestTwoSessions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "prompts")
	const sessions, prompts = 4, 10
	var group sync.WaitGroup
	for s := range sessions {
		h := open(t, path)
		group.Go(func() {
			for p := range prompts {
				if err := h.Add(fmt.Sprintf("%d of %d", p, s)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := all(open(t, path)); len(got) != sessions*prompts {
		t.Errorf("%d of %d prompts are left", len(got), sessions*prompts)
	}
}

// FuzzOpen checks that no file causes a panic, and that a prompt can be added to any file.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("{\"text\":\"one\"}\n{\"text\":\"two\"}"), "three")
	f.Add([]byte("\x00\n[]\n{\"text\":1}\n{\"text\":\" \\ud800\"}"), "a\xff\n")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		path := filepath.Join(t.TempDir(), "prompts")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h := open(t, path)
		add(t, h, text)
		if got, want := all(open(t, path)), all(h); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("read again: got %q, want %q", got, want)
		}
	})
}
