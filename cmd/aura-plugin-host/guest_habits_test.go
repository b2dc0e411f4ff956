//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// called is a context with something in each part that extensions read.
func called() sdk.Context {
	cost := 0.25
	return sdk.Context{
		SessionID: "s1", Provider: "acme", ModelInfo: sdk.ModelInfo{Name: "large"}, CostUSD: &cost,
		Stats: sdk.Stats{StartTime: time.Unix(1000, 0), Turns: 3, Interactions: 2, TokensIn: 70, TokensOut: 30},
		Turns: []sdk.Turn{{Role: "user", Content: "hi"}, {Role: "assistant", Content: "done"}},
		ToolHistory: []sdk.ToolCall{
			{Name: "Bash", Args: map[string]any{"command": "ls"}, Result: "a b", Duration: 2 * time.Millisecond},
			{Name: "Read", Args: map[string]any{"path": "x"}, Error: "no file"},
		},
		PluginConfig: map[string]any{"level": 2},
	}
}

// TestHabits runs extensions that are written as people write them. Each row is one extension.
func TestHabits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T, p *started, e shared.Exports){
		"habit_side_effects.py": func(t *testing.T, p *started, e shared.Exports) {
			t.Helper()
			if push := e.Tool("push"); push.Timeout != 90*time.Second || !slices.Equal(push.SideEffects, []sdk.SideEffect{"network", "write"}) {
				t.Errorf("got %+v", push)
			}
			if look := e.Tool("look"); !slices.Equal(look.SideEffects, []sdk.SideEffect{"read"}) || string(look.Parameters) != `{"type":"object"}` {
				t.Errorf("got %+v", look)
			}
			want(t, p.tool(t, "push", nil), "pushed")
		},
		"habit_signatures.py": func(t *testing.T, p *started, _ shared.Exports) {
			t.Helper()
			for tool, result := range map[string]string{
				"all_kwargs": `{"a": 5}`, "kwargs_ctx": "large {'a': 5}", "no_ctx": "7", "keyword_ctx": "5 3", "ctx_first": "5 3", "optional_ctx": "True",
				"forwarded": "traced 5 3", "with_wraps": "wrapped 5",
			} {
				got, err := p.Execute(t.Context(), shared.ToolCall{Tool: tool, Context: called(), Args: map[string]any{"a": 5}})
				if err != nil || got != result {
					t.Errorf("%s: got %q, %v, want %q", tool, got, err, result)
				}
			}
			want(t, p.tool(t, "method", map[string]any{"by": 2}), "2")
			want(t, p.tool(t, "partial", nil), "12")
			want(t, p.tool(t, "with_wraps", map[string]any{"b": 1}), "error: TypeError: register.<locals>.with_wraps() got an unexpected keyword argument 'b' (habit_signatures.py:17)")
		},
		"habit_register_options.py": func(t *testing.T, p *started, _ shared.Exports) {
			t.Helper()
			want(t, p.tool(t, "say", map[string]any{"text": "x"}), "> x None {}")
		},
		"habit_event_types.py": testEventTypes,
		"habit_session.py":     testSession,
		"habit_optional_imports.py": func(t *testing.T, p *started, _ shared.Exports) {
			t.Helper()
			want(t, p.tool(t, "has", nil), "[None, None, None]")
		},
		"habit_chain.py": func(t *testing.T, p *started, _ shared.Exports) {
			t.Helper()
			got := p.hook(t, "UserMessage", sdk.UserMessageContext{Content: "what colour?"})
			if !strings.Contains(got, `"Content":"WHAT COLOR? (11)"`) {
				t.Errorf("got %s", got)
			}
			for output, result := range map[string]string{"a key=1": "a key=*** [2 words]", "": " [0 words]"} {
				got = p.hook(t, "AfterToolExecution", sdk.AfterToolContext{ToolName: "Bash", ToolResult: output})
				if !strings.Contains(got, `"Output":"`+result+`"`) {
					t.Errorf("got %s", got)
				}
			}
			got = p.hook(t, "AfterToolExecution", sdk.AfterToolContext{ToolName: "Bash", ToolResult: "half", ToolError: "broken"})
			if !strings.Contains(got, `"Output":"Error: half\nbroken [2 words]"`) {
				t.Errorf("got %s", got)
			}
		},
		"habit_before_turn.py": testBeforeTurn,
		"habit_package": func(t *testing.T, p *started, e shared.Exports) {
			t.Helper()
			want(t, p.tool(t, "helped", nil), "help for x: a b")
			want(t, fmt.Sprint(e.Emits), "[package:announced]")
		},
		"habit_order.py": func(t *testing.T, p *started, _ shared.Exports) {
			t.Helper()
			want(t, p.guard(t, "Glob", nil), "")
			want(t, p.guard(t, "Bash", nil), "blocked by 1 after [0, 1, 2, 0, 1]")
		},
		"habit_raising.py":  testRaising,
		"habit_usage.py":    testUsage,
		"habit_in_place.py": testInPlace,
		"habit_faulty.py": func(t *testing.T, p *started, e shared.Exports) {
			t.Helper()
			want(t, p.guard(t, "Bash", nil), "guarded")
			want(t, p.tool(t, "twice", nil), "last")
			want(t, fmt.Sprintln(len(e.Tools), len(e.Commands), e.Commands[0].Name), "1 1 good\n")
			want(t, strings.Join(e.Warnings, "\n"), `it imports agent.core.events.Nothing, a part of Aar that aura does not provide: what needs it does not work
it imports agent.core.loop, a part of Aar that aura does not provide: what needs it does not work
it imports agent.extensions.mcp, a part of Aar that aura does not provide: aura connects MCP servers itself; list them in config/mcp/*.yaml
it imports agent.memory.session_store, a part of Aar that aura does not provide: aura saves sessions itself
tool 'set': input_schema is no JSON: Object of type set is not JSON serializable; it is left out
tool "slow": its timeout is -1 seconds; use one from 0 to 86400; it is left out
command "two words": the name of a command is one word without a slash; it is left out`)
		},
		"habit_stream.py": func(t *testing.T, p *started, _ shared.Exports) {
			t.Helper()
			p.hook(t, "StreamChunk", sdk.StreamChunkContext{Chunks: []sdk.Chunk{{Thinking: "hm"}, {Text: "one "}, {Text: "two"}}})
			p.hook(t, "StreamChunk", sdk.StreamChunkContext{Chunks: []sdk.Chunk{{Text: "."}, {Finished: true}}})
			p.stderr.await(t, "[info] answer: one two., thoughts: hm\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, exports := stored(t, name)
			test(t, p, exports)
		})
	}
}

func testEventTypes(t *testing.T, p *started, e shared.Exports) {
	t.Helper()
	if len(e.Hooks) != 8 {
		t.Errorf("got the hooks %v", e.Hooks)
	}
	c := called()
	c.ToolHistory = c.ToolHistory[:1]
	p.hook(t, "SessionStart", sdk.SessionStartContext{Resumed: true})
	p.hook(t, "UserMessage", sdk.UserMessageContext{Content: "x"})
	p.hook(t, "TransformMessages", sdk.TransformContext{Messages: []sdk.Message{{ID: "m1", Role: "user"}}})
	p.hook(t, "AfterResponse", sdk.AfterResponseContext{Response: "r", Calls: []sdk.ToolCall{{Name: "Bash", Args: map[string]any{"command": "ls"}}}})
	p.guard(t, "Bash", map[string]any{"command": "ls"})
	p.hook(t, "AfterToolExecution", sdk.AfterToolContext{Context: c, ToolName: "Bash", ToolResult: "a b", ToolDuration: 1500 * time.Microsecond})
	p.hook(t, "OnError", sdk.OnErrorContext{Error: "e", ErrorType: "network", Retryable: true})
	p.hook(t, "SessionEnd", sdk.SessionEndContext{Reason: "done"})
	const rest = " True True True True "
	want(t, p.tool(t, "seen", nil), strings.Join([]string{
		"session" + rest + "{}", "user_message" + rest + "{}", "before_turn" + rest + "{}", "after_turn" + rest + "{}",
		"tool_call" + rest + "{}", "True bash tool-1 {'command': 'ls'}", "tool_result" + rest + "{}", "True bash tool-1 False 1.5",
		"error" + rest + "{'type': 'network'}", "session" + rest + "{'reason': 'done'}",
	}, "\n"))
}

func testSession(t *testing.T, p *started, _ shared.Exports) {
	t.Helper()
	p.hook(t, "SessionStart", sdk.SessionStartContext{Context: sdk.Context{SessionID: "s1", Stats: sdk.Stats{Turns: 1}}})
	p.hook(t, "AfterResponse", sdk.AfterResponseContext{Context: called(), Thinking: "hmm"})
	for tool, result := range map[string]string{
		"numbers":  "s1 3 70+30=100 0.25 running True 32 32 True",
		"texts":    "[{'role': 'user', 'content': 'hi'}, {'role': 'assistant', 'content': 'done'}] True",
		"kinds":    "session user_message reasoning tool_call tool_result tool_call tool_result assistant_message provider_meta",
		"usage":    "103",
		"live":     "3 True",
		"settings": "acme large large {'level': 2}",
	} {
		got, err := p.Execute(t.Context(), shared.ToolCall{Tool: tool, Context: called()})
		if err != nil || got != result {
			t.Errorf("%s: got  %q, %v\nwant %q", tool, got, err, result)
		}
	}
}

func testBeforeTurn(t *testing.T, p *started, _ shared.Exports) {
	t.Helper()
	sent := []sdk.Message{
		{ID: "m0001", Role: "system", Content: "prompt", Type: "normal"},
		{ID: "m0002", Role: "user", Content: "one", Type: "normal"},
		{ID: "m0003", Role: "assistant", Thinking: "hm", ToolCalls: []sdk.MessageToolCall{{ID: "c1", Name: "Bash", Arguments: map[string]any{"n": 1.0, "big": json.Number("99999999999999999999")}}}},
		{ID: "m0004", Role: "tool", ToolCallID: "c1", ToolName: "Bash", Content: "out"},
		{ID: "m0005", Role: "user", Content: "Go on.", Tokens: 3, CreatedAt: time.Unix(1000, 5).UTC()},
	}
	call := func(messages []sdk.Message) []sdk.Message {
		out, err := p.Hook(t.Context(), shared.HookCall{Point: "TransformMessages", Context: sdk.TransformContext{Messages: messages}})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := out.([]sdk.Message)
		return got
	}
	got := call(slices.Clone(sent[:4]))
	last := sent[3]
	last.Content = "out Be brief."
	if w := []sdk.Message{sent[0], sent[1], sent[2], last}; !reflect.DeepEqual(got, w) {
		t.Errorf("got  %+v\nwant %+v", got, w)
	}
	got = call(slices.Clone(sent))
	last = sent[4]
	last.Content = "Go on. Be brief."
	if w := []sdk.Message{sent[0], {ID: "n0000", Role: "user", Content: "(earlier messages left out)", Type: "normal"}, sent[3], last}; !reflect.DeepEqual(got, w) {
		t.Errorf("got  %+v\nwant %+v", got, w)
	}
}

// TestHabitMetadata checks that the metadata of a session survives the end of the interpreter, and belongs to its session.
func TestHabitMetadata(t *testing.T) {
	t.Parallel()
	s := newServices()
	one := sdk.Context{SessionID: "one"}
	first, _ := loaded(t, python(t, storedPath(t, "habit_metadata.py"), nil), s)
	for range 2 {
		first.hook(t, "BeforeToolExecution", sdk.BeforeToolContext{Context: one, ToolName: "Bash"})
	}
	want(t, fmt.Sprint(s.snapshot()), `map[session metadata/counts:{"bash": 2}]`)
	if _, err := first.Execute(t.Context(), shared.ToolCall{Tool: "odd", Context: one}); err != nil {
		t.Fatal(err)
	}
	want(t, fmt.Sprint(s.snapshot()), `map[session metadata/counts:{"bash": 2} session metadata/even:2]`)
	first.stderr.await(t, "[warn] session.metadata['odd'] is lost when the extension ends: Object of type object is not JSON serializable\n")

	second, _ := loaded(t, python(t, storedPath(t, "habit_metadata.py"), nil), s)
	counts := func(c sdk.Context) string {
		out, err := second.Execute(t.Context(), shared.ToolCall{Tool: "counts", Context: c})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	want(t, counts(one), "{'bash': 2}")
	if _, err := second.Execute(t.Context(), shared.ToolCall{Tool: "forget", Context: one}); err != nil {
		t.Fatal(err)
	}
	want(t, fmt.Sprint(s.snapshot()), `map[]`)

	// Another session has other metadata.
	second.hook(t, "BeforeToolExecution", sdk.BeforeToolContext{Context: one, ToolName: "Ls"})
	s.mu.Lock()
	s.state = map[string]string{}
	s.mu.Unlock()
	want(t, counts(sdk.Context{SessionID: "two"}), "{}")
}

// TestMetadataSideBySide checks that the first calls of a session all find what was kept, and that no write is lost.
func TestMetadataSideBySide(t *testing.T) {
	t.Parallel()
	s := newServices()
	s.state["session metadata/kept"] = "1"
	p, _ := loaded(t, python(t, filepath.Join(unpack(t, `
-- ext.py --
def register(api):
    @api.tool("look", "", {"type": "object"})
    async def look(n, ctx):
        found = ctx.session.metadata["kept"]
        ctx.session.metadata[f"n{n}"] = n
        return found
`), "ext.py"), nil), s)
	const calls = 20
	var all sync.WaitGroup
	for n := range calls {
		all.Go(func() {
			out, err := p.Execute(t.Context(), shared.ToolCall{Tool: "look", Context: sdk.Context{SessionID: "s"}, Args: map[string]any{"n": n}})
			if err != nil || out != "1" {
				t.Errorf("call %d: got %q, %v", n, out, err)
			}
		})
	}
	all.Wait()
	if got := len(s.snapshot()); got != calls+1 {
		t.Errorf("%d values are kept, want %d", got, calls+1)
	}
}

// TestHabitBus checks messages inside an extension and between plugins.
func TestHabitBus(t *testing.T) {
	t.Parallel()
	s := newServices()
	p, e := loaded(t, python(t, storedPath(t, "habit_bus.py"), nil), s)
	want(t, fmt.Sprint(e.Hooks, e.Listens, e.Emits), "[BeforeToolExecution] [bus:note other:bad other:news] [bus:heard bus:note bus:object]")
	payload, err := shared.EncodePayload(map[string]any{"n": 1, "f": 1.0, "b": []byte{1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"other:news", "other:bad"} {
		if err := p.Event(t.Context(), shared.EventCall{Name: name, Sender: "other", Payload: payload}); err != nil {
			t.Error(err)
		}
	}
	p.guard(t, "Bash", nil)
	want(t, p.tool(t, "note", map[string]any{"text": "x"}), `news {'b': b'\x01', 'f': 1.0, 'n': 1}, lifecycle bash, plain x, patient x`)
	p.tool(t, "later", nil)
	if err := p.Event(t.Context(), shared.EventCall{Name: "other:later", Payload: payload}); err != nil {
		t.Error(err)
	}
	p.stderr.await(t, "[warn] messages of 'bus:object' stay inside the extension: a value of type Note cannot be sent to another process\n")
	p.stderr.await(t, "RuntimeError: bad news")
	s.await(t, func() bool { return len(s.emitted) == 2 && len(s.listens) == 1 })
	s.mu.Lock()
	defer s.mu.Unlock()
	want(t, fmt.Sprint(s.emitted, s.listens), `[bus:heard {"news":{"b":{"$data":"AQ=="},"f":1.0,"n":1}} bus:note "x"] [other:later]`)
}

// TestHabitFiles checks that an extension can write below its home directory and run git.
func TestHabitFiles(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "git")
	home := t.TempDir()
	p, _ := loaded(t, python(t, storedPath(t, "habit_files.py"), []string{"HOME=" + home}), newServices())
	p.hook(t, "UserMessage", sdk.UserMessageContext{Content: "remember me"})
	want(t, p.tool(t, "notes", nil), "remember me\n")
	if _, err := os.Stat(filepath.Join(home, ".aar", "notes.txt")); err != nil {
		t.Error(err)
	}
	want(t, p.tool(t, "checkpoint", map[string]any{"directory": t.TempDir()}), "one checkpoint")
}

// TestHabitModules imports modules from a directory of dependencies, and an extension by its entry point.
func TestHabitModules(t *testing.T) {
	t.Parallel()
	dir := unpack(t, `
-- fancy_dep.py --
NAME = "fancy"
-- entry_ext.py --
import fancy_dep

class Plugin:
    @staticmethod
    def load(api):
        @api.tool("name", "", {"type": "object"})
        def name():
            return fancy_dep.NAME
        api.events.emit("entry:loaded")
-- agent.py --
raise RuntimeError("this is not the agent that extensions import")
`)
	p, e := loaded(t, python(t, "entry_ext:Plugin.load", nil, dir), newServices())
	want(t, p.tool(t, "name", nil), "fancy")
	want(t, fmt.Sprint(e.Emits), "[entry:loaded]")

	// A file may have the name of a module that it imports.
	named := unpack(t, "\n-- fancy_dep.py --\nimport fancy_dep\n\ndef register(api):\n    @api.tool('name', '', {'type': 'object'})\n    def name():\n        return fancy_dep.NAME\n")
	p, _ = loaded(t, python(t, filepath.Join(named, "fancy_dep.py"), nil, dir), newServices())
	want(t, p.tool(t, "name", nil), "fancy")
	dir = unpack(t, "\n-- json.py --\nimport json\n\ndef register(api):\n    @api.tool('dump', '', {'type': 'object'})\n    def dump():\n        return json.dumps([1])\n")
	p, _ = loaded(t, python(t, filepath.Join(dir, "json.py"), nil), newServices())
	want(t, p.tool(t, "dump", nil), "[1]")
}

// TestUnknownEvents checks the warnings about what an extension registers in vain.
func TestUnknownEvents(t *testing.T) {
	t.Parallel()
	p, e := extension(t, "def register(api):\n    api.on('tool_cal')(print)\n    api.register_panel(1)\n")
	if len(e.Warnings) != 2 || !strings.HasPrefix(e.Warnings[0], "there is no event 'tool_cal'; the events are session_start, ") || e.Warnings[1] != "aura shows no panels" {
		t.Errorf("got %q", e.Warnings)
	}
	p.stderr.await(t, "[warn] there is no event 'tool_cal'")
}
