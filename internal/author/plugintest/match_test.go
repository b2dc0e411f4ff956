package plugintest

import (
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/plugin/testfile"
)

// TestCompare has a row for each rule by which a result is compared.
func TestCompare(t *testing.T) {
	t.Parallel()
	const blocked = `{"Arguments":null,"Block":true,"Result":{"Compaction":null,"DisableTools":[],"Eject":false,"Error":null,"Message":"no",` +
		`"Notice":"","Output":null,"Prefix":"","Request":null,"Response":null,"Role":""}}`
	for _, tt := range []struct {
		rule, point, got string
		result, match    any
		want             []string
	}{
		{"nothing is expected", "tool:A", `"x"`, nil, nil, nil},
		{"the text of a tool", "tool:A", `"x"`, "x", nil, nil},
		{"another text", "tool:A", `"x"`, "y", nil, []string{`got "x", want "y"`}},
		{"no text", "tool:A", `"x"`, map[string]any{}, nil, []string{"reading the expected result: "}},
		{"the output of a command", "command:a", `{"Output":"x"}`, "x", nil, nil},
		{"a command's result", "command:a", `{"Output":"x"}`, map[string]any{"Output": "y"}, nil, []string{`Output: got "x", want "y"`}},
		{"fields of an embedded result", "BeforeToolExecution", blocked, map[string]any{"Block": true, "Message": "no"}, nil, nil},
		{"a field that is not listed must be zero", "BeforeToolExecution", blocked, map[string]any{"Block": true}, nil, []string{`Message: got "no", want ""`}},
		{"each field", "BeforeToolExecution", blocked, map[string]any{"Message": "yes", "DisableTools": []any{"*"}}, nil, []string{
			`Block: got true, want false`, `DisableTools: got [], want ["*"]`, `Message: got "no", want "yes"`,
		}},
		{"an unknown field", "BeforeToolExecution", blocked, map[string]any{"Blocked": true}, nil, []string{`has no field "Blocked"`}},
		{"an empty text is not none", "UserMessage", whole(t, "UserMessage", map[string]any{"Content": ""}), map[string]any{}, nil, []string{`Content: got "", want null`}},
		{"a list", "TransformMessages", whole(t, "TransformMessages", []any{map[string]any{"Role": "user", "Content": "a"}}), []any{map[string]any{"Role": "user", "Content": "b"}}, nil, []string{`[0].Content: got "a", want "b"`}},
		{"a match", "BeforeToolExecution", blocked, nil, map[string]any{"Block": "true", "Message": "^n"}, nil},
		{"no match", "BeforeToolExecution", blocked, nil, map[string]any{"Message": "^o"}, []string{`Message: got "no", want a match of ^o`}},
		{"a match of a field that is not there", "tool:A", `"x"`, nil, map[string]any{"Message": "x"}, []string{"Message: the result has no such field"}},
		{"a match of a text", "tool:A", `"x\ny"`, nil, `(?s)x.y`, nil},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			at, err := plugincall.ParsePoint(tt.point)
			if err != nil {
				t.Fatal(err)
			}
			got := compare(at, testfile.Call{Result: tt.result, HasResult: tt.result != nil, Match: tt.match}, []byte(tt.got))
			if !slices.EqualFunc(got, tt.want, strings.Contains) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// whole returns a result with all fields.
func whole(t *testing.T, point string, result any) string {
	t.Helper()
	document, err := expected(plugincall.Point{Name: point}, result)
	if err != nil {
		t.Fatal(err)
	}
	return string(document)
}

func TestQuote(t *testing.T) {
	t.Parallel()
	if got := quote(`a'; rm -rf /'`); got != `'a'\''; rm -rf /'\'''` {
		t.Error(got)
	}
}
