package session

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

// TestFollow checks that a Follower returns each message once, whatever other records the journal has.
func TestFollow(t *testing.T) {
	t.Parallel()
	j, err := Create(t.TempDir(), Meta{Provider: "p", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	say := func(role llm.Role, text string) func() error {
		return func() error {
			return j.Append(llm.Message{Role: role, Content: text, Parts: []llm.Part{{Name: "a.png", Type: "image/png", Data: []byte(text)}}})
		}
	}
	f := Follow(j.Path())
	for i, step := range []struct {
		do   func() error
		want string
	}{
		{func() error { return nil }, ""},
		{say(llm.RoleUser, "one"), "one"},
		{func() error { return j.Tell(Fact{Turn: 1, Kind: FactTurn}) }, ""},
		{say(llm.RoleAssistant, "two"), "two"},
		{func() error { return j.Compact(llm.Message{Role: llm.RoleUser, Content: "summary"}, 1) }, ""},
		{func() error { return j.Rewind(1) }, ""},
		{say(llm.RoleUser, "three"), "three"},
		{func() error { return j.Close(End{Reason: ReasonDone}) }, ""},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		added, err := f.Next()
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		var texts []string
		for _, m := range added {
			texts = append(texts, m.Content)
			if len(m.Parts) > 0 {
				t.Errorf("step %d: the message has %d files", i, len(m.Parts))
			}
		}
		if got := strings.Join(texts, " "); got != step.want {
			t.Errorf("step %d: got %q, want %q", i, got, step.want)
		}
	}
	if _, err := Follow(j.Path() + "x").Next(); err == nil {
		t.Error("a journal that does not exist is followed")
	}
}
