package docs

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/background"
	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/skill"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/base/condition"
	"github.com/idelchi/aura/internal/settings/setup"
)

func TestConditions(t *testing.T) {
	t.Parallel()
	table := tables(section(t, text(t, "docs/conditions.md"), "## All terms"))[0]
	var got []string
	for _, row := range table {
		term := unquoted(row[0])
		name, _, _ := strings.Cut(term, ":")
		got = append(got, name)
		if name == "model_has" {
			_, err := condition.Parse("model_has:nothing")
			_, known, _ := strings.Cut(err.Error(), "known capabilities: ")
			same(t, "capabilities", codes(row[1]), strings.Split(known, ", "))
		}
		example := strings.NewReplacer("N", "3", "CAPABILITY", "tools", "NAME", "x", "PATH", "x", "COMMAND", "true").Replace(term)
		if _, err := condition.Parse(example); err != nil {
			t.Errorf("%s: %v", term, err)
		}
	}
	same(t, "terms", got, condition.Names())
}

func TestBuiltinTools(t *testing.T) {
	t.Parallel()
	table := tables(section(t, text(t, "docs/tools.md"), "## Built-in tools"))[0]
	var want [][]string
	var todos todo.List
	own := builtin.All(builtin.Options{Workdir: t.TempDir()})
	// The tools for background commands follow Bash, which comes first.
	all := slices.Concat(own[:1], new(background.Set).Tools(), own[1:], todos.Tools(), []tool.Tool{
		donetool.Tool(), skill.Tool([]skill.Skill{{Name: "x"}}),
	})
	for _, tool := range all {
		d := tool.Definition()
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(d.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		row := []string{d.Name, "no"}
		if d.Parallel {
			row[1] = "yes"
		}
		want = append(want, append(row, slices.Sorted(maps.Keys(schema.Properties))...))
	}
	var got [][]string
	for _, row := range table[:len(want)] {
		got = append(got, append([]string{unquoted(row[0]), row[3]}, slices.Sorted(slices.Values(codes(row[1])))...))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the page has\n%q\naura has\n%q", got, want)
	}
	// The remaining tools belong to a session.
	var rest []string
	for _, row := range table[len(want):] {
		rest = append(rest, unquoted(row[0]))
	}
	same(t, "tools of a session", rest, []string{"Task", setup.SearchName, "LoadTools", "Plan", mcp.ListName, mcp.ReadName})
}

func TestHealth(t *testing.T) {
	t.Parallel()
	list := tables(section(t, text(t, "docs/supervision.md"), "## Health"))
	var keys []string
	for _, field := range fieldsOf(reflect.TypeFor[host.Health]()) {
		keys = append(keys, strings.TrimSuffix(field, ifSet))
	}
	same(t, "keys of a process", column(list[0], 1), keys)
	source, err := os.ReadFile(filepath.Join(repo, "host", "lifecycle.go"))
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, m := range regexp.MustCompile(`State\w+\s+State = "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		states = append(states, m[1])
	}
	same(t, "states", column(list[1], 0), states)
}
