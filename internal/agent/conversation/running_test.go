package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/tool"
)

// TestEndCall checks what ending one of two calls does. The first call calls EndCall with an id.
func TestEndCall(t *testing.T) {
	t.Parallel()
	const ended = "tool:Error: the user ended this call"
	for name, row := range map[string]struct {
		id string
		// finish is what the tool returns once its context is done, or at once if another call is ended.
		finish func(ctx context.Context) (string, error)
		want   string
	}{
		"a call":                      {"id0", func(ctx context.Context) (string, error) { return "", ctx.Err() }, ended},
		"a call with output":          {"id0", func(ctx context.Context) (string, error) { return "half", ctx.Err() }, "tool:half\n\nError: the user ended this call"},
		"a call that succeeds anyway": {"id0", func(context.Context) (string, error) { return "whole", nil }, "tool:whole"},
		"no call":                     {"other", func(ctx context.Context) (string, error) { return "whole", ctx.Err() }, "tool:whole"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bench
			ends := newTool("Ends", true, func(ctx context.Context, _ tool.Call) (string, error) {
				b.EndCall(row.id)
				if row.id == "id0" {
					<-ctx.Done()
				}
				return row.finish(ctx)
			})
			b = start(t, options{tools: []tool.Tool{ends, echo("Read")}}, calls("", `Ends {"path":"x"}`, `Read {"path":"y"}`), text("end"))
			b.send(t, "go")
			same(t, "results", b.sent(t, 2)[2:], []string{row.want, "tool:Read:y"})
			if over := only[event.Progress](b); len(over) != 2 || !over[0].Ended || !over[1].Ended {
				t.Errorf("the ends of the calls: %+v", over)
			}
		})
	}
}

// TestAtOnce checks that a tool limits how many of its calls run at the same time, that other calls do not wait for them, and that a call
// that was ended before its turn came does not run on.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	var (
		b             *bench
		mu            sync.Mutex
		running, most int
		pair          sync.WaitGroup
		read, ended   = make(chan struct{}), make(chan struct{})
	)
	pair.Add(2)
	limited := fake{&fakeTool{
		Definition: tool.Definition{Name: "Task", Description: "d", Parameters: json.RawMessage(pathSchema), Parallel: true, AtOnce: 2},
		run: func(ctx context.Context, call tool.Call) (string, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				running--
			}()
			switch call.Args["path"] {
			case "first": // runs with the second while the third waits
				pair.Done()
				pair.Wait()
				<-read
				b.EndCall("id2")
				close(ended)
			case "second": // leaves no place for the third before the third is ended
				pair.Done()
				pair.Wait()
				<-ended
			}
			return "done", ctx.Err()
		},
	}}
	reader := newTool("Read", true, func(context.Context, tool.Call) (string, error) { close(read); return "read", nil })
	b = start(t, options{tools: []tool.Tool{limited, reader}},
		calls("", `Task {"path":"first"}`, `Task {"path":"second"}`, `Task {"path":"third"}`, `Task {"path":"fourth"}`, `Read {"path":"x"}`), text("end"))
	b.send(t, "go")
	same(t, "results", b.sent(t, 2)[2:], []string{"tool:done", "tool:done", "tool:done\n\nError: the user ended this call", "tool:done", "tool:read"})
	if most != 2 {
		t.Errorf("%d calls ran at the same time", most)
	}
}

// TestLead checks that a conversation is charged for those that it leads while they work, and that its budget limits them together.
func TestLead(t *testing.T) {
	t.Parallel()
	lead := start(t, options{change: func(c *conversation.Config) { c.TokenBudget = 30 }}, text("unused"))
	led := func() *bench {
		return start(t, options{change: func(c *conversation.Config) { c.Lead = lead.Conversation }}, text("an answer of 12 tokens"))
	}
	first, second := led(), led()
	first.send(t, "go")
	second.send(t, "go")
	if used := lead.Stats(); used.TokensIn != 20 || used.TokensOut != 4 || len(lead.Models()) != 1 {
		t.Errorf("charged: %+v, %+v", used, lead.Models())
	}
	first.send(t, "go")
	for name, b := range map[string]*bench{"first": first, "second": second, "lead": lead} {
		if err := b.Send(t.Context(), "more"); !errors.Is(err, conversation.ErrBudget) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if n := len(first.model.requests) + len(second.model.requests) + len(lead.model.requests); n != 3 {
		t.Errorf("%d requests", n)
	}
	if m := lead.Models(); m[0].TokensIn != 30 {
		t.Errorf("models: %+v", m)
	}
}
