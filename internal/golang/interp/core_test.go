package interp

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/traefik/yaegi/interp"

	"github.com/idelchi/aura/internal/golang/interp/symtab"
)

func init() { verify = true }

// coreTypes lists types with two values and what prints a value.
var coreTypes = []struct{ name, typ, a, b, show string }{
	{"int", "int", "1", "2", ""},
	{"int8", "int8", "int8(-1)", "int8(127)", ""},
	{"uint8", "uint8", "uint8(200)", "uint8(2)", ""},
	{"uint64", "uint64", "uint64(18446744073709551615)", "uint64(3)", ""},
	{"float32", "float32", "float32(0.1)", "float32(2.5)", ""},
	{"float64", "float64", "float64(0.1)", "float64(1e100)", ""},
	{"complex", "complex128", "complex128(complex(float64(1.0), float64(2.0)))", "complex128(complex(float64(0.0), float64(-1.0)))", ""},
	{"string", "string", `"a"`, `"b"`, ""},
	{"bool", "bool", "true", "false", ""},
	{"rune", "int32", "int32(233)", "int32(97)", ""},
	{"list", "[]int", "[]int{1, 2}", "[]int{3}", ""},
	{"lists", "[][]string", `[][]string{[]string{"a"}, []string{"b"}}`, "[][]string{}", ""},
	{"array", "[2]int", "[2]int{1, 2}", "[2]int{3, 4}", ""},
	{"arrays", "[2][2]bool", "[2][2]bool{[2]bool{true, false}, [2]bool{false, true}}", "[2][2]bool{}", ""},
	{"map", "map[string]int", `map[string]int{"a": 1}`, "map[string]int{}", ""},
	{"maps", "map[int]map[string]bool", `map[int]map[string]bool{1: map[string]bool{"x": true}}`, "map[int]map[string]bool{}", ""},
	{"pointer", "*int", "pointer(1)", "pointer(2)", "*x"},
	{"struct", "T", "T{n: 1, s: \"a\"}", "T{n: 2, p: &T{n: 3}}", "x.n, x.s, x.p == nil"},
	{"pointer to struct", "*T", "&T{n: 1}", "&T{n: 2}", "x.n"},
	{"structs", "[]T", "[]T{T{n: 1}, T{n: 2}}", "[]T{}", "len(x)"},
	{"array of structs", "[2]T", "[2]T{T{n: 1}, T{n: 2}}", "[2]T{}", "x[0].n, x[1].n"},
	{"function", "func(int) int", "adder(1)", "adder(2)", "x(10)"},
	{"functions", "func() func() string", "named(\"a\")", "named(\"b\")", "x()()"},
	{"channel", "chan (int)", "filled(1)", "filled(2)", "len(x), cap(x)"},
	{"any", "any", "any(1)", `any("a")`, ""},
	{"error", "error", "errors.New(\"a\")", "errors.New(\"b\")", ""},
	{"library", "time.Duration", "time.Duration(5)", "time.Duration(7)", ""},
	{"library struct", "time.Time", "time.Unix(1, 0).UTC()", "time.Unix(2, 0).UTC()", ""},
}

// coreForms lists the forms of the core in which values of any type can be. TYPE, A and B stand for a type and two values; SHOW prints x.
var coreForms = []struct{ name, text string }{
	{"variable", "var x TYPE\n_ = x\nx = (B)\nSHOW\nx = (A)\nSHOW"},
	{"definition", "x := A\nSHOW\ny := x\nx = (B)\nSHOW\nx = y\nSHOW"},
	{"swap", "var x TYPE = A\nvar y TYPE = B\nvar t1 TYPE = y\nvar t2 TYPE = x\nx, y = t1, t2\nSHOW\nx = y\nSHOW"},
	{"swap one after the other", "var x TYPE = A\nvar y TYPE = B\nvar t1 TYPE = y\nvar t2 TYPE = x\nx = t1\ny = t2\nSHOW\nx = y\nSHOW"},
	{"two values", "x, y := (A), (B)\nSHOW\nx = y\nSHOW"},
	{"loop", "for i := 0; i < 3; i++ {\nvar x TYPE\n_ = x\nif i != 1 {\nx = (A)\n} else {\nx = (B)\n}\nSHOW\n}"},
	{"pass and return", "f := func() func(TYPE, TYPE, bool) TYPE { return func(a TYPE, b TYPE, first bool) TYPE { if first { return a }; return b } }()\nx := f(A, B, true)\nSHOW\nx = (f(x, B, false))\nSHOW\nx = (f(x, A, true))\nSHOW"},
	{"two results", "f := func() func(TYPE, TYPE) (TYPE, TYPE) { return func(a TYPE, b TYPE) (TYPE, TYPE) { return b, a } }()\nx, y := f(A, B)\nSHOW\nx, y = f(x, y)\nSHOW\n_ = y"},
	{"result while the variable is read", "var x TYPE = A\nf := func() func() TYPE { return func() TYPE { var r TYPE = B; if 1 > 0 { SHOW }; return r } }()\nx = (f())\nSHOW"},
	{"closure", "var x TYPE = A\nset := func() func(TYPE) { return func(v TYPE) { x = v } }()\nget := func() func() TYPE { return func() TYPE { return x } }()\nSHOW\nset(B)\nSHOW\nx = (get())\nSHOW"},
	{"closures of iterations", "list := ([]func() TYPE{})\nfor i := 0; i < 2; i++ {\nvar v TYPE = A\nif i == 1 { v = (B) }\nlist = append(list, func() func() TYPE { return func() TYPE { return v } }())\n}\nx := list[0]()\nSHOW\nx = (list[1]())\nSHOW"},
	{"called literal", "var x TYPE = func(v TYPE) TYPE { return v }(A)\nSHOW\nfunc() { x = (B) }()\nSHOW"},
	{"list", "l := ([]TYPE{A, B})\nl = append(l, A)\nl[0] = (B)\nvar v TYPE = l[2]\nl[1] = v\nfor _, e := range l {\nx := e\nSHOW\n}\ncopy(l, l[1:])\nx := l[0]\nSHOW"},
	{"array", "l := ([3]TYPE{0: A, 1: B})\nm := l\nl[0] = (B)\nfor i := 0; i < 2; i++ {\nx := m[i]\nSHOW\n}\nx := l[0]\nSHOW"},
	{"map", "m := (map[string]TYPE{\"a\": A})\nm[\"b\"] = (B)\nx := m[\"a\"]\nSHOW\nx = m[\"b\"]\nSHOW\ndelete(m, \"a\")\n_, ok := m[\"a\"]\nfmt.Println(len(m), ok)\nfor k, e := range m {\nfmt.Println(k)\nx := e\nSHOW\n}"},
	{"pointer", "p := new(TYPE)\n*p = (A)\nq := p\nvar x TYPE = *q\nSHOW\n*q = (B)\nx = *p\nSHOW\ny := A\nr := &y\n*r = (B)\nx = y\nSHOW"},
	{"field", "type_s := (struct { f TYPE; g []TYPE; h *TYPE }{f: A, g: []TYPE{B}})\nc := type_s\nc.f = (B)\nx := type_s.f\nSHOW\nx = c.f\nSHOW\nx = c.g[0]\nSHOW\nc.h = (&c.f)\n*c.h = (A)\nx = c.f\nSHOW"},
	{"channel", "c := make(chan TYPE, 2)\nc <- A\nvar v TYPE = B\nc <- v\nx := (<-c)\nSHOW\nx = (<-c)\nSHOW\nclose(c)\n_, ok := <-c\nfmt.Println(ok)"},
	{"goroutine", "c := make(chan TYPE)\ng := func() func(TYPE) { return func(v TYPE) { c <- v } }()\ngo g(A)\nx := (<-c)\nSHOW\ngo g(B)\nx = (<-c)\nSHOW"},
	{"any", "var a any = any(A)\nx := a.(TYPE)\nSHOW"},
	{"goto", "n := 0\nvar x TYPE\nl:\nx = (A)\nSHOW\nn++\nif n < 2 { goto l }"},
	{"choice", "n := 2\nvar x TYPE\nswitch {\ncase (n == 1):\nx = (A)\ncase (n == 2):\nx = (B)\nfallthrough\ncase (n == 3):\nSHOW\nx = (A)\ndefault:\nn = 5\n}\nSHOW"},
	{"recursion", "var f func(int, TYPE) TYPE\nf = (func() func(int, TYPE) TYPE { return func(n int, v TYPE) TYPE { if n == 0 { return v }; var w TYPE = B; var r TYPE = f(n-1, v); _ = w; return r } }())\nx := f(3, A)\nSHOW"},
}

const coreHead = `package program; import "errors"; import "fmt"; import "time"
type T struct { n int; s string; p *T }
var _unused T
func pointer(n int) *int { p := new(int); *p = n; return p }
func adder(n int) func(int) int { return func(x int) int { return x + n } }
func named(s string) func() func() string { return func() func() string { return func() func() string { return func() string { return s } }() } }
func filled(n int) chan (int) { c := make(chan (int), 5); for i := 0; i < n; i++ { c <- i }; return c }
`

var firstValue, secondValue = regexp.MustCompile(`\bA\b`), regexp.MustCompile(`\bB\b`)

// corePrograms returns a program for each type, which tries all forms.
func corePrograms() []program {
	var out []program
	for _, t := range coreTypes {
		show := t.show
		if show == "" {
			show = "x"
		}
		var b strings.Builder
		b.WriteString(coreHead)
		var calls []string
		for i, f := range coreForms {
			if t.name == "channel" && strings.Contains(f.text, "range ") || t.name == "any" && (strings.Contains(f.text, "x, y = t1, t2") || f.name == "any") {
				continue // the page excludes it
			}
			text := strings.NewReplacer("TYPE", t.typ, "SHOW", "fmt.Println("+show+")").Replace(f.text)
			text = strings.NewReplacer(" = A\n", " = (A)\n", " = B\n", " = (B)\n", " := A\n", " := (A)\n", " = B;", " = (B);").Replace(text)
			text = firstValue.ReplaceAllLiteralString(secondValue.ReplaceAllLiteralString(text, t.b), t.a)
			fmt.Fprintf(&b, "func form%d() {\nfmt.Println(%q)\n%s\n}\n", i, f.name, text)
			calls = append(calls, fmt.Sprintf("form%d()", i))
		}
		fmt.Fprintf(&b, "func unused() (error, any) { return errors.New(\"\"), time.Now() }\nfunc program() { Program() }\nfunc Program() {\n%s\n}\n", strings.Join(calls, "\n"))
		out = append(out, program{"core/" + strings.ReplaceAll(t.name, " ", "_"), b.String()})
	}
	return out
}

// TestCore runs each form of the core alone, in all types, as the interpreter gets it from lowering, and compares it with Go.
func TestCore(t *testing.T) {
	t.Parallel()
	programs := corePrograms()
	for i := range programs {
		programs[i].text = "import" + strings.TrimPrefix(programs[i].text, "package program; import")
	}
	want := map[string]string{}
	for _, f := range txtar.Parse([]byte(compiled(t, programs))).Files {
		want[f.Name] = string(f.Data)
	}
	for i, p := range corePrograms() {
		// One after the other: the interpreter completes a type that leads back to itself in place, and all programs have the same one.
		t.Run(p.name, func(t *testing.T) { //nolint:paralleltest // see above
			if got := interpretCore(t, p.text); got != want[p.name] {
				t.Errorf("got%s\n%s\nof\n%s", around(got, want[p.name]), got, programs[i].text)
			}
		})
	}
}

// interpretCore runs a lowered text.
func interpretCore(t *testing.T, text string) string {
	t.Helper()
	stdout := output(t)
	i := interp.New(interp.Options{Stdout: stdout, Stderr: stdout})
	src := &source{standard: []string{"errors", "fmt", "time"}}
	for _, table := range []interp.Exports{selected(symtab.Symbols, src.standard), {"fmt//fmt": fmtSymbols(&stdout)}} {
		table["."] = behind(table)
		if err := i.Use(table); err != nil {
			t.Fatal(err)
		}
	}
	if err := evaluate(i, "program", [][]byte{[]byte(fileMark + "program.go\n" + text)}); err != nil {
		t.Fatal(err)
	}

	v, ok := i.Symbols("program")["program"]["Program"]
	if !ok {
		t.Fatal("the package has no function Program")
	}
	func() {
		defer func() {
			if v := recover(); v != nil {
				fmt.Fprintln(stdout, "panic:", panicText(v))
			}
		}()
		v.Call(nil)
	}()
	return read(t, stdout)
}
