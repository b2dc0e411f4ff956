package dialogue_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
)

var rules = dialogue.Rules{MaxID: 40, MaxName: 64}

func system(text string) llm.Message    { return llm.Message{Role: llm.RoleSystem, Content: text} }
func user(text string) llm.Message      { return llm.Message{Role: llm.RoleUser, Content: text} }
func assistant(text string) llm.Message { return llm.Message{Role: llm.RoleAssistant, Content: text} }

// calls returns an assistant message with a call of the tool T for each id.
func calls(ids ...string) llm.Message {
	m := llm.Message{Role: llm.RoleAssistant}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: id, Name: "T", Arguments: json.RawMessage(`{}`)})
	}
	return m
}

func result(id, text string) llm.Message {
	return llm.Message{Role: llm.RoleTool, ToolCallID: id, ToolName: "T", Content: text}
}

// short formats messages, one word each: u, a and t for the roles, calls as !id, results as ?id.
func short(messages []llm.Message) string {
	var words []string
	for _, m := range messages {
		word := string(m.Role)[:1] + ":" + m.Content
		for _, call := range m.ToolCalls {
			word += "!" + call.ID
		}
		if m.Role == llm.RoleTool {
			word += "?" + m.ToolCallID
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

const lost = "There is no result: the call was interrupted."

func TestPrepare(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		messages []llm.Message
		system   string
		want     string
	}{
		"plain":               {[]llm.Message{system("s"), user("u"), assistant("a"), user("v")}, "s", "u:u a:a u:v"},
		"no system prompt":    {[]llm.Message{user("u")}, "", "u:u"},
		"system in between":   {[]llm.Message{system("s"), user("u"), system(""), system("s2"), user("v")}, "s\n\ns2", "u:u u:v"},
		"empty messages":      {[]llm.Message{user(""), user("u"), assistant(" \n"), user("v")}, "", "u:u u:v"},
		"results":             {[]llm.Message{user("u"), calls("1", "2"), result("1", "x"), result("2", "y"), user("v")}, "", "u:u a:!1!2 t:x?1 t:y?2 u:v"},
		"results swapped":     {[]llm.Message{calls("1", "2"), result("2", "y"), result("1", "x")}, "", "a:!1!2 t:x?1 t:y?2"},
		"result after others": {[]llm.Message{calls("1"), user("u"), assistant("a"), result("1", "x")}, "", "a:!1 t:x?1 u:u a:a"},
		"result missing":      {[]llm.Message{calls("1", "2"), result("1", "x"), user("u")}, "", "a:!1!2 t:x?1 t:" + lost + "?2 u:u"},
		"all missing":         {[]llm.Message{calls("1"), calls("2"), result("2", "y")}, "", "a:!1 t:" + lost + "?1 a:!2 t:y?2"},
		"result too late":     {[]llm.Message{calls("1"), calls("2"), result("2", "y"), result("1", "x")}, "", "a:!1 t:" + lost + "?1 a:!2 t:y?2 u:Result of the tool T:\nx"},
		"orphaned result":     {[]llm.Message{user("u"), result("1", "x")}, "", "u:u u:Result of the tool T:\nx"},
		"result twice":        {[]llm.Message{calls("1"), result("1", "x"), result("1", "y")}, "", "a:!1 t:x?1 u:Result of the tool T:\ny"},
		"empty result":        {[]llm.Message{calls("1"), result("1", "")}, "", "a:!1 t:?1"},
		"same id twice":       {[]llm.Message{calls("1", "1"), result("1", "x"), result("1", "y")}, "", "a:!1!1_2 t:x?1 t:y?1_2"},
		"same id later":       {[]llm.Message{calls("1"), result("1", "x"), calls("1"), result("1", "y")}, "", "a:!1 t:x?1 a:!1_2 t:y?1_2"},
		"no id":               {[]llm.Message{calls("", ""), result("", "x"), result("", "y")}, "", "a:!call!call_2 t:x?call t:y?call_2"},
		"odd id":              {[]llm.Message{calls("f.T:0"), result("f.T:0", "x")}, "", "a:!f_T_0_dbbeac8d t:x?f_T_0_dbbeac8d"},
		"long id":             {[]llm.Message{calls(strings.Repeat("x", 41)), result(strings.Repeat("x", 41), "x")}, "", "a:!" + strings.Repeat("x", 31) + "_3164596d t:x?" + strings.Repeat("x", 31) + "_3164596d"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := fmt.Sprintf("%+v", test.messages)
			system, rest := dialogue.Prepare(test.messages, rules)
			if got := short(rest); system != test.system || got != test.want {
				t.Errorf("got %q, %q\nwant %q, %q", system, got, test.system, test.want)
			}
			if after := fmt.Sprintf("%+v", test.messages); after != before {
				t.Errorf("the messages have changed: %s", after)
			}
		})
	}
}

func TestObject(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"":                  `{}`,
		"  ":                `{}`,
		"null":              `{}`,
		`""`:                `{}`,
		` {"a": 1} `:        `{"a": 1}`,
		`{"a": `:            `{"malformed_arguments":"{\"a\": "}`,
		`[1]`:               `{"malformed_arguments":"[1]"}`,
		`"text"`:            `{"malformed_arguments":"\"text\""}`,
		`{"a":1}{"b":2}`:    `{"malformed_arguments":"{\"a\":1}{\"b\":2}"}`,
		"{\"a\": \"\xff\"}": "{\"a\": \"\xff\"}",
	} {
		if got := string(dialogue.Object(json.RawMessage(written))); got != want {
			t.Errorf("%q: got %s, want %s", written, got, want)
		}
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	long := "mcp__" + strings.Repeat("x", 100)
	offered := []llm.ToolDefinition{
		{Name: "Read", Parameters: json.RawMessage(`{"type":"object"}`)},
		{Name: "mcp__a.b__c"},
		{Name: "mcp__a_b__c"},
		{Name: long},
		{Name: long + "y"},
		{Name: "Read"},
		{Name: ""},
	}
	tools, names := dialogue.Tools(offered, 64)
	if len(tools) != 6 {
		t.Fatalf("got %d tools: %+v", len(tools), tools)
	}
	pattern := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	for i, tool := range tools {
		if !pattern.MatchString(tool.Name) || !json.Valid(tool.Parameters) {
			t.Errorf("tool %+v", tool)
		}
		if want := append(offered[:5:5], offered[6])[i].Name; names.Own(tool.Name) != want {
			t.Errorf("%s: its own name is %q, want %q", tool.Name, names.Own(tool.Name), want)
		}
	}
	if got := names.Own("Unheard"); got != "Unheard" {
		t.Errorf("got %q", got)
	}
	if tools[0].Name != "Read" || tools[2].Name != "mcp__a_b__c" {
		t.Errorf("good names have changed: %+v", tools)
	}
}

func TestItemized(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a": {"type":"string"}}}`:                                          `{"type":"object","properties":{"a": {"type":"string"}}}`,
		`{"type":"object","properties":{"a": {"type":"array","items":{"type":"string"}}}}`:                 `{"type":"object","properties":{"a": {"type":"array","items":{"type":"string"}}}}`,
		`{"properties":{"a":{"type":"array"}}}`:                                                            `{"properties":{"a":{"items":{},"type":"array"}}}`,
		`{"properties":{"a":{"type":["array","null"],"maxItems":12345678901234567890}}}`:                   `{"properties":{"a":{"items":{},"maxItems":12345678901234567890,"type":["array","null"]}}}`,
		`{"properties":{"a":{"items":{"type":"array"},"type":"array"}}}`:                                   `{"properties":{"a":{"items":{"items":{},"type":"array"},"type":"array"}}}`,
		`{"properties":{"a":{"anyOf":[{"type":"array"},{"type":"string"}]}}}`:                              `{"properties":{"a":{"anyOf":[{"items":{},"type":"array"},{"type":"string"}]}}}`,
		`{"properties":{"type":{"enum":["array"],"default":{"type":"array"}},"array":{"prefixItems":[]}}}`: `{"properties":{"type":{"enum":["array"],"default":{"type":"array"}},"array":{"prefixItems":[]}}}`,
		`no "array"`: `no "array"`,
	} {
		if got := string(dialogue.Itemized(json.RawMessage(schema))); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		``:                        `{"properties":{},"type":"object"}`,
		`null`:                    `{"properties":{},"type":"object"}`,
		`true`:                    `{"properties":{},"type":"object"}`,
		`{"properties":{"a":{}}}`: `{"properties":{"a":{}},"type":"object"}`,
		`{"type": "object", "properties":{}, "x":1}`:             `{"type": "object", "properties":{}, "x":1}`,
		`{"type":"object","properties":{},"anyOf":[],"oneOf":1}`: `{"properties":{},"type":"object"}`,
	} {
		if got := string(dialogue.Schema(json.RawMessage(schema), "anyOf", "oneOf")); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}

func TestTurns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		messages []llm.Message
		want     string
	}{
		"nothing":         {nil, "u(u:(The conversation so far.))"},
		"one":             {[]llm.Message{user("u")}, "u(u:u)"},
		"two users":       {[]llm.Message{user("u"), user("v")}, "u(u:u u:v)"},
		"model first":     {[]llm.Message{assistant("a"), user("u")}, "u(u:(The conversation so far.)) a(a:a) u(u:u)"},
		"model last":      {[]llm.Message{user("u"), assistant("a"), assistant("b")}, "u(u:u) a(a:a a:b) u(u:Continue.)"},
		"results go on":   {[]llm.Message{user("u"), calls("1"), result("1", "x"), user("v")}, "u(u:u) a(a:!1) u(t:x?1 u:v)"},
		"model and calls": {[]llm.Message{user("u"), assistant("a"), calls("1"), result("1", "x")}, "u(u:u) a(a:a a:!1) u(t:x?1)"},
	} {
		var got []string
		for _, turn := range dialogue.Turns(test.messages) {
			side := map[bool]string{true: "u", false: "a"}[turn.User]
			got = append(got, side+"("+short(turn.Messages)+")")
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

// FuzzPrepare checks that the result of Prepare satisfies its documentation for any messages.
func FuzzPrepare(f *testing.F) {
	f.Add("uac1?1u", "1")
	f.Add("cc??s?", "")
	f.Fuzz(func(t *testing.T, script, id string) {
		var messages []llm.Message
		for _, r := range script {
			switch r {
			case 'u':
				messages = append(messages, user("u"))
			case 'a':
				messages = append(messages, assistant("a"))
			case 's':
				messages = append(messages, system("s"))
			case 'c':
				messages = append(messages, calls(id, "2"))
			case '?':
				messages = append(messages, result(id, "r"))
			case '2':
				messages = append(messages, result("2", "r"))
			}
		}
		_, rest := dialogue.Prepare(messages, rules)
		var open []string
		seen := map[string]bool{}
		for _, m := range rest {
			if m.Role == llm.RoleTool {
				if len(open) == 0 || open[0] != m.ToolCallID {
					t.Fatalf("result %q is not expected in %s", m.ToolCallID, short(rest))
				}
				open = open[1:]
				continue
			}
			if len(open) > 0 {
				t.Fatalf("calls %q have no results in %s", open, short(rest))
			}
			for _, call := range m.ToolCalls {
				if seen[call.ID] || len(call.ID) > 40 || call.ID == "" {
					t.Fatalf("identifier %q in %s", call.ID, short(rest))
				}
				seen[call.ID] = true
				open = append(open, call.ID)
			}
		}
		if len(open) > 0 {
			t.Fatalf("calls %q have no results in %s", open, short(rest))
		}
	})
}
