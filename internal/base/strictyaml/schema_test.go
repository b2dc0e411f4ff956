package strictyaml_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

type level string

func (level) YAMLValues() []string { return []string{"low", "high"} }

// TestSchema has a row for each kind of field.
func TestSchema(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name    string
		of      any
		options strictyaml.SchemaOptions
		want    string
	}{
		{"text", "", strictyaml.SchemaOptions{}, `{"type":["string","null"]}`},
		{"number", 1, strictyaml.SchemaOptions{}, `{"type":["integer","null"]}`},
		{"fraction", 1.5, strictyaml.SchemaOptions{}, `{"type":["number","null"]}`},
		{"number or variable", 1, strictyaml.SchemaOptions{Variables: true}, `{"pattern":"\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}","type":["integer","string","null"]}`},
		{"list", []string{}, strictyaml.SchemaOptions{}, `{"items":{"type":["string","null"]},"type":["array","null"]}`},
		{"anything", []any{}, strictyaml.SchemaOptions{}, `{"items":{},"type":["array","null"]}`},
		{"texts by name", map[string]string{}, strictyaml.SchemaOptions{}, `{"additionalProperties":{"type":["string","number","boolean","null"]},"type":["object","null"]}`},
		{"numbers by name", map[string]int{}, strictyaml.SchemaOptions{}, `{"additionalProperties":{"type":["integer","null"]},"type":["object","null"]}`},
		{"closed list", level(""), strictyaml.SchemaOptions{}, `{"enum":["low","high",null]}`},
		{"keys", struct {
			A strictyaml.At[int] `check:"required,min=1,max=3" yaml:"a"`
			B *bool              `yaml:"-"`
			C time.Duration      `yaml:"c"`
		}{}, strictyaml.SchemaOptions{
			About: func(path string) string { return strings.ToUpper(path) },
			Omit:  func(path string) bool { return path == "c" },
		}, `{"additionalProperties":false,"properties":{"a":{"description":"A","maximum":3,"minimum":1,"type":["integer","null"]}},"required":["a"],"type":"object"}`},
		{"defaults", struct {
			A int           `yaml:"a"`
			B time.Duration `yaml:"b"`
		}{}, strictyaml.SchemaOptions{Defaults: struct{ B time.Duration }{2 * time.Minute}}, `"b":{"default":"2m","pattern":`},
	}

	for _, tt := range tests {
		got, err := strictyaml.Schema(reflect.TypeOf(tt.of), tt.options)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)

			continue
		}

		text, err := json.Marshal(got)
		if err != nil || !strings.Contains(string(text), tt.want) {
			t.Errorf("%s: got %s, %v", tt.name, text, err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()

	type ring struct {
		Next []ring `yaml:"next"`
	}

	for name, row := range map[string]struct {
		of   reflect.Type
		want string
	}{
		"a type that does not describe itself": {reflect.TypeFor[sample](), "describing grade: the type strictyaml_test.grade reads itself"},
		"a type that contains itself":          {reflect.TypeFor[ring](), "contains itself"},
	} {
		if _, err := strictyaml.Schema(row.of, strictyaml.SchemaOptions{}); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestBounds has a row for each side of a bound.
func TestBounds(t *testing.T) {
	t.Parallel()

	for give, want := range map[string]string{
		"a: 1": "", "a: 3": "", "a:": "", "b: 0": "",
		"a: 0": `f.yaml:1: key "a": 0 is less than 1`, "a: 4": `f.yaml:1: key "a": 4 is more than 3`, "b: -1": `f.yaml:1: key "b": -1 is negative`,
	} {
		var into struct {
			A int     `check:"min=1,max=3" yaml:"a"`
			B float64 `check:"min=0"       yaml:"b"`
		}

		err := strictyaml.Decode("f.yaml", []byte(give), &into)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: got %v", give, err)
		}
	}
}
