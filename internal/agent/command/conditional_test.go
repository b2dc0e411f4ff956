package command_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/command"
)

func TestParseConditional(t *testing.T) {
	t.Parallel()
	rows := []struct {
		args    string
		repeats bool
		want    command.Conditional
		fails   string
	}{
		{args: `auto "go on"`, want: command.Conditional{Condition: "auto", Actions: []string{"go on"}}},
		{args: `not auto "go on"`, want: command.Conditional{Condition: "auto", Not: true, Actions: []string{"go on"}}},
		{args: `todo_empty /compact`, want: command.Conditional{Condition: "todo_empty", Actions: []string{"/compact"}}},
		{args: `"auto and not todo_done" "a" 'b c'`, want: command.Conditional{Condition: "auto and not todo_done", Actions: []string{"a", "b c"}}},
		{args: `not "auto and todo_done" "a"`, want: command.Conditional{Condition: "auto and todo_done", Not: true, Actions: []string{"a"}}},
		{args: `bash:"go test ./..." "fix it"`, want: command.Conditional{Condition: `bash:"go test ./..."`, Actions: []string{"fix it"}}},
		{args: `"bash:\"go vet\" and auto" "x"`, want: command.Conditional{Condition: `bash:"go vet" and auto`, Actions: []string{"x"}}},
		{args: `auto "say \"hi\" \\ there"`, want: command.Conditional{Condition: "auto", Actions: []string{`say "hi" \ there`}}},
		{args: "auto\t\"a\nb\"", want: command.Conditional{Condition: "auto", Actions: []string{"a\nb"}}},
		{args: `--max 3 not auto "x"`, repeats: true, want: command.Conditional{Condition: "auto", Not: true, Max: 3, Actions: []string{"x"}}},
		{args: `--max=12 auto "x" /stats`, repeats: true, want: command.Conditional{Condition: "auto", Max: 12, Actions: []string{"x", "/stats"}}},
		{args: ``, fails: "no condition"},
		{args: `"" "x"`, fails: "no condition"},
		{args: `not ' ' "x"`, fails: "no condition"},
		{args: `auto and todo_done "x"`, fails: "and is not in quotes; write every action in quotes, and a condition of several terms too"},
		{args: `auto "x" y`, fails: "y is not in quotes"},
		{args: `auto say"hi there"`, fails: `say"hi there" is not in quotes`},
		{args: `--max auto "x"`, repeats: true, fails: "--max auto: expected a number"},
		{args: `--max= auto "x"`, repeats: true, fails: "--max : expected a number"},
		{args: `not`, fails: "no condition"},
		{args: `auto`, fails: "no action"},
		{args: `auto ""`, fails: "empty action"},
		{args: `auto "x`, fails: "not closed"},
		{args: `--max`, repeats: true, fails: "wants a number"},
		{args: `--max 0 auto "x"`, repeats: true, fails: "from 1 on"},
		{args: `--max x auto "x"`, repeats: true, fails: "from 1 on"},
	}
	for _, row := range rows {
		got, err := command.ParseConditional(row.args, row.repeats)
		if row.fails != "" {
			if err == nil || !strings.Contains(err.Error(), row.fails) {
				t.Errorf("%s: got %v, want an error with %q", row.args, err, row.fails)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %+v, %v", row.args, got, err)
		}
	}
}

func FuzzParseConditional(f *testing.F) {
	for _, seed := range []string{`auto "x"`, `--max 2 not "a and b" 'c' d`, `bash:"x y" "z"`, `"`, "\\", `a"b c"d "e"`} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, args string, repeats bool) {
		c, err := command.ParseConditional(args, repeats)
		if err == nil && len(c.Actions) == 0 {
			t.Errorf("%q: no actions and no error", args)
		}
	})
}
