package loader_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/golang/loader"
)

// nested returns n times before, then the middle, then n times after.
func nested(n int, before, middle, after string) string {
	return strings.Repeat(before, n) + middle + strings.Repeat(after, n)
}

// TestNesting loads source that is nested deep. It is loaded in a moment, or refused with a line.
func TestNesting(t *testing.T) {
	t.Parallel()
	const methods = "type T struct{}\nfunc (T) m() {}\nfunc g(func()) T { return T{} }\n"
	const changing = "var y = 1\nfunc f(i int) int { y += i; return y }\n"
	tests := map[string]struct {
		source string
		// refused is a part of the error; empty if the source loads.
		refused string
	}{
		"deferred literals":          {"func f() {\n" + nested(150, "defer func() {\n", "", "}()\n") + "}", ""},
		"deferred methods":           {methods + "func f() {\n" + nested(60, "defer g(func() {\n", "", "}).m()\n") + "}", ""},
		"deferred library calls":     {"import \"fmt\"\nfunc f() {\n" + nested(60, "defer fmt.Println(func() int {\n", "return 1\n", "; return 1 }())\n") + "}", ""},
		"deferred built-ins":         {"func f() {\n" + nested(60, "defer close(func() chan int {\n", "return nil\n", "; return nil }())\n") + "}", ""},
		"parentheses":                {"var x = " + nested(400, "(", "1", ")"), ""},
		"blocks":                     {"func f() " + nested(400, "{", "", "}"), ""},
		"operands":                   {"var y = 1\nvar x = y" + strings.Repeat(" + y", 4000), ""},
		"operands beside calls":      {changing + "var x = y" + strings.Repeat(" + y*f(y)", 1000), ""},
		"calls beside operands":      {changing + "var x = " + nested(200, "y + f(y - ", "y", ")"), ""},
		"operands beside readings":   {"var s []int\nfunc f(i int) int { return len(s) + i }\nvar x = 1" + strings.Repeat(" + len(s)*f(1)", 1000), ""},
		"too many parentheses":       {"var x = " + nested(90_000, "(", "1", ")"), "my-plugin/main.go:2:"},
		"too many blocks":            {"func f() " + nested(501, "{", "", "}"), "my-plugin/main.go:2:"},
		"too many signs":             {"var x = " + strings.Repeat("- ", 90_000) + "1", "my-plugin/main.go:2:"},
		"too many operands":          {"var x = 1" + strings.Repeat(" + 1", 90_000), "my-plugin/main.go:2:"},
		"too many selectors":         {"var x = y" + strings.Repeat(".y", 90_000), "my-plugin/main.go:2:"},
		"too many else":              {"func f() {\n" + strings.Repeat("if true {} else ", 90_000) + "{}}", "my-plugin/main.go:3:"},
		"too many channels":          {"var x " + strings.Repeat("chan ", 90_000) + "int", "my-plugin/main.go:2:"},
		"too many labels":            {"func f() {\n" + strings.Repeat("a: ", 90_000) + "}", "my-plugin/main.go:3:"},
		"a type with many parts":     {"var x any = " + nested(16, "struct{ a, b ", "int", "}") + "{}", "main.go:"},
		"a type of aliases":          {aliases(18) + "var x any = A18{}", "main.go:"},
		"a type of generic pairs":    {"type P[A, B any] struct{}\nfunc g[T any](t T) P[T, T] { return P[T, T]{} }\nvar x any = " + nested(14, "g(", "1", ")"), "main.go:"},
		"a long list":                {"var x = []int{" + strings.Repeat("1, ", 50_000) + "}", ""},
		"a long list of expressions": {"func g(...int) int { return 1 }\nvar x = []int{" + strings.Repeat("g(1, -(2 + 3)), ", 5_000) + "}", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, body)
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package my_plugin\n"+tt.source+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, found := loader.Check(dir, interpreter(false))
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
			switch {
			case tt.refused == "" && len(found) > 0:
				t.Errorf("got %.300v", found[0])
			case tt.refused != "" && (len(found) == 0 || !strings.Contains(found[0].Error(), tt.refused)),
				strings.HasPrefix(name, "too many") && !strings.Contains(found[0].Message, "the limit is 500 brackets, and 10000 tokens"):
				t.Errorf("got %.300v", found)
			}
		})
	}
}

// aliases declares aliases A0 to An, each of which has the one before twice.
func aliases(n int) string {
	out := "type A00 = int\n"
	for i := range n {
		out += "type A" + number(i+1) + " = struct{ a, b A" + number(i) + " }\n"
	}
	return out
}

func number(n int) string { return string(rune('0'+n/10)) + string(rune('0'+n%10)) }
