package session

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/limit"
)

// TestFacts checks that facts are read back, and that a session, a list and a resumed journal ignore them.
func TestFacts(t *testing.T) {
	t.Parallel()
	j := create(t)
	facts := []Fact{
		{At: at, Turn: 1, Kind: FactTurn},
		{At: at, Turn: 1, Kind: FactCall, Plugin: "p", Version: "v", Point: "BeforeChat", Outcome: "changed", Took: 5, Changes: []Change{{Field: "output", Before: "a", After: "b"}}},
		{At: at, Turn: 2, Kind: FactRefused, By: "policy", Name: "Bash", Error: "no"},
	}
	messages := conversation()
	for i, f := range facts {
		if err := errors.Join(j.Tell(f), j.Append(messages[i])); err != nil {
			t.Fatal(err)
		}
	}
	if s := load(t, j); len(s.Messages) != len(facts) || Summarize(j.Path()).Messages != len(facts) {
		t.Errorf("read back %+v", s)
	}
	if err := j.Close(End{Reason: ReasonDone}); err != nil || j.Tell(facts[0]) != nil {
		t.Errorf("got %v", err)
	}
	again, s, err := Reopen(j.Path())
	if err != nil || len(s.Messages) != len(facts) {
		t.Fatalf("got %+v, %v", s, err)
	}
	defer func() { _ = again.Close(End{}) }()
	if err := again.Tell(facts[2]); err != nil {
		t.Fatal(err)
	}
	meta, got, err := Facts(j.Path())
	if want := append(facts, facts[2]); err != nil || meta.ID != j.ID() || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	again.facts = limit.Facts
	if err := again.Tell(facts[0]); !errors.Is(err, ErrFull) {
		t.Errorf("got %v", err)
	}
	if err := again.Append(llm.Message{Role: llm.RoleUser, Content: "x"}); err != nil {
		t.Errorf("a message after the last fact: %v", err)
	}
}

// TestFactsDamaged checks what is read of files that are not whole journals.
func TestFactsDamaged(t *testing.T) {
	t.Parallel()
	fact := `{"fact":{"turn":1,"kind":"turn"}}` + "\n"
	for rule, tt := range map[string]struct {
		text  string
		facts int
		err   string
	}{
		"none, as in an old journal": {first + hello + last, 0, ""},
		"torn":                       {first + fact + fact[:9], 1, ""},
		"scrambled at the end":       {first + fact + fact[:9] + "\n", 1, ""},
		"scrambled in between":       {first + fact[:9] + "\n" + fact, 0, ":2: damaged record"},
		"no journal":                 {"hello\nyou\n", 0, ":1: damaged record"},
		"empty":                      {"", 0, "no complete first record"},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.jsonl")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, got, err := Facts(path)
			if tt.err == "" && (err != nil || len(got) != tt.facts) || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %+v, %v", got, err)
			}
			if s, err := Load(path); tt.err == "" && (err != nil || len(s.Messages) > 1) {
				t.Errorf("loaded %+v, %v", s, err)
			}
		})
	}
}
