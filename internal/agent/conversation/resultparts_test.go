package conversation_test

import (
	"context"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// gallery returns a tool whose result has an image, and text in the place of what the model does not get.
func gallery() tool.Tool {
	return newTool("Gallery", true, func(_ context.Context, call tool.Call) (string, error) {
		if err := call.Attach("one", []byte(png)); err != nil {
			return "described: " + err.Error(), nil //nolint:nilerr // the result has it
		}
		if err := call.Attach("two", []byte("no image")); err == nil {
			return "took what is no image", nil
		}
		return "shown", nil
	})
}

// TestResultParts has a row for each rule about images in the result of a tool.
func TestResultParts(t *testing.T) {
	t.Parallel()
	redacted := "redacted"
	for name, row := range map[string]struct {
		capabilities []string
		hooks        hooks
		result, sent string
	}{
		"taken":    {[]string{"vision"}, nil, "shown", "one image/png"},
		"unknown":  {nil, nil, "shown", "one image/png"},
		"refused":  {[]string{"tools"}, nil, "described: model fake of provider fakes takes no images", ""},
		"replaced": {[]string{"vision"}, on(hookpoint.AfterToolExecution, sdk.Result{Output: &redacted}), "redacted", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, options{hooks: row.hooks, tools: []tool.Tool{gallery()}, change: sees(row.capabilities...)}, calls("", `Gallery {"path":"x"}`), text("nice"))
			if err := r.Send(t.Context(), "go"); err != nil {
				t.Fatal(err)
			}
			last := r.model.requests[1].Messages
			if got := names(last); got != row.sent {
				t.Errorf("sent %q, want %q", got, row.sent)
			}
			at := len(last) - 1
			if row.sent != "" {
				if m := last[at]; m.Role != llm.RoleUser || !m.Synthetic || !strings.Contains(m.Content, `<file path="one" type="image/png" />`) {
					t.Errorf("the files are in %+v", m)
				}
				at--
			}
			if got := last[at].Content; got != row.result {
				t.Errorf("the result is %q", got)
			}
		})
	}
}
