package tool_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
)

func TestConvert(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},
		"b":{"type":"boolean"},"a":{"type":"array"},"o":{"type":"object"},"z":{"type":"null"},"many":{"type":["string","integer"]},
		"any":{},"ref":{"$ref":"#/$defs/n"},"alt":{"anyOf":[{"type":"boolean"},{"type":"string"}]},"ring":{"$ref":"#/properties/ring"}},
		"patternProperties":{"^x-":{"type":"number"}},"$defs":{"n":{"type":"number"}}}`
	tests := []struct {
		name, text string
		want       any
	}{
		{"s", "3", "3"},
		{"s", "{}", "{}"},
		{"s", "", ""},
		{"i", "3", 3.0},
		{"i", "many", "many"},
		{"i", "3.5", 3.5},
		{"n", "-1e3", -1000.0},
		{"b", "true", true},
		{"b", "yes", "yes"},
		{"a", `["x",1]`, []any{"x", 1.0}},
		{"a", "x", "x"},
		{"a", `{}`, "{}"},
		{"o", `{"k":[true]}`, map[string]any{"k": []any{true}}},
		{"z", "null", nil},
		{"many", "3", 3.0},
		{"many", "three", "three"},
		{"any", "3", "3"},
		{"any", "[3]", []any{3.0}},
		{"any", "[3", "[3"},
		{"any", "", ""},
		{"ref", "3", 3.0},
		{"alt", "false", false},
		{"alt", "3", "3"},
		{"ring", "3", "3"},
		{"x-y", "3", 3.0},
		{"unknown", "3", "3"},
	}
	s, err := tool.Compile(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		got := s.Convert(map[string]string{tt.name: tt.text})
		if !reflect.DeepEqual(got, map[string]any{tt.name: tt.want}) {
			t.Errorf("%s=%s: got %#v", tt.name, tt.text, got)
		}
	}
}

func FuzzConvert(f *testing.F) {
	f.Add(`{"properties":{"a":{"type":"integer"}}}`, "a", "3")
	f.Add(`{"allOf":[{"$ref":"#"}]}`, "", "{")
	f.Fuzz(func(t *testing.T, schema, name, text string) {
		s, err := tool.Compile(json.RawMessage(schema))
		if err != nil {
			return
		}
		got := s.Convert(map[string]string{name: text})[name]
		if back, same := got.(string); same && back != text {
			t.Errorf("%q became %q", text, back)
		}
	})
}
