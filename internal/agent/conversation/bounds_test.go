package conversation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
)

// TestLimits exceeds one limit after the other.
func TestLimits(t *testing.T) {
	t.Parallel()
	many := make([]string, limit.Calls+2)
	for i := range many {
		many[i] = fmt.Sprintf(`Read {"path":"%d"}`, i)
	}
	for name, tt := range map[string]struct {
		reply reply
		// content must be in the first result. notice, if not empty, must be in a notice.
		content, notice string
		results         int
	}{
		"arguments": {
			calls("", fmt.Sprintf(`Read {"path":%q}`, strings.Repeat("some text ", limit.Arguments/10+1))),
			"the call did not run: its arguments have 4194321 bytes, more than the limit of 4 MiB for one call; do it in smaller parts", "", 1,
		},
		"number of calls": {calls("", many...), "Read:0", "the model asked for 130 tool calls in one answer, of which only the first 128 run", limit.Calls},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{tools: []tool.Tool{echo("Read")}}, tt.reply, text("end"))
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

// TestPatchCountsAreBounded changes more files than can be counted.
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
