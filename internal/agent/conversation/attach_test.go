package conversation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// TestAttach has a row for each rule about files that are sent with a prompt.
func TestAttach(t *testing.T) {
	t.Parallel()
	broken := newTool("Read", true, func(context.Context, tool.Call) (string, error) { return "part", errors.New("no luck") })
	binary := newTool("Read", true, func(context.Context, tool.Call) (string, error) { return "a\xffb\n\n", nil })
	panics := newTool("Read", true, func(context.Context, tool.Call) (string, error) { panic("ouch") })
	redacted := "redacted"
	const attached = "user:go\n\n<file path=\"a\">\nRead:a\n</file>"
	for name, row := range map[string]struct {
		reader tool.Tool
		hooks  hooks
		files  []string
		// want holds the messages of the request. notice is the notice for the user.
		want   []string
		notice string
	}{
		"none":       {echo("Read"), nil, nil, []string{"user:go"}, ""},
		"one":        {echo("Read"), nil, []string{"a"}, []string{attached}, ""},
		"two":        {echo("Read"), nil, []string{"a", "b"}, []string{attached + "\n\n<file path=\"b\">\nRead:b\n</file>"}, ""},
		"a failure":  {broken, nil, []string{"a"}, []string{"user:go"}, "a is not attached: no luck"},
		"a panic":    {panics, nil, []string{"a"}, []string{"user:go"}, "a is not attached: running Read: panic: ouch"},
		"no reader":  {nil, nil, []string{"a"}, []string{"user:go"}, "a is not attached: there is no tool that reads files"},
		"not UTF-8":  {binary, nil, []string{"a"}, []string{"user:go\n\n<file path=\"a\">\na\uFFFDb\n</file>"}, ""},
		"a block":    {echo("Read"), on(hookpoint.BeforeToolExecution, sdk.BeforeToolResult{Block: true, Result: message("not this")}), []string{"a"}, []string{"user:go"}, "a is not attached: blocked by p: not this"},
		"a message":  {echo("Read"), on(hookpoint.AfterToolExecution, message("seen")), []string{"a"}, []string{attached, "user:seen"}, ""},
		"a redactor": {echo("Read"), on(hookpoint.AfterToolExecution, sdk.Result{Output: &redacted}), []string{"a"}, []string{"user:go\n\n<file path=\"a\">\nredacted\n</file>"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{hooks: row.hooks, change: func(c *conversation.Config) { c.Reader = row.reader }}, text("end"))
			var attached []conversation.Attachment
			for _, path := range row.files {
				attached = append(attached, conversation.Attachment{Path: path})
			}
			if err := b.Send(t.Context(), "go", attached...); err != nil {
				t.Fatal(err)
			}
			same(t, "sent", b.sent(t, 1), row.want)
			var told []string
			for _, n := range only[event.Notice](b) {
				told = append(told, n.Text)
			}
			same(t, "notices", strings.Join(told, "\n"), row.notice)
			if got := b.Stats().ToolCalls + len(b.Context().ToolHistory) + len(only[event.ToolCall](b)); got != 0 {
				t.Errorf("%d calls are counted", got)
			}
			if shown := only[event.Message](b)[0].Content; "user:"+shown != row.want[0] {
				t.Errorf("the event has %q", shown)
			}
		})
	}
}
