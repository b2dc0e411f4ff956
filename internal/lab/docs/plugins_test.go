package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/sdk"
)

const (
	hooksPage    = "docs/plugin-hooks.md"
	manifestPage = "docs/plugin-manifest.md"
	goPage       = "docs/plugin-go.md"
)

// column returns the words in backquotes of one column of a table.
func column(table [][]string, n int) []string {
	var out []string
	for _, row := range table {
		out = append(out, codes(row[n])...)
	}
	return out
}

// same compares two lists, ignoring the order.
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s: the page has\n%q\nthe code has\n%q", what, got, want)
	}
}

func TestHookSignatures(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	var names []string
	for _, p := range hookpoint.All() {
		names = append(names, string(p.Name))
		fmt.Fprintf(&want, "func %s(ctx context.Context, c %s) (%s, error)\n", p.Name, p.Context, p.Result)
	}
	hooks := section(t, text(t, hooksPage), "## All hooks")
	if !strings.Contains(hooks, want.String()) {
		t.Errorf("the page does not have\n%s", &want)
	}
	same(t, "table of hooks", column(tables(hooks)[0], 0), names)
}

func TestContexts(t *testing.T) {
	t.Parallel()
	list := tables(section(t, text(t, hooksPage), "## What hooks receive"))
	shown := map[string][]string{}
	for _, row := range list[0] {
		shown[unquoted(row[0])] = codes(row[1])
	}
	for _, p := range hookpoint.All() {
		name := p.Context.Name()
		if want := ownFields(p.Context); !slices.Equal(shown[name], want) {
			t.Errorf("%s: the page has %q, the SDK %q", name, shown[name], want)
		}
		delete(shown, name)
	}
	if len(shown) > 0 {
		t.Errorf("no hooks receive %v", shown)
	}
	same(t, "fields of sdk.Context", column(list[1], 0), ownFields(reflect.TypeFor[sdk.Context]()))
}

// ownFields returns the fields of a struct, without embedded ones.
func ownFields(t reflect.Type) []string {
	var out []string
	for field := range t.Fields() {
		if !field.Anonymous {
			out = append(out, field.Name)
		}
	}
	return out
}

func TestResults(t *testing.T) {
	t.Parallel()
	var want []string
	for field := range reflect.TypeFor[sdk.Result]().Fields() {
		if field.Type.Kind() != reflect.Pointer || field.Type.Elem().Kind() != reflect.Struct {
			want = append(want, field.Name)
			continue
		}
		for _, part := range ownFields(field.Type.Elem()) {
			want = append(want, field.Name+"."+part)
		}
	}
	list := tables(section(t, text(t, hooksPage), "## What hooks return"))
	same(t, "fields of sdk.Result", column(list[0], 0), want)
	same(t, "fields of sdk.UserMessageResult", column(list[1], 0), ownFields(reflect.TypeFor[sdk.UserMessageResult]()))
	same(t, "fields of sdk.BeforeToolResult", column(list[2], 0), ownFields(reflect.TypeFor[sdk.BeforeToolResult]()))
}

func TestSDKTypes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(repo, "sdk", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() && !strings.HasSuffix(file, "_test.go") {
				want = append(want, spec.Name.Name)
			}
			return true
		})
	}
	same(t, "types of the SDK", column(tables(section(t, text(t, goPage), "## The SDK"))[0], 0), want)
}

func TestManifestKeys(t *testing.T) {
	t.Parallel()
	table := tables(section(t, text(t, manifestPage), "## plugin.yaml"))[0]
	same(t, "keys of plugin.yaml", column(table, 0), append(knownKeys(t, "no_such_key: 1"), under("limits", knownKeys(t, "limits: {no_such_key: 1}"))...))
}

// knownKeys returns the keys that the error about an unknown key lists, without keys that hold further keys.
func knownKeys(t *testing.T, text string) []string {
	t.Helper()
	_, err := manifest.Parse("plugin.yaml", []byte(text))
	if err == nil {
		t.Fatalf("%s was accepted", text)
	}
	_, list, found := strings.Cut(err.Error(), "known keys: ")
	if !found {
		t.Fatalf("no keys are listed: %v", err)
	}
	return slices.DeleteFunc(strings.Split(list, ", "), func(key string) bool { return key == "limits" })
}

func under(key string, keys []string) []string {
	var out []string
	for _, k := range keys {
		out = append(out, key+"."+k)
	}
	return out
}
