package core_test

import (
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/golang/core"
)

// check checks a file with a form in it: a declaration, statements or an expression.
func check(t *testing.T, section, form string) *core.Error {
	t.Helper()
	text := "package p\n\n/*at 7*/" + form + "\n"
	switch section {
	case "Types":
	case "Expressions":
		text = "package p\n\nfunc f() {\n/*at 7*/x = (" + form + ")\n}\n"
	default:
		text = "package p\n\nfunc f() {\n/*at 7*/" + form + "\n}\n"
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "f.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%s: %v", form, err)
	}
	return core.Check(fset, f, []byte(text), func(name string) bool { return name == "Box" })
}

// forms returns the first cells of the tables of CORE.md by section.
func forms(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../CORE.md")
	if err != nil {
		t.Fatal(err)
	}
	out, section := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.TrimSpace(title)
		}
		if row, ok := strings.CutPrefix(line, "| `"); ok {
			form, _, _ := strings.Cut(row, "` |")
			out[section] = append(out[section], form)
		}
	}
	return out
}

// TestPage holds the page and the check together: each form of the page is accepted, and each form that it excludes is refused.
func TestPage(t *testing.T) {
	t.Parallel()
	const excluded = "What is not core"
	all := forms(t)
	for _, section := range []string{"Types", "Statements", "Expressions", excluded} {
		if len(all[section]) == 0 {
			t.Errorf("the page has no forms in the section %q", section)
		}
	}
	for section, list := range all {
		for _, form := range list {
			err := check(t, section, form)
			switch {
			case section != excluded && err != nil:
				t.Errorf("%s: %s is refused: %v", section, form, err)
			case section == excluded && err == nil:
				t.Errorf("%s is not refused", form)
			case err != nil && err.Line != 7:
				t.Errorf("%s is refused with line %d", form, err.Line)
			}
		}
	}
}

// TestDeclarations tries what only a package can declare.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	for _, form := range []string{
		"func (t T) m() {}", "func f[T any](x T) {}", "func f(int) {}", "func f() (n int) { return n }", "type t int", "type t = struct{}", "type t[E any] struct{}",
		"var a, b int", "var a = 1", "func f(l ...int) {}",
	} {
		if check(t, "Types", form) == nil {
			t.Errorf("%s is not refused", form)
		}
	}
}
