package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

func TestPlainDialogue(t *testing.T) {
	t.Parallel()
	b := start(t, options{system: "be kind"}, text("hello"), text("again"))
	b.send(t, "hi")
	b.send(t, "more")
	same(t, "first request", b.sent(t, 1), []string{"system:be kind", "user:hi"})
	same(t, "second request", b.sent(t, 2), []string{"system:be kind", "user:hi", "assistant:hello", "user:more"})
	same(t, "journal", lines(b.journal.messages), []string{"user:hi", "assistant:hello", "user:more", "assistant:again"})
	if b.model.requests[0].Model != "fake" {
		t.Errorf("asked for model %q", b.model.requests[0].Model)
	}
	var types []string
	for _, e := range b.events {
		types = append(types, e.Type())
	}
	same(t, "events", strings.Join(types, " "),
		"session message request delta message done message request delta message done")
	same(t, "request", only[event.Request](b)[1], event.Request{Number: 2, Iteration: 1, Messages: 4})
}

func TestNoSystemPrompt(t *testing.T) {
	t.Parallel()
	b := start(t, options{}, text("hello"))
	b.send(t, "hi")
	same(t, "request", b.sent(t, 1), []string{"user:hi"})
}

func TestBeforeChat(t *testing.T) {
	t.Parallel()
	say := func(r sdk.Result) hooks { return on(hookpoint.BeforeChat, r) }
	request := func(m sdk.RequestModification) hooks { return say(sdk.Result{Request: &m}) }
	tests := []struct {
		name  string
		hooks hooks
		// sent holds the requests for the prompts one and two; none means that the model was not called.
		sent [][]string
		// kept holds the messages in the journal.
		kept []string
	}{
		{
			"message stays", say(message("note")),
			[][]string{{"system:sys", "user:one", "user:note"}, {"system:sys", "user:one", "user:note", "assistant:ok", "user:two", "user:note"}},
			[]string{"user:one", "user:note", "assistant:ok", "user:two", "user:note", "assistant:ok"},
		},
		{
			"role is assistant by default, prefix in front", say(sdk.Result{Message: "note", Prefix: "[p] ", Eject: true}),
			[][]string{{"system:sys", "user:one", "assistant:[p] note"}, {"system:sys", "user:one", "assistant:ok", "user:two", "assistant:[p] note"}},
			[]string{"user:one", "assistant:ok", "user:two", "assistant:ok"},
		},
		{
			"notice is not sent", say(sdk.Result{Message: "note", Notice: "look"}),
			[][]string{{"system:sys", "user:one"}, {"system:sys", "user:one", "assistant:ok", "user:two"}},
			[]string{"user:one", "assistant:ok", "user:two", "assistant:ok"},
		},
		{
			"system text is added for the turn", request(sdk.RequestModification{AppendSystem: new("extra")}),
			[][]string{{"system:sys\n\nextra", "user:one"}, {"system:sys\n\nextra", "user:one", "assistant:ok", "user:two"}},
			[]string{"user:one", "assistant:ok", "user:two", "assistant:ok"},
		},
		{
			"skip makes no call", request(sdk.RequestModification{Skip: true}),
			nil,
			[]string{"user:one", "user:two"},
		},
		{
			"skip drops what was for this request", on(hookpoint.BeforeChat, sdk.Result{Message: "now", Eject: true, Request: &sdk.RequestModification{Skip: true}}),
			nil,
			[]string{"user:one", "user:two"},
		},
		{
			"a failing plugin changes nothing",
			hooks{hookpoint.BeforeChat: {{"p", func(any) (any, error) { return nil, errors.New("boom") }}}},
			[][]string{{"system:sys", "user:one"}, {"system:sys", "user:one", "assistant:ok", "user:two"}},
			[]string{"user:one", "assistant:ok", "user:two", "assistant:ok"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{system: "sys", hooks: tt.hooks}, text("ok"))
			b.send(t, "one")
			b.send(t, "two")
			if len(b.model.requests) != len(tt.sent) {
				t.Fatalf("%d requests", len(b.model.requests))
			}
			for i, want := range tt.sent {
				same(t, "request", b.sent(t, i+1), want)
			}
			same(t, "journal", lines(b.journal.messages), tt.kept)
		})
	}
}

// TestSkipTellsTheUser checks that a skipped request is reported, unless the plugin reports it.
func TestSkipTellsTheUser(t *testing.T) {
	t.Parallel()
	for notice, want := range map[string]event.Notice{
		"":     {Plugin: "p", Text: "plugin p skipped the request, so the model did not answer"},
		"wait": {Plugin: "p", Text: "wait"},
	} {
		b := start(t, options{hooks: on(hookpoint.BeforeChat, sdk.Result{Notice: notice, Request: &sdk.RequestModification{Skip: true}})}, text("ok"))
		b.send(t, "one")
		same(t, "notices", only[event.Notice](b), []event.Notice{want})
	}
}

func TestSystemTextLastsOneTurn(t *testing.T) {
	t.Parallel()
	b := start(t, options{system: "sys", hooks: when(hookpoint.BeforeChat, func(c sdk.BeforeChatContext) (any, error) {
		if c.Stats.Interactions == 3 {
			return nil, nil
		}
		return sdk.Result{Request: &sdk.RequestModification{AppendSystem: new(fmt.Sprint("prompt ", c.Stats.Interactions))}}, nil
	})}, text("ok"))
	for i, want := range []string{"system:sys\n\nprompt 1", "system:sys\n\nprompt 2", "system:sys"} {
		b.send(t, "go")
		same(t, "system prompt", b.sent(t, i+1)[0], want)
		same(t, "afterwards", b.Context().SystemPrompt, "sys")
	}
	same(t, "the first request is as it was", b.sent(t, 1), []string{"system:sys\n\nprompt 1", "user:go"})
}

func TestBeforeChatTellsTheUser(t *testing.T) {
	t.Parallel()
	b := start(t, options{hooks: both(
		on(hookpoint.BeforeChat, sdk.Result{Notice: "look"}),
		hooks{hookpoint.BeforeChat: {
			{"q", func(any) (any, error) { return nil, errors.New("boom") }},
			{"r", func(any) (any, error) { return sdk.Result{Message: "m", Eject: true}, nil }},
		}},
	)}, text("ok"))
	b.send(t, "one")
	same(t, "notices", only[event.Notice](b), []event.Notice{{Plugin: "p", Text: "look"}})
	same(t, "errors", only[event.PluginError](b), []event.PluginError{{Plugin: "q", Point: "BeforeChat", Error: "boom"}})
	same(t, "injections", only[event.Injection](b), []event.Injection{{Plugin: "r", Point: "BeforeChat", Role: "assistant", Content: "m", Eject: true}})
}

func TestSkippedCallIsAnEmptyResponse(t *testing.T) {
	t.Parallel()
	skip := true
	b := start(t, options{system: "sys", hooks: when(hookpoint.BeforeChat, func(sdk.BeforeChatContext) (any, error) {
		skipped := skip
		skip = false
		return sdk.Result{
			Message: "later", Eject: true, DisableTools: []string{"*"}, Request: &sdk.RequestModification{Skip: skipped},
		}, nil
	}), tools: []tool.Tool{echo("Read")}}, text("ok"))
	b.send(t, "one")
	state := b.Context()
	if !state.ResponseEmpty || !state.ResponseContentEmpty || state.Stats.Turns != 0 || state.Stats.Interactions != 1 {
		t.Errorf("got %+v", state)
	}
	same(t, "tools after a call that was not made", state.AvailableTools, []string{"Read"})
	b.send(t, "two")
	same(t, "an ejected message is for its own call", b.sent(t, 1), []string{"system:sys", "user:one", "user:two", "assistant:later"})
}

func TestAfterResponse(t *testing.T) {
	t.Parallel()
	// first returns a plugin that reacts only to the first response of the session.
	first := func(r sdk.Result) hooks {
		return when(hookpoint.AfterResponse, func(c sdk.AfterResponseContext) (any, error) {
			if c.Stats.Turns > 1 {
				return sdk.Result{}, nil
			}
			return r, nil
		})
	}
	modify := func(m sdk.ResponseModification) hooks { return first(sdk.Result{Response: &m}) }
	tests := []struct {
		name  string
		hooks hooks
		first reply
		kept  []string
	}{
		{"nothing", first(sdk.Result{}), text("secret"), []string{"user:go", "assistant:secret"}},
		{"skip keeps it out", modify(sdk.ResponseModification{Skip: true}), text("secret"), []string{"user:go"}},
		{"content replaces it", modify(sdk.ResponseModification{Content: new("clean")}), text("secret"), []string{"user:go", "assistant:clean"}},
		{"empty content removes it", modify(sdk.ResponseModification{Content: new("")}), text("secret"), []string{"user:go"}},
		{"skip wins over content", modify(sdk.ResponseModification{Skip: true, Content: new("x")}), text("secret"), []string{"user:go"}},
		{"notice causes no call", first(sdk.Result{Notice: "look", Message: "m"}), text("a"), []string{"user:go", "assistant:a"}},
		{"message causes one more call", first(message("why?")), text("a"), []string{"user:go", "assistant:a", "user:why?", "assistant:end"}},
		{
			"ejected message causes a call too", first(sdk.Result{Message: "why?", Eject: true}), text("a"),
			[]string{"user:go", "assistant:a", "assistant:end"},
		},
		{
			"message stands after the results", first(message("note")), calls("look", `Read {"path":"x"}`),
			[]string{"user:go", "assistant:look+Read", "tool:Read:x", "user:note", "assistant:end"},
		},
		{
			"skip keeps the calls", modify(sdk.ResponseModification{Skip: true}), calls("secret", `Read {"path":"x"}`),
			[]string{"user:go", "assistant:+Read", "tool:Read:x", "assistant:end"},
		},
		{
			"content keeps the calls", modify(sdk.ResponseModification{Content: new("clean")}), calls("secret", `Read {"path":"x"}`),
			[]string{"user:go", "assistant:clean+Read", "tool:Read:x", "assistant:end"},
		},
		{"empty response is not kept", first(message("say something")), text(""), []string{"user:go", "user:say something", "assistant:end"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{hooks: tt.hooks, tools: []tool.Tool{echo("Read")}}, tt.first, text("end"))
			b.send(t, "go")
			same(t, "journal", lines(b.journal.messages), tt.kept)
			b.send(t, "again")
			last := b.sent(t, len(b.model.requests))
			same(t, "history", last, append(tt.kept, "user:again"))
		})
	}
}

func TestUserSeesTheOriginalResponse(t *testing.T) {
	t.Parallel()
	b := start(t, options{hooks: on(hookpoint.AfterResponse, sdk.Result{Response: &sdk.ResponseModification{Content: new("clean")}})}, text("secret"))
	b.send(t, "go")
	same(t, "message", only[event.Message](b)[1], event.Message{Role: "assistant", Content: "secret"})
}

func TestAfterResponseContext(t *testing.T) {
	t.Parallel()
	var seen []sdk.AfterResponseContext
	b := start(t, options{
		hooks: when(hookpoint.AfterResponse, func(c sdk.AfterResponseContext) (any, error) {
			seen = append(seen, c)
			return sdk.Result{}, nil
		}),
		tools: []tool.Tool{echo("Read")},
	}, func(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
		return llm.Response{Message: llm.Message{Thinking: "hm", ToolCalls: []llm.ToolCall{
			{ID: "1", Name: "Read", Arguments: []byte(`{ "path": "x" }`)}, {ID: "2", Name: "Read", Arguments: []byte(`{oops`)},
		}}}, nil
	}, text("end"))
	b.send(t, "go")
	same(t, "calls", seen[0].Calls, []sdk.ToolCall{
		{Name: "Read", Args: map[string]any{"path": "x"}, ArgsJSON: `{"path":"x"}`}, {Name: "Read", ArgsJSON: `"{oops"`},
	})
	if c := seen[0]; c.Thinking != "hm" || c.Response != "" || !c.HasToolCalls || c.ResponseEmpty || !c.ResponseContentEmpty {
		t.Errorf("got %+v", c)
	}
	if c := seen[1]; c.Response != "end" || c.HasToolCalls || c.ResponseEmpty || c.ResponseContentEmpty {
		t.Errorf("got %+v", c)
	}
}

func TestStepLimit(t *testing.T) {
	t.Parallel()
	t.Run("tools", func(t *testing.T) {
		t.Parallel()
		b := start(t, options{maxSteps: 3, tools: []tool.Tool{echo("Read")}}, calls("", `Read {"path":"x"}`))
		if err := b.Send(t.Context(), "go"); !errors.Is(err, conversation.ErrStepLimit) || !strings.Contains(err.Error(), "--max-steps") {
			t.Errorf("got %v", err)
		}
		if len(b.model.requests) != 3 || len(b.journal.messages) != 7 {
			t.Errorf("%d requests, %d messages", len(b.model.requests), len(b.journal.messages))
		}
		if len(only[event.Error](b)) != 1 {
			t.Error("the error was not told")
		}
	})
	t.Run("a plugin that never rests", func(t *testing.T) {
		t.Parallel()
		b := start(t, options{maxSteps: 3, hooks: on(hookpoint.AfterResponse, message("go on"))}, text("done"))
		if err := b.Send(t.Context(), "go"); !errors.Is(err, conversation.ErrStepLimit) || !strings.Contains(err.Error(), "a plugin asked") {
			t.Errorf("got %v", err)
		}
		if len(b.model.requests) != 3 {
			t.Errorf("%d requests", len(b.model.requests))
		}
	})
	t.Run("default", func(t *testing.T) {
		t.Parallel()
		b := start(t, options{}, text("done"))
		if got := b.Context().MaxSteps; got != 50 {
			t.Errorf("got %d", got)
		}
	})
}

func TestSendRefuses(t *testing.T) {
	t.Parallel()
	b := start(t, options{}, text("x"))
	if err := b.Send(t.Context(), " \n"); err == nil {
		t.Error("an empty prompt was sent")
	}
	inside := start(t, options{}, nil)
	var second error
	inside.model.replies[0] = func(ctx context.Context, _ llm.Request, _ func(llm.Delta)) (llm.Response, error) {
		second = inside.Send(ctx, "me too")
		return llm.Response{}, nil
	}
	inside.send(t, "go")
	if second == nil {
		t.Error("two interactions ran at once")
	}
	if got := inside.Stats().Interactions; got != 1 {
		t.Errorf("%d interactions", got)
	}
}

func TestJournalFailure(t *testing.T) {
	t.Parallel()
	b := start(t, options{tools: []tool.Tool{echo("Read")}}, calls("", `Read {"path":"x"}`), text("end"))
	full := errors.New("disk full")
	b.journal.err = full
	if err := b.Send(t.Context(), "go"); !errors.Is(err, full) || !strings.Contains(err.Error(), "saving the session") {
		t.Errorf("got %v", err)
	}
	b.journal.err = nil
	b.send(t, "again")
	same(t, "history", b.sent(t, 2), []string{"user:go", "assistant:+Read", "tool:Read:x", "user:again"})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	if _, err := conversation.New(t.Context(), conversation.Config{}); err == nil {
		t.Error("a conversation without a provider was made")
	}
	if _, err := conversation.New(t.Context(), conversation.Config{Persona: conversation.Persona{Provider: provider{&model{}}, MaxSteps: -1}}); err == nil {
		t.Error("a negative step limit was taken")
	}
}

// TestEmptyAnswer checks that an empty answer that ends the interaction is reported.
func TestEmptyAnswer(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]int{"": 1, "ok": 0} {
		b := start(t, options{}, text(answer))
		b.send(t, "go")
		told := 0
		for _, n := range only[event.Notice](b) {
			if n.Text == "the model's answer is empty" {
				told++
			}
		}
		if told != want {
			t.Errorf("%q: reported %d times", answer, told)
		}
	}
}

// TestFaultsAreShownOnce has a plugin with the same fault in each result: the user sees the fault once, and again after another one.
func TestFaultsAreShownOnce(t *testing.T) {
	t.Parallel()
	roles := []sdk.Role{"robot", "robot", "tool", "robot", "robot"}
	calls := 0
	b := start(t, options{hooks: hooks{hookpoint.BeforeChat: {{"p", func(any) (any, error) {
		calls++
		return sdk.Result{Message: "hi", Role: roles[calls-1]}, nil
	}}}}}, text("ok"))
	for range roles {
		b.send(t, "go on")
	}
	var shown []bool
	for _, e := range only[event.PluginError](b) {
		shown = append(shown, !e.Reported)
	}
	same(t, "shown", shown, []bool{true, false, true, true, false})
}
