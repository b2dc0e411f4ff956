package todo_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool"
)

func TestTools(t *testing.T) {
	t.Parallel()
	const two = `{"items":[{"content":"plan"},{"content":"build","status":"in_progress"}]}`
	tests := []struct {
		name  string
		calls []string // "Tool {json}"
		want  string   // the result of the last call
		fails string
		left  todo.Counts
	}{
		{"empty", []string{"TodoList {}"}, "The list of todos is empty.", "", todo.Counts{}},
		{"create", []string{"TodoCreate " + two}, "1. [pending] plan\n2. [in_progress] build", "", todo.Counts{Pending: 1, InProgress: 1}},
		{"list", []string{"TodoCreate " + two, "TodoList {}"}, "1. [pending] plan\n2. [in_progress] build", "", todo.Counts{Pending: 1, InProgress: 1}},
		{
			"progress",
			[]string{"TodoCreate " + two, `TodoProgress {"id":2,"status":"completed"}`},
			"1. [pending] plan\n2. [completed] build", "",
			todo.Counts{Pending: 1, Completed: 1},
		},
		{
			"a new list replaces the old",
			[]string{"TodoCreate " + two, `TodoCreate {"items":[{"content":"x","status":"completed"}]}`},
			"1. [completed] x", "",
			todo.Counts{Completed: 1},
		},
		{"a list can be emptied", []string{"TodoCreate " + two, `TodoCreate {"items":[]}`}, "The list of todos is empty.", "", todo.Counts{}},
		{"progress without a list", []string{`TodoProgress {"id":1,"status":"completed"}`}, "", "make one with TodoCreate", todo.Counts{}},
		{
			"progress of what is not there",
			[]string{"TodoCreate " + two, `TodoProgress {"id":3,"status":"completed"}`},
			"", "only 1 to 2",
			todo.Counts{Pending: 1, InProgress: 1},
		},
		{"no such status", []string{"TodoCreate " + two, `TodoProgress {"id":1,"status":"done"}`}, "", "invalid arguments", todo.Counts{Pending: 1, InProgress: 1}},
		{"nothing to do", []string{`TodoCreate {"items":[{"content":" "}]}`}, "", "item 1 has no content", todo.Counts{}},
		{"no number", []string{`TodoProgress {"id":"1","status":"completed"}`}, "", "invalid arguments", todo.Counts{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var list todo.List
			registry, err := tool.NewRegistry(list.Tools()...)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			for _, line := range tt.calls {
				got, err = run(t, registry, line)
			}
			if got != tt.want || (err != nil) != (tt.fails != "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("got %q, %v", got, err)
			}
			if c := list.Counts(); c != tt.left || c.Total() != len(list.Items()) || c.Open() != c.Total()-c.Completed {
				t.Errorf("left %+v", c)
			}
		})
	}
}

func run(t *testing.T, registry *tool.Registry, line string) (string, error) {
	t.Helper()
	name, raw, _ := strings.Cut(line, " ")
	var args map[string]any
	if err := json.Unmarshal([]byte(raw), &args); err != nil {
		t.Fatal(err)
	}
	if err := registry.Validate(name, args); err != nil {
		return "", err
	}
	found, ok := registry.Lookup(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	return found.Execute(t.Context(), tool.Call{Args: args})
}

func TestOnlyListingIsParallel(t *testing.T) {
	t.Parallel()
	for _, found := range new(todo.List).Tools() {
		if d := found.Definition(); d.Parallel != (d.Name == todo.ListName) {
			t.Errorf("%s: parallel is %v", d.Name, d.Parallel)
		}
	}
}

func TestSessionWithoutTodos(t *testing.T) {
	t.Parallel()
	var none *todo.List
	if none.Counts().Total() != 0 || none.Items() != nil || none.Set(nil) == nil || none.Progress(1, todo.Completed) == nil {
		t.Error("a nil list holds something")
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	call := func(id, name, args string) llm.Message {
		return llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: id, Name: name, Arguments: json.RawMessage(args)}}}
	}
	result := func(id, content string) llm.Message {
		return llm.Message{Role: llm.RoleTool, ToolCallID: id, Content: content}
	}
	var list todo.List
	list.Replay([]llm.Message{
		call("1", todo.CreateName, `{"items":[{"content":"a"},{"content":"b"}]}`), result("1", "ok"),
		call("2", todo.ProgressName, `{"id":1,"status":"completed"}`), result("2", "ok"),
		call("3", todo.ProgressName, `{"id":2,"status":"completed"}`), result("3", "Error: the call did not run: blocked by p"),
		call("4", todo.ProgressName, `{"id":9,"status":"completed"}`), result("4", "ok"),
		call("5", todo.CreateName, `{oops`), result("5", "ok"),
		call("6", "Read", `{"path":"x"}`), result("6", "ok"),
	})
	want := []todo.Item{{ID: 1, Content: "a", Status: todo.Completed}, {ID: 2, Content: "b", Status: todo.Pending}}
	if got := list.Items(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}
