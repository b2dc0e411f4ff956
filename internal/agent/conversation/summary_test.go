package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/sdk"
)

func TestWhoSummarises(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		by     bool
		system string
		prompt string
		want   string // the model and the beginning of its prompt
	}{
		{"the current agent's model", false, "", "", "fake:You keep the minutes"},
		{"with a prompt of the user's", false, "", "brief minutes", "fake:brief minutes"},
		{"an agent of its own", true, "as minutes", "", "other:as minutes"},
		{"whose prompt is replaced", true, "as minutes", "brief minutes", "other:brief minutes"},
		{"that has no prompt", true, "", "", "other:You keep the minutes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			other := &dialogue{model: &model{Model: llm.Model{Name: "other"}}}
			settings := conversation.Compaction{KeepLast: 1, Prompt: tt.prompt}
			if tt.by {
				settings.By = &conversation.Persona{Agent: "scribe", Provider: other, System: tt.system}
			}
			b, d := compacting(t, settings, options{system: "sys"}, text("ok"))
			b.send(t, "one")
			if err := b.Compact(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			asked := slices.Concat(d.minutes, other.minutes)
			if len(asked) != 1 || !strings.HasPrefix(asked[0].Model+":"+asked[0].Messages[0].Content, tt.want) {
				t.Errorf("asked %+v", asked)
			}
			same(t, "the agent stays", b.Context().Agent, "tester")
		})
	}
}

// TestSummaryIsOfTransformedMessages checks that a summary is made from the messages that a model call would send.
func TestSummaryIsOfTransformedMessages(t *testing.T) {
	t.Parallel()
	hooks := transforms(func(m []sdk.Message) ([]sdk.Message, error) {
		for i := range m {
			m[i].Content = strings.ReplaceAll(m[i].Content, "secret", "***")
		}
		return slices.Insert(m, 1, sdk.Message{ID: "new", Role: "user", Content: "inserted"}), nil
	})
	b, d := compacting(t, conversation.Compaction{KeepLast: 1}, options{system: "sys", hooks: hooks}, text("ok"))
	b.send(t, "a secret")
	b.send(t, "last one")
	if err := b.Compact(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if len(d.minutes) != 1 {
		t.Fatalf("asked %+v", d.minutes)
	}
	same(t, "summarised", d.minutes[0].Messages[1].Content, "user: inserted\n\nuser: a ***\n\nassistant: ok\n\nuser: last one\n\n")
}

func TestLongHistoryIsSummarisedInParts(t *testing.T) {
	t.Parallel()
	b, d := compacting(t, conversation.Compaction{KeepLast: 1}, options{change: func(cfg *conversation.Config) { cfg.ContextLength = 300 }}, text("ok"))
	for i := range 4 {
		b.send(t, fmt.Sprintf("prompt%d %s", i, long(150)))
	}
	n := 0
	d.summarise = func(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
		n++
		return text(fmt.Sprint("minutes", n))(ctx, req, delta)
	}
	if err := b.Compact(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if len(d.minutes) != 4 || !strings.Contains(d.minutes[1].Messages[1].Content, "minutes1") || !strings.Contains(d.minutes[3].Messages[1].Content, "prompt3") {
		t.Errorf("%d parts", len(d.minutes))
	}
	same(t, "summary", b.History()[0].Content, summaryHead+"minutes4")
	same(t, "compactions", b.Stats().Compactions, 1)
}

func TestSummaryThatDoesNotFitIsTriedWithLess(t *testing.T) {
	t.Parallel()
	b, d := compacting(t, conversation.Compaction{KeepLast: 1}, options{tools: []tool.Tool{echo("Read")}},
		calls("", `Read {"path":"`+strings.Repeat("x", 9000)+`"}`), text("ok"))
	b.send(t, "one")
	d.summarise = func(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
		if len(req.Messages[1].Content) > 3000 {
			return fails("context_exhausted", "too long")(ctx, req, delta)
		}
		return text("minutes")(ctx, req, delta)
	}
	if err := b.Compact(t.Context(), true); err != nil || len(d.minutes) != 2 {
		t.Fatalf("%v after %d tries", err, len(d.minutes))
	}
	if got := d.minutes[1].Messages[1].Content; !strings.Contains(got, "bytes left out]") || !strings.Contains(got, "assistant calls Read with") {
		t.Errorf("shown %q", got)
	}
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	t.Run("of summaries", func(t *testing.T) {
		t.Parallel()
		b, d := compacting(t, conversation.Compaction{KeepLast: 1}, options{}, text("ok"))
		b.send(t, "one")
		if err := b.Compact(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if err := b.Compact(t.Context(), true); err == nil {
			t.Error("a summary alone was summarised")
		}
		b.send(t, "two")
		if err := b.Compact(t.Context(), true); err != nil || !strings.Contains(d.minutes[1].Messages[1].Content, summaryHead+"minutes") {
			t.Errorf("%v: shown %q", err, d.minutes[1].Messages[1].Content)
		}
		same(t, "messages", lines(b.History()), []string{"user:" + summaryHead + "minutes", "assistant:ok"})
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		b, d := compacting(t, conversation.Compaction{KeepLast: 1}, options{}, text("ok"))
		d.summarise = text(" \n")
		b.send(t, "one")
		if err := b.Compact(t.Context(), true); err == nil || len(b.History()) != 2 {
			t.Errorf("got %v", err)
		}
	})
	t.Run("with the todos", func(t *testing.T) {
		t.Parallel()
		var list todo.List
		b, _ := compacting(t, conversation.Compaction{KeepLast: 1}, options{change: func(cfg *conversation.Config) { cfg.Todos = &list }}, text("ok"))
		if err := list.Set([]todo.Item{{Content: "plan", Status: todo.Completed}, {Content: "build"}}); err != nil {
			t.Fatal(err)
		}
		b.send(t, "one")
		if err := b.Compact(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		same(t, "summary", b.History()[0].Content, summaryHead+"minutes\n\nTodos:\n1. [completed] plan\n2. [pending] build")
	})
	t.Run("interrupted", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		b, d := compacting(t, conversation.Compaction{MaxTokens: 1, KeepLast: 1}, options{}, text("ok"))
		b.send(t, "one")
		d.summarise = func(ctx context.Context, _ llm.Request, _ func(llm.Delta)) (llm.Response, error) {
			cancel()
			return llm.Response{}, ctx.Err()
		}
		if err := b.Send(ctx, "two"); !errors.Is(err, context.Canceled) || len(b.model.requests) != 1 || len(only[event.Compaction](b)) != 0 {
			t.Errorf("got %v, %d requests", err, len(b.model.requests))
		}
		same(t, "history", lines(b.History()), []string{"user:one", "assistant:ok", "user:two"})
	})
	t.Run("not saved", func(t *testing.T) {
		t.Parallel()
		b, _ := compacting(t, conversation.Compaction{KeepLast: 1}, options{}, text("ok"))
		b.send(t, "one")
		b.journal.err = errors.New("disk full")
		if err := b.Compact(t.Context(), true); !errors.Is(err, b.journal.err) {
			t.Errorf("got %v", err)
		}
	})
}
