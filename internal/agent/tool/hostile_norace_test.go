//go:build !race

package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
)

// TestHostileSchemas checks that each schema causes an error, either when it is compiled or when it is used.
func TestHostileSchemas(t *testing.T) {
	t.Parallel()
	double := &strings.Builder{}
	for i := range 60 {
		fmt.Fprintf(double, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	tests := []struct{ name, schema string }{
		{"refers to itself", `{"$ref":"#"}`},
		{"refers to itself by way of another", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}`},
		{"doubles at each step", `{"$ref":"#/$defs/d0","$defs":{` + double.String() + `"d60":{}}}`},
		{"too deep", strings.Repeat(`{"properties":{"a":`, 5000) + `{}` + strings.Repeat(`}}`, 5000)},
		{"too deep in lists", `{"enum":` + strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000) + `}`},
		{"too many", `{"anyOf":[` + strings.Repeat(`{},`, 30_000) + `{}]}`},
		{"too long", `{"enum":["` + strings.Repeat("a", 1<<20) + `"]}`},
		{"bad pattern", `{"properties":{"a":{"pattern":"(?!a)"}}}`},
		{"pattern too long", `{"properties":{"a":{"pattern":"` + strings.Repeat("a", 5000) + `"}}}`},
		{"pattern of too many instructions", `{"properties":{"a":{"pattern":"` + strings.Repeat("a{1000}", 200) + `"}}}`},
		{"patterns of too many instructions", `{"anyOf":[` + strings.Repeat(`{"pattern":"a{1000}b{1000}"},`, 10_000) + `{}]}`},
		{"names of too many instructions", `{"patternProperties":{"` + strings.Repeat("a{1000}", 200) + `":{}}}`},
		{"no pattern", `{"pattern":1}`},
		{"no enum", `{"enum":1}`},
		{"no uniqueItems", `{"uniqueItems":1}`},
		{"bad name pattern", `{"patternProperties":{"(":{}}}`},
		{"bound beyond all", `{"properties":{"a":{"minimum":1e999}}}`},
		{"multiple of nothing", `{"properties":{"a":{"multipleOf":0}}}`},
		{"nowhere", `{"$ref":"#/$defs/a"}`},
		{"into a list", `{"$ref":"#/required/-1","required":["a"]}`},
		{"no schema", `{"properties":{"a":1}}`},
		{"null", `{"properties":{"a":null}}`},
		{"no list", `{"anyOf":{}}`},
		{"no names", `{"required":true}`},
		{"no object", `{"properties":[]}`},
		{"no types", `{"type":[]}`},
		{"two documents", `{} {}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := tool.Validate(json.RawMessage(tt.schema), map[string]any{"a": 1.0}); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestHostileWork covers small schemas and arguments that together would take minutes or gigabytes. The check must stop early.
func TestHostileWork(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1<<20)
	list := make([]any, 20_000)
	for i := range list {
		list[i] = map[string]any{}
	}
	distinct := make([]any, 20_000)
	for i := range distinct {
		distinct[i] = float64(i)
	}
	deep := any(map[string]any{})
	for range 900 {
		deep = map[string]any{strings.Repeat("n", 1000): deep, "b": deep}
	}
	wide := strings.TrimSuffix(strings.Repeat(`"some name",`, 50_000), ",")
	many := func(part string) string {
		return `{"properties":{"x":{"allOf":[` + strings.Repeat(part+",", 10_000) + `true]}}}`
	}
	tests := []struct {
		name, schema string
		value        any
	}{
		{"patterns over a long text", many(`{"pattern":"b$"}`), long},
		{"one pattern over a long text", `{"properties":{"x":{"pattern":"` + strings.Repeat("(a|b|c)?", 200) + `$"}}}`, long},
		{"lengths of a long text", many(`{"minLength":1}`), long},
		{"values compared with a long list", many(`{"const":1}`), list},
		{"elements compared with each other", many(`{"uniqueItems":true}`), distinct},
		{"fields that are missing", `{"properties":{"x":{"items":{"required":[` + wide + `]}}}}`, list},
		{"messages with a long value", `{"properties":{"x":{"items":{"enum":["` + long[:1<<19] + `"]}}}}`, list},
		{"deep places with long names", `{"$ref":"#/$defs/n","$defs":{"n":{"additionalProperties":{"$ref":"#/$defs/n"}}}}`, deep},
		{"names matched with patterns", `{"properties":{"x":{"items":{"patternProperties":{"` + strings.Repeat("(a|b)?", 500) + `$":true}}}}}`, []any{map[string]any{long[:100_000]: 1.0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := tool.Compile(json.RawMessage(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(map[string]any{"x": tt.value}); err == nil || !strings.Contains(err.Error(), "more checks than are made") {
				t.Errorf("got %.200v", err)
			}
			if err := s.Validate(map[string]any{"y": 1.0}); err != nil {
				t.Errorf("other arguments: %v", err)
			}
		})
	}
}

func TestHugeEnum(t *testing.T) {
	t.Parallel()
	values := strings.TrimSuffix(strings.Repeat(`"a",`, 10_000), ",")
	err := tool.Validate(json.RawMessage(`{"properties":{"a":{"enum":[`+values+`]}}}`), map[string]any{"a": "b"})
	if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), "and 9950 more") {
		t.Errorf("got %v", err)
	}
}
