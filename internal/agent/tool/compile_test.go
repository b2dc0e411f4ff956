package tool_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/idelchi/aura/internal/agent/tool"
)

func TestValidateKeywords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3)
	tests := []struct {
		name, property string
		value          any
		// want holds the problems of the field x. It is empty if the value is valid.
		want []string
	}{
		{"number of any type", `{"type":"number","maximum":3}`, 4, []string{`field "x": maximum: got 4, want 3`}},
		{"a whole number is an integer", `{"type":"integer"}`, 4.0, nil},
		{"a number as it was written", `{"type":"integer"}`, json.Number("4"), nil},
		{"several types", `{"type":["string","null"]}`, true, []string{`field "x" must be string or null, not boolean`}},
		{"const", `{"const":{"a":1}}`, "a", []string{`field "x": value must be {"a":1}`}},
		{"enum of numbers", `{"enum":[1,2]}`, 2.0, nil},
		{"enum of numbers in another spelling", `{"enum":[1.0,2e0,-0]}`, 0.0, nil},
		{"enum of large numbers", `{"enum":[9007199254740993]}`, 9007199254740992, []string{`field "x" must be one of 9007199254740993`}},
		{"const in another order", `{"const":{"a":1,"b":[null,0.5]}}`, map[string]any{"b": []any{nil, 0.5}, "a": 1}, nil},
		{"a text is no number", `{"const":"1"}`, 1.0, []string{`field "x": value must be "1"`}},
		{"pattern", `{"pattern":"^a+$"}`, "b", []string{`field "x": 'b' does not match pattern '^a+$'`}},
		{"several at one field", `{"minLength":5,"pattern":"^a"}`, long, []string{
			`field "x": 'xxx' does not match pattern '^a'`, `field "x": minLength: got 3, want 5`,
		}},
		{"length in characters", `{"maxLength":2}`, "äö", nil},
		{"decimal multiples", `{"multipleOf":0.1}`, 0.3, nil},
		{"no multiple", `{"multipleOf":0.1}`, 0.35, []string{`field "x": multipleOf: got 0.35, want 0.1`}},
		{"items", `{"minItems":1}`, []any{}, []string{`field "x": minItems: got 0, want 1`}},
		{"unique", `{"uniqueItems":true}`, []any{1.0, 1.0}, []string{`field "x": two of its elements are equal`}},
		{"contains", `{"contains":{"type":"string"}}`, []any{1.0}, []string{`field "x": 0 of its elements fit contains`}},
		{"prefix", `{"prefixItems":[{"type":"string"}],"items":{"type":"number"}}`, []any{1.0, "a"}, []string{
			`field "x.0" must be string, not number`, `field "x.1" must be number, not string`,
		}},
		{"properties count", `{"maxProperties":0}`, map[string]any{"a": 1.0}, []string{`field "x": maxProperties: got 1, want 0`}},
		{"pattern properties", `{"patternProperties":{"^n":{"type":"number"}},"additionalProperties":false}`, map[string]any{"na": "", "b": ""}, []string{
			`field "x.na" must be number, not string`, `unknown field "x.b"`,
		}},
		{"names", `{"propertyNames":{"maxLength":1}}`, map[string]any{"ab": 1.0}, []string{`field "x.ab": its name is not allowed`}},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, map[string]any{"a": 1.0}, []string{`missing required field "x.b"`}},
		{"all of", `{"allOf":[{"required":["a"]},{"required":["b"]}]}`, map[string]any{}, []string{
			`missing required field "x.a"`, `missing required field "x.b"`,
		}},
		{"any of", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, 1.0, []string{
			`field "x" must be null, not number`, `field "x" must be string, not number`,
		}},
		{"any of, one fits", `{"anyOf":[{"type":"string"},{"type":"number"}]}`, 1.0, nil},
		{"one of, two fit", `{"oneOf":[{"type":"integer"},{"type":"number"}]}`, 1.0, []string{
			`field "x": it fits 2 of the schemas of oneOf, of which one is allowed`,
		}},
		{"not", `{"not":{"type":"number"}}`, 1.0, []string{`field "x": it fits the schema of not`}},
		{"if", `{"if":{"type":"number"},"then":{"minimum":2},"else":{"type":"string"}}`, 1.0, []string{`field "x": minimum: got 1, want 2`}},
		{"else", `{"if":{"type":"number"},"then":{"minimum":2},"else":{"type":"string"}}`, true, []string{`field "x" must be string, not boolean`}},
		{"false", `false`, 1.0, []string{`field "x" is not allowed`}},
		{"unevaluated", `{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, map[string]any{"a": 1.0, "b": 1.0}, []string{`unknown field "x.b"`}},
		{"a reference", `{"$ref":"#/$defs/list"}`, []any{[]any{"a"}}, []string{`field "x.0.0" must be array, not string`}},
		{"a number beyond all", `{"type":"number"}`, json.Number("1e999"), []string{`field "x": invalid jsonType json.Number`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			schema := fmt.Sprintf(`{"type":"object","properties":{"x":%s},"$defs":{"list":{"type":"array","items":{"$ref":"#/$defs/list"}}}}`, tt.property)
			err := tool.Validate(json.RawMessage(schema), map[string]any{"x": tt.value})
			if tt.want == nil && err == nil {
				return
			}
			invalid, ok := err.(*tool.ArgumentsError) //nolint:errorlint // the type itself is what is tested
			if !ok || !reflect.DeepEqual(invalid.Problems, tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestDrafts covers schemas that servers write for older or newer drafts.
func TestDrafts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema string
		fits, not    string
	}{
		{"draft 4 bounds", `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}`, `{"a":2}`, `{"a":1}`},
		{"draft 4 bounds that include", `{"properties":{"a":{"minimum":1,"exclusiveMinimum":false}}}`, `{"a":1}`, `{"a":0}`},
		{"draft 7 definitions", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/s"}}}`, `{"a":"x"}`, `{"a":1}`},
		{"draft 7 lists", `{"properties":{"a":{"items":[{"type":"string"}],"additionalItems":false}}}`, `{"a":["x"]}`, `{"a":["x",1]}`},
		{"draft 7 dependencies", `{"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, `{"a":1,"b":1}`, `{"c":1}`},
		{"draft 7 references stand alone", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"s":{}},"properties":{"a":{"$ref":"#/definitions/s","type":"string"},"b":{"type":"string"}}}`, `{"a":1}`, `{"b":1}`},
		{"2019", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$defs":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/s"}}}`, `{"a":"x"}`, `{"a":1}`},
		{"both places for definitions", `{"$defs":{"s":{"type":"string"}},"definitions":{"n":{"type":"number"}},"properties":{"a":{"$ref":"#/definitions/n"}}}`, `{"a":1}`, `{"a":"x"}`},
		{"an id of its own", `{"$id":"https://example.com/tool","$defs":{"s":{"type":"string"}},"properties":{"a":{"$ref":"https://example.com/tool#/$defs/s"}}}`, `{"a":"x"}`, `{"a":1}`},
		{"anchors", `{"$defs":{"s":{"$anchor":"text","type":"string"}},"properties":{"a":{"$ref":"#text"}}}`, `{"a":"x"}`, `{"a":1}`},
		{"escaped names", `{"$defs":{"a/b c":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/a~1b%20c"}}}`, `{"a":"x"}`, `{"a":1}`},
		{"a draft that nobody knows", `{"$schema":"https://example.com/mine","properties":{"a":{"type":"string"}},"x-order":1}`, `{"a":"x"}`, `{"a":1}`},
		{"formats are notes", `{"properties":{"a":{"type":"string","format":"email"}}}`, `{"a":"x"}`, `{"a":1}`},
		{"a ring", `{"properties":{"child":{"$ref":"#"}},"required":["name"]}`, `{"name":"a","child":{"name":"b"}}`, `{"name":"a","child":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := tool.Validate(json.RawMessage(tt.schema), decoded(t, tt.fits)); err != nil {
				t.Errorf("%s: %v", tt.fits, err)
			}
			if err := tool.Validate(json.RawMessage(tt.schema), decoded(t, tt.not)); err == nil {
				t.Errorf("%s fits", tt.not)
			}
		})
	}
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// FuzzCompile compares the results with another implementation, where both have a result.
func FuzzCompile(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"properties":{"a":{"type":"integer","minimum":1}},"required":["a"]}`, `{"a":1.5}`},
		{`{"anyOf":[{"required":["a"]},{"additionalProperties":{"type":"null"}}]}`, `{"b":null}`},
		{`{"properties":{"a":{"items":{"$ref":"#"},"uniqueItems":true}}}`, `{"a":[{},{}]}`},
		{`{"oneOf":[true,{"not":{}}],"propertyNames":{"pattern":"^a"}}`, `{"b":[]}`},
		{`{"properties":{"a":{"prefixItems":[false],"contains":{"const":0}}}}`, `{"a":[0]}`},
		{`{"if":{"required":["a"]},"then":{"maxProperties":1},"else":false}`, `{"a":1,"b":2}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, schema, args string) {
		var value map[string]any
		if json.Unmarshal([]byte(args), &value) != nil || value == nil {
			return
		}
		ours, err := tool.Compile(json.RawMessage(schema))
		if err != nil {
			return
		}
		verdict := ours.Validate(value)
		if _, judged := verdict.(*tool.ArgumentsError); verdict != nil && !judged { //nolint:errorlint // it is made there
			return
		}
		for _, unlike := range []string{"$", "unevaluated", "multipleOf", "format", "\\"} {
			if strings.Contains(schema, unlike) {
				return
			}
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(schema)))
		if err != nil {
			return
		}
		c := jsonschema.NewCompiler()
		if c.AddResource("fuzz:schema", document) != nil {
			return
		}
		theirs, err := c.Compile("fuzz:schema")
		if err != nil {
			return
		}
		if other := theirs.Validate(value); (other == nil) != (verdict == nil) {
			t.Errorf("%s for %s: got %v, the other says %v", schema, args, verdict, other)
		}
	})
}
