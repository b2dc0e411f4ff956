package condition_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idelchi/aura/internal/base/condition"
)

var model = condition.Model{
	Name: "Qwen3-8B", ContextLength: 8192, ParameterCount: 8_000_000_000,
	Capabilities: []string{"tools", "thinking"},
}

func TestEval(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a and b.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(dir, "it's.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	type state = condition.State

	tests := []struct {
		expr  string
		state state
		want  bool
	}{
		{"", state{}, true},
		{" \t\n", state{}, true},

		{"auto", state{Auto: true}, true},
		{"auto", state{}, false},
		{"todo_empty", state{}, true},
		{"todo_empty", state{TodoTotal: 1}, false},
		{"todo_done", state{TodoTotal: 2}, true},
		{"todo_done", state{}, false},
		{"todo_done", state{TodoTotal: 2, TodoPending: 1}, false},
		{"todo_done", state{TodoTotal: 2, TodoInProgress: 1}, false},
		{"todo_pending", state{TodoTotal: 2, TodoPending: 1}, true},
		{"todo_pending", state{TodoTotal: 2, TodoInProgress: 1}, true},
		{"todo_pending", state{TodoTotal: 2}, false},

		{"context_above:70", state{ContextPercent: 70.1}, true},
		{"context_above:70", state{ContextPercent: 70}, false},
		{"context_above:12.5", state{ContextPercent: 12.6}, true},
		{"context_below:70", state{ContextPercent: 69.9}, true},
		{"context_below:70", state{ContextPercent: 70}, false},
		{"context_below:.5", state{ContextPercent: 0.4}, true},
		{"history_gt:5", state{Messages: 6}, true},
		{"history_gt:5", state{Messages: 5}, false},
		{"history_lt:5", state{Messages: 4}, true},
		{"history_lt:5", state{Messages: 5}, false},
		{"tool_errors_gt:0", state{ToolErrors: 1}, true},
		{"tool_errors_gt:0", state{}, false},
		{"tool_errors_lt:1", state{}, true},
		{"tool_errors_lt:1", state{ToolErrors: 1}, false},
		{"tool_calls_gt:3", state{ToolCalls: 4}, true},
		{"tool_calls_gt:3", state{ToolCalls: 3}, false},
		{"tool_calls_lt:3", state{ToolCalls: 2}, true},
		{"tool_calls_lt:3", state{ToolCalls: 3}, false},
		{"turns_gt:50", state{Turns: 51}, true},
		{"turns_gt:50", state{Turns: 50}, false},
		{"turns_lt:50", state{Turns: 49}, true},
		{"turns_lt:50", state{Turns: 50}, false},
		{"compactions_gt:1", state{Compactions: 2}, true},
		{"compactions_gt:1", state{Compactions: 1}, false},
		{"compactions_lt:1", state{}, true},
		{"compactions_lt:1", state{Compactions: 1}, false},
		{"iteration_gt:9", state{Iteration: 10}, true},
		{"iteration_gt:9", state{Iteration: 9}, false},
		{"iteration_lt:9", state{Iteration: 8}, true},
		{"iteration_lt:9", state{Iteration: 9}, false},
		{"tokens_total_gt:1000", state{TokensTotal: 1001}, true},
		{"tokens_total_gt:1000", state{TokensTotal: 1000}, false},
		{"tokens_total_lt:1000", state{TokensTotal: 999}, true},
		{"tokens_total_lt:1000", state{TokensTotal: 1000}, false},

		{"model_context_gt:8191", state{Model: model}, true},
		{"model_context_gt:8192", state{Model: model}, false},
		{"model_context_gt:0", state{}, false},
		{"model_context_lt:8193", state{Model: model}, true},
		{"model_context_lt:8192", state{Model: model}, false},
		{"model_context_lt:9000", state{}, false},
		{"model_params_gt:7.9", state{Model: model}, true},
		{"model_params_gt:8", state{Model: model}, false},
		{"model_params_gt:0", state{}, false},
		{"model_params_lt:8.1", state{Model: model}, true},
		{"model_params_lt:8", state{Model: model}, false},
		{"model_params_lt:10", state{}, false},
		{"model_params_lt:0.6", state{Model: condition.Model{ParameterCount: 500_000_000}}, true},
		{"model_params_lt:0.6", state{Model: condition.Model{ParameterCount: 600_000_000}}, false},
		{"model_has:tools", state{Model: model}, true},
		{"model_has:vision", state{Model: model}, false},
		{"model_has:thinking_levels", state{Model: model}, false},
		{"model_has:tools", state{}, false},
		{"model_is:qwen3-8b", state{Model: model}, true},
		{"model_is:qwen3", state{Model: model}, false},
		{"model_is:qwen3-8b", state{}, false},

		{`exists:"a and b.txt"`, state{Workdir: dir}, true},
		{`exists:'a and b.txt' and auto`, state{Workdir: dir, Auto: true}, true},
		{"exists:it's.txt and auto", state{Workdir: dir, Auto: true}, true},
		{"exists:" + dir, state{}, true},
		{"exists:.", state{Workdir: dir}, true},
		{"exists:missing", state{Workdir: dir}, false},
		{"exists:it's.txt/below", state{Workdir: dir}, false},

		{"not auto", state{}, true},
		{"not auto", state{Auto: true}, false},
		{"not  todo_done", state{TodoTotal: 1, TodoPending: 1}, true},
		{"not model_params_lt:10", state{}, true},
		{"history_gt:5 and history_lt:10", state{Messages: 7}, true},
		{"history_gt:5 and history_lt:10", state{Messages: 10}, false},
		{"history_gt:5 and history_lt:10", state{Messages: 5}, false},
		{"todo_pending and not turns_gt:50", state{TodoPending: 1, Turns: 50}, true},
		{"todo_pending and not turns_gt:50", state{TodoPending: 1, Turns: 51}, false},
		{" auto\n  and context_above: 70 ", state{Auto: true, ContextPercent: 71}, true},
	}

	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			t.Parallel()

			expr, err := condition.Parse(tt.expr)
			if err != nil {
				t.Fatal(err)
			}

			got, err := expr.Eval(t.Context(), tt.state)
			if err != nil || got != tt.want {
				t.Errorf("got %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

func TestShellCommand(t *testing.T) {
	t.Parallel()

	tests := []struct {
		expr string
		want []string // the commands that run, all successful
	}{
		{"bash:test -f go.mod", []string{"test -f go.mod"}},
		{"bash:true and bash:ls -l", []string{"true", "ls -l"}},
		{"auto and bash:true", nil},
		{"bash:a and auto and bash:b", []string{"a"}},
		{"not bash:a and bash:b", []string{"a"}},
		{`bash:"a and b"`, []string{"a and b"}},
		{`bash:'a and b' and bash:c`, []string{"a and b", "c"}},
		{`bash:grep -q "a and b" f and bash:c`, []string{`grep -q "a and b" f`, "c"}},
		{`bash:"grep -q \"x and y\" f"`, []string{`grep -q "x and y" f`}},
		{`bash:"printf 'a\n'"`, []string{`printf 'a\n'`}},
		{`bash:'printf "%s\n" x'`, []string{`printf "%s\n" x`}},
		{`bash:"first" "second and third"`, []string{`"first" "second and third"`}},
		{`bash:echo it\'s and bash:c`, []string{`echo it\'s`, "c"}},
		{"bash:a && b || c; d:e", []string{"a && b || c; d:e"}},
		{"bash:band and bash:sandy", []string{"band", "sandy"}},
	}

	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			t.Parallel()

			expr, err := condition.Parse(tt.expr)
			if err != nil {
				t.Fatal(err)
			}

			var ran []string

			_, err = expr.Eval(t.Context(), condition.State{
				Workdir: "/somewhere",
				Shell: func(_ context.Context, workdir, command string) (bool, error) {
					if workdir != "/somewhere" {
						t.Errorf("ran in %q", workdir)
					}

					ran = append(ran, command)

					return true, nil
				},
			})
			if err != nil || !slices.Equal(ran, tt.want) {
				t.Errorf("ran %q, error %v, want %q", ran, err, tt.want)
			}
		})
	}
}

func TestShellOutcome(t *testing.T) {
	t.Parallel()

	expr, err := condition.Parse("bash:check")
	if err != nil {
		t.Fatal(err)
	}

	broken := errors.New("no such shell")
	shell := func(ok bool, err error) condition.State {
		return condition.State{Shell: func(context.Context, string, string) (bool, error) { return ok, err }}
	}

	if got, err := expr.Eval(t.Context(), shell(false, nil)); got || err != nil {
		t.Errorf("exit status 1: got %v, %v", got, err)
	}

	if got, err := expr.Eval(t.Context(), shell(true, broken)); got || !errors.Is(err, broken) {
		t.Errorf("a shell that cannot run: got %v, %v", got, err)
	}

	if got, err := expr.Eval(t.Context(), condition.State{}); got || err == nil {
		t.Errorf("no shell: got %v, %v", got, err)
	}
}

func TestShellTimeout(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		expr, err := condition.Parse("bash:sleep 1000")
		if err != nil {
			t.Fatal(err)
		}

		start := time.Now()

		got, err := expr.Eval(t.Context(), condition.State{Shell: func(ctx context.Context, _, _ string) (bool, error) {
			<-ctx.Done()

			return false, ctx.Err()
		}})

		if got || err == nil || !strings.Contains(err.Error(), "not finished after 2m0s") {
			t.Errorf("got %v, %v", got, err)
		}

		if took := time.Since(start); took != 120*time.Second {
			t.Errorf("stopped after %s", took)
		}
	})
}

func TestShellCancelled(t *testing.T) {
	t.Parallel()

	expr, err := condition.Parse("bash:sleep 1000")
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())

	_, err = expr.Eval(ctx, condition.State{Shell: func(ctx context.Context, _, _ string) (bool, error) {
		cancel()
		<-ctx.Done()

		return false, ctx.Err()
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()

	tests := []struct {
		expr string
		want []string
	}{
		{"bogus", []string{`unknown term "bogus"`, "known terms: auto, bash, compactions_gt"}},
		{"auto and bogus:3", []string{`unknown term "bogus:3"`, "tool_errors_lt"}},
		{"Auto", []string{`unknown term "Auto"`}},
		{"auto or todo_done", []string{`unknown term "auto or todo_done"`, `joined with "and"`}},
		{"exists:a and b.txt", []string{`unknown term "b.txt"`}},
		{"auto:", []string{`term "auto:"`, "takes no argument"}},
		{"todo_done:3", []string{`term "todo_done:3"`, "takes no argument"}},
		{"history_gt", []string{`term "history_gt"`, "argument is missing: history_gt:<number>"}},
		{"history_gt:", []string{"argument is missing"}},
		{"history_gt: and auto", []string{"argument is missing"}},
		{"history_gt:-1", []string{`"-1" is not a whole number`}},
		{"history_gt:+1", []string{`"+1" is not a whole number`}},
		{"history_gt:1.5", []string{`"1.5" is not a whole number`}},
		{"history_gt:0x10", []string{`"0x10" is not a whole number`}},
		{"history_gt:5 6", []string{`"5 6" is not a whole number`}},
		{"history_gt:" + strings.Repeat("9", 400), []string{"is too large"}},
		{"context_above:70%", []string{`"70%" is not a number`}},
		{"context_above:-3", []string{`"-3" is not a number`}},
		{"context_above:NaN", []string{`"NaN" is not a number`}},
		{"context_below:1e3", []string{`"1e3" is not a number`}},
		{"context_below:.", []string{`"." is not a number`}},
		{"model_params_gt:8b", []string{`"8b" is not a number`}},
		{"model_context_gt:8k", []string{`"8k" is not a whole number`}},
		{"model_has:smell", []string{
			`unknown capability "smell"`,
			"context_override, embedding, files, reranking, search, thinking, thinking_levels, tools, vision",
		}},
		{"model_has", []string{"argument is missing: model_has:<capability>"}},
		{"model_is:", []string{"argument is missing: model_is:<name>"}},
		{"exists:", []string{"argument is missing: exists:<path>"}},
		{"bash:", []string{"argument is missing: bash:<command>"}},
		{`bash:" "`, []string{"in quotes is empty"}},
		{`bash:"echo`, []string{`the quote " is not closed`}},
		{`exists:'a and auto`, []string{`the quote ' is not closed`}},
		{`exists:"a" b`, []string{`" b" follows the closing quote`}},
		{"auto and", []string{`a term is missing after "and"`}},
		{"and auto", []string{`a term is missing before "and"`}},
		{"and", []string{`a term is missing before "and"`}},
		{"auto and and auto", []string{`a term is missing before "and"`}},
		{"bash:echo this and", []string{`a term is missing after "and"`}},
		{"not", []string{`"not" needs a term`}},
		{"auto and not", []string{`"not" needs a term`}},
		{"not not auto", []string{`"not" stands at most once`}},
	}

	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			t.Parallel()

			expr, err := condition.Parse(tt.expr)
			if err == nil {
				t.Fatalf("parsed to %+v", expr)
			}

			if !expr.IsZero() {
				t.Errorf("an expression came with the error")
			}

			for _, want := range append(tt.want, "parsing condition ") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()

	names := condition.Names()
	if len(names) != 28 || !slices.IsSorted(names) || !slices.Contains(names, "model_params_lt") {
		t.Errorf("got %d names: %v", len(names), names)
	}
}

func TestString(t *testing.T) {
	t.Parallel()

	const source = "  auto and  bash:'x' "

	expr, err := condition.Parse(source)
	if err != nil || expr.String() != source || expr.IsZero() {
		t.Errorf("got %q, %v", expr.String(), err)
	}

	if zero := (condition.Expr{}); zero.String() != "" || !zero.IsZero() {
		t.Errorf("the zero expression is %+v", zero)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "auto", "not auto and context_above:70", `bash:"a and b" and exists:'x'`, "and", "not not", `bash:\`,
		"model_has:tools", "bash:'", "exists:\"\" and auto", "auto and", "history_gt:5 6",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, source string) {
		expr, err := condition.Parse(source)
		if err != nil {
			return
		}

		again, err := condition.Parse(expr.String())
		if err != nil || !reflect.DeepEqual(expr, again) {
			t.Errorf("%q does not parse to the same again: %v", source, err)
		}
	})
}
