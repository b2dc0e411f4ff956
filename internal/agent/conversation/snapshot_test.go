package conversation_test

import (
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/tokens"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

func startWith(t *testing.T, m *model) *conversation.Conversation {
	t.Helper()
	c, err := conversation.New(t.Context(), conversation.Config{Persona: conversation.Persona{Provider: provider{m}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	var seen []sdk.Context
	b := start(t, options{system: "12345678", hooks: both(
		when(hookpoint.BeforeChat, func(c sdk.BeforeChatContext) (any, error) {
			seen = append(seen, c.Context)
			return sdk.Result{Request: &sdk.RequestModification{AppendSystem: new("more")}}, nil
		}),
		when(hookpoint.AfterResponse, func(c sdk.AfterResponseContext) (any, error) { seen = append(seen, c.Context); return nil, nil }),
	), tools: []tool.Tool{echo("Read")}}, calls("look", `Read {"path":"x"}`), text("end"))
	b.send(t, "a prompt")

	first := seen[0]
	estimate := tokens.Estimate("12345678") + tokens.Estimate("a prompt") + tokens.Estimate("Read\ndoes Read\n"+pathSchema)
	same(t, "first", first, sdk.Context{
		Iteration: 1,
		Tokens:    sdk.TokenState{Estimate: estimate, Max: 1000, Percent: float64(estimate) / 10},
		Agent:     "tester",
		ModelInfo: sdk.ModelInfo{Name: "fake", Family: "f", ParameterCount: 7, ContextLength: 1000, Capabilities: []string{"tools"}},
		Stats:     sdk.Stats{StartTime: time.Unix(1000, 0), Interactions: 1, Iterations: 1},
		Workdir:   "somewhere", MessageCount: 1, MaxSteps: 50, PatchCounts: map[string]int{}, SessionID: "s1", Provider: "fakes", ThinkMode: "off",
		AvailableTools: []string{"Read"}, Turns: []sdk.Turn{{Role: "user", Content: "a prompt"}}, SystemPrompt: "12345678",
		Vars: map[string]string{"k": "v"},
	})

	response := seen[1]
	same(t, "system prompt as sent", response.SystemPrompt, "12345678\n\nmore")
	if !response.HasToolCalls || response.Stats.Turns != 1 || response.MessageCount != 1 {
		t.Errorf("after the response: %+v", response)
	}

	second := seen[2]
	same(t, "system prompt before it is added to", second.SystemPrompt, "12345678")
	same(t, "history", second.ToolHistory, []sdk.ToolCall{{Name: "Read", Args: map[string]any{"path": "x"}, ArgsJSON: `{"path":"x"}`, Result: "Read:x"}})
	same(t, "turns", second.Turns, []sdk.Turn{{Role: "user", Content: "a prompt"}, {Role: "assistant", Content: "look"}})
	if second.Iteration != 2 || second.MessageCount != 3 || second.Stats.Turns != 1 || second.Stats.Iterations != 2 {
		t.Errorf("second turn: %+v", second)
	}

	b.send(t, "b")
	if again := seen[4]; again.Iteration != 1 || again.Stats.Iterations != 3 || again.Stats.Interactions != 2 || again.Tokens.LastAPI != 10 {
		t.Errorf("second interaction: %+v", again)
	}
	stats := b.Stats()
	if stats.TokensIn != 20 || stats.TokensOut != 4 || stats.Turns != 3 || stats.ToolCalls != 1 {
		t.Errorf("got %+v", stats)
	}
	dones := only[event.Done](b)
	same(t, "done", dones[len(dones)-1], event.Finished(stats, b.Models()))
}

func TestTopTools(t *testing.T) {
	t.Parallel()
	b := start(t, options{tools: []tool.Tool{echo("A"), echo("B"), echo("C")}},
		calls("", `C {"path":"x"}`, `B {"path":"x"}`, `C {"path":"x"}`, `A {"path":"x"}`), text("end"))
	b.send(t, "go")
	same(t, "top", b.Stats().TopTools, []sdk.ToolCount{{Name: "C", Count: 2}, {Name: "A", Count: 1}, {Name: "B", Count: 1}})
}

// TestSnapshotsShareTheirPast checks that a hook call does not copy the history, and that a snapshot never changes.
func TestSnapshotsShareTheirPast(t *testing.T) {
	t.Parallel()
	b := start(t, options{tools: []tool.Tool{echo("Read")}}, calls("", `Read {"path":"x"}`), text("end"))
	for range 5 {
		b.send(t, "go")
	}
	one := b.Context()
	two := b.Context()
	if unsafe.SliceData(one.ToolHistory) != unsafe.SliceData(two.ToolHistory) || unsafe.SliceData(one.Turns) != unsafe.SliceData(two.Turns) {
		t.Error("snapshots do not share their past")
	}
	if cap(one.ToolHistory) != len(one.ToolHistory) || cap(one.Turns) != len(one.Turns) {
		t.Error("a snapshot can be appended to in place")
	}
	calls, turns := len(one.ToolHistory), len(one.Turns)
	b.send(t, "more")
	later := b.Context()
	same(t, "calls so far", later.ToolHistory[:calls], one.ToolHistory)
	same(t, "turns so far", later.Turns[:turns], one.Turns)
	if len(later.Turns) != turns+2 {
		t.Errorf("%d turns", len(later.Turns))
	}
}

func TestTurnsHoldWhatStays(t *testing.T) {
	t.Parallel()
	b := start(t, options{hooks: both(
		on(hookpoint.BeforeChat, sdk.Result{Message: "gone", Eject: true}),
		hooks{hookpoint.BeforeChat: {{"q", func(any) (any, error) { return message("stays"), nil }}}},
		on(hookpoint.AfterResponse, sdk.Result{Response: &sdk.ResponseModification{Content: new("clean")}}),
	)}, text("secret"))
	b.send(t, "go")
	same(t, "turns", b.Context().Turns, []sdk.Turn{{Role: "user", Content: "go"}, {Role: "user", Content: "stays"}, {Role: "assistant", Content: "clean"}})
	want := tokens.Estimate("go") + tokens.Estimate("stays") + tokens.Estimate("clean")
	if got := b.Context().Tokens.Estimate; got != want {
		t.Errorf("an ejected message still counts: %d tokens, want %d", got, want)
	}
}

func TestSnapshotFromAnotherGoroutine(t *testing.T) {
	t.Parallel()
	b := start(t, options{tools: []tool.Tool{echo("Read")}}, calls("", `Read {"path":"x"}`, `Read {"path":"y"}`), text("end"))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = len(b.Context().ToolHistory) + b.Stats().Turns
			}
		}
	})
	for range 20 {
		b.send(t, "go")
	}
	close(stop)
	wg.Wait()
}

// TestPercent checks that a request that does not fit into the window fills 100 percent of it.
func TestPercent(t *testing.T) {
	t.Parallel()
	b := start(t, options{}, text("ok"))
	b.send(t, long(500))
	if now := b.Context().Tokens; now.Percent <= 0 || now.Percent >= 100 || now.Percent != float64(now.Estimate)/10 {
		t.Errorf("got %+v", now)
	}
	b.send(t, long(2000))
	if now := b.Context().Tokens; now.Percent != 100 || now.Estimate <= 2*now.Max {
		t.Errorf("got %+v", now)
	}
}
