package session

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
)

// TestIndexFollows appends a journal record by record and checks that an index that follows it knows what reading the whole journal knows.
func TestIndexFollows(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Round(0)
	file := llm.Part{Name: "a.png", Type: "image/png", Data: []byte("bytes")}
	steps := []func(*Journal) error{
		func(j *Journal) error {
			return j.Append(llm.Message{Role: llm.RoleUser, Content: "hello", CreatedAt: now})
		},
		func(j *Journal) error { return j.Tell(Fact{At: now, Turn: 1, Kind: FactTurn}) },
		func(j *Journal) error { return j.Tell(Fact{At: now, Turn: 1, Kind: FactCall, Plugin: "a"}) },
		func(j *Journal) error {
			return j.Append(llm.Message{Role: llm.RoleUser, Content: "with a file", CreatedAt: now.Add(time.Second), Parts: []llm.Part{file}})
		},
		func(j *Journal) error { return j.Append(llm.Message{Role: llm.RoleAssistant, Content: "answer"}) },
		func(j *Journal) error {
			return j.Compact(llm.Message{Role: llm.RoleUser, Content: "summary", Synthetic: true}, 1)
		},
		func(j *Journal) error { return j.Append(llm.Message{Role: llm.RoleUser, Content: "more"}) },
		func(j *Journal) error { return j.Rewind(1) },
		func(j *Journal) error { return j.Note(State{Title: "named", Agent: "b"}) },
		func(j *Journal) error { return j.Tell(Fact{At: now.Add(time.Minute), Turn: 2, Kind: FactTurn}) },
		func(j *Journal) error { return j.Append(llm.Message{Role: llm.RoleUser, Content: "last"}) },
		func(j *Journal) error { return j.Close(End{Reason: ReasonDone}) },
	}
	j, err := Create(t.TempDir(), Meta{Provider: "p", Model: "m", Agent: "a"})
	if err != nil {
		t.Fatal(err)
	}
	x := NewIndex(j.Path())
	for i, step := range steps {
		if err := step(j); err != nil {
			t.Fatal(err)
		}
		if changed, err := x.Update(); err != nil || !changed {
			t.Fatalf("step %d: changed %v, %v", i, changed, err)
		}
		sameAsWhole(t, i, x, j.Path())
	}
	if changed, err := x.Update(); err != nil || changed {
		t.Errorf("nothing was added: changed %v, %v", changed, err)
	}
	if first, last := x.Turns(); first != 1 || last != 2 {
		t.Errorf("turns %d to %d", first, last)
	}
	if got := x.TurnOf(now.Add(time.Second)); got != 1 {
		t.Errorf("turn %d", got)
	}
	facts, left, err := x.Facts(1, 1)
	if err != nil || left != 0 || len(facts) != 2 || facts[1].Plugin != "a" {
		t.Errorf("facts %+v, %d, %v", facts, left, err)
	}
	facts, left, err = x.Last(FactTurn)
	if err != nil || left != 0 || len(facts) != 2 || facts[1].Turn != 2 {
		t.Errorf("last facts of a kind %+v, %d, %v", facts, left, err)
	}
}

// sameAsWhole compares an index with the whole journal.
func sameAsWhole(t *testing.T, step int, x *Index, path string) {
	t.Helper()
	whole, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole.Messages {
		for k := range whole.Messages[i].Parts {
			whole.Messages[i].Parts[k].Data = nil
		}
	}
	got, err := x.Messages(0, x.Len())
	if err != nil || len(got) != len(whole.Messages) || len(got) > 0 && !reflect.DeepEqual(got, whole.Messages) {
		t.Errorf("step %d: %+v, %v, want %+v", step, got, err, whole.Messages)
	}
	if got, want := x.Summary(), Summarize(path); !reflect.DeepEqual(got, want) {
		t.Errorf("step %d: %+v, want %+v", step, got, want)
	}
}

// TestIndexOfDamagedJournal checks an incomplete record, a journal that gets shorter, one that is replaced and one that is damaged.
func TestIndexOfDamagedJournal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x := NewIndex(path)
	rows := []struct {
		name, text string
		messages   int
		torn       bool
		err        string
	}{
		{"incomplete", first + hello + hello[:20], 1, true, ""},
		{"completed", first + hello + hello, 2, false, ""},
		{"shorter", first + hello, 1, false, ""},
		{"damaged", first + hello + "{}\n" + hello + hello, 0, false, ":3: a record of an unknown kind"},
		{"repaired", first + hello + hello, 2, false, ""},
		{"empty", "", 0, false, "no complete first record"},
	}
	for _, row := range rows {
		write(row.text)
		_, err := x.Update()
		if row.err != "" {
			if err == nil || !strings.Contains(err.Error(), row.err) || x.Summary().Err != Summarize(path).Err {
				t.Errorf("%s: %v, %q, want %q", row.name, err, x.Summary().Err, Summarize(path).Err)
			}
			continue
		}
		if err != nil || x.Len() != row.messages || x.scan.s.Torn != row.torn {
			t.Errorf("%s: %d messages, torn %v, %v", row.name, x.Len(), x.scan.s.Torn, err)
		}
	}
}

// TestCatalog checks that a catalog lists what List lists, while sessions come, change and go.
func TestCatalog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var c Catalog
	check := func(what string) {
		t.Helper()
		got, err := c.List(dir)
		want, wanted := List(dir)
		if err != nil || wanted != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v, %v", what, got, err, want, wanted)
		}
	}
	check("nothing")
	j, err := Create(dir, Meta{Provider: "p"})
	if err != nil {
		t.Fatal(err)
	}
	check("a new session")
	if err := j.Append(llm.Message{Role: llm.RoleUser, Content: "hello"}); err != nil {
		t.Fatal(err)
	}
	check("a message")
	if err := os.WriteFile(filepath.Join(dir, "b.jsonl"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("a damaged journal")
	if err := j.Close(End{Reason: ReasonDone}); err != nil {
		t.Fatal(err)
	}
	if err := Remove(j.Path()); err != nil {
		t.Fatal(err)
	}
	check("a session less")
	if len(c.known) != 1 {
		t.Errorf("%d journals are known", len(c.known))
	}
}
