package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/app/inspect"
)

func TestToolsCommandLines(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name   string
		args   []string
		stdin  string
		code   int
		stdout string
		stderr string
	}{
		{name: "alone it lists", args: []string{"tools"}, stdout: "NAME"},
		{name: "list", args: []string{"tools", "list"}, stdout: "Done"},
		{name: "list takes nothing", args: []string{"tools", "list", "x"}, code: exitUsage, stderr: "unknown command"},
		{name: "a name inspects", args: []string{"tools", "TodoList"}, stdout: "source       built-in"},
		{name: "inspect takes one", args: []string{"tools", "inspect"}, code: exitUsage, stderr: "takes NAME"},
		{name: "a name with arguments runs", args: []string{"tools", "TodoList", "{}"}, stdout: "todo"},
		{name: "run", args: []string{"tools", "run", "TodoList"}, stdout: "todo"},
		{name: "run takes a name", args: []string{"tools", "run"}, code: exitUsage, stderr: "NAME"},
		{name: "a list as a value", args: []string{"tools", "run", "TodoCreate", `items=[{"content":"a","status":"pending"}]`}, stdout: "a"},
		{name: "from standard input", args: []string{"tools", "run", "TodoList", "-"}, stdin: "{}", stdout: "todo"},
		{name: "wrong arguments", args: []string{"tools", "run", "TodoCreate", "item=[]"}, code: exitUsage, stderr: `missing required field "items"; unknown field "item"`},
		{name: "wrong elements", args: []string{"tools", "run", "TodoCreate", `{"items":[{"content":1,"status":"x"}]}`}, code: exitUsage, stderr: `field "items.0.content" must be string`},
		{name: "no arguments", args: []string{"tools", "run", "TodoList", "x"}, code: exitUsage, stderr: "key=value"},
		{name: "no object", args: []string{"tools", "run", "--raw", "TodoList", "[]"}, code: exitUsage, stderr: "no JSON object"},
		{name: "unknown", args: []string{"tools", "run", "Todo"}, code: exitUsage, stderr: "known tools: Bash"},
		{name: "failed", args: []string{"tools", "run", "TodoProgress", "id=1", "status=completed"}, code: exitError, stderr: `tool "TodoProgress" failed: `},
		{name: "failed, as JSON", args: []string{"tools", "run", "TodoProgress", "id=1", "status=completed", "--json"}, code: exitError, stdout: `"error": `},
		{name: "examples", args: []string{"tools", "run", "--help"}, stdout: "aura tools run --raw Write - < arguments.json"},
		{name: "exit codes", args: []string{"tools", "run", "--help"}, stdout: "0 the tool succeeded, 1 it failed, 2"},
		{name: "flags", args: []string{"tools", "--help"}, stdout: "--rw-paths"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := line(t, row.stdin, nil, row.args...)
			if code != row.code || !strings.Contains(strings.ToLower(stdout), strings.ToLower(row.stdout)) || !strings.Contains(stderr, row.stderr) {
				t.Errorf("exit code %d, want %d\nstdout: %s\nwant: %s\nstderr: %s\nwant: %s", code, row.code, stdout, row.stdout, stderr, row.stderr)
			}
		})
	}
}

func TestToolsAsJSON(t *testing.T) {
	t.Parallel()
	_, stdout, _ := line(t, "", nil, "tools", "--json", "--exclude-tools", "Ls")
	var list []inspect.ToolEntry
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Source != "built-in" || e.Offered != (e.Hidden == "") || !json.Valid(e.Parameters) || e.Name == "Ls" && e.Offered {
			t.Errorf("got %+v", e)
		}
	}
	if len(list) < 10 {
		t.Errorf("got %d tools", len(list))
	}
}
