package testfile_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/testfile"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests, err := testfile.Parse("a.yaml", []byte(`
tests:
  - name: two calls
    config: {limit: 3}
    files: {sub/notes.txt: hello}
    calls:
      - point: BeforeChat
        context: {Iteration: 1, Stats: {StartTime: 2026-01-02}}
        result: {}
      - point: tool:Notepad
        args: {whole: 1, part: 1.5}
        error: no
      - {point: BeforeChat, called: false}
`))
	if err != nil || len(tests) != 1 || len(tests[0].Calls) != 3 {
		t.Fatalf("got %+v, %v", tests, err)
	}
	first, second, third := tests[0].Calls[0], tests[0].Calls[1], tests[0].Calls[2]
	if first.Line != 7 || !first.HasResult || !first.Called || second.HasResult || *second.Error != "no" || third.Called {
		t.Errorf("got %+v", tests[0].Calls)
	}
	if want := map[string]any{"Iteration": 1, "Stats": map[string]any{"StartTime": "2026-01-02T00:00:00Z"}}; !reflect.DeepEqual(first.Context, want) {
		t.Errorf("the context is %#v", first.Context)
	}
	if want := map[string]any{"whole": 1, "part": 1.5}; !reflect.DeepEqual(second.Args, want) {
		t.Errorf("the arguments are %#v", second.Args)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ rule, text, want string }{
		{"empty", "", "there are no tests"},
		{"no name", "tests: [{calls: [{point: A}]}]", "a test has no name"},
		{"no calls", "tests: [{name: a}]", `test "a" makes no calls`},
		{"no point", "tests:\n  - name: a\n    calls: [{result: {}}]", "x.yaml:2: a call has no point"},
		{"two of one name", "tests: [{name: a, calls: [{point: A}]}, {name: a, calls: [{point: A}]}]", `two tests are named "a"`},
		{"unknown key", "tests:\n  - name: a\n    calls:\n      - {point: A, results: {}}", "x.yaml:4: unknown key"},
		{"unknown field", "tests: [{name: a, calls: [{point: A, context: {iteration: 1}}]}]", `no context has a field "iteration"; did you mean "Iteration"?`},
		{"file elsewhere", "tests: [{name: a, files: {../x: y}, calls: [{point: A}]}]", `"../x" leads out of the working directory`},
		{"result and error", "tests: [{name: a, calls: [{point: A, result: {}, error: x}]}]", "a result or an error, not both"},
		{"result and match", "tests: [{name: a, calls: [{point: A, result: {}, match: {}}]}]", "match adds nothing"},
		{"no call with a result", "tests: [{name: a, calls: [{point: A, result: {}, called: false}]}]", "has no result and no error"},
		{"no regular expression", "tests: [{name: a, calls: [{point: A, match: {Message: '('}}]}]", "missing closing )"},
		{"a list as match", "tests: [{name: a, calls: [{point: A, match: [x]}]}]", "is neither"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			if _, err := testfile.Parse("x.yaml", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// FuzzParse checks that no text makes the reader panic.
func FuzzParse(f *testing.F) {
	f.Add([]byte("tests:\n  - name: a\n    calls:\n      - {point: BeforeChat, context: {Iteration: 1}, match: {Message: x}}\n"))
	f.Add([]byte("tests: [{name: a, files: {a: b}, env: {A: b}, calls: [{point: tool:A, args: [2026-01-01]}]}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		tests, err := testfile.Parse("x.yaml", text)
		if err == nil && len(tests) == 0 {
			t.Error("neither tests nor an error")
		}
	})
}
