package interp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	checker "github.com/idelchi/aura/internal/author/check"
	"github.com/idelchi/aura/shared"
)

// verdicts holds bodies of functions that return a string, the result in Go, and the rule that reports the body, if any. The
// lowering writes the rows without a rule so that they are right. The other rows are similar but are refused.
var verdicts = []struct{ name, body, want, rule string }{
	{"kept value", `var l []shape; for i := 1; i < 3; i++ { l = append(l, &pointed{i}) }; return areas(l)`, "1 2 ", ""},
	{"kept address", `var l []shape; for _, v := range []pointed{{1}, {2}} { l = append(l, &v) }; return areas(l)`, "1 2 ", ""},
	{"kept field", `var l []shape; for _, v := range []*holder{{pointed{1}}, {pointed{2}}} { l = append(l, &v.p) }; return areas(l)`, "1 2 ", ""},
	{"kept new", `var l []shape; for i := 0; i < 2; i++ { l = append(l, new(pointed)); l[i].(*pointed).n = i }; return areas(l)`, "0 1 ", ""},
	{"kept variable", `var l []shape; for _, v := range []square{{1}, {2}} { l = append(l, v) }; return areas(l)`, "1 2 ", ""},
	{"kept in parentheses", `var l []shape; for _, v := range []square{{1}, {2}} { l = append(l, (v)) }; return areas(l)`, "1 2 ", ""},
	{"counter", `var l []func() int; for i := 0; i < 3; i++ { l = append(l, func() int { return i }) }; return each(l)`, "0 1 2 ", ""},
	{"counter lent", `var l []func() int; for i := 0; i < 3; { l = append(l, func() int { return i }); advance(&i) }; return each(l)`, "1 2 3 ", ""},
	{"counter's name", `var l []func() int; for i := 0; i < 3; i++ { l = append(l, func() int { return i }); { i := 5; i++; _ = i } }; return each(l)`, "0 1 2 ", ""},
	{"shift", `u, n := uint8(200), 9; return fmt.Sprint(u|1<<n)`, "200", ""},
	{"shift, pointer", `u, n := uint8(200), 9; p := &u; return fmt.Sprint(*p|1<<n)`, "200", ""},
	{"shift, operator", `u, n := uint8(200), 9; return fmt.Sprint(^u|1<<n)`, "55", ""},
	{"shift, call", `f, n := func() uint8 { return 3 }, 9; return fmt.Sprint(f()|1<<n)`, "3", ""},
	{"shift deferred", `func() { u, n := uint8(3), 9; defer put(u|1<<n) }(); return taken()`, "3\n", ""},
	{"shift deferred in a loop", `func() { u := uint8(3); for n := 8; n < 10; n++ { defer put(u|1<<n) } }(); return taken()`, "3\n3\n", ""},
	{"channels", `l := channels(); for _, c := range l { c <- 1 }; return fmt.Sprint(len(l[0]), len(l[1]))`, "1 1", ""},
	{"channels given", `l := channels(); use := func(c chan int) { c <- 1 }; for _, c := range l { use(c) }; return fmt.Sprint(len(l[0]), len(l[1]))`, "1 1", ""},
	{"channels as any", `l := channels(); for _, c := range l { func(x any) { x.(chan int) <- 1 }(c) }; return fmt.Sprint(len(l[0]), len(l[1]))`, "1 1", ""},
	{"nil", `a, b := 1, errors.New("x"); a, b = 2, nil; return fmt.Sprint(a, b)`, "2 <nil>", ""},
	{"nil, element", `l, i := []error{errors.New("x"), nil}, 0; i, l[i] = 1, nil; return fmt.Sprint(i, l)`, "1 [<nil> <nil>]", ""},
	{"nil before a condition", `a, b := 1, errors.New("x"); if a, b = 2, nil; a == 2 { return fmt.Sprint(a, b) }; return ""`, "2 <nil>", ""},
	{"offsets", `f := func(s string) (r string) { for i := range s { r += fmt.Sprint(i) }; return r }; return f("äb")`, "02", ""},
	{"offsets, another", `f := func(s string) (r string) { for i := range s { r += fmt.Sprint(i) }; { s := 1; _ = s }; return r }; return f("äb")`, "02", ""},
	{"printed", `return fmt.Sprint(third())`, "grade 3", ""},
	{"printed, method", `return fmt.Sprint(third().next())`, "grade 4", ""},
	{"printed in what is deferred", `func() { for i := 0; i < 2; i++ { defer put(i, fmt.Sprint(third())) } }(); return taken()`, "1 grade 3\n0 grade 3\n", ""},
	{"deferred literal", `func() { for i := 0; i < 2; i++ { j := i; defer func() { put(j) }() } }(); return taken()`, "1\n0\n", ""},
	{"deferred literal in parentheses", `func() { for i := 0; i < 2; i++ { j := i; defer (func() { put(j) })() } }(); return taken()`, "1\n0\n", ""},
	{"deferred literal with a comment", "func() { for i := 0; i < 2; i++ { j := i; defer func( // none\n) { put(j) }() } }(); return taken()", "1\n0\n", ""},
	{"deferred receiver", `func() { s := made(1); defer s.show(); s = made(2) }(); return taken()`, "1\n", ""},
	{"deferred receiver by address", `func() { s := made(1); defer s.showBehind(); s = made(2) }(); return taken()`, "2\n", ""},
	{"deferred receiver, field", `func() { s := made(1); defer s.show(); s.n = 2 }(); return taken()`, "1\n", ""},
	{"deferred receiver, literal", `func() { s := square{1}; defer s.show(); s = square{2} }(); return taken()`, "1\n", ""},
	{"deferred argument", `func() { x := 1; defer put(x); x = 2 }(); return taken()`, "1\n", ""},
	{"deferred argument of the package", `func() { total = 1; defer put(total); total = 2 }(); return taken()`, "1\n", ""},
	{"deferred computation", `func() { for _, r := range []float64{1, 2} { defer put(r+math.Pi*2.5 > 9) } }(); return taken()`, "true\nfalse\n", ""},
	{"deferred within deferred", `func() { for i := 0; i < 2; i++ { defer put(i, caught(func() { defer put(i, 1<<i); panic("x") })) } }(); return taken()`, "0 1\n1 2\n1 string x\n0 string x\n", ""},
	{"type switch", `f := func(v any) string { switch x := v.(type) { case square: return fmt.Sprint(x.n); case *pointed: return "p"; case int: return "i" }; return "" }; return f(square{1}) + f(&pointed{}) + f(1)`, "1pi", ""},
	{"type switch, any", `f := func(v any) string { switch x := v.(type) { case square: return fmt.Sprint(x.n); case nil: return "nil"; case any: return fmt.Sprint(x) }; return "" }; return f(square{1}) + f(3) + f(nil)`, "13nil", ""},
	{"type switch, library", `f := func(v any) string { switch x := v.(type) { case square: return fmt.Sprint(x.n); case sdk.CommandResult: return "r" }; return "" }; return f(square{1})`, "1", ""},
	{"type switch, assigned", `f := func(v any) string { if v == nil { v = 1 }; switch x := v.(type) { case square: return fmt.Sprint(x.n) }; return "" }; return f(square{1})`, "1", ""},
	{"type switch, another", `f := func(v any) string { if v != nil { v := 2; _ = v }; switch x := v.(type) { case square: return fmt.Sprint(x.n) }; return "" }; return f(square{1})`, "1", ""},
	{"type switch without a name", `var v any = []any{1}; switch v.(type) { case []any: return "l" }; return ""`, "l", ""},
	{"switch", `var v any = 1; switch v { case "x": return "x"; case 1: return "1" }; return ""`, "1", ""},
	{"switch, constant", `const k = 1; var v any = 1; switch v { case "x": return "x"; case k: return "1" }; return ""`, "1", ""},
	{"switch, call", `f := func() any { return 1 }; switch f() { case "x": return "x"; case 1: return "1" }; return ""`, "1", ""},
	{"conversion", `err := error(&fault{7}); return err.Error() + mayFail(3).Error() + []error{error(&fault{1})}[0].Error()`, "fault 7fault 3fault 1", ""},
	{"conversion of a call", `return fmt.Sprint(error(newFault(2)), fmt.Stringer(grade(1)), error(nil))`, "fault 2 grade 1 <nil>", ""},
	{"conversion in a loop", `var l []error; for i := 0; i < 2; i++ { l = append(l, error(newFault(i))) }; return l[0].Error() + l[1].Error()`, "fault 0fault 1", ""},
	{"conversion to a reader", `b, err := io.ReadAll(io.Reader(zeros{})); return fmt.Sprint(len(b), err)`, "0 <nil>", ""},
	{"assertion, given", `return isError(0, newFault(1)) + isError(1, third()) + isError(2, nil) + isError(3, errors.New("e"))`, "fault 1nonoe", ""},
	{"assertion, kept", `l := []any{third(), newFault(3), 4, nil}; out := ""; for _, v := range l { if s, ok := v.(fmt.Stringer); ok { out += s.String() } }; return out`, "grade 3", ""},
	{"assertion, own interface", `var s shape = square{1}; _, ok := s.(fmt.Stringer); _, failed := s.(error); return fmt.Sprint(ok, failed)`, "false false", ""},
	{"assertion, written out", `var v any = grade(2); s, ok := v.(interface{ String() string }); return fmt.Sprint(s.String(), ok)`, "grade 2true", ""},
	{"assertion, unwrapping", `err := fmt.Errorf("a: %w", io.EOF); u, ok := err.(interface{ Unwrap() error }); return fmt.Sprint(u.Unwrap(), ok)`, "EOF true", ""},
	{"assertion, other interface", `var v any = grade(2); n, ok := v.(interface{ next() grade }); if ok { return n.next().String() }; return ""`, "grade 3", ""},
	{"no value, asserted", `out := ""; for _, v := range []any{"a", 1, "b", nil} { s, _ := v.(string); out += s + "." }; return out`, "a..b..", ""},
	{"no value, own", `out := ""; for _, v := range []any{square{1}, 1} { s, ok := v.(square); out += fmt.Sprint(s.n, ok) }; return out`, "1 true0 false", ""},
	{"no value, interface", `out := ""; for _, v := range []any{newFault(1), 1} { err, ok := v.(error); out += fmt.Sprint(err == nil, ok) }; return out`, "false truetrue false", ""},
	{"no element", `m := map[string]int{"a": 1}; out := ""; for _, k := range []string{"a", "b"} { n, ok := m[k]; out += fmt.Sprint(n, ok) }; return out`, "1 true0 false", ""},
	{"no element, condition", `m := map[string][]int{"a": {1}}; out := ""; for _, k := range []string{"a", "b"} { if l, ok := m[k]; !ok { out += fmt.Sprint(len(l)) } else { out += fmt.Sprint(l) } }; return out`, "[1]0", ""},
	{"no element, computed key", `m := map[string]int{"a": 1}; out := ""; for _, k := range []string{"A", "B"} { n, ok := m[strings.ToLower(k)]; out += fmt.Sprint(n, ok) }; return out`, "1 true0 false", ""},
	{"no element, assigned", `m, n, ok := map[string]int{}, 7, true; n, ok = m["a"]; return fmt.Sprint(n, ok)`, "0 false", ""},
	{"no element, functions", `m := map[string]int{"a": 1}; var l []func() int; for _, k := range []string{"a", "b"} { n, _ := m[k]; l = append(l, func() int { return n }) }; return each(l)`, "1 0 ", ""},
	{"printed, given", `return printed(1, third()) + printed(2, newFault(1)) + printed(3, square{4}) + printed(4, nil) + printed(5, "x")`, "1 grade 3|2 fault 1|3 {4}|4 <nil>|5x|", ""},
	{"printed, forwarded", `return format("%v %v %d %v", third(), newFault(1), third(), 5)`, "grade 3 fault 1 3 5", ""},
	{"printed, elements", `m := map[string]any{"g": third(), "s": square{1}, "l": []any{newFault(1)}}; return fmt.Sprintf("%v %v %d", m, []any{third()}, m["g"])`, "map[g:grade 3 l:[fault 1] s:{1}] [grade 3] 3", ""},
	{"printed as numbers", `return fmt.Sprintf("%d|%5d|%v|%-8s|%x|%q", third(), grade(2), third(), third(), grade(10), third())`, "3|    2|grade 3|grade 3 |6772616465203130|\"grade 3\"", ""},
	{"encoded", `b, err := json.Marshal(map[string]any{"t": kelvin(3), "g": third(), "l": []any{kelvin(4), nil}}); return fmt.Sprint(string(b), err)`, `{"g":3,"l":["4K",null],"t":"3K"}<nil>`, ""},
	{"encoded, given", `return encoded(1, kelvin(3)) + encoded(2, []any{third()}) + encoded(3, nil)`, `"3K"[3]null`, ""},
	{"encoded in a struct", `type row struct { A any; B map[string]any }; b, err := json.MarshalIndent(&row{kelvin(1), map[string]any{"g": third()}}, "", ""); return fmt.Sprint(string(b), err)`, "{\n\"A\": \"1K\",\n\"B\": {\n\"g\": 3\n}\n}<nil>", ""},
	{"printed list of an own interface", `return fmt.Sprint([]shape{square{1}, nil}, [1]shape{square{2}})`, "[{1} <nil>] [{2}]", ""},
	{"printed map of an own interface", `return fmt.Sprint(map[string]shape{"a": square{1}})`, "map[a:{1}]", ""},
	{"printed field of an own interface", `type row struct { name string; s shape }; a, b := fmt.Sprintf("%v", row{name: "a"}), fmt.Errorf("bad %v", &row{"a", square{1}}); return fmt.Sprint(strings.HasPrefix(a, "{a "), strings.HasPrefix(b.Error(), "bad &{a "))`, "true true", ""},
	{"encoded list of an own interface", `b, err := json.Marshal([]grader{third(), nil}); return fmt.Sprint(string(b), err)`, "[3,null]<nil>", ""},
	{"encoded without a field", "type row struct { Name string; S shape `json:\"-\"` }; b, err := json.Marshal(row{\"a\", square{1}}); return fmt.Sprint(string(b), err)", `{"Name":"a"}<nil>`, ""},
	{"encoded tree", "root := &branch{Any: third()}; for i := 0; i < 500; i++ { root.Children = append(root.Children, &branch{Parent: root, Any: i}) }; b, err := json.Marshal(root); return fmt.Sprint(len(b) > 500, err)", "true <nil>", ""},
	{"encoded ring", "a := &ring{Any: third()}; a.Next = &ring{Next: a}; _, err := json.Marshal(a); return fmt.Sprint(err != nil)", "true", ""},
	{"encoded by an encoder", `var out strings.Builder; e := json.NewEncoder(&out); e.SetEscapeHTML(false); err := e.Encode([]any{kelvin(1), "<"}); return fmt.Sprint(out.String(), err)`, "[\"1K\",\"<\"]\n<nil>", ""},
	{"constant", `const size = 3; const large = size > 2; return fmt.Sprint(large)`, "true", ""},
	{"constant that is false", `const size = 3; const large = size > 4; return fmt.Sprint(large)`, "false", ""},
}

const verdictTypes = `package my_plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/idelchi/aura/sdk"
)

var (
	total int
	text  string
	_     = math.Pi
	_     = errors.New
)

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "verdict"} }

type shape interface{ area() int }

type square struct{ n int }

func (s square) area() int { return s.n }

func (s square) show() { put(s.n) }

func (s *square) showBehind() { put(s.n) }

func made(n int) square { return square{n} }

type pointed struct{ n int }

func (p *pointed) area() int { return p.n }

type holder struct{ p pointed }

type grader interface{ next() grade }

type branch struct {
	Children []*branch
	Parent   *branch ` + "`json:\"-\"`" + `
	Any      any
}

type ring struct {
	Next *ring
	Any  any
}

type grade int

func (g grade) String() string { return fmt.Sprint("grade ", int(g)) }

func (g grade) next() grade { return g + 1 }

func third() grade { return 3 }

func put(values ...any) { text += fmt.Sprintln(values...) }

func taken() string {
	all := text
	text = ""
	return all
}

type fault struct{ n int }

func (f *fault) Error() string { return fmt.Sprint("fault ", f.n) }

func newFault(n int) *fault { return &fault{n} }

func mayFail(n int) error { return error(&fault{n}) }

type kelvin int

func (k kelvin) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprintf("\"%dK\"", int(k))), nil }

type zeros struct{}

func (zeros) Read([]byte) (int, error) { return 0, io.EOF }

func isError(n int, v any) string {
	if err, ok := v.(error); ok {
		return err.Error()
	}
	return "no"
}

func printed(n int, v any) string {
	end := "|"
	return fmt.Sprint(n, v) + end
}

func format(text string, args ...any) string { return fmt.Sprintf(text, args...) }

func encoded(n int, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(n, err)
	}
	return string(b)
}

func advance(n *int) { *n++ }

func channels() []chan int { return []chan int{make(chan int, 1), make(chan int, 1)} }

func caught(f func()) (what string) {
	defer func() {
		v := recover()
		what = fmt.Sprintf("%T %v", v, v)
	}()
	f()
	return "nothing"
}

func areas(list []shape) string {
	all := ""
	for _, s := range list {
		all += fmt.Sprint(s.area(), " ")
	}
	return all
}

func each(list []func() int) string {
	all := ""
	for _, f := range list {
		all += fmt.Sprint(f(), " ")
	}
	return all
}
`

// TestVerdicts compares the checker's reports with the actual behaviour: the checker must report a row exactly if the
// interpreter, running the lowered source, behaves differently from Go.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	var source, calls strings.Builder
	source.WriteString(verdictTypes)
	begins := make([]int, len(verdicts))
	for i, row := range verdicts {
		begins[i] = strings.Count(source.String(), "\n") + 1
		fmt.Fprintf(&source, "func row%d() string {\n%s\n}\n", i, row.body)
		fmt.Fprintf(&calls, "\tcase %q:\n\t\tresult.Output = row%d()\n", row.name, i)
	}
	fmt.Fprintf(&source, "func ExecuteCommand(_ context.Context, name string, _ sdk.Context) (result sdk.CommandResult, err error) {\n\tswitch name {\n%s\t}\n\treturn result, nil\n}\n", calls.String())
	dir := unpack(t, "-- go.mod --\nmodule my-plugin\n-- plugin.yaml --\ndescription: test\n-- main.go --\n"+source.String())
	found := make([][]string, len(verdicts))
	for _, f := range checker.Dir(dir, checker.Options{}) {
		i, exact := slices.BinarySearch(begins, f.Line)
		if !exact {
			i--
		}
		if filepath.Base(f.File) != "main.go" || i < 0 {
			t.Fatalf("%+v", f)
		}
		found[i] = append(found[i], f.Rule)
	}
	out := output(t)
	p, err := Load(Options{Dir: dir, Stdout: out, Stderr: out})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range verdicts {
		result, err := p.Command(t.Context(), shared.CommandCall{Name: commandOf(p), Args: row.name})
		if right := err == nil && result.Output == row.want; right != (row.rule == "") {
			t.Errorf("%s: got %q, %v; Go returns %q", row.name, result.Output, err, row.want)
		}
		if rules := strings.Join(slices.Compact(found[i]), " "); rules != row.rule {
			t.Errorf("%s: found %q, want %q", row.name, rules, row.rule)
		}
	}
}
