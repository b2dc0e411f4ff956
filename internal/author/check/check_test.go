package check_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idelchi/aura/internal/author/check"
)

// start is a plugin with a hook; declarations may follow from line 12 on.
const start = `-- main.go --
package my_plugin

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

func BeforeChat(_ context.Context, _ sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{}, nil }

`

// bare is a plugin without imports; declarations follow from line 3 on.
const bare = "-- main.go --\npackage my_plugin\n\n"

// TestFigures checks that figures of the runtime are reported where the interpreter changes them.
func TestFigures(t *testing.T) {
	t.Parallel()
	source := strings.Replace(start, "import (\n", "import (\n\t\"runtime\"\n", 1) + "func init() { runtime.ReadMemStats(new(runtime.MemStats)) }\n"
	for manifest, want := range map[string]string{"description: x": "runtime-figures", "runtime: native": ""} {
		dir := t.TempDir()
		archive := txtar.Parse([]byte(source + "-- go.mod --\nmodule my-plugin\n-- plugin.yaml --\n" + manifest + "\n"))
		for _, f := range archive.Files {
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, f := range check.Dir(dir, check.Options{}) {
			got = append(got, f.Rule)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", manifest, got, want)
		}
	}
}

// TestCompiled checks that a plugin that is never interpreted may use all of Go, and what is still found in it.
func TestCompiled(t *testing.T) {
	t.Parallel()
	const native = "-- plugin.yaml --\nruntime: native\n"
	modern := strings.Replace(start, "import (\n", "import (\n\t\"iter\"\n\t\"maps\"\n\t\"slices\"\n", 1) +
		"func keys(m map[string]int) iter.Seq[string] { return maps.Keys(m) }\n\n" +
		"func sum(n int) (out int) {\n\tfor i := range min(n, 9) {\n\t\tout += i\n\t}\n\t_ = slices.Sorted(keys(nil))\n\treturn out\n}\n\nvar _ = sum\n"
	for name, tt := range map[string]struct {
		source string
		want   []string
	}{
		"modern, compiled":    {modern + native, nil},
		"modern, interpreted": {modern, nil},
		"unused":              {start + "func f() { x := 1 }\n\nvar _ = f\n" + native, []string{"main.go:11 unused"}},
		"cgo":                 {strings.Replace(start, "import (\n", "import (\n\t\"C\"\n", 1) + native, []string{"main.go:4 import-cgo"}},
		"restricted":          {strings.Replace(start, "import (\n", "import (\n\t_ \"os/exec\"\n", 1) + native, []string{"main.go:4 import-restricted"}},
		"signature":           {start + "func OnError(int) {}\n" + native, []string{"main.go:11 signature"}},
		"not vendored":        {strings.Replace(start, "import (\n", "import (\n\t_ \"example.com/x\"\n", 1) + native, []string{"main.go:4 import-missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := unpack(t, "my-plugin", txtar.Parse([]byte(tt.source)))
			found := check.Dir(dir, check.Options{})
			if got := places(dir, found); !slices.Equal(got, tt.want) {
				t.Errorf("got  %v\nwant %v\n%+v", got, tt.want, found)
			}
			for _, f := range found {
				if f.Severity != check.Error {
					t.Errorf("a %s: %+v", f.Severity, f)
				}
			}
		})
	}
}

// TestCompiledOnly checks that a plugin that is only compiled is refused for what its loader refuses, with the loader's words.
func TestCompiledOnly(t *testing.T) {
	t.Parallel()
	const pure, clean = "assembly, C and object files are not compiled into plugins", "plugins are compiled without cgo"
	vendored := strings.Replace(start, "import (\n", "import (\n\t_ \"a.com/x\"\n", 1) + "-- vendor/a.com/x/x.go --\npackage x\n"
	for name, tt := range map[string]struct {
		source string
		want   []string
	}{
		"assembly":           {start + "-- a.s --\n//\n", []string{"a.s:1 native " + pure}},
		"C":                  {start + "-- a.c --\n//\n", []string{"a.c:1 native " + pure}},
		"object":             {start + "-- a.syso --\n//\n", []string{"a.syso:1 native " + pure}},
		"vendored":           {vendored + "-- vendor/a.com/x/x.s --\n//\n", []string{"vendor/a.com/x/x.s:1 native " + pure}},
		"linkname":           {start + "//go:linkname now time.now\nfunc now()\n", []string{"main.go:11 native //go:linkname is refused: a plugin uses only what packages export", "main.go:12 native the function now has no body"}},
		"embed":              {start + "//go:embed go.mod\nvar text string\n", []string{"main.go:11 embed //go:embed: only a file that imports \"embed\" can have this directive"}},
		"cgo flags":          {start + "//go:cgo_ldflag \"-l\"\n", []string{"main.go:11 native //go:cgo_ldflag is refused: " + clean}},
		"two":                {start + "//go:cgo_ldflag \"-l\"\n\n//go:embed go.mod\nvar text string\n-- a.s --\n//\n", []string{"a.s:1 native " + pure, "main.go:11 native //go:cgo_ldflag is refused: " + clean, "main.go:13 embed //go:embed: only a file that imports \"embed\" can have this directive"}},
		"link":               {start + "-- b.go --\n-> other.txt\n", []string{"b.go:1 native it is a link, and links are not part of a plugin"}},
		"path":               {strings.Replace(start, "import (\n", "import (\n\t_ \"my-plugin/größe\"\n", 1) + "-- größe/x.go --\npackage x\n", []string{`main.go:4 native importing "my-plugin/größe": the go command refuses this path: invalid char 'ö'`}},
		"aura's own":         {strings.Replace(start, "import (\n", "import (\n\t_ \"github.com/idelchi/aura/internal/base/files\"\n", 1), []string{`main.go:4 import-missing importing "github.com/idelchi/aura/internal/base/files": aura's own packages are not available to plugins, except github.com/idelchi/aura/sdk`}},
		"package main":       {strings.Replace(start, "my_plugin", "main", 1) + "-- go.mod --\nmodule main\n", []string{"go.mod:1 native the last element of the module's path is main, and a compiled plugin cannot be package main"}},
		"v1":                 {strings.Replace(start, "import (\n", "import (\n\t_ \"my-plugin/api/v1\"\n", 1) + "-- api/v1/x.go --\npackage v1\n", nil},
		"syntax":             {start + "-- b.go --\npackage my_plugin\n\nfunc (\n", []string{"b.go:3 syntax expected ')', found 'EOF'"}},
		"two importers":      {strings.Replace(vendored, "a.com/x\"\n", "a.com/x\"\n\t_ \"a.com/y\"\n", 1) + "-- vendor/a.com/y/y.go --\npackage y\n\nimport _ \"a.com/x\"\n-- vendor/a.com/x/x.go --\n-> x.txt\n", []string{"vendor/a.com/x/x.go:1 native it is a link, and links are not part of a plugin"}},
		"for another system": {start + "-- a_plan9.s --\n//\n", nil},
		"library, unknown":   {strings.Replace(start, "import (\n", "import (\n\t_ \"nosuch\"\n", 1), []string{`main.go:4 import-unavailable importing "nosuch": not in the standard library of this Go toolchain and not vendored`}},
		"library, new":       {strings.Replace(start, "import (\n", "import (\n\t_ \"weak\"\n", 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := unpack(t, "my-plugin", txtar.Parse([]byte(tt.source+"-- plugin.yaml --\nruntime: native\n")))
			linked(t, dir)
			found := check.Dir(dir, check.Options{})
			got := places(dir, found)
			for i, f := range found {
				got[i] += " " + f.Message
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q\n%+v", got, tt.want, found)
			}
		})
	}
}

// TestCompiledWithoutToolchain checks that the same is found where there is no Go toolchain, and that nothing is refused for its lack.
func TestCompiledWithoutToolchain(t *testing.T) {
	t.Setenv("PATH", "")
	source := strings.Replace(start, "import (\n", "import (\n\t_ \"weak\"\n\t_ \"my-plugin/sub\"\n\t_ \"x/y\"\n", 1) +
		"-- sub/a.go --\n//go:build go1.25\n\npackage sub\n-- vendor/x/y/y.go --\npackage y\n\n//go:cgo_ldflag x\n-- plugin.yaml --\nruntime: native\n"
	dir := unpack(t, "my-plugin", txtar.Parse([]byte(source)))
	if got, want := places(dir, check.Dir(dir, check.Options{})), []string{"vendor/x/y/y.go:3 native"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// linked replaces each file with the text "-> name" by a link to a copy of a Go file.
func linked(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		target, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "-> ")
		if err != nil || !ok {
			return err
		}
		clause := "package my_plugin\n"
		if filepath.Dir(path) != dir {
			clause = "package " + filepath.Base(filepath.Dir(path)) + "\n"
		}
		return errors.Join(os.WriteFile(filepath.Join(filepath.Dir(path), target), []byte(clause), 0o600), os.Remove(path), os.Symlink(target, path))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDir has a row for each rule that is not about a construct of the language; the rows for constructs are in the corpus.
func TestDir(t *testing.T) {
	t.Parallel()
	const imports = "import (\n\t\"context\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\n"
	for name, tt := range map[string]struct {
		source string
		want   []string
	}{
		"fine":             {start, nil},
		"unknown key":      {start + "-- plugin.yaml --\ndescription: x\nnonsense: 1\n", []string{"plugin.yaml:2 manifest"}},
		"two faults":       {start + "-- plugin.yaml --\ntimeout: soon\non_failure: maybe\n", []string{"plugin.yaml:1 manifest", "plugin.yaml:2 manifest"}},
		"condition":        {start + "-- plugin.yaml --\ncondition: nonsense\n", []string{"plugin.yaml:1 manifest"}},
		"broken yaml":      {start + "-- plugin.yaml --\na: [\n", []string{"plugin.yaml:1 manifest"}},
		"no module":        {start + "-- go.mod --\ngo 1.25\n", []string{"go.mod:1 module"}},
		"broken module":    {start + "-- go.mod --\nmodule \"\n", []string{"go.mod:1 module"}},
		"library's name":   {"-- main.go --\npackage strings\n-- go.mod --\nmodule strings\n", []string{"go.mod:1 module"}},
		"package name":     {strings.Replace(start, "package my_plugin", "package main", 1), []string{"main.go:1 package"}},
		"no source":        {"-- readme.txt --\n", []string{".:0 package"}},
		"only tests":       {"-- main_test.go --\npackage my_plugin\n", []string{".:0 package"}},
		"syntax, moved":    {bare + "//line /etc/passwd:1\nfunc (\n", []string{"main.go:4 syntax"}},
		"syntax":           {bare + "func (\n", []string{"main.go:3 syntax"}},
		"nothing exported": {bare + "func Helper() {}\n", []string{"go.mod:1 exports"}},
		"almost a hook": {
			start + "func OnEror(_ context.Context, _ sdk.OnErrorContext) (sdk.Result, error) { return sdk.Result{}, nil }\n", []string{"main.go:11 exports"},
		},
		"a helper of a hook": {start + "func beforeChat(sdk.BeforeChatContext) {}\n\nfunc OnEror(int) {}\n\nvar _, _ = beforeChat, OnEror\n", nil},
		"half a tool":        {bare + "import \"github.com/idelchi/aura/sdk\"\n\nfunc Schema() sdk.ToolSchema { return sdk.ToolSchema{} }\n", []string{"main.go:5 exports"}},
		"half a command": {
			bare + imports + "func ExecuteCommand(_ context.Context, _ string, _ sdk.Context) (r sdk.CommandResult, err error) { return }\n",
			[]string{"main.go:9 exports"},
		},
		"hook's signature": {bare + imports + "func OnError(context.Context, sdk.Context) (sdk.Result, error) { return sdk.Result{}, nil }\n", []string{"main.go:9 signature"}},
		"hook's results":   {bare + imports + "func OnError(context.Context, sdk.OnErrorContext) sdk.Result { return sdk.Result{} }\n", []string{"main.go:9 signature"}},
		"hook is a number": {bare + "const BeforeChat = 1\n", []string{"main.go:3 signature"}},
		"hook is a type":   {bare + "type BeforeChat func()\n", []string{"main.go:3 signature"}},
		"hook in a variable": {
			bare + imports + "var BeforeChat = func(context.Context, sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{}, nil }\n", nil,
		},
		"tool's signature": {
			bare + imports + "func Schema() (s sdk.ToolSchema) { return }\n\nfunc Execute(context.Context, map[string]any) (string, error) { return \"\", nil }\n",
			[]string{"main.go:11 signature"},
		},
		"tool with interface{}": {
			bare + imports + "func Schema() (s sdk.ToolSchema) { return }\n\n" +
				"func Execute(context.Context, sdk.Context, map[string]interface{}) (string, error) { return \"\", nil }\n", nil,
		},
		"optional functions": {
			start + "func Available() int { return 1 }\n\nfunc Paths() {}\n\nfunc Init(sdk.ToolConfig) {}\n", []string{"main.go:11 signature", "main.go:13 signature"},
		},
		"hidden":             {bare + "import _ \"my-plugin/.sub\"\n" + hookOnly + "-- .sub/a.go --\npackage sub\n", []string{"main.go:3 import-path"}},
		"upward":             {bare + "import _ \"my-plugin/../sub\"\n" + hookOnly, []string{"main.go:3 import-path"}},
		"restricted":         {bare + "import _ \"os/exec\"\n" + hookOnly, []string{"main.go:3 import-restricted"}},
		"restricted syscall": {bare + "import _ \"syscall\"\n" + hookOnly, []string{"main.go:3 import-restricted"}},
		"cgo":                {bare + "import \"C\"\n" + hookOnly, []string{"main.go:3 import-cgo"}},
		"maps":               {bare + "import _ \"maps\"\n" + hookOnly, nil},
		"too young":          {bare + "import _ \"weak\"\n" + hookOnly, []string{"main.go:3 import-unavailable"}},
		"not vendored":       {bare + "import _ \"example.com/x\"\n" + hookOnly, []string{"main.go:3 import-missing"}},
		"not vendored, used": {bare + "import \"example.com/go-x\"\n\nvar _ = x.Y\n" + hookOnly, []string{"main.go:3 import-missing"}},
		"no own directory":   {bare + "import _ \"my-plugin/sub\"\n" + hookOnly, []string{"main.go:3 import-missing"}},
		"own, without files": {bare + "import _ \"my-plugin/sub\"\n" + hookOnly + "-- sub/a.txt --\n", []string{"main.go:3 import-missing"}},
		"relative":           {bare + "import _ \"./sub\"\n" + hookOnly, []string{"main.go:3 import-path"}},
		"doubled name":       {bare + "import _ \"my-plugin/my-plugin\"\n" + hookOnly + "-- my-plugin/a.go --\npackage a\n", []string{"main.go:3 import-path"}},
		"circle":             {bare + "import _ \"my-plugin/a\"\n" + hookOnly + "-- a/a.go --\npackage a\n\nimport _ \"my-plugin/b\"\n-- b/b.go --\npackage b\n\nimport _ \"my-plugin/a\"\n", []string{"b/b.go:3 import-cycle"}},
		"two packages":       {bare + "import _ \"my-plugin/a\"\n" + hookOnly + "-- a/a.go --\npackage a\n-- a/b.go --\n\npackage b\n", []string{"a/b.go:2 package"}},
		"SDK too young":      {start + "-- vendor/github.com/idelchi/aura/sdk/version/version.go --\npackage version\n\nconst Version = \"9.0.0\"\n", []string{"vendor:0 sdk-version"}},
		"no such field":      {start + "var r = sdk.Result{Mesage: \"\"}\n", []string{"main.go:11 type"}},
		"no such function":   {strings.Replace(start, "\"context\"", "\"context\"\n\t\"strings\"", 1) + "var x = strings.Nothing()\n", []string{"main.go:12 library"}},
		"unused":             {start + "func f() {\n\tx := 1\n}\n", []string{"main.go:12 unused"}},
		"vendored, once":     {bare + "import _ \"a.com/x\"\n" + hookOnly + "-- vendor/a.com/x/x.go --\npackage x\n\nvar a, b int = \"a\", \"b\"\n", []string{"vendor/a.com/x/x.go:3 type"}},
		"other systems":      {start + "-- a_plan9.go --\npackage other\n\nvar x = nothing\n-- b.go --\n//go:build go1.27\n\npackage my_plugin\n\nimport \"iter\"\n", nil},
		"vendored cgo, a choice": {
			bare + "import \"a.com/x\"\n\nvar _ = x.A\n" + hookOnly + "-- vendor/a.com/x/c.go --\npackage x\n\nimport \"C\"\n-- vendor/a.com/x/x.go --\npackage x\n\nvar A int\n", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := strings.ReplaceAll(tt.source, hookOnly, "")
			archive := txtar.Parse([]byte(source))
			if source != tt.source {
				archive.Files = append(archive.Files, txtar.File{Name: "zz.go", Data: []byte(strings.TrimPrefix(start, "-- main.go --\n"))})
			}
			dir := unpack(t, "my-plugin", archive)
			found := check.Dir(dir, check.Options{})
			if got := places(dir, found); !slices.Equal(got, tt.want) {
				t.Errorf("got  %v\nwant %v\n%+v", got, tt.want, found)
			}
		})
	}
}

// hookOnly is replaced by a further file with a hook.
const hookOnly = "HOOK\n"

// TestUnsafe checks that unsafe mode allows the restricted packages.
func TestUnsafe(t *testing.T) {
	t.Parallel()
	archive := txtar.Parse([]byte(start + "-- exec.go --\npackage my_plugin\n\nimport (\n\t\"os/exec\"\n\t\"syscall\"\n\t\"unsafe\"\n)\n\n" +
		"func run() (string, uintptr) {\n\tout, _ := exec.Command(\"true\").Output()\n\treturn string(out), unsafe.Sizeof(syscall.SIGINT)\n}\n"))
	dir := unpack(t, "my-plugin", archive)
	if found := check.Dir(dir, check.Options{Unsafe: true}); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	if found := check.Dir(dir, check.Options{}); len(found) != 3 {
		t.Errorf("%+v", found)
	}
}

// TestLibraryText checks that what the library lacks is explained by a sentence that is true for all of it, whatever the release that added it.
func TestLibraryText(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]string{
		"strings.LinesOf":    "import \"strings\"\n\nvar x = strings.LinesOf(\"\")\n",
		"maphash.Comparable": "import \"hash/maphash\"\n\nvar x = maphash.Comparable[int]\n",
	} {
		dir := unpack(t, "my-plugin", txtar.Parse([]byte(start+"-- b.go --\npackage my_plugin\n\n"+use)))
		found := check.Dir(dir, check.Options{})
		want := "undefined: " + name + " (it is not in the interpreter's standard library, which is that of Go 1.26 without special packages and with few generic types)"
		if len(found) != 1 || found[0].Message != want || found[0].Rule != "library" {
			t.Errorf("%s: got %+v", name, found)
		}
	}
}

// TestIdleKeys has a row for each key of plugin.yaml that applies only to hooks or only to a tool.
func TestIdleKeys(t *testing.T) {
	t.Parallel()
	const tool = "package my_plugin\n\nimport (\n\t\"context\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\n" +
		"func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: \"T\"} }\n\n" +
		"func Execute(context.Context, sdk.Context, map[string]any) (string, error) { return \"\", nil }\n"
	hook := strings.TrimPrefix(start, "-- main.go --\n")
	for _, tt := range []struct{ key, source, want string }{
		{"condition: auto", hook, ""},
		{"condition: auto", tool, `the key "condition" has no effect: it is for hooks, and the plugin exports none`},
		{"once: true", hook, ""},
		{"once: true", tool, `the key "once" has no effect`},
		{"once: false", tool, ""},
		{"opt_in: true", tool, ""},
		{"opt_in: true", hook, `the key "opt_in" has no effect: it is for a tool, and the plugin exports none`},
		{"override: true", tool, ""},
		{"override: true", hook, `the key "override" has no effect`},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module my-plugin\n", "plugin.yaml": tt.key + "\n", "main.go": tt.source} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		found := check.Dir(dir, check.Options{})
		if len(found) > 1 || (tt.want == "") != (len(found) == 0) || tt.want != "" && (found[0].Severity != check.Warning || !strings.HasPrefix(found[0].Message, tt.want)) {
			t.Errorf("%s: got %+v, want %q", tt.key, found, tt.want)
		}
	}
}

// TestRefused checks that what the loader refuses is found, also in a vendored package, and that all else of Go is not.
func TestRefused(t *testing.T) {
	t.Parallel()
	const library = "-- vendor/a.com/x/x.go --\npackage x\n\nfunc F() {\n\tf := func() { _ = recover() }\n\tdefer f()\n}\n"
	archive := txtar.Parse([]byte(start + "var _, _ = x.F, *new(5)\n" + library))
	archive.Files[0].Data = []byte(strings.Replace(string(archive.Files[0].Data), "\"context\"", "\"context\"\n\n\t\"a.com/x\"", 1))
	dir := unpack(t, "my-plugin", archive)
	found := check.Dir(dir, check.Options{})
	if len(found) != 1 || found[0].Rule != "interpreter" || found[0].Severity != check.Error || filepath.Base(found[0].File) != "x.go" || found[0].Line != 4 || found[0].Fix == "" {
		t.Errorf("got %+v", found)
	}
}

// TestNoPlugin checks directories that are not plugins.
func TestNoPlugin(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "nowhere"), file, ""} {
		found := check.Dir(dir, check.Options{})
		if !slices.ContainsFunc(found, func(f check.Finding) bool { return f.Rule == "manifest" && f.Severity == check.Error }) {
			t.Errorf("%q: %+v", dir, found)
		}
	}
}

// FuzzDir checks arbitrary sources, manifests and modules.
func FuzzDir(f *testing.F) {
	names, err := filepath.Glob("testdata/corpus/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(archive.Files[0].Data), "description: x\n", "module x\n")
	}
	f.Add("package x\nfunc (", "a: [", "module")
	f.Add("package x\nimport (\"encoding/json\"; \"fmt\")\ntype T[P any] struct { F *T[[]P]; g int }\ntype q *q\ntype c struct{ c }\n"+
		"func f() { _, _ = json.Marshal(T[int]{}); fmt.Println([]T[int]{}); var v any; switch v.(type) { case q, **q, T[int]: } }", "", "module x\n")
	f.Add("package x\nimport \"./x\"\nvar _ = x.Y\ntype T[P any] struct{ T[P] }\nfunc f() { defer f; for x = range f {} }", "", "")
	f.Fuzz(func(t *testing.T, source, manifest, module string) {
		dir := unpack(t, "x", &txtar.Archive{Files: []txtar.File{
			{Name: "main.go", Data: []byte(source)}, {Name: "plugin.yaml", Data: []byte(manifest)}, {Name: "go.mod", Data: []byte(module)},
		}})
		for _, found := range check.Dir(dir, check.Options{}) {
			if found.Rule == "unknown" || found.Message == "" || found.Rule == "" {
				t.Errorf("%+v", found)
			}
		}
	})
}

// TestToolSchema has a row for each rule about a tool's schema. Computed schemas are not checked.
func TestToolSchema(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ literal, want string }{
		"fine": {`{Name: "Count", Parameters: sdk.ToolParameters{Type: "object", Properties: map[string]sdk.ToolProperty{
			"path": {Type: "string"}, "deep": {Type: "boolean"}}, Required: []string{"path"}}}`, ""},
		"empty":                       {`{}`, ""},
		"a name with a blank":         {`{Name: "Count words"}`, `"Count words": a name consists of at most 64 letters`},
		"a constant with a blank":     {`{Name: bad}`, `"bad name": a name consists of`},
		"a name that is computed":     {`{Name: computed()}`, ""},
		"without names of fields":     {`{"Count words", "d", "u", "e", sdk.ToolParameters{}}`, `"Count words": a name consists of`},
		"no name":                     {`{Name: ""}`, `"": a name consists of`},
		"parameters are no object":    {`{Name: "A", Parameters: sdk.ToolParameters{Type: "string"}}`, `its parameters are of type "string"; only object is possible`},
		"an unknown type":             {`{Name: "A", Parameters: sdk.ToolParameters{Properties: map[string]sdk.ToolProperty{"x": {Type: "strng"}}}}`, `strng`},
		"required and not there":      {`{Name: "A", Parameters: sdk.ToolParameters{Properties: map[string]sdk.ToolProperty{"x": {}}, Required: []string{"y"}}}`, `parameter "y" is required but not among the properties`},
		"required and computed":       {`{Name: "A", Parameters: sdk.ToolParameters{Properties: properties(), Required: []string{"y"}}}`, ""},
		"a name of aura's own":        {`{Name: "Bash"}`, `tool-name aura itself has a tool of the name "Bash"`},
		"almost a name of aura's own": {`{Name: "bash"}`, ""},
		"no word for a command":       {`{}; var _ = sdk.CommandSchema{Name: "two words"}`, `command-schema`},
		"a slash in a command":        {`{}; var _ = sdk.CommandSchema{Name: "/x"}`, `the Name "/x", want one word without a slash`},
		"a command":                   {`{}; var _ = sdk.CommandSchema{Name: "x"}`, ""},
		"a tool to disable":           {`{}; var _ = sdk.Result{DisableTools: []string{"Bash", "*", "Ba*", "mcp__x__y", "Other"}}`, ""},
		"no tool to disable":          {`{}; var _ = sdk.Result{DisableTools: []string{"bash"}}`, `disable-tools DisableTools has "bash", which is no tool; did you mean "Bash"?`},
		"a conditional tool":          {`{}; var _ = sdk.Result{DisableTools: []string{"Task"}}`, ""},
		"computed tools to disable":   {`{}; var _ = sdk.Result{DisableTools: []string{computed()}}`, ""},
		"no conditional tool":         {`{}; var _ = sdk.BeforeToolResult{Result: sdk.Result{DisableTools: []string{"Tusk"}}}`, `disable-tools DisableTools has "Tusk", which is no tool; did you mean "Task"?`},
		"a command without a name":    {`{}; var _ = sdk.CommandSchema{Description: "x"}`, ""},
		"a property that is computed": {`{Name: "A", Parameters: sdk.ToolParameters{Properties: map[string]sdk.ToolProperty{computed(): {}}, Required: []string{"y"}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			archive := txtar.Parse([]byte(start + "const bad = \"bad \" + \"name\"\n\nfunc computed() string { return \"x\" }\n\n" +
				"func properties() map[string]sdk.ToolProperty { return nil }\n\nvar _, _, _ = bad, computed, properties\n\nvar _ = sdk.ToolSchema" + tt.literal + "\n"))
			archive.Files = append(archive.Files, txtar.File{Name: "go.mod", Data: []byte("module my-plugin\n")},
				txtar.File{Name: "plugin.yaml", Data: []byte("description: x\n")})
			for _, f := range archive.Files {
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, f := range check.Dir(dir, check.Options{Taken: map[string]string{"Bash": "aura itself"}}) {
				got = append(got, f.Rule+" "+f.Message)
			}
			all := strings.Join(got, "\n")
			if len(got) > 1 || (tt.want == "") != (all == "") || !strings.Contains(all, tt.want) {
				t.Errorf("got %s, want %s", all, tt.want)
			}
		})
	}
}
