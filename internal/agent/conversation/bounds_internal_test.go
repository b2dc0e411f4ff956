package conversation

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
)

// TestToolHistoryIsBounded records calls with large results and checks the list after each.
func TestToolHistoryIsBounded(t *testing.T) {
	t.Parallel()
	var l, other ledger
	result := strings.Repeat("some text\n", 10_000)
	replaced := 0
	for n := 1; n <= 300; n++ {
		call := sdk.ToolCall{Name: "Read", ArgsJSON: fmt.Sprintf(`{"n":%d}`, n), Args: map[string]any{"n": n}, Result: result}
		before := l.calls
		l.appendCall(call)
		other.appendCall(call)
		size := 0
		for _, old := range l.calls[:n-1] {
			size += limit.CallSize(old)
		}
		if len(l.calls) != n || size != l.size || size > limit.History || !reflect.DeepEqual(l.calls[n-1], call) {
			t.Fatalf("call %d: %d entries take %d bytes, counted as %d", n, len(l.calls), size, l.size)
		}
		if n > 1 && !reflect.DeepEqual(before, l.calls[:n-1]) {
			replaced++
		}
	}
	if replaced == 0 || replaced > 80 {
		t.Errorf("the list was replaced %d times", replaced)
	}
	if !strings.HasSuffix(l.calls[0].Result, "bytes left out]") || l.calls[0].Name != "Read" {
		t.Errorf("the oldest is %+v", l.calls[0])
	}
	if !reflect.DeepEqual(l.calls, other.calls) {
		t.Error("the same calls make another list")
	}
}

// TestTurnsAreBounded does the same for turns.
func TestTurnsAreBounded(t *testing.T) {
	t.Parallel()
	var h history
	text := strings.Repeat("some text\n", 5000)
	for n := 1; n <= 200; n++ {
		h.add(entry{Message: llm.Message{Role: llm.RoleAssistant, Content: text}})
		size := 0
		for _, old := range h.turns[:n-1] {
			size += limit.TurnSize(old)
		}
		if len(h.turns) != n || size != h.turnSize || size > limit.Turns || h.turns[n-1].Content != text {
			t.Fatalf("turn %d: %d entries take %d bytes, counted as %d", n, len(h.turns), size, h.turnSize)
		}
	}
	h.reset(h.entries[:2])
	if len(h.turns) != 2 || h.turnSize != len(text) {
		t.Errorf("after a compaction %d turns count %d bytes", len(h.turns), h.turnSize)
	}
}

// large is a tool whose result has the given number of bytes.
type large int

func (large) Definition() tool.Definition { return tool.Definition{Name: "Large"} }

func (n large) Execute(context.Context, tool.Call) (string, error) {
	return strings.Repeat("x", int(n)), nil
}

// TestResultIsBounded runs tools whose results have the maximum length, and more.
func TestResultIsBounded(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]string{limit.Result: "xxx", limit.Result + 1: "xx… [129 bytes left out; a tool result has at most 16 MiB]"} {
		got, err := (&executor{}).run(t.Context(), &call{tool: large(size)})
		if err != nil || len(got) > limit.Result || !strings.HasSuffix(got, want) {
			t.Errorf("%d bytes became %d, which end in %q, %v", size, len(got), got[len(got)-80:], err)
		}
	}
}

// TestChangedArgumentsAreBounded checks that arguments changed by plugins have the same limit.
func TestChangedArgumentsAreBounded(t *testing.T) {
	t.Parallel()
	for size, fits := range map[int]bool{limit.Arguments - len(`{"a":""}`): true, limit.Arguments: false} {
		_, err := normal(map[string]any{"a": strings.Repeat("x", size)})
		if (err == nil) != fits {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestMergeKeepsWhatWasShownShortened checks that texts that plugins return as shown reach the model complete.
func TestMergeKeepsWhatWasShownShortened(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("some text\n", 1000)
	messages := []llm.Message{{Role: llm.RoleUser, Content: whole}, {Role: llm.RoleAssistant, Content: whole, Thinking: whole}, {Role: llm.RoleUser, Content: "hi"}}
	shown := limit.ShortMessages(show(messages, []int{1, 1, 1}), 1000)
	if len(shown[0].Content) >= len(whole) || len(shown[1].Thinking) >= len(whole) {
		t.Fatal("nothing is shortened")
	}
	returned := append([]sdk.Message{}, shown...)
	returned[2].Content = "changed"
	got, _ := merge(messages, shown, returned)
	if got[0].Content != whole || got[1].Content != whole || got[1].Thinking != whole || got[2].Content != "changed" {
		t.Errorf("got %.200v", got)
	}
}
