package lower_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/golang/library"
	"github.com/idelchi/aura/internal/golang/lower"
)

type importer struct{}

func (importer) Import(path string) (*types.Package, error) { return library.Import(path) }

// lowered returns the lowered text of a file with declarations.
func lowered(t *testing.T, source string) (string, error) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "main.go", "package p\n"+source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg := &lower.Package{Path: "p", Fset: set, Files: []*ast.File{file}, Info: lower.NewInfo()}
	config := types.Config{Importer: importer{}}
	if pkg.Types, err = config.Check("p", set, pkg.Files, pkg.Info); err != nil {
		t.Fatal(err)
	}
	files, err := lower.Program([]*lower.Package{pkg}, lower.Library())
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, f := range files["p"] {
		if _, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, 0); err != nil {
			t.Fatalf("the result is no Go: %v\n%s", err, f.Text)
		}
		out.WriteString(f.Text)
	}
	return out.String(), nil
}

// TestRules checks what constructs become. What they print is compared with Go by the programs of package interp.
func TestRules(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ source, want string }{
		"constants have types":             {"const n = 1 << 3\n\nfunc f() uint8 { return n }", "return uint8(8)"},
		"a method is a function":           {"type t struct{ n int }\n\nfunc (x *t) inc() { x.n++ }\n\nfunc f() { var x t; x.inc() }", "M1_t_inc(&x)"},
		"a named type is what it is":       {"type list []int\n\nfunc f(l list) int { return len(l) }", "func f(l []int) (int)"},
		"an interface is any":              {"type face interface{ m() }\n\nfunc f(x face) {}", "func f(x any)"},
		"a method of an interface":         {"type face interface{ m(int) string }\n\nfunc f(x face) string { return x.m(1) }", `aura_box.Call(x, "m").(func(int) string)(1)`},
		"a value in an interface":          {"type own int\n\nfunc f(x own) any { return x }", "aura_box.Box(x, 1)"},
		"a plain value in an interface":    {"func f(x int) any { return x }", "return x"},
		"instances are written out":        {"func g[T any](x T) T { return x }\n\nfunc f() { g(1); g(\"\") }", "(x string) (string)"},
		"types of instances are their own": {"type box[T any] struct{ v T }\n\nvar a box[int]\n\nvar b box[string]", "struct { v string }"},
		"a local type of an instance":      {"func g[T any](x T) any { type e struct{ v T }; return e{x} }\n\nvar a, b = g(1), g(true)", "struct { v bool }"},
		"range over an integer":            {"func f() { for i := range 3 { _ = i } }", "aura_i4 < aura_n3; aura_i4++"},
		"range over a function":            {"func f(seq func(func(int) bool)) { for x := range seq { _ = x } }", "seq(func(aura_k"},
		"a function that defers":           {"func f() (int, error) { defer g(); return 1, nil }\n\nfunc g() {}", ".Run(func() {"},
		"its results are variables":        {"func f() (n int) { defer g(); return 7 }\n\nfunc g() {}", "{ aura_r2 = 7; return }"},
		"recover of a deferred literal":    {"func f() { defer func() { recover() }() }", ".Recover()"},
		"recover that is not deferred":     {"func f() any { return recover() }", "return aura_box.NoPanic()"},
		"a function that recovers":         {"func h(n int) { recover() }\n\nfunc f() { defer h(1) }", "h_aura_r(aura_u"},
		"arguments of deferred calls":      {"func h(n int) {}\n\nfunc f(n int) { defer h(n) }", "func(aura_p0 int) func(*aura_box.Unwinding)"},
		"select":                           {"func f(a, b chan int) { select { case x := <-a: _ = x; case b <- 1: } }", ", nil, aura_c"},
		"select with a default":            {"func f(a chan int) { select { case <-a: default: } }", "aura_box.Select(false, "},
		"a key that is an interface":       {"func f(m map[any]int, k any) int { return m[k] }", "m[aura_box.Key(k)]"},
		"a name that Go declares":          {"func true(ok bool) {}\n\nfunc f() { true(1 > 2) }", "true_aura(false)"},
		"min of two":                       {"func f(a, b int) int { return min(a, b) }", "if a < b { return a }; return b"},
		"comparison of structs":            {"type t struct{ a, b int }\n\nfunc f(x, y t) bool { return x == y }", "aura_box.Same(x, y)"},
		"a default case in the middle":     {"func f(n int) { switch n { case 1: fallthrough; default: n++; case 2: } }", "aura_n3 = 1"},
		"type assertion":                   {"type own int\n\nfunc f(x any) own { return x.(own) }", `aura_box.Get(x, 1, "interface {}").(int)`},
		"reflect.TypeOf":                   {"import \"reflect\"\n\ntype own int\n\nfunc f(x own) reflect.Type { return reflect.TypeOf(x) }", "reflect.TypeOf(aura_box.Box(x, 1))"},
		"methods of a reflect.Type":        {"import \"reflect\"\n\nvar m = reflect.TypeOf(1).Method(0)", "aura_box.TypeMethod(reflect.TypeOf(1), 0)"},
		"names that instances need":        {"var n = 1\n\nfunc next() int { n++; return n }\n\nfunc g[T any](v T) (T, int) { return v, next() }", "func X_next()"},
		"json.Marshal":                     {"import \"encoding/json\"\n\ntype own struct{ A int }\n\nfunc f(x own) { json.Marshal(x) }", "aura_box.Mirror("},
		"xml.Marshal":                      {"import \"encoding/xml\"\n\ntype own struct{ A int }\n\nfunc f(x own) { xml.Marshal(x) }", "xml.Marshal(aura_box.XML("},
		"gob.Register":                     {"import \"encoding/gob\"\n\ntype own struct{ A int }\n\nfunc f() { gob.Register(own{}) }", "aura_box.GobRegister("},
		"flag.TextVar":                     {"import (\"encoding\"; \"flag\")\n\nfunc f(s *flag.FlagSet, p encoding.TextUnmarshaler, v encoding.TextMarshaler) { s.TextVar(p, \"n\", v, \"\") }", "aura_box.SetTextVar(s, "},
		"quick.Check":                      {"import \"testing/quick\"\n\ntype own int\n\nfunc f() { quick.Check(func(own) bool { return true }, nil) }", "quick.Check(aura_box.Any("},
		"a method of a hidden field":       {"type list []func(*t)\n\nfunc (l *list) add() {}\n\ntype t struct{ l list }\n\nfunc f(x *t) { x.l.add() }", "}(&x.l)()"},
		"a function of the library kept":   {"import \"encoding/json\"\n\nvar f = json.Unmarshal", "return aura_box.Fill(aura_p1, "},
		"a method of the library kept":     {"import \"encoding/json\"\n\nfunc f(e *json.Encoder) func(any) error { return e.Encode }", "aura_x.Encode(aura_box.Mirror(aura_p0))"},
		"a name with type arguments":       {"type pair[K, V any] struct { k K; v V }\n\ntype list[T any] []T\n\nvar x any = list[pair[string, int]]{}", "p.list[p.pair[string,int]]"},
		"a value read after a call":        {"func f() (n int, err error) { return n, g(&n) }\n\nfunc g(p *int) error { *p++; return nil }", ":= g(&aura_r1); { var aura_v4 int = aura_r1"},
		"unsafe.Slice":                     {"import \"unsafe\"\n\nfunc f(p *int) []int { return unsafe.Slice(p, uint8(2)) }", "aura_box.UnsafeSlice(p, n).([]int)"},
		"variables in their order":         {"var a = b + 1\n\nvar b = f()\n\nfunc f() int { return 2 }", "b = (f())"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := lowered(t, tt.source)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("got\n%s\nwithout %s", got, tt.want)
			}
		})
	}
}

// TestRefused checks that what cannot be lowered is refused with its line and a remedy.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ source, want string }{
		"a function without a body":          {"func f()", "main.go:2: the function f has no body; write it in Go"},
		"a literal that recovers is kept":    {"\nvar f = func() { recover() }", "main.go:3: a function literal that calls recover is kept"},
		"a function that recovers is kept":   {"func h() { recover() }\n\nvar f = h", "main.go:4: the function h calls recover and is kept"},
		"a finalizer":                        {"import \"runtime\"\n\nfunc f(x *int) { runtime.SetFinalizer(x, nil) }", "main.go:4: the interpreter keeps values longer"},
		"the caller's functions":             {"import \"runtime\"\n\nvar f = runtime.FuncForPC(1)", "main.go:4: runtime.FuncForPC finds the functions of the interpreter"},
		"a reflect.Value in the library":     {"import (\"encoding/gob\"; \"reflect\")\n\nfunc f(e *gob.Encoder) { e.EncodeValue(reflect.ValueOf(1)) }", "main.go:4: (*encoding/gob.Encoder).EncodeValue takes or returns a reflect.Value"},
		"gob of a type that contains itself": {"import \"encoding/gob\"\n\ntype t struct{ Next *t }\n\nfunc f(e *gob.Encoder) { e.Encode(t{}) }", "main.go:6: (*encoding/gob.Encoder).Encode does not see the type t, which contains itself"},
		"gob of a type that is no struct":    {"import \"encoding/gob\"\n\ntype t int\n\nfunc f() { gob.Register(t(1)) }", "main.go:6: encoding/gob.Register does not see the type t, which is interpreted and no struct"},
		"random values of a type":            {"import (\"math/rand\"; \"reflect\"; \"testing/quick\")\n\ntype t int\n\nfunc (t) Generate(*rand.Rand, int) reflect.Value { return reflect.Value{} }\n\nfunc f() { quick.Check(func(t) bool { return true }, nil) }", "main.go:8: testing/quick.Check does not see"},
		"ASN.1 of a type of its own":         {"import \"encoding/asn1\"\n\ntype t struct{ n int }\n\nfunc f() { asn1.Marshal(t{}) }", "main.go:6: encoding/asn1.Marshal does not see the type t, which is interpreted; use encoding/json"},
		"reflect.Value in a field of the library": {
			"import (\n\t\"math/rand\"\n\t\"reflect\"\n\t\"testing/quick\"\n)\n\nvar c = quick.Config{Values: func([]reflect.Value, *rand.Rand) {}}", "main.go:8: the field Values holds a reflect.Value",
		},
		"generic types in generic function": {"func g[T any]() { type l[U any] struct{ u U }; var x l[T]; _ = x }\n\nfunc f() { g[int]() }", "main.go:2: the generic type l is declared in a generic function"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := lowered(t, tt.source)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s\n%s", err, tt.want, got)
			}
		})
	}
}

// TestNestedLiterals lowers function literals that are nested so deeply that the test ends only if each is lowered once.
func TestNestedLiterals(t *testing.T) {
	t.Parallel()
	const declarations = "type face interface{ m() }\n\ntype own struct{ n int; l []int }\n\nfunc (*own) m() {}\n\nfunc g(func()) {}\n\nvar x own\n\n"
	for name, tt := range map[string]struct{ head, tail string }{
		"deferred":               {"defer func() {\n", "\n}()"},
		"recovering":             {"defer func() {\nrecover()\n", "\n}()"},
		"argument":               {"defer g(func() {\n", "\n})"},
		"argument of a built-in": {"defer panic(func() any {\n", "\nreturn 1 }())"},
		"argument of fmt.Print":  {"defer fmt.Print(func() any {\n", "\nreturn 1 }())"},
		"receiver":               {"defer func() *own {\n", "\nreturn nil }().m()"},
		"interface":              {"defer func() face {\n", "\nreturn nil }().m()"},
		"function":               {"defer func() func() {\n", "\nreturn nil }()()"},
		"value":                  {"x.n = func() int {\n", "\nreturn 1 }()"},
		"started":                {"go func() {\n", "\n}()"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := "import \"fmt\"\n\nvar _ = fmt.Print\n\n" + declarations + "func f() {\n" + strings.Repeat(tt.head, 40) + strings.Repeat(tt.tail, 40) + "\n}"
			if _, err := lowered(t, source); err != nil {
				t.Fatal(err)
			}
		})
	}
}
