//go:build unix

package native_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/runtime/native"
)

// TestImportPaths builds plugins that import packages whose paths cannot be the paths of modules. A frame of each names its file, with a version
// by which the host recognizes the plugin's frames.
func TestImportPaths(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		module  string
		imports []string
	}{
		"own":      {"greeter", []string{"greeter/v1", "greeter/v0", "greeter/v01", "greeter/v2", "greeter/api/v1", "greeter/api", "greeter/v1/v1", "greeter/internal/v1", "greeter/a+b", "greeter/a~b", "greeter/x.v1"}},
		"vendored": {"greeter", []string{"example.com/v1", "example.com/v2/v1", "example.com/v2", "gopkg.in/a", "gopkg.in/a.v3/sub", "gopkg.in/a.v3", "gopkg.in/u/a.v2-unstable/v1", "gopkg.in/a.v01", "x/v1", "v1"}},
		"module":   {"example.com/greeter/v1", []string{"example.com/greeter/v1/v1"}},
		"root":     {"v1", []string{"v1/v1"}},
		"gopkg.in": {"gopkg.in/greeter", []string{"gopkg.in/greeter/v1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := plugin(t, withImports(row.module, row.imports))
			got := output(t, built(t, dir))
			for i, p := range row.imports {
				at, version, ok := strings.Cut(sections(got)[fmt.Sprint(i)], "@v")
				_, rest, ok2 := strings.Cut(version, "/")
				if !ok || !ok2 || at+"/"+rest != p+"/p.go:5\n" {
					t.Errorf("%s: the frame is %q", p, sections(got)[fmt.Sprint(i)])
				}
			}
		})
	}
}

// withImports returns the files of a plugin that imports packages. Its command prints the file and line of a function of each.
func withImports(module string, imports []string) map[string]string {
	files := map[string]string{"go.mod": "module " + module + "\n"}
	list, calls := "", ""
	for i, p := range imports {
		dir, own := strings.CutPrefix(p, module+"/")
		if !own {
			dir = "vendor/" + p
		}
		files[dir+"/p.go"] = "package p\n\nimport \"runtime\"\n\nfunc At() (string, int) { _, file, line, _ := runtime.Caller(0); return file, line }\n"
		list += fmt.Sprintf("import p%d %q\n", i, p)
		calls += fmt.Sprintf("\tfile%d, line%[1]d := p%[1]d.At()\n\tfmt.Printf(\"-- %[1]d --\\n%%s:%%d\\n\", file%[1]d, line%[1]d)\n", i)
	}
	files["main.go"] = "package " + path.Base(module) + "\n\nimport \"context\"\nimport \"fmt\"\nimport \"github.com/idelchi/aura/sdk\"\n" + list +
		"\nfunc Command() sdk.CommandSchema { return sdk.CommandSchema{Name: \"all\"} }\n\n" +
		"func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) {\n" + calls + "\treturn sdk.CommandResult{}, nil\n}\n"
	return files
}

// TestImportPathsRefused checks that a path that the go command refuses is refused with the place of the import.
func TestImportPathsRefused(t *testing.T) {
	t.Parallel()
	tc := find(t)
	for _, p := range []string{"greeter/größe", "greeter/a@v1", "greeter/aux", "greeter/a.", "example.com/ü", "greeter/a,b", "greeter/a=b", "greeter/%41", "-x/y"} {
		files := withImports("greeter", []string{p})
		_, err := native.Read(plugin(t, files), tc, false)
		if want := fmt.Sprintf("main.go:6: importing %q: the go command refuses this path: ", p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", p, err, want)
		}
	}
}
