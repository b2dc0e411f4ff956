package examples_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	plugins = "../../../.aura/plugins/"
	crash   = "../../../examples/crash/plugins/"
)

// examples maps the directory of each example to the hooks and the tool that it exports.
var examples = map[string][]string{
	plugins + "injectors/todo-reminder":           {"BeforeChat"},
	plugins + "injectors/max-steps":               {"BeforeChat"},
	plugins + "injectors/session-stats":           {"BeforeChat"},
	plugins + "injectors/todo-not-finished":       {"AfterResponse"},
	plugins + "injectors/empty-response":          {"AfterResponse"},
	plugins + "injectors/done-reminder":           {"AfterResponse"},
	plugins + "injectors/loop-detection":          {"AfterToolExecution"},
	plugins + "injectors/failure-circuit-breaker": {"AfterToolExecution"},
	plugins + "injectors/repeated-patch":          {"AfterToolExecution"},
	plugins + "diagnostics/tool-logger":           {"AfterToolExecution", "BeforeToolExecution"},
	plugins + "diagnostics/turn-tracker":          {"BeforeChat"},
	plugins + "diagnostics/language-servers":      {"AfterToolExecution", "SessionEnd"},
	plugins + "tools/gotify":                      {"Execute", "Schema"},
	plugins + "tools/notepad":                     {"Execute", "Schema"},
	crash + "crash-demo":                          {"AfterToolExecution"},
}

// TestExamples checks each example as the Go compiler would, and the files beside its source.
func TestExamples(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	for _, dir := range slices.Sorted(maps.Keys(examples)) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			exports, problems := c.check(dir)
			for _, p := range problems {
				t.Error(p)
			}
			if !slices.Equal(exports, examples[dir]) {
				t.Errorf("exports = %v, want %v", exports, examples[dir])
			}
		})
	}
}

// TestComplete checks that every plugin directory is in the table and every example in the README.
func TestComplete(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(plugins + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{plugins + "*/*/plugin.yaml", crash + "*/plugin.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("finding %s: %d found, %v", pattern, len(found), err)
		}
		for _, manifest := range found {
			if dir := filepath.ToSlash(filepath.Dir(manifest)); examples[dir] == nil {
				t.Errorf("%s has no row in the table", dir)
			}
		}
	}
	for dir := range examples {
		if row := "| `" + filepath.Base(dir) + "` |"; strings.HasPrefix(dir, plugins) && !strings.Contains(string(readme), row) {
			t.Errorf("the README has no row %s", row)
		}
	}
}

// TestChecker shows that the checks can fail, with made-up plugins.
func TestChecker(t *testing.T) {
	t.Parallel()
	const (
		mod   = "module bad-one\n\ngo 1.25\n\nrequire github.com/idelchi/aura/sdk v0.1.1\n"
		yaml  = "description: bad\n"
		start = "package bad_one\n\nimport (\n\t\"context\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\n"
		hook  = "func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{}, nil }\n"
	)
	tests := map[string]struct{ mod, yaml, source, want string }{
		"fine":            {mod, yaml, start + hook, ""},
		"package name":    {mod, yaml, "package bad\n", "package bad, want bad_one"},
		"type error":      {mod, yaml, start + hook + "var x int = \"\"\n", "main.go:10:13: cannot use"},
		"no such field":   {mod, yaml, start + hook + "var x = sdk.Result{Mesage: \"\"}\n", "unknown field Mesage"},
		"signature":       {mod, yaml, start + "func BeforeChat(context.Context, sdk.Context) error { return nil }\n", "BeforeChat has signature"},
		"range over int":  {mod, yaml, start + hook + "func f() { for range 3 {} }\n", "requires go1.22"},
		"range over func": {mod, yaml, start + hook + "func f(s func(func() bool)) { for range s {} }\n", "requires go1.23"},
		"min":             {mod, yaml, start + hook + "var x = min(1, 2)\n", "requires go1.21"},
		"generic":         {mod, yaml, start + hook + "func f[T any](T) {}\n", "generics"},
		"generic library": {mod, yaml, strings.Replace(start, "\t\"context\"\n", "\t\"context\"\n\t\"slices\"\n", 1) + hook + "var x = slices.Contains([]int{1}, 1)\n", "generics"},
		"any in a switch": {mod, yaml, start + hook + "func f(x any) { switch x { case \"a\": } }\n", "switch over an interface"},
		"exports nothing": {mod, yaml, "package bad_one\n", "neither a hook nor a tool"},
		"half a tool":     {mod, yaml, "package bad_one\n\nfunc Schema() {}\n", "neither a hook nor a tool"},
		"module name":     {strings.Replace(mod, "bad-one", "other/bad-two", 1), yaml, "package bad_two\n", "module other/bad-two, want bad-one"},
		"SDK version":     {strings.Replace(mod, "v0.1.1", "v0.2.0", 1), yaml, start + hook, "requires the SDK at v0.2.0"},
		"no description":  {mod, "{}\n", start + hook, "no description"},
	}
	c := newChecker(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "bad-one")
			for file, text := range map[string]string{"go.mod": tt.mod, "plugin.yaml": tt.yaml, "main.go": tt.source} {
				write(t, filepath.Join(dir, file), text)
			}
			_, problems := c.check(dir)
			if got := strings.Join(problems, "\n"); (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
				t.Errorf("problems = %q, want %q", got, tt.want)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
