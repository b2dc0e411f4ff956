package conversation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

const summaryHead = "[Summary of the conversation up to here; the messages themselves are gone]\n\n"

// dialogue is a provider that answers prompts with "ok" and requests for a summary with "minutes". It records the latter
// separately.
type dialogue struct {
	*model
	minutes []llm.Request
	// summarise, if not nil, replaces "minutes".
	summarise reply
}

func (d *dialogue) Model(ctx context.Context, name string) (llm.Model, error) {
	return d.describe(ctx, name)
}

func (d *dialogue) Chat(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
	if len(req.Messages) != 2 || req.Messages[0].Role != llm.RoleSystem || len(req.Tools) > 0 || !strings.Contains(req.Messages[0].Content, "minutes") {
		return d.model.Chat(ctx, req, delta)
	}
	d.minutes = append(d.minutes, req)
	if d.summarise != nil {
		return d.summarise(ctx, req, delta)
	}
	return text("minutes")(ctx, req, delta)
}

// compacting starts a bench with the given compaction settings.
func compacting(t *testing.T, settings conversation.Compaction, o options, replies ...reply) (*bench, *dialogue) {
	t.Helper()
	d := &dialogue{}
	change := o.change
	o.change = func(cfg *conversation.Config) {
		d.model = cfg.Provider.(provider).model
		cfg.Provider, cfg.Compaction = d, &settings
		if change != nil {
			change(cfg)
		}
	}
	return start(t, o, replies...), d
}

// long returns a text of n tokens.
func long(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }

func TestCompactionTrigger(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		settings conversation.Compaction
		window   int
		want     int
	}{
		{"off", conversation.Compaction{KeepLast: 2}, 0, 0},
		{"below the threshold", conversation.Compaction{Threshold: 80, KeepLast: 2}, 0, 0},
		{"at the threshold", conversation.Compaction{Threshold: 60, KeepLast: 2}, 0, 1},
		{"the agent's context counts", conversation.Compaction{Threshold: 80, KeepLast: 2}, 700, 1},
		{"an absolute number takes precedence", conversation.Compaction{Threshold: 60, MaxTokens: 900, KeepLast: 2}, 0, 0},
		{"an absolute number", conversation.Compaction{MaxTokens: 600, KeepLast: 2}, 0, 1},
		{"all messages are kept", conversation.Compaction{Threshold: 60}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, d := compacting(t, tt.settings, options{change: func(cfg *conversation.Config) { cfg.ContextLength = tt.window }}, text("ok"))
			for range 3 {
				b.send(t, long(200))
			}
			if got := b.Stats().Compactions; got != tt.want || len(d.minutes) != tt.want || len(only[event.Compaction](b)) != tt.want {
				t.Errorf("%d compactions, %d calls, events %+v", got, len(d.minutes), only[event.Compaction](b))
			}
			if got := b.Context().Features.CompactionEnabled; got != (tt.settings.Threshold > 0 || tt.settings.MaxTokens > 0) {
				t.Errorf("enabled: %v", got)
			}
		})
	}
}

// TestCompactionKeepsThePrompt uses settings that keep no message at all.
func TestCompactionKeepsThePrompt(t *testing.T) {
	t.Parallel()
	b, _ := compacting(t, conversation.Compaction{MaxTokens: 1, KeepLast: -1}, options{}, text("ok"))
	b.send(t, "first")
	same(t, "first request", b.sent(t, 1), []string{"user:first"})
	b.send(t, "second")
	same(t, "second request", b.sent(t, 2), []string{"user:" + summaryHead + "minutes", "user:second"})
}

func TestCompaction(t *testing.T) {
	t.Parallel()
	var before []sdk.BeforeCompactionContext
	var after []sdk.AfterCompactionContext
	var early sdk.Context
	b, d := compacting(t, conversation.Compaction{Threshold: 60, KeepLast: 2}, options{system: "sys", hooks: both(
		when(hookpoint.BeforeCompaction, func(c sdk.BeforeCompactionContext) (any, error) { before = append(before, c); return nil, nil }),
		when(hookpoint.AfterCompaction, func(c sdk.AfterCompactionContext) (any, error) {
			after = append(after, c)
			return sdk.Result{Notice: "seen", Message: "ignored", DisableTools: []string{"*"}}, nil
		}),
	), tools: []tool.Tool{echo("Read")}}, text("ok"))
	b.send(t, "first "+long(300))
	b.send(t, "second "+long(250))
	early = b.Context()
	third := "third " + long(50)
	b.send(t, third)

	same(t, "request", b.sent(t, 3), []string{"system:sys", "user:" + summaryHead + "minutes", "assistant:ok", "user:" + third})
	same(t, "offered", b.offered(3), "Read")
	same(t, "minutes", strings.Contains(d.minutes[0].Messages[1].Content, "user: first word"), true)
	same(t, "minutes end with the last message that goes", strings.Contains(d.minutes[0].Messages[1].Content, "third"), false)
	same(t, "summary is synthetic", b.model.requests[2].Messages[1].Synthetic, true)
	same(t, "journal", b.journal.compacted, []string{"2:" + summaryHead + "minutes"})
	same(t, "appended", len(b.journal.messages), 6)

	if len(before) != 1 || len(after) != 1 {
		t.Fatalf("asked %d times before, %d after", len(before), len(after))
	}
	in := before[0]
	if in.Forced || in.MessageCount != 5 || in.KeepLast != 2 || in.TokensUsed != in.Tokens.Estimate || in.ContextPercent != in.Tokens.Percent || in.ContextPercent < 60 {
		t.Errorf("before: %+v", in)
	}
	length := len("minutes") // without the head, which is not part of the summary
	if out := after[0]; !out.Success || out.PreMessages != 5 || out.PostMessages != 3 || out.SummaryLength != length || out.Stats.Compactions != 1 || out.MessageCount != 3 {
		t.Errorf("after: %+v", out)
	}
	told := only[event.Compaction](b)[0]
	if told.Trigger != event.TriggerThreshold || !told.Success || told.PreMessages != 5 || told.PostMessages != 3 ||
		told.TokensBefore != in.TokensUsed || told.TokensAfter >= told.TokensBefore || told.SummaryLength != length {
		t.Errorf("told %+v", told)
	}
	same(t, "notices", only[event.Notice](b), []event.Notice{{Plugin: "p", Text: "seen"}})
	same(t, "turns", b.Context().Turns, []sdk.Turn{
		{Role: "user", Content: summaryHead + "minutes"}, {Role: "assistant", Content: "ok"}, {Role: "user", Content: third}, {Role: "assistant", Content: "ok"},
	})
	same(t, "an earlier snapshot", []int{len(early.Turns), strings.Index(early.Turns[0].Content, "first")}, []int{4, 0})
	if stats := b.Stats(); stats.Turns != 3 || stats.Iterations != 3 || stats.TokensIn != 40 || stats.TokensOut != 8 || b.Context().Tokens.LastAPI != 10 {
		t.Errorf("the summary's tokens count, but it is no turn: %+v", stats)
	}
	same(t, "nothing of the summary is streamed", len(only[event.Delta](b)), 3)
	same(t, "requests", only[event.Request](b)[2], event.Request{Number: 3, Iteration: 1, Messages: 2})
}

// TestNoCallIsPartedFromItsResults compacts with every number of messages to keep.
func TestNoCallIsPartedFromItsResults(t *testing.T) {
	t.Parallel()
	for keep := -1; keep < 10; keep++ {
		t.Run(fmt.Sprint(keep), func(t *testing.T) {
			t.Parallel()
			b, _ := compacting(t, conversation.Compaction{KeepLast: keep}, options{tools: []tool.Tool{echo("Read")}},
				calls("look", `Read {"path":"a"}`, `Read {"path":"b"}`), calls("again", `Read {"path":"c"}`), text("ok"))
			b.send(t, "one")
			err := b.Compact(t.Context(), true)
			b.send(t, "two")
			messages := b.model.requests[len(b.model.requests)-1].Messages
			asked := map[string]bool{}
			for _, m := range messages {
				for _, call := range m.ToolCalls {
					asked[call.ID] = true
				}
				if m.Role == llm.RoleTool && !asked[m.ToolCallID] {
					t.Errorf("the result of %s has no call: %v", m.ToolCallID, lines(messages))
				}
				delete(asked, m.ToolCallID)
			}
			if len(asked) > 0 {
				t.Errorf("calls without results: %v", asked)
			}
			// The history is user, assistant with two results, assistant with one, assistant.
			kept := map[int]int{-1: 0, 0: 7, 1: 1, 2: 3, 3: 3, 4: 6, 5: 6, 6: 6}
			want, ok := kept[keep]
			if !ok {
				want = 7
			}
			if nothing := want == 7; nothing != (err != nil) {
				t.Errorf("got %v", err)
			}
			if want < 7 {
				want++
			}
			if got := len(messages) - 1; got != want {
				t.Errorf("%d messages are left, want %d: %v", got, want, lines(messages))
			}
		})
	}
}

func TestBeforeCompaction(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		result  sdk.Result
		sent    []string
		offered string
		done    int
	}{
		{"nothing", sdk.Result{}, []string{"user:S", "assistant:ok", "user:two"}, "Read", 1},
		{"skip", sdk.Result{Compaction: &sdk.CompactionModification{Skip: true}}, []string{"user:one", "assistant:ok", "user:two"}, "Read", 0},
		{"message", message("note"), []string{"user:S", "user:two", "user:note"}, "Read", 1},
		{
			"skip with a message",
			sdk.Result{Message: "mine", Eject: true, Compaction: &sdk.CompactionModification{Skip: true}},
			[]string{"user:one", "assistant:ok", "user:two", "assistant:mine"},
			"Read", 0,
		},
		{"notice", sdk.Result{Notice: "look"}, []string{"user:S", "assistant:ok", "user:two"}, "Read", 1},
		{"tools withheld from the next call", sdk.Result{DisableTools: []string{"*"}}, []string{"user:S", "assistant:ok", "user:two"}, "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, d := compacting(t, conversation.Compaction{MaxTokens: 30, KeepLast: 2}, options{
				hooks: on(hookpoint.BeforeCompaction, tt.result), tools: []tool.Tool{echo("Read")},
			}, text("ok"))
			b.send(t, "one")
			b.send(t, "two")
			got := b.sent(t, 2)
			for i := range got {
				got[i] = strings.Replace(got[i], summaryHead+"minutes", "S", 1)
			}
			same(t, "request", got, tt.sent)
			same(t, "offered", b.offered(2), tt.offered)
			same(t, "compactions", []int{b.Stats().Compactions, len(d.minutes)}, []int{tt.done, tt.done})
		})
	}
}

func TestForcedCompaction(t *testing.T) {
	t.Parallel()
	t.Run("does not ask for the threshold", func(t *testing.T) {
		t.Parallel()
		var forced []bool
		b, _ := compacting(t, conversation.Compaction{Threshold: 99, KeepLast: 1}, options{
			hooks: when(hookpoint.BeforeCompaction, func(c sdk.BeforeCompactionContext) (any, error) {
				forced = append(forced, c.Forced)
				return nil, nil
			}),
		}, text("ok"))
		b.send(t, "one")
		if err := b.Compact(t.Context(), false); err != nil || b.Stats().Compactions != 0 {
			t.Errorf("not forced: %v, %d compactions", err, b.Stats().Compactions)
		}
		if err := b.Compact(t.Context(), true); err != nil || b.Stats().Compactions != 1 || b.Context().MessageCount != 2 {
			t.Errorf("forced: %v, %+v", err, b.Context())
		}
		same(t, "forced", forced, []bool{true})
		same(t, "trigger", only[event.Compaction](b)[0].Trigger, event.TriggerForced)
	})
	t.Run("nothing to compact", func(t *testing.T) {
		t.Parallel()
		var success []bool
		b, d := compacting(t, conversation.Compaction{}, options{hooks: when(hookpoint.AfterCompaction, func(c sdk.AfterCompactionContext) (any, error) {
			success = append(success, c.Success)
			return nil, nil
		})}, text("ok"))
		b.send(t, "one")
		if err := b.Compact(t.Context(), true); err == nil || !strings.Contains(err.Error(), "nothing to compact") {
			t.Errorf("got %v", err)
		}
		same(t, "success", success, []bool{false})
		same(t, "calls", len(d.minutes), 0)
		if told := only[event.Compaction](b); len(told) != 1 || told[0].Success || told[0].Error == "" || told[0].PreMessages != told[0].PostMessages {
			t.Errorf("told %+v", told)
		}
	})
	t.Run("a plugin manages the history", func(t *testing.T) {
		t.Parallel()
		b, _ := compacting(t, conversation.Compaction{KeepLast: 1}, options{
			hooks: on(hookpoint.BeforeCompaction, sdk.Result{Compaction: &sdk.CompactionModification{Skip: true}}),
		}, text("ok"))
		b.send(t, "one")
		if err := b.Compact(t.Context(), true); err != nil || b.Stats().Compactions != 0 || len(only[event.Notice](b)) != 1 {
			t.Errorf("got %v, %v", err, only[event.Notice](b))
		}
	})
	t.Run("not while a prompt is answered", func(t *testing.T) {
		t.Parallel()
		b, _ := compacting(t, conversation.Compaction{KeepLast: 1}, options{}, nil)
		var err error
		b.model.replies[0] = func(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
			err = b.Compact(ctx, true)
			return text("ok")(ctx, req, delta)
		}
		b.send(t, "one")
		if err == nil {
			t.Error("the history was compacted in mid-turn")
		}
	})
}

func TestFailedCompaction(t *testing.T) {
	t.Parallel()
	b, d := compacting(t, conversation.Compaction{MaxTokens: 100, KeepLast: 1}, options{}, text("ok"))
	d.summarise = fails("server", "no")
	for range 4 {
		b.send(t, long(60))
	}
	same(t, "the session goes on", len(b.model.requests), 4)
	same(t, "whole", len(b.sent(t, 4)), 7)
	told := only[event.Compaction](b)
	if len(d.minutes) != len(told) || len(told) != 3 || told[0].Success || !strings.Contains(told[0].Error, "server: no") {
		t.Errorf("%d tries, told %+v", len(d.minutes), told)
	}
	if b.Stats().Compactions != 0 || len(b.journal.compacted) != 0 {
		t.Errorf("counted: %+v", b.Stats())
	}
}

// TestUselessCompactionIsNotRepeated keeps a message that alone is too long, so that every compaction would be useless.
func TestUselessCompactionIsNotRepeated(t *testing.T) {
	t.Parallel()
	b, d := compacting(t, conversation.Compaction{MaxTokens: 100, KeepLast: 4}, options{tools: []tool.Tool{echo("Read")}},
		text("ok"), text("ok"), calls("", `Read {"path":"`+long(200)+`"}`), calls("", `Read {"path":"x"}`), text("ok"))
	b.send(t, "one")
	b.send(t, "two")
	b.send(t, "three")
	if len(b.model.requests) != 5 || len(d.minutes) != 1 {
		t.Errorf("%d requests, %d tries", len(b.model.requests), len(d.minutes))
	}
}

func TestMessagesToBeSentOnceAreNotSummarised(t *testing.T) {
	t.Parallel()
	note := func(name string) plugin {
		return plugin{name, func(any) (any, error) {
			return sdk.Result{Message: name, Role: sdk.RoleUser, Eject: true, Error: &sdk.ErrorModification{Skip: true}}, nil
		}}
	}
	b, d := compacting(t, conversation.Compaction{MaxTokens: 10, KeepLast: 1}, options{
		hooks: hooks{hookpoint.OnError: {note("a"), note("b")}},
	}, fails("auth", "x"), text("ok"))
	b.send(t, "one")
	two := "two " + long(20)
	b.send(t, two)
	same(t, "request", b.sent(t, 2), []string{"user:" + summaryHead + "minutes", "user:a", "user:b", "user:" + two})
	same(t, "shown", d.minutes[0].Messages[1].Content, "user: one\n\n")
	same(t, "journal", b.journal.compacted, []string{"1:" + summaryHead + "minutes"})
	same(t, "left", lines(b.History()), []string{"user:" + summaryHead + "minutes", "user:" + two, "assistant:ok"})
}
