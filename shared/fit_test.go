package shared

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// most replaces MaxMessage as the limit in these tests.
const most = 8 << 20

// describe summarises a context that arrived.
func describe(c sdk.Context) string {
	text := fmt.Sprintf("%d turns, %d calls", len(c.Turns), len(c.ToolHistory))
	for _, call := range c.ToolHistory {
		text += fmt.Sprintf(", %s %d", call.Name, len(call.Result))
	}
	return text
}

// TestOversizedContextArrivesShortened makes every kind of call with a history that is larger than a message may be.
func TestOversizedContextArrivesShortened(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", 5<<20)
	in := sdk.Context{ToolHistory: []sdk.ToolCall{{Name: "a", Result: huge}, {Name: "b", Result: huge}}}
	whole, short := fmt.Sprintf("0 turns, 2 calls, a 540, b %d", len(huge)), "0 turns, 2 calls, a 540, b 540"
	c := connect(t, &fake{
		execute: func(_ context.Context, call ToolCall) (string, error) { return describe(call.Context), nil },
		hook: func(call HookCall) (any, error) {
			return sdk.Result{Message: describe(call.Context.(sdk.AfterToolContext).Context)}, nil
		},
	})
	c.most = most
	if got, err := c.Execute(t.Context(), ToolCall{Context: in}); err != nil || got != whole {
		t.Errorf("a tool is told %q, %v", got, err)
	}
	out, err := c.Hook(t.Context(), HookCall{Point: hookpoint.AfterToolExecution, Context: sdk.AfterToolContext{Context: in, ToolResult: huge + "y"}})
	if result, ok := out.(sdk.Result); err != nil || !ok || result.Message != short {
		t.Errorf("a hook is told %v, %v", out, err)
	}
	if _, err := c.Command(t.Context(), CommandCall{Context: in}); err != nil {
		t.Errorf("calling a command: %v", err)
	}
	raw, err := OnceCall{Context: in}.encodeWithin(most)
	if err != nil || len(raw) > most {
		t.Errorf("a call for a child of its own has %d bytes, %v", len(raw), err)
	}
	// A list that fits is sent completely again, and the child keeps it as before.
	in.ToolHistory = in.ToolHistory[:1]
	for range 2 {
		if got, err := c.Execute(t.Context(), ToolCall{Context: in}); err != nil || got != fmt.Sprintf("0 turns, 1 calls, a %d", len(huge)) {
			t.Errorf("a tool is told %q, %v", got, err)
		}
	}
}

// TestOversizedMessagesArriveShortened does the same for the messages of a request.
func TestOversizedMessagesArriveShortened(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", 5<<20)
	c := connect(t, &fake{hook: func(call HookCall) (any, error) {
		list := call.Context.(sdk.TransformContext).Messages
		for i := range list {
			list[i].Content = fmt.Sprint(len(list[i].Content))
		}
		return list, nil
	}})
	c.most = most
	out, err := c.Hook(t.Context(), HookCall{Point: hookpoint.TransformMessages, Context: sdk.TransformContext{
		Messages: []sdk.Message{{Role: "system", Content: "short"}, {Role: "user", Content: huge}, {Role: "tool", Content: huge}},
	}})
	list, ok := out.([]sdk.Message)
	if err != nil || !ok || len(list) != 3 || list[0].Content != "5" || list[1].Content != "540" || list[2].Content != fmt.Sprint(len(huge)) {
		t.Errorf("got %+v, %v", out, err)
	}
}

// TestUnreadListsAreNotSent checks which lists a plugin receives, depending on the lists that its exports report as unread.
func TestUnreadListsAreNotSent(t *testing.T) {
	t.Parallel()
	in := sdk.Context{Turns: make([]sdk.Turn, 2), ToolHistory: []sdk.ToolCall{{Name: "a", Result: "r"}}}
	for name, tt := range map[string]struct {
		unread []string
		want   string
	}{
		"all are read": {nil, "2 turns, 1 calls, a 1"},
		"turns":        {[]string{ListTurns}, "0 turns, 1 calls, a 1"},
		"tool history": {[]string{ListTools}, "2 turns, 0 calls"},
		"none is read": {[]string{ListTurns, ListTools, ListMessages}, "0 turns, 0 calls"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, &fake{exports: Exports{Unread: tt.unread}, execute: func(_ context.Context, call ToolCall) (string, error) {
				return describe(call.Context), nil
			}})
			if _, err := c.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, err := c.Execute(t.Context(), ToolCall{Context: in}); err != nil || got != tt.want {
				t.Errorf("got %q, want %q (%v)", got, tt.want, err)
			}
			if got := describe(Without(in, tt.unread)); got != tt.want {
				t.Errorf("for a child of its own: %q, want %q", got, tt.want)
			}
		})
	}
}

// TestFailedCallsDoNotKeepAnEpoch lets a call fail while it is sent. The child must still keep the next list.
func TestFailedCallsDoNotKeepAnEpoch(t *testing.T) {
	t.Parallel()
	l := &ledger[sdk.Turn]{same: func(a, b *sdk.Turn) bool { return *a == *b }}
	first, other := []sdk.Turn{{Content: "a"}}, []sdk.Turn{{Content: "b"}}
	_, done := l.diff(first)
	done(false)
	if d, _ := l.diff(first); d.From != 0 || len(d.Add) != 1 {
		t.Errorf("what may not have arrived is not sent again: %+v", d)
	}
	l = &ledger[sdk.Turn]{same: l.same}
	_, done = l.diff(first)
	done(false)
	if d, _ := l.diff(other); d.Epoch == 0 {
		t.Error("a call that failed counts as under way for ever")
	}
}

// TestStats requests the number of goroutines from a child while a call is running.
func TestStats(t *testing.T) {
	t.Parallel()
	began, end := make(chan struct{}), make(chan struct{})
	c := connect(t, &fake{execute: func(context.Context, ToolCall) (string, error) {
		close(began)
		<-end
		return "", nil
	}})
	done := make(chan error, 1)
	go func() {
		_, err := c.Execute(context.Background(), ToolCall{})
		done <- err
	}()
	<-began
	if got, err := c.Stats(t.Context()); err != nil || got.Goroutines < 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestResultIsSentOnce sends a result that equals the newest in the history, and one that does not.
func TestResultIsSentOnce(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for name, tt := range map[string]struct {
		history string
		unread  []string
		most    int
	}{
		"the same":         {long, nil, 1<<20 + 1<<10},
		"another":          {long[1:], nil, 3 << 20},
		"history not sent": {long, []string{ListTools}, 1<<20 + 1<<10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, &fake{exports: Exports{Unread: tt.unread}, hook: func(call HookCall) (any, error) {
				in := call.Context.(sdk.AfterToolContext)
				return sdk.Result{Message: fmt.Sprint(in.ToolResult == long, len(in.ToolHistory))}, nil
			}})
			if _, err := c.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.most = tt.most
			in := sdk.AfterToolContext{Context: sdk.Context{ToolHistory: []sdk.ToolCall{{Result: tt.history}}}, ToolResult: long}
			for range 2 {
				out, err := c.Hook(t.Context(), HookCall{Point: hookpoint.AfterToolExecution, Context: in})
				if want := fmt.Sprint(true, 1-len(tt.unread)); err != nil || out.(sdk.Result).Message != want {
					t.Errorf("got %v, %v, want %s", out, err, want)
				}
			}
			if in.ToolResult != long {
				t.Error("the caller's own value has changed")
			}
		})
	}
}
