package native

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/golang/loader"
)

// TestExits checks which calls of a package are replaced in safe mode, and that nothing else moves.
func TestExits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, want string
		added      string
	}{
		"os.Exit":               {`import "os"; func f() { os.Exit(3) }`, `import "os"; func f() {    e000(3) }`, "func e000(code int)"},
		"as a value":            {`import "os"; var f = os.Exit`, `import "os"; var f =    e000`, "func e000(code int)"},
		"a raw path":            {"import `os`; func f() { os.Exit(3) }", "import `os`; func f() {    e000(3) }", "func e000(code int)"},
		"another name":          {`import sys "os"; func f() { sys.Exit(3) }`, `import sys "os"; func f() {     e000(3) }`, "func e000(code int)"},
		"spaces and a comment":  {`import "os"; func f() { os. /* x */ Exit(3) }`, `import "os"; func f() {             e000(3) }`, "func e000(code int)"},
		"two lines":             {"import \"os\"; func f() { os.\n\tExit(3) }", "import \"os\"; func f() {    \n e000(3) }", "func e000(code int)"},
		"into the file's scope": {`import . "os"; func f() { Exit(3) }`, `import . "os"; func f() { e000(3) }`, "func e000(code int)"},
		"a name that is taken":  {`import "os"; func e000() { os.Exit(3) }`, `import "os"; func e000() {    e001(3) }`, "func e001(code int)"},
		"a variable named os":   {`import "os"; var _ = os.Args; func f(os T) { os.Exit(3) }`, `import "os"; var _ = os.Args; func f(os T) { os.Exit(3) }`, ""},
		"another package":       {`import "example.com/os"; func f() { os.Exit(3) }`, `import "example.com/os"; func f() { os.Exit(3) }`, ""},
		"other functions of os": {`import "os"; var a = os.Getpid()`, `import "os"; var a = os.Getpid()`, ""},
		"a text":                {`import "os"; var a, _ = "os.Exit(3)", os.Args`, `import "os"; var a, _ = "os.Exit(3)", os.Args`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := parse(t, "main.go", "package p; "+tt.text)
			files := s.withoutExits(s.Packages[0])
			got := string(files["main.go"])
			head, tail, _ := strings.Cut(got, "\n\nvar _ = ")
			if head != "package p; "+tt.want {
				t.Errorf("got  %s\nwant package p; %s", head, tt.want)
			}
			if (tail != "") != (tt.added != "") || !strings.Contains(string(files["exits.go"]), tt.added) || len(files) != 1+min(len(tt.added), 1) {
				t.Errorf("added %q, want %q", files["exits.go"], tt.added)
			}
			for file, text := range files {
				if _, err := parser.ParseFile(token.NewFileSet(), file, text, 0); err != nil {
					t.Error(err)
				}
			}
			s.Unsafe = true
			unsafe := s.withoutExits(s.Packages[0])
			if len(unsafe) != 1 || string(unsafe["main.go"]) != "package p; "+tt.text {
				t.Errorf("in unsafe mode: %q", unsafe)
			}
		})
	}
}

// TestExitsFile checks that a file of the plugin is never replaced by the one that aura adds.
func TestExitsFile(t *testing.T) {
	t.Parallel()
	s := parse(t, "exits.go", `package p; import "os"; func f() { os.Exit(3) }`)
	files := s.withoutExits(s.Packages[0])
	if len(files) != 2 || !strings.Contains(string(files["exits.go"]), "func f()") || !strings.Contains(string(files["more_exits.go"]), "func e000") {
		t.Errorf("got %q", files)
	}
}

// parse returns a source with one package that has one file.
func parse(t *testing.T, name, text string) *Source {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	s := &loader.Source{Fset: fset, Packages: []*loader.Package{{Path: "example.com/p", Name: "p", Files: []*loader.File{{Path: name, Text: []byte(text), Tree: tree}}}}}
	for _, spec := range tree.Imports {
		s.Standard = append(s.Standard, loader.ImportPath(spec))
	}
	return &Source{s}
}
