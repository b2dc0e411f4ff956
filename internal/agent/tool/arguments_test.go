package tool_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
)

func TestParseArguments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw string
		want      map[string]any
		err       string
	}{
		{"none", `{}`, map[string]any{}, ""},
		{"small numbers are floats", `{"a":1,"b":-2.5,"c":1e3}`, map[string]any{"a": 1.0, "b": -2.5, "c": 1000.0}, ""},
		{"up to 2^53", `{"a":9007199254740992,"b":-9007199254740992}`, map[string]any{"a": 9007199254740992.0, "b": -9007199254740992.0}, ""},
		{"beyond 2^53", `{"a":9007199254740993,"b":-9007199254740993}`, map[string]any{"a": 9007199254740993, "b": -9007199254740993}, ""},
		{"one that a float64 holds, but writes as another", `{"a":1152921504606846976}`, map[string]any{"a": 1152921504606846976}, ""},
		{"the largest", `{"a":9223372036854775807}`, map[string]any{"a": 9223372036854775807}, ""},
		{"beyond 64 bits", `{"a":9223372036854775808}`, map[string]any{"a": json.Number("9223372036854775808")}, ""},
		{"with a point", `{"a":9007199254740993.0}`, map[string]any{"a": 9007199254740992.0}, ""},
		{
			"within lists and objects", `{"a":[1,{"b":9007199254740993}]}`,
			map[string]any{"a": []any{1.0, map[string]any{"b": 9007199254740993}}},
			"",
		},
		{"null", `null`, nil, ""},
		{"out of range", `{"a":1e400}`, nil, "the number 1e400 is out of range"},
		{"endless digits", `{"a":` + strings.Repeat("9", 400) + `}`, nil, "is out of range"},
		{"a list", `[]`, nil, "cannot unmarshal array"},
		{"nothing", ``, nil, "unexpected end of JSON input"},
		{"cut", `{"a":`, nil, "unexpected end of JSON input"},
		{"more than one", `{} {}`, nil, "after top-level value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tool.ParseArguments([]byte(tt.raw))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %#v, %v, want %#v", got, err, tt.want)
			}
			checkUnchanged(t, tt.raw, got)
		})
	}
}

// checkUnchanged checks that integers are encoded as they were parsed.
func checkUnchanged(t *testing.T, raw string, args map[string]any) {
	t.Helper()
	again, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.ContainsAny(raw, ".e") && string(again) != raw {
		t.Errorf("got %s, want %s", again, raw)
	}
}

func TestLargeNumbersFitSchemas(t *testing.T) {
	t.Parallel()
	args, err := tool.ParseArguments([]byte(`{"a":9007199254740993,"b":92233720368547758080,"c":9007199254740993}`))
	if err != nil {
		t.Fatal(err)
	}
	schema := `{"properties":{"a":{"type":"integer","minimum":1},"b":{"type":"integer","minimum":1},"c":{"type":"number"}}}`
	if err := tool.Validate(json.RawMessage(schema), args); err != nil {
		t.Error(err)
	}
	if err := tool.Validate(json.RawMessage(`{"properties":{"b":{"type":"string"}}}`), args); err == nil {
		t.Error("a number passes for a string")
	}
	if err := tool.Validate(json.RawMessage(`{"properties":{"b":{"maximum":3}}}`), args); err == nil {
		t.Error("a number passes a limit")
	}
}
