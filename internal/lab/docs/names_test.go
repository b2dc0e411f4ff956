package docs

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/prompt"
)

var errorType = regexp.MustCompile(`ErrorType\w+ += "(\w+)"`)

// TestErrorTypes compares the table of failures with the SDK's types, and its statements about retries with the code.
func TestErrorTypes(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join(repo, "sdk", "hooks.go"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range errorType.FindAllStringSubmatch(string(source), -1) {
		want = append(want, m[1])
	}
	table := tables(section(t, text(t, "docs/providers.md"), "## When a call fails"))[0]
	same(t, "types of errors", column(table, 0), want)
	for _, row := range table {
		failure := llm.Error{Type: unquoted(row[0])}
		if again := row[2] == "yes"; again != failure.Retryable() {
			t.Errorf("%s: the page says %q, the code %t", failure.Type, row[2], failure.Retryable())
		}
	}
}

// TestTemplateNames compares the documented names of templates with the data that templates get.
func TestTemplateNames(t *testing.T) {
	t.Parallel()
	var want []string
	var walk func(path string, of reflect.Type)
	walk = func(path string, of reflect.Type) {
		for field := range of.Fields() {
			name := path + "." + field.Name
			if field.Type.Kind() == reflect.Struct {
				walk(name, field.Type)
				continue
			}
			want = append(want, name)
		}
	}
	walk("", reflect.TypeFor[prompt.Data]())
	table := tables(section(t, text(t, "docs/agents.md"), "## Templates"))[0]
	same(t, "names in templates", column(table, 0), want)
}
