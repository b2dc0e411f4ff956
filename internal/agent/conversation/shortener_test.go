package conversation

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

// TestFull checks when the history has to be compacted, without a conversation.
func TestFull(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		settings Compaction
		window   int
		from     int
		want     bool
	}{
		"not configured":       {Compaction{KeepLast: 1}, 100, 0, false},
		"below the limit":      {Compaction{KeepLast: 1, MaxTokens: 100_000}, 100, 0, false},
		"above the limit":      {Compaction{KeepLast: 1, MaxTokens: 50}, 0, 0, true},
		"share of the window":  {Compaction{KeepLast: 1, Threshold: 50}, 200, 0, true},
		"small share":          {Compaction{KeepLast: 1, Threshold: 50}, 100_000, 0, false},
		"unknown window":       {Compaction{KeepLast: 1, Threshold: 50}, 0, 0, false},
		"did not help before":  {Compaction{KeepLast: 1, MaxTokens: 50}, 0, 100_000, false},
		"all messages kept":    {Compaction{KeepLast: 5, MaxTokens: 50}, 0, 0, false},
		"none kept, one to do": {Compaction{KeepLast: -1, MaxTokens: 50}, 0, 0, true},
	} {
		who := &personas{who: speaker{Persona: Persona{ContextLength: row.window, Compaction: &row.settings}}}
		tr := newTestTranscript(unsaved{})
		for range 2 {
			tr.record(said(llm.RoleUser, strings.Repeat("some words ", 100)))
		}
		s := shortener{
			personas: who, transcript: tr, from: row.from,
			window: &window{personas: who, transcript: tr, offer: &offer{}, turn: &turn{}, ledger: &ledger{}},
		}
		if got := s.full(); got != row.want {
			t.Errorf("%s: got %t at %+v", name, got, s.window.tokens())
		}
		s.reset()
		if name == "did not help before" && !s.full() {
			t.Error("a reset does not permit the next compaction")
		}
	}
}

// TestWindow checks that the estimate consists of the parts of the composition, and that bytes bound it.
func TestWindow(t *testing.T) {
	t.Parallel()
	o, tr, now := newOffer(t), newTestTranscript(unsaved{}), &turn{}
	w := window{
		personas:   &personas{who: speaker{Persona: Persona{System: "be brief", ContextLength: 1000}}},
		transcript: tr, offer: o, turn: now, ledger: &ledger{},
	}
	if got := w.system(); got != "be brief" {
		t.Errorf("the system prompt is %q", got)
	}
	now.appendSystem("and kind")
	tr.record(said(llm.RoleUser, "some words"))
	tr.record(said(llm.RoleAssistant, "other words"))
	if got := w.system(); got != "be brief\n\nand kind" {
		t.Errorf("the system prompt is %q", got)
	}
	state, c := w.tokens(), w.composition()
	if sum := c.System + c.Tools + c.Prompts + c.Answers + c.Results + c.Added; sum != state.Estimate || c.Tools == 0 || c.Prompts == 0 || c.Answers == 0 {
		t.Errorf("%+v adds up to %d, and the estimate is %d", c, sum, state.Estimate)
	}
	if bound := w.bound(); bound.Estimate < state.Estimate || bound.Max != state.Max || state.Max != 1000 {
		t.Errorf("%+v does not bound %+v", bound, state)
	}
	if got := w.counted(3); len(got) != 3 || got[0] != c.System || got[1] != c.Prompts || got[2] != c.Answers {
		t.Errorf("counted %v", got)
	}
}
