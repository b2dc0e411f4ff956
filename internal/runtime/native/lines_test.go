//go:build unix

package native_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/runtime/native"
)

// TestLineDirectives checks that errors name the plugin's own file and line, whatever its line directives say.
func TestLineDirectives(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ source, want string }{
		"line":       {"package greeter\n\n//line /etc/passwd:1\nvar a = x\n", "a.go:4:9: undefined: x"},
		"block":      {"package greeter\n\nvar /*line /etc/passwd:1:1*/ a = x\n", "a.go:3:34: undefined: x"},
		"before":     {"//line /etc/passwd:1\npackage greeter\n\nvar a = x\n", "a.go:4:9: undefined: x"},
		"in a body":  {"package greeter\n\nfunc f() {\n//line :7\n\tx()\n}\n", "a.go:5:2: undefined: x"},
		"with exits": {"package greeter\n\nimport \"os\"\n\n//line /etc/passwd:1\nfunc f() { os.Exit(x) }\n", "a.go:6:20: undefined: x"},
		"own name":   {"package greeter\n\n//line a.go:70\nvar a = x\n", "a.go:4:9: undefined: x"},
		"returns":    {"package greeter\r\n\r\n//line /etc/passwd:1\r\nvar a = x\r\n", "a.go:4:9: undefined: x"},
	} {
		for _, unsafe := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := builder(t)
				dir := plugin(t, map[string]string{"a.go": row.source})
				s, err := native.Read(dir, b.Toolchain, unsafe)
				if err != nil {
					t.Fatal(err)
				}
				p, err := b.Program(s)
				if err != nil {
					t.Fatal(err)
				}
				want := "go build failed:\n" + dir + string(filepath.Separator) + row.want
				if err := p.Build(t.Context(), func() {}); err == nil || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
			})
		}
	}
}

// TestLineDirectivesSyntax checks the same for errors of the parser.
func TestLineDirectivesSyntax(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"package greeter\n\n//line /etc/passwd:1\nfunc {\n":                           ":4:6: ",
		"//line /etc/passwd:1\npackage greeter\n\nimport {\n":                         ":4:8: ",
		"//line /etc/passwd:7\npackage greeter\nfunc {\n//line a.go:1\nfunc 3() {}\n": ":3:6: ",
	} {
		dir := plugin(t, map[string]string{"a.go": source})
		_, err := native.Read(dir, find(t), false)
		if want := filepath.Join(dir, "a.go") + want; err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "passwd") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
