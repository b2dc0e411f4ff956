package conversation_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/conversation"
	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

// large is a tool whose result has as many bytes as its path says.
func large() tool.Tool {
	return newTool("Large", true, func(_ context.Context, call tool.Call) (string, error) {
		var size int
		_, err := fmt.Sscan(call.Args["path"].(string), &size)
		return strings.Repeat("some text\n", size/10+1)[:size], err
	})
}

// historySize is what the old entries of a context count.
func historySize(c sdk.Context) (calls, turns int) {
	for _, call := range c.ToolHistory[:max(0, len(c.ToolHistory)-1)] {
		calls += limit.CallSize(call)
	}
	for _, turn := range c.Turns[:max(0, len(c.Turns)-1)] {
		turns += limit.TurnSize(turn)
	}
	return calls, turns
}

// TestHistoryIsBounded makes calls with large results and looks at every context on the way.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	const rounds = 40
	replies := make([]reply, 0, rounds+1)
	for range rounds {
		replies = append(replies, calls(strings.Repeat("some text\n", 4000), `Large {"path":"100000"}`))
	}
	n := 0
	b := start(t, options{maxSteps: rounds + 1, tools: []tool.Tool{large()}, hooks: when(hookpoint.AfterToolExecution, func(c sdk.AfterToolContext) (any, error) {
		n++
		callSize, turnSize := historySize(c.Context)
		if callSize > limit.History || turnSize > limit.Turns || len(c.ToolHistory) != n {
			t.Errorf("call %d: %d entries take %d bytes, and turns %d", n, len(c.ToolHistory), callSize, turnSize)
		}
		if newest := c.ToolHistory[n-1].Result; len(newest) != 100_000 {
			t.Errorf("call %d: the newest result has %d bytes", n, len(newest))
		}
		return nil, nil
	})}, append(replies, text("end"))...)
	b.send(t, "go")
	c := b.Context()
	oldest := c.ToolHistory[0]
	if n != rounds || !strings.Contains(oldest.Result, "bytes left out]") || oldest.Name != "Large" {
		t.Errorf("after %d calls the oldest is %.200v", n, oldest)
	}
	if !strings.Contains(c.Turns[1].Content, "bytes left out]") {
		t.Errorf("the oldest answer has %d bytes", len(c.Turns[1].Content))
	}
}

// TestLimits reaches one limit after the other.
func TestLimits(t *testing.T) {
	t.Parallel()
	many := make([]string, limit.Calls+2)
	for i := range many {
		many[i] = fmt.Sprintf(`Read {"path":"%d"}`, i)
	}
	for name, tt := range map[string]struct {
		reply reply
		// content is in the first result, and notice, if not empty, in a notice.
		content, notice string
		results         int
	}{
		"result": {calls("", fmt.Sprintf(`Large {"path":"%d"}`, limit.Result+1)), "[129 bytes left out; a tool result has at most 16 MiB]", "", 1},
		"arguments": {
			calls("", fmt.Sprintf(`Read {"path":%q}`, strings.Repeat("some text ", limit.Arguments/10+1))),
			"the call did not run: its arguments have 4194321 bytes, more than the limit of 4 MiB for one call; do it in smaller parts", "", 1,
		},
		"number of calls": {calls("", many...), "Read:0", "the model asked for 130 tool calls in one answer, of which the first 128 are taken", limit.Calls},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{tools: []tool.Tool{large(), echo("Read")}}, tt.reply, text("end"))
			b.send(t, "go")
			results := only[event.ToolResult](b)
			if len(results) != tt.results || !strings.Contains(results[0].Content, tt.content) {
				t.Errorf("got %d results, the first ends in %q", len(results), tail(results[0].Content))
			}
			notices := fmt.Sprint(only[event.Notice](b))
			if !strings.Contains(notices, tt.notice) {
				t.Errorf("got the notices %s, want %q", notices, tt.notice)
			}
			for _, m := range b.History() {
				if len(m.ToolCalls) > limit.Calls {
					t.Errorf("a message asks for %d calls", len(m.ToolCalls))
				}
			}
		})
	}
}

func tail(text string) string { return text[max(0, len(text)-200):] }

// TestPatchCountsAreBounded changes more files than are counted.
func TestPatchCountsAreBounded(t *testing.T) {
	t.Parallel()
	var wanted []string
	write := newTool("Write", false, func(context.Context, tool.Call) (string, error) { return "", nil })
	var replies []reply
	for n := range limit.Patched + 200 {
		wanted = append(wanted, fmt.Sprintf(`Write {"path":"f%04d"}`, n))
		if len(wanted) == 100 {
			replies = append(replies, calls("", append(wanted, `Write {"path":"often"}`)...))
			wanted = nil
		}
	}
	b := start(t, options{tools: []tool.Tool{write}}, append(replies, text("end"))...)
	b.send(t, "go")
	counts := b.Context().PatchCounts
	often := 0
	for path, n := range counts {
		if strings.HasSuffix(path, "often") {
			often = n
		}
	}
	if len(counts) != limit.Patched || often != (limit.Patched+200)/100 {
		t.Errorf("%d files are counted, the one that was changed most %d times", len(counts), often)
	}
}

// TestTransformKeepsWhatWasShownShortened shows plugins messages that are shortened: what they leave as it is reaches the model
// whole.
func TestTransformKeepsWhatWasShownShortened(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("some text\n", limit.Messages/15)
	shown := map[string]int{}
	b := start(t, options{
		change: func(cfg *conversation.Config) {
			cfg.History = []llm.Message{{Role: llm.RoleUser, Content: big}, {Role: llm.RoleAssistant, Content: big}}
		},
		hooks: transforms(func(m []sdk.Message) ([]sdk.Message, error) {
			for _, each := range m {
				shown[each.Role] = max(shown[each.Role], len(each.Content))
			}
			m[len(m)-1].Content = "changed"
			return m, nil
		}),
	}, text("end"))
	b.send(t, "go")
	if got := b.model.requests[0].Messages; len(got) != 3 || got[0].Content != big || got[1].Content != big || got[2].Content != "changed" {
		t.Errorf("the model is sent %d messages, not what it should", len(got))
	}
	if shown["user"] > 1<<10 {
		t.Errorf("the oldest message is shown with %d bytes", shown["user"])
	}
}

// TestResumedHistoryIsBounded takes up a long session.
func TestResumedHistoryIsBounded(t *testing.T) {
	t.Parallel()
	var messages []llm.Message
	for n := range 60 {
		id := fmt.Sprint(n)
		messages = append(messages,
			llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: id, Name: "Read", Arguments: []byte(`{"path":"a"}`)}}},
			llm.Message{Role: llm.RoleTool, ToolCallID: id, Content: strings.Repeat("some text\n", 10_000)})
	}
	resume := func() sdk.Context {
		return start(t, options{change: func(cfg *conversation.Config) { cfg.History = messages }}, text("end")).Context()
	}
	first := resume()
	if size, _ := historySize(first); size > limit.History || len(first.ToolHistory) != 60 {
		t.Errorf("%d entries take %d bytes", len(first.ToolHistory), size)
	}
	if !reflect.DeepEqual(first.ToolHistory, resume().ToolHistory) {
		t.Error("the same session has another history when it is taken up again")
	}
}
