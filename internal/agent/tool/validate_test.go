package tool_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/sdk"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","additionalProperties":false,"required":["path"],"properties":{
		"path":{"type":"string"},"lines":{"type":"integer","minimum":1},"mode":{"type":"string","enum":["read","write"]},
		"deep":{"type":"object","required":["x"]},"list":{"type":"array","items":{"type":"string"}}}}`
	tests := []struct {
		name string
		args map[string]any
		want []string
	}{
		{"fits", map[string]any{"path": "a", "lines": 3.0, "mode": "read"}, nil},
		{"an int is a number too", map[string]any{"path": "a", "lines": 3}, nil},
		{"missing", nil, []string{`missing required field "path"`}},
		{"unknown", map[string]any{"path": "a", "x": 1.0, "y": 2.0}, []string{`unknown field "x"`, `unknown field "y"`}},
		{"wrong type", map[string]any{"path": 1.0}, []string{`field "path" must be string, not number`}},
		{"fraction", map[string]any{"path": "a", "lines": 1.5}, []string{`field "lines" must be integer, not number`}},
		{"enum", map[string]any{"path": "a", "mode": "burn"}, []string{`field "mode" must be one of "read", "write"`}},
		{"bound", map[string]any{"path": "a", "lines": 0.0}, []string{`field "lines": minimum: got 0, want 1`}},
		{"nested", map[string]any{"path": "a", "deep": map[string]any{}}, []string{`missing required field "deep.x"`}},
		{"element", map[string]any{"path": "a", "list": []any{"x", true}}, []string{`field "list.1" must be string, not boolean`}},
		{
			"all at once",
			map[string]any{"lines": "many", "z": nil},
			[]string{`field "lines" must be integer, not string`, `missing required field "path"`, `unknown field "z"`},
		},
		{"no JSON value", map[string]any{"path": make(chan int)}, []string{`field "path": invalid jsonType chan int`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tool.Validate(json.RawMessage(schema), tt.args)
			if tt.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			invalid, ok := err.(*tool.ArgumentsError) //nolint:errorlint // the type itself is what is tested
			if !ok {
				t.Fatalf("got %v", err)
			}
			if !reflect.DeepEqual(invalid.Problems, tt.want) {
				t.Errorf("got %q, want %q", invalid.Problems, tt.want)
			}
			if !strings.HasPrefix(err.Error(), "invalid arguments: ") {
				t.Errorf("got %q", err)
			}
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`{`, `{"type":"strng"}`, `{"$ref":"file:///etc/passwd"}`, `{"$ref":"https://example.com/x"}`} {
		if _, err := tool.Compile(json.RawMessage(schema)); err == nil {
			t.Errorf("%s was compiled", schema)
		}
	}
}

func TestFromSDK(t *testing.T) {
	t.Parallel()
	raw, err := tool.FromSDK(sdk.ToolSchema{Name: "Pad", Parameters: sdk.ToolParameters{
		Type: "object",
		Properties: map[string]sdk.ToolProperty{
			"action": {Type: "string", Description: "what to do", Enum: []any{"read", "write"}},
			"any":    {},
		},
		Required: []string{"action"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"action":{"type":"string","description":"what to do","enum":["read","write"]},` +
		`"any":{}},"required":["action"],"additionalProperties":false}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
	if err := tool.Validate(raw, map[string]any{"action": "read", "extra": 1.0}); err == nil {
		t.Error("an unknown field was accepted")
	}
	empty, err := tool.FromSDK(sdk.ToolSchema{Name: "Stats"})
	if err != nil || string(empty) != `{"type":"object","properties":{},"additionalProperties":false}` {
		t.Errorf("got %s, %v", empty, err)
	}
}

func TestFromSDKRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		params sdk.ToolParameters
		want   string
	}{
		{"not an object", sdk.ToolParameters{Type: "string"}, "only object"},
		{"required but absent", sdk.ToolParameters{Required: []string{"x"}}, `parameter "x"`},
		{"no JSON", sdk.ToolParameters{Properties: map[string]sdk.ToolProperty{"x": {Enum: []any{make(chan int)}}}}, "chan int"},
		{"no type", sdk.ToolParameters{Properties: map[string]sdk.ToolProperty{"x": {Type: "int"}}}, `properties x: type: "int" is none`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := tool.FromSDK(sdk.ToolSchema{Name: "Bad", Parameters: tt.params})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), `"Bad"`) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestFromSDKNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"Pad": true, "a_b-C9": true, "": false, "Bad.Name": false, "two words": false, "größe": false, strings.Repeat("x", 65): false,
	} {
		if _, err := tool.FromSDK(sdk.ToolSchema{Name: name}); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func FuzzValidate(f *testing.F) {
	f.Add("path", "string", `{"path":"a"}`)
	f.Add("lines", "integer", `{"lines":1.5,"x":null}`)
	f.Add("", "array", `{"":[{}]}`)
	f.Fuzz(func(t *testing.T, name, kind, args string) {
		if !utf8.ValidString(name) {
			return
		}
		schema, err := tool.FromSDK(sdk.ToolSchema{Name: "Fuzzed", Parameters: sdk.ToolParameters{
			Properties: map[string]sdk.ToolProperty{name: {Type: kind}}, Required: []string{name},
		}})
		if _, bad := tool.Compile(schema); err != nil || bad != nil {
			return
		}
		var m map[string]any
		if json.Unmarshal([]byte(args), &m) != nil {
			return
		}
		if _, ok := m[name]; !ok && tool.Validate(schema, m) == nil {
			t.Errorf("%s was accepted without %q", args, name)
		}
	})
}
