package script_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/script"
)

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const every = `
model: {name: m, family: f, parameter_count: 8000000000, context_length: 4096, capabilities: [tools, thinking]}
turns:
  - text: Reading it.
    thinking: hm
    tool_calls:
      - {name: Read, arguments: {path: main.go, n: 3, deep: {a: [1.5, true]}}}
      - {name: Read, arguments: '{"path":', id: mine}
      - {name: Ls}
    usage: {input: 120, output: 30}
    delay: 20ms
  - error: {type: rate_limit, message: slow down}
  - text: partly
    error: {message: odd}
  - {}
`

func TestLoadEveryField(t *testing.T) {
	t.Parallel()
	got, err := script.Load(file(t, every))
	if err != nil {
		t.Fatal(err)
	}
	want := script.Script{
		Model: script.Model{
			Name: "m", Family: "f", ParameterCount: 8_000_000_000, ContextLength: 4096, Capabilities: []string{"tools", "thinking"},
		},
		Turns: []script.Turn{
			{
				Text: "Reading it.", Thinking: "hm", Delay: 20 * time.Millisecond, Usage: &llm.Usage{Input: 120, Output: 30},
				ToolCalls: []script.ToolCall{
					{Name: "Read", Arguments: script.Arguments(`{"deep":{"a":[1.5,true]},"n":3,"path":"main.go"}`)},
					{Name: "Read", Arguments: script.Arguments(`{"path":`), ID: "mine"},
					{Name: "Ls"},
				},
			},
			{Error: &script.Error{Type: "rate_limit", Message: "slow down"}},
			{Text: "partly", Error: &script.Error{Message: "odd"}},
			{},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestLoadDefaultModel(t *testing.T) {
	t.Parallel()
	got, err := script.Load(file(t, "turns: [{text: a}]"))
	if err != nil {
		t.Fatal(err)
	}
	want := script.Model{Family: "script", ContextLength: 8192, Capabilities: []string{"tools"}}
	if !reflect.DeepEqual(got.Model, want) {
		t.Errorf("got %+v, want %+v", got.Model, want)
	}
}

func TestLoadErrorTypes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"rate_limit", "auth", "network", "server", "content_filter", "credit_exhausted", "model_unavailable", "context_exhausted", `""`,
	} {
		if _, err := script.Load(file(t, "turns: [{error: {type: "+name+", message: x}}]")); err != nil {
			t.Error(err)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ content, want string }{
		"empty":               {"", "s.yaml: the script has no turns"},
		"no turns":            {"turns: []", "s.yaml: the script has no turns"},
		"unknown key":         {"turns:\n  - text: a\n    txt: b\n", `s.yaml:3: unknown key "txt" in "turns[0]"`},
		"unknown model key":   {"model:\n  size: 3\nturns: [{text: a}]\n", `s.yaml:2: unknown key "size" in "model"`},
		"unknown call key":    {"turns: [{tool_calls: [{nam: Ls}]}]", `s.yaml:1: unknown key "nam"`},
		"duplicate key":       {"turns:\n  - text: a\n    text: b\n", `s.yaml:3: duplicate key "turns[0].text"`},
		"delay without unit":  {"turns:\n  - delay: 20\n", `s.yaml:2: key "turns[0].delay": expected a duration`},
		"negative delay":      {"turns:\n  - text: a\n  - delay: -1s\n", `s.yaml:3: key "turns[1].delay": -1s is negative`},
		"negative usage":      {"turns:\n  - usage: {input: -1}\n", `s.yaml:2: key "turns[0].usage": a count is negative`},
		"usage of text":       {"turns: [{usage: {input: x}}]", `s.yaml:1: key "turns[0].usage.input": expected a whole number`},
		"list as arguments":   {"turns:\n  - tool_calls:\n      - {name: a, arguments: [1]}\n", `s.yaml:3: key "turns[0].tool_calls[0].arguments": expected a mapping`},
		"number as arguments": {"turns: [{tool_calls: [{name: a, arguments: 3}]}]", `expected a mapping`},
		"not JSON":            {"turns: [{tool_calls: [{name: a, arguments: {x: .nan}}]}]", `s.yaml:1: key "turns[0].tool_calls[0].arguments": encoding as JSON`},
		"call without name":   {"turns:\n  - text: a\n  - tool_calls: [{arguments: {}}]\n", `s.yaml:3: key "turns[1].tool_calls[0].name": missing`},
		"id used twice": {
			"turns:\n  - tool_calls: [{name: a, id: x}]\n  - tool_calls: [{name: b}, {name: c, id: x}]\n",
			`s.yaml:3: key "turns[1].tool_calls[1].id": "x" is the id of an earlier call`,
		},
		"unknown error type": {
			"turns:\n  - text: a\n  - error:\n      type: tired\n",
			`s.yaml:4: key "turns[1].error.type": unknown error type "tired"; known types: rate_limit, auth, network, server,`,
		},
		"error type of list":   {"turns: [{error: {type: [a]}}]", `s.yaml:1: key "turns[0].error.type": expected text`},
		"error and tool calls": {"turns:\n  - error: {message: a}\n    tool_calls: [{name: b}]\n", `s.yaml:2: key "turns[0]": a turn with an error`},
		"error and usage":      {"turns:\n  - error: {message: a}\n    usage: {input: 1}\n", `s.yaml:2: key "turns[0]": a turn with an error`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := script.Load(file(t, tt.content))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	if _, err := script.Load(filepath.Join(t.TempDir(), "none.yaml")); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("missing file: %v", err)
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	s := script.Demo()
	looks := 0
	for i, turn := range s.Turns {
		for _, call := range turn.ToolCalls {
			if call.Name != "Ls" || !json.Valid([]byte(call.Arguments)) {
				t.Errorf("turn %d calls %s with %s", i, call.Name, call.Arguments)
			}
			looks++
		}
		if turn.Error != nil || turn.Delay != 0 || turn.Text == "" {
			t.Errorf("turn %d is %+v", i, turn)
		}
	}
	last := s.Turns[len(s.Turns)-1]
	if len(s.Turns) != 4 || looks < 2 || len(last.ToolCalls) != 0 {
		t.Errorf("%d turns with %d looks; the last is %+v", len(s.Turns), looks, last)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(every))
	f.Add([]byte("turns: [{tool_calls: [{name: a, arguments: {x: .nan}}]}]"))
	f.Add([]byte("turns: [{text: ä}, null]"))
	f.Add([]byte("turns: [{tool_calls: [{name: a, id: call_1}, {name: b}]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := script.Load(file(t, string(data)))
		if err != nil {
			return
		}
		p, err := script.New(script.Options{Script: s})
		if err != nil {
			t.Fatalf("a loaded script cannot be played: %v", err)
		}
		ids := map[string]bool{}
		for i, turn := range s.Turns {
			if turn.Delay > 0 {
				return
			}
			var text, thinking strings.Builder
			r, err := p.Chat(t.Context(), llm.Request{}, func(d llm.Delta) {
				text.WriteString(d.Text)
				thinking.WriteString(d.Thinking)
			})
			if (err != nil) != (turn.Error != nil) || text.String() != turn.Text || thinking.String() != turn.Thinking {
				t.Fatalf("turn %d: %v, streamed %q and %q", i, err, text.String(), thinking.String())
			}
			for _, call := range r.Message.ToolCalls {
				if call.ID == "" || ids[call.ID] {
					t.Fatalf("id %q is empty or used twice", call.ID)
				}
				ids[call.ID] = true
			}
		}
	})
}
