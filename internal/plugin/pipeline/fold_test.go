package pipeline_test

import (
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// result is the return value of a handler.
type result struct {
	handler string
	value   any
}

func plain(handler string, r sdk.Result) result { return result{handler, r} }

func guard(handler string, r sdk.BeforeToolResult) result { return result{handler, r} }

func request(system *string, skip bool) sdk.Result {
	return sdk.Result{Request: &sdk.RequestModification{AppendSystem: system, Skip: skip}}
}

func response(content *string, skip bool) sdk.Result {
	return sdk.Result{Response: &sdk.ResponseModification{Content: content, Skip: skip}}
}

func failure(retry, skip bool) sdk.Result {
	return sdk.Result{Error: &sdk.ErrorModification{Retry: retry, Skip: skip}}
}

func TestFold(t *testing.T) {
	t.Parallel()
	everything := sdk.BeforeToolResult{
		Result: sdk.Result{
			Output: new("o"), Response: &sdk.ResponseModification{Skip: true, Content: new("c")},
			Error: &sdk.ErrorModification{Retry: true, Skip: true}, Request: &sdk.RequestModification{AppendSystem: new("s"), Skip: true},
			Compaction: &sdk.CompactionModification{Skip: true},
		},
		Arguments: map[string]any{"a": 1}, Block: true,
	}
	tests := []struct {
		name  string
		point hookpoint.Name
		in    []result
		want  pipeline.Outcome
	}{
		{"nobody", hookpoint.BeforeChat, nil, pipeline.Outcome{}},
		{"zero result does nothing", hookpoint.BeforeChat, []result{plain("a", sdk.Result{})}, pipeline.Outcome{}},
		{
			"role defaults to assistant, prefix goes in front", hookpoint.BeforeChat,
			[]result{plain("a", sdk.Result{Message: "hi", Prefix: "[a] "}), plain("b", sdk.Result{Message: "yo", Role: sdk.RoleUser, Eject: true})},
			pipeline.Outcome{Injections: []pipeline.Injection{
				{Handler: "a", Role: sdk.RoleAssistant, Content: "[a] hi"},
				{Handler: "b", Role: sdk.RoleUser, Content: "yo", Eject: true},
			}},
		},
		{
			"a role that injections cannot have is assistant", hookpoint.BeforeChat,
			[]result{plain("a", sdk.Result{Message: "hi", Role: "system"})},
			pipeline.Outcome{Injections: []pipeline.Injection{{Handler: "a", Role: sdk.RoleAssistant, Content: "hi"}}},
		},
		{
			"prefix alone is no message", hookpoint.BeforeChat,
			[]result{plain("a", sdk.Result{Prefix: "[a] "})},
			pipeline.Outcome{},
		},
		{
			"notice takes the place of message", hookpoint.AfterResponse,
			[]result{plain("a", sdk.Result{Message: "hi", Notice: "look"})},
			pipeline.Outcome{Notices: []pipeline.Notice{{Handler: "a", Text: "look"}}},
		},
		{
			"disabled tools are united", hookpoint.AfterToolExecution,
			[]result{plain("a", sdk.Result{DisableTools: []string{"X", "Y"}}), plain("b", sdk.Result{DisableTools: []string{"Y", "Z*"}})},
			pipeline.Outcome{DisableTools: []string{"X", "Y", "Z*"}, DisabledBy: map[string]string{"X": "a", "Y": "a", "Z*": "b"}},
		},
		{
			"system texts are joined by an empty line", hookpoint.BeforeChat,
			[]result{plain("a", request(new("one"), false)), plain("b", request(new(""), false)), plain("c", request(new("two"), false))},
			pipeline.Outcome{Request: sdk.RequestModification{AppendSystem: new("one\n\ntwo")}},
		},
		{
			"any skips the request", hookpoint.BeforeChat,
			[]result{plain("a", request(nil, true)), plain("b", request(nil, false))},
			pipeline.Outcome{Request: sdk.RequestModification{Skip: true}, SkippedBy: []string{"a"}},
		},
		{
			"any skips the response, the last content wins", hookpoint.AfterResponse,
			[]result{plain("a", response(new("one"), true)), plain("b", response(new(""), false)), plain("c", response(nil, false))},
			pipeline.Outcome{Response: sdk.ResponseModification{Skip: true, Content: new("")}},
		},
		{
			"the last output wins, even an empty one", hookpoint.AfterToolExecution,
			[]result{plain("a", sdk.Result{Output: new("one")}), plain("b", sdk.Result{Output: new("")}), plain("c", sdk.Result{})},
			pipeline.Outcome{Output: new("")},
		},
		{
			"retry and skip by any", hookpoint.OnError,
			[]result{plain("a", failure(true, false)), plain("b", failure(false, true)), plain("c", failure(false, false))},
			pipeline.Outcome{Error: sdk.ErrorModification{Retry: true, Skip: true}},
		},
		{
			"any skips the compaction", hookpoint.BeforeCompaction,
			[]result{plain("a", sdk.Result{Compaction: &sdk.CompactionModification{Skip: true}}), plain("b", sdk.Result{})},
			pipeline.Outcome{Compaction: sdk.CompactionModification{Skip: true}},
		},
		{
			"read-only points give notices alone", hookpoint.AfterCompaction,
			[]result{plain("a", sdk.Result{Message: "hi", DisableTools: []string{"*"}}), plain("b", sdk.Result{Notice: "look", Eject: true})},
			pipeline.Outcome{Notices: []pipeline.Notice{{Handler: "b", Text: "look"}}},
		},
		{
			"the last arguments win", hookpoint.BeforeToolExecution,
			[]result{guard("a", sdk.BeforeToolResult{Arguments: map[string]any{"x": 1}}), guard("b", sdk.BeforeToolResult{Arguments: map[string]any{}}), guard("c", sdk.BeforeToolResult{})},
			pipeline.Outcome{Arguments: map[string]any{}, ChangedBy: "b"},
		},
		{
			"a block takes the first message of all and injects nothing", hookpoint.BeforeToolExecution,
			[]result{
				guard("a", sdk.BeforeToolResult{Result: sdk.Result{Message: "careful", Prefix: "[a] "}}),
				guard("b", sdk.BeforeToolResult{Block: true}),
				guard("c", sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: "no", Prefix: "[c] "}}),
				guard("d", sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: "never"}}),
			},
			pipeline.Outcome{Block: &hookpoint.Block{By: []string{"b", "c", "d"}, Message: "[a] careful"}},
		},
		{
			"a notice is not the reason of a block", hookpoint.BeforeToolExecution,
			[]result{
				guard("a", sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: "hidden", Notice: "look"}}),
				guard("b", sdk.BeforeToolResult{Result: sdk.Result{Message: "careful"}}),
			},
			pipeline.Outcome{Notices: []pipeline.Notice{{Handler: "a", Text: "look"}}, Block: &hookpoint.Block{By: []string{"a"}, Message: "careful"}},
		},
		{
			"a point ignores what belongs to others", hookpoint.BeforeCompaction,
			[]result{plain("a", everything.Result)},
			pipeline.Outcome{Compaction: sdk.CompactionModification{Skip: true}},
		},
		{
			"a point without modifications of its own ignores all", hookpoint.OnAgentSwitch,
			[]result{plain("a", everything.Result)},
			pipeline.Outcome{},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			point, ok := hookpoint.Lookup(tt.point)
			if !ok {
				t.Fatalf("no hook point %s", tt.point)
			}
			var verdicts []pipeline.Verdict
			for _, r := range tt.in {
				v, ok := point.Read(r.handler, r.value)
				if !ok {
					t.Fatalf("%s does not return a %T", tt.point, r.value)
				}
				verdicts = append(verdicts, v)
			}
			if got := pipeline.Fold(point, verdicts); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}
