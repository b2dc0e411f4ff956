package app

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

func TestPluginCall(t *testing.T) {
	t.Parallel()
	output := "b"
	failed := func(kind host.ErrorKind, text string) error {
		return &host.Error{Plugin: "p", Doing: "BeforeChat", Kind: kind, Err: errors.New(text)}
	}
	for rule, tt := range map[string]struct {
		in   host.Call
		want event.PluginCall
	}{
		"a tool":    {host.Call{Point: host.PointTool}, event.PluginCall{Outcome: "nothing"}},
		"a command": {host.Call{Point: host.PointCommand}, event.PluginCall{Outcome: "nothing"}},
		"a failed tool": {
			host.Call{Point: host.PointTool, Err: failed(host.KindPlugin, "boom")}, event.PluginCall{Outcome: "error", Error: "boom"},
		},
		"no effect": {
			host.Call{Point: "BeforeChat", Request: shared.HookCall{Context: sdk.BeforeChatContext{}}, Out: sdk.Result{Notice: "n"}}, event.PluginCall{Outcome: "nothing"},
		},
		"injected goes before changed": {
			host.Call{Point: "BeforeChat", Request: shared.HookCall{Context: sdk.BeforeChatContext{}}, Out: sdk.Result{Message: "m", DisableTools: []string{"*"}}},
			event.PluginCall{Outcome: "injected", Fields: []string{"disable_tools"}},
		},
		"blocked goes before changed": {
			host.Call{Point: "BeforeToolExecution", Request: shared.HookCall{Context: sdk.BeforeToolContext{}}, Out: sdk.BeforeToolResult{Block: true, Arguments: map[string]any{"a": 1}}},
			event.PluginCall{Outcome: "blocked", Fields: []string{"arguments"}},
		},
		"changed": {
			host.Call{Point: "AfterToolExecution", Request: shared.HookCall{Context: sdk.AfterToolContext{ToolResult: "a"}}, Out: sdk.Result{Output: &output}},
			event.PluginCall{Outcome: "changed", Fields: []string{"output"}},
		},
		"a result that is dropped": {
			host.Call{Point: "TransformMessages", Request: shared.HookCall{Context: sdk.TransformContext{}}, Out: []sdk.Message{}},
			event.PluginCall{Outcome: "error", Error: "dropping the result of TransformMessages: no message is left; return at least one"},
		},
		"a timeout": {
			host.Call{Point: "BeforeChat", Request: shared.HookCall{Context: sdk.BeforeChatContext{}}, Err: failed(host.KindTimeout, "late")},
			event.PluginCall{Outcome: "timeout", Error: "late"},
		},
		"a crash": {
			host.Call{Point: "BeforeChat", Request: shared.HookCall{Context: sdk.BeforeChatContext{}}, Err: failed(host.KindCrash, "died")},
			event.PluginCall{Outcome: "error", Error: "died"},
		},
		"a cancelled call": {host.Call{Point: host.PointTool, Err: context.Canceled}, event.PluginCall{Outcome: "error", Error: "context canceled"}},
		"a secret": {
			host.Call{Point: host.PointTool, Err: failed(host.KindPlugin, "no sk-12345678")},
			event.PluginCall{Outcome: "error", Error: "no " + redact.Mark},
		},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			tt.in.Plugin, tt.in.Waited, tt.in.Took = "p", 1, 2
			tt.want.Plugin, tt.want.Point, tt.want.Waited, tt.want.Duration = "p", tt.in.Point, 1, 2
			if got, _ := pluginCall(tt.in, redact.New("sk-12345678")); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// TestReasonText checks that a long reason is shortened after secrets are removed, so that no part of a secret remains.
func TestReasonText(t *testing.T) {
	t.Parallel()
	secret := "sk-" + strings.Repeat("x", 200)
	got := reasonText(errors.New(strings.Repeat("a", limit.Notice-280)+secret+strings.Repeat("b", limit.Notice)), redact.New(secret))
	if len(got) > limit.Notice || strings.Contains(got, "sk-") {
		t.Errorf("%d bytes, ending in %q", len(got), got[len(got)-300:])
	}
}
