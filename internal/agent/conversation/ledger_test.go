package conversation

import (
	"errors"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/sdk"
)

// TestBudget checks what counts against a token budget.
func TestBudget(t *testing.T) {
	t.Parallel()
	response := llm.Response{Usage: llm.Usage{Input: 6, Output: 4}}
	for name, row := range map[string]struct {
		spend func(*ledger)
		spent int
	}{
		"nothing":   {func(*ledger) {}, 0},
		"a turn":    {func(l *ledger) { l.answered(speaker{}, response, 0) }, 10},
		"a summary": {func(l *ledger) { l.charge(speaker{}, response, 0) }, 10},
		"a guess":   {func(l *ledger) { l.charge(speaker{}, llm.Response{}, 7) }, 7},
		"led":       {func(l *ledger) { (&ledger{lead: l}).answered(speaker{}, response, 0) }, 10},
		"earlier":   {func(l *ledger) { l.begin(time.Time{}, &sdk.Stats{TokensIn: 1, TokensOut: 1}, nil) }, 2},
		"forgotten": {func(l *ledger) { l.answered(speaker{}, response, 0); l.begin(time.Time{}, nil, nil) }, 0},
	} {
		var l ledger
		row.spend(&l)
		if l.spent != row.spent {
			t.Errorf("%s: %d are spent", name, l.spent)
		}
		if err := l.affordable(row.spent + 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := l.affordable(row.spent); row.spent > 0 && !errors.Is(err, ErrBudget) {
			t.Errorf("%s: got %v", name, err)
		}
		if err := l.affordable(-1); err != nil {
			t.Errorf("%s: without a limit: %v", name, err)
		}
	}
}

// TestGuessed checks when the tokens of a call are estimated.
func TestGuessed(t *testing.T) {
	t.Parallel()
	silent := llm.Response{Message: llm.Message{Content: "word"}}
	for name, row := range map[string]struct {
		limited  bool
		response llm.Response
		want     bool
	}{
		"no budget": {false, silent, false},
		"reported":  {true, llm.Response{Usage: llm.Usage{Input: 1}}, false},
		"silent":    {true, silent, true},
	} {
		asked := false
		got := guessed(row.limited, row.response, func() int { asked = true; return 40 })
		if asked != row.want || got > 40 != row.want {
			t.Errorf("%s: got %d", name, got)
		}
	}
}

// TestRecall checks what is counted of an earlier conversation, with and without its counts.
func TestRecall(t *testing.T) {
	t.Parallel()
	messages := []llm.Message{
		{Role: llm.RoleUser, Content: "go"},
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{
			{ID: "1", Name: "Write", Arguments: []byte(`{"path":"a"}`)}, {ID: "2", Name: "Read"}, {ID: "3", Name: "Read"},
		}},
		{Role: llm.RoleTool, ToolCallID: "1", Content: "ok"},
		{Role: llm.RoleTool, ToolCallID: "2", Content: errorMark + "no such file"},
		{Role: llm.RoleTool, ToolCallID: "3", Content: refusedMark + "denied"},
	}
	for name, counted := range map[string]*sdk.Stats{"derived": nil, "known": {Interactions: 8, ToolCalls: 9}} {
		var l ledger
		l.begin(time.Unix(1, 0), counted, nil)
		l.recall(messages, counted, "/w")
		got := l.view(time.Unix(2, 0))
		want := sdk.Stats{Interactions: 1, Turns: 1, Iterations: 1, ToolCalls: 2, ToolErrors: 1}
		if counted != nil {
			want = *counted
		}
		want.StartTime, want.Duration = time.Unix(1, 0), time.Second
		tops := len(got.stats.TopTools)
		got.stats.TopTools = nil
		if got.stats.Interactions != want.Interactions || got.stats.Turns != want.Turns || got.stats.ToolCalls != want.ToolCalls ||
			got.stats.ToolErrors != want.ToolErrors || got.stats.Duration != want.Duration {
			t.Errorf("%s: got %+v, want %+v", name, got.stats, want)
		}
		if tops != 2 || len(got.calls) != 3 || got.patches["a"] != 1 || got.calls[1].Error != "no such file" {
			t.Errorf("%s: %d tools, calls %+v, patches %v", name, tops, got.calls, got.patches)
		}
	}
}
