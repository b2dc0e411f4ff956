package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// written records the arguments of Settle, in order.
type written struct{ by []string }

func (w *written) AttributeChanges(by string, quiet bool) {
	w.by = append(w.by, fmt.Sprintf("%s/%t", by, quiet))
}

func (w *written) ChangeNote() string { return fmt.Sprintf("[%d looks]", len(w.by)) }

// formatter is a guard with a quiet hook.
type formatter struct{}

func (formatter) Before(context.Context, tool.Call, tool.Tool) (string, error) { return "", nil }

func (formatter) After(_ context.Context, call tool.Call, _ tool.Tool, _ string, _ error) string {
	call.AttributeChanges("hook f", true)
	return "hooked"
}

// TestWritten checks that the files of all parallel calls are examined after each hook and each plugin, that a plugin that took
// no part is not reported as having changed them, and that the note is at the end of the result, even if a plugin replaced the
// result.
func TestWritten(t *testing.T) {
	t.Parallel()
	files := map[string]*written{"a": {}, "b": {}}
	write := newTool("Put", true, func(_ context.Context, call tool.Call) (string, error) {
		path, _ := call.Args["path"].(string)
		if w := files[path]; w != nil {
			call.Wrote(w)
		}
		return "put", nil
	})
	replaced := "replaced"
	plugins := hooks{hookpoint.AfterToolExecution: {
		{"away", func(any) (any, error) { return nil, nil }},
		{"fails", func(any) (any, error) { return nil, errors.New("no") }},
		{"writes", func(any) (any, error) { return sdk.Result{Output: &replaced}, nil }},
	}}
	b := start(t, options{hooks: plugins, tools: []tool.Tool{write}, change: func(c *conversation.Config) { c.Guard = formatter{} }},
		calls("", `Put {"path":"a"}`, `Put {"path":"b"}`, `Put {"path":"none"}`), text("done"))
	b.send(t, "go")
	got := slices.DeleteFunc(b.sent(t, 2), func(line string) bool { return !strings.HasPrefix(line, "tool:") })
	if want := []string{"tool:replaced\n\n[5 looks]", "tool:replaced\n\n[9 looks]", "tool:replaced"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	want := []string{"/false"}
	for range 3 {
		want = append(want, "hook f/true", "/false", "plugin fails/false", "plugin writes/false")
	}
	for name, w := range files {
		if !slices.Equal(w.by, want) {
			t.Errorf("%s: got %q", name, w.by)
		}
	}
}
