package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/sdk"
)

func user(content string) llm.Message { return llm.Message{Role: llm.RoleUser, Content: content} }

func assistant(content string, wanted ...string) llm.Message {
	m, _ := calls(content, wanted...)(context.Background(), llm.Request{}, nil)
	m.Message.Role = llm.RoleAssistant
	return m.Message
}

func result(id, name, content string) llm.Message {
	return llm.Message{Role: llm.RoleTool, ToolCallID: id, ToolName: name, Content: content}
}

func TestRestoredHistory(t *testing.T) {
	t.Parallel()
	const late = "tool:Error: the call did not run: the session ended before"
	read := `Read {"path":"x"}`
	tests := []struct {
		name    string
		history []llm.Message
		sent    []string // before the next prompt
		saved   []string // by restoring the history
	}{
		{"none", nil, nil, nil},
		{"a whole session", []llm.Message{user("one"), assistant("ok")}, []string{"user:one", "assistant:ok"}, nil},
		{
			"with tools",
			[]llm.Message{user("one"), assistant("", read), result("id0", "Read", "r"), assistant("ok")},
			[]string{"user:one", "assistant:+Read", "tool:r", "assistant:ok"},
			nil,
		},
		{
			"killed before the tools ran",
			[]llm.Message{user("one"), assistant("", read, read)},
			[]string{"user:one", "assistant:+Read+Read", late, late},
			[]string{late, late},
		},
		{
			"killed between the tools",
			[]llm.Message{user("one"), assistant("", read, read), result("id0", "Read", "r")},
			[]string{"user:one", "assistant:+Read+Read", "tool:r", late},
			[]string{late},
		},
		{
			"killed before the answer",
			[]llm.Message{user("one")},
			[]string{"user:one"},
			nil,
		},
		{
			"a result that is missing in the middle",
			[]llm.Message{user("one"), assistant("", read), user("two"), assistant("ok")},
			[]string{"user:one", "assistant:+Read", late, "user:two", "assistant:ok"},
			nil,
		},
		{
			"a result without a call",
			[]llm.Message{user("one"), result("id0", "Read", "r"), assistant("ok")},
			[]string{"user:one", "assistant:ok"},
			nil,
		},
		{
			"a result that is there twice",
			[]llm.Message{assistant("", read), result("id0", "Read", "r"), result("id0", "Read", "s")},
			[]string{"assistant:+Read", "tool:r"},
			nil,
		},
		{
			"a system prompt is not history",
			[]llm.Message{{Role: llm.RoleSystem, Content: "old"}, user("one")},
			[]string{"user:one"},
			nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{system: "sys", change: func(cfg *conversation.Config) { cfg.History = tt.history }}, text("end"))
			same(t, "saved", lines(b.journal.messages), tt.saved)
			same(t, "messages", b.Context().MessageCount, len(tt.sent))
			b.send(t, "next")
			same(t, "request", b.sent(t, 1), append(append([]string{"system:sys"}, tt.sent...), "user:next"))

			replaced := start(t, options{}, text("end"))
			replaced.send(t, "forgotten")
			if err := replaced.SetHistory(tt.history); err != nil {
				t.Fatal(err)
			}
			same(t, "the same by SetHistory", lines(replaced.History()), tt.sent)
			same(t, "turns", len(replaced.Context().Turns), len(b.Context().Turns)-2)
		})
	}
}

func TestRestoredState(t *testing.T) {
	t.Parallel()
	history := []llm.Message{
		{Role: llm.RoleUser, Content: summaryHead + "minutes", Synthetic: true},
		user("one"),
		assistant("", `Write {"path":"a.go"}`, `TodoCreate {"items":[{"content":"x"}]}`, `Read {"path":"x"}`, `Nope {}`),
		result("id0", "Write", "written"), result("id1", "TodoCreate", "ok"), result("id2", "Read", "Error: no such file"),
		result("id3", "Nope", `Error: the call did not run: there is no tool "Nope"`),
		{Role: llm.RoleAssistant, Content: "hint", Synthetic: true},
		assistant("ok"), user("two"), assistant("ok"),
	}
	earlier := &sdk.Stats{
		StartTime: time.Unix(500, 0), Interactions: 7, Turns: 9, Iterations: 10, ToolCalls: 5, ToolErrors: 2, ParseRetries: 1, Compactions: 3,
		TokensIn: 100, TokensOut: 20, TopTools: []sdk.ToolCount{{Name: "Bash", Count: 5}},
	}
	known := *earlier
	known.Duration = 500 * time.Second
	for name, tt := range map[string]struct {
		stats *sdk.Stats
		want  sdk.Stats
	}{
		"counted from the messages": {nil, sdk.Stats{
			StartTime: time.Unix(1000, 0), Interactions: 2, Turns: 3, Iterations: 3, ToolCalls: 3, ToolErrors: 1,
			TopTools: []sdk.ToolCount{{Name: "Read", Count: 1}, {Name: "TodoCreate", Count: 1}, {Name: "Write", Count: 1}},
		}},
		"known": {earlier, known},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list todo.List
			b, _ := compacting(t, conversation.Compaction{KeepLast: 20}, options{change: func(cfg *conversation.Config) {
				cfg.History, cfg.Stats, cfg.Todos = history, tt.stats, &list
			}}, text("end"))
			state := b.Context()
			same(t, "stats", state.Stats, tt.want)
			same(t, "todos", state.TodoPending, 1)
			same(t, "patches", state.PatchCounts, map[string]int{"a.go": 1})
			same(t, "turns", len(state.Turns), 6)
			same(t, "calls", []string{state.ToolHistory[0].Result, state.ToolHistory[2].Error, state.ToolHistory[3].Name, state.ToolHistory[0].ArgsJSON},
				[]string{"written", "no such file", "Nope", `{"path":"a.go"}`})
			same(t, "events", len(b.events), 1)
			if err := b.Compact(t.Context(), true); err == nil {
				t.Error("all messages are kept, yet they were compacted")
			}
			b.send(t, "three")
			if got := b.Stats(); got.Interactions != tt.want.Interactions+1 || got.Turns != tt.want.Turns+1 || got.TokensIn != tt.want.TokensIn+10 {
				t.Errorf("going on: %+v", got)
			}
		})
	}
}

func TestRestoredSummaryIsKnownAsOne(t *testing.T) {
	t.Parallel()
	b, _ := compacting(t, conversation.Compaction{KeepLast: 1}, options{change: func(cfg *conversation.Config) {
		cfg.History = []llm.Message{{Role: llm.RoleUser, Content: summaryHead + "minutes", Synthetic: true}, assistant("ok")}
	}}, text("end"))
	if err := b.Compact(t.Context(), true); err == nil {
		t.Error("a summary alone was summarised")
	}
}

func TestRestoredIdentifiersAreTaken(t *testing.T) {
	t.Parallel()
	b := start(t, options{tools: []tool.Tool{echo("Read")}, change: func(cfg *conversation.Config) {
		cfg.History = []llm.Message{user("one"), assistant("", `Read {"path":"x"}`), result("id0", "Read", "r")}
	}}, calls("", `Read {"path":"y"}`), text("end"))
	b.send(t, "two")
	if id := b.journal.messages[1].ToolCalls[0].ID; id == "id0" {
		t.Error("an identifier is used twice")
	}
}

func TestRestoringFails(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	_, err := conversation.New(t.Context(), conversation.Config{
		Persona: conversation.Persona{Provider: provider{&model{}}}, Journal: &journal{err: full}, History: []llm.Message{assistant("", `Read {}`)},
	})
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func TestHistoryIsNotReplacedInMidTurn(t *testing.T) {
	t.Parallel()
	b := start(t, options{}, nil)
	var err error
	b.model.replies[0] = func(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
		err = b.SetHistory(nil)
		return text("ok")(ctx, req, delta)
	}
	b.send(t, "go")
	if err == nil || len(b.History()) != 2 {
		t.Errorf("got %v", err)
	}
}

// TestFromOtherGoroutines calls methods concurrently, for the race detector.
func TestFromOtherGoroutines(t *testing.T) {
	t.Parallel()
	var list todo.List
	b, _ := compacting(t, conversation.Compaction{MaxTokens: 200, KeepLast: 4}, options{
		tools: append(list.Tools(), echo("Read")), change: func(cfg *conversation.Config) { cfg.Todos = &list },
	}, calls("", `Read {"path":"x"}`, twoTodos), text("end"))
	registry, err := tool.NewRegistry(echo("Read"))
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				_ = b.Context().Turns
				_ = b.History()
				b.SetAuto(n%2 == i)
				b.SetDone(n%3 == i)
				b.SetTools(registry)
				_ = b.Persona()
			}
		})
	}
	for n := range 10 {
		if err := b.Send(t.Context(), fmt.Sprint("go ", n, long(30))); err != nil && !errors.Is(err, conversation.ErrStepLimit) {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	if b.Stats().Compactions == 0 || len(only[event.Done](b)) != 10 {
		t.Errorf("got %+v", b.Stats())
	}
}
