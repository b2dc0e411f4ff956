package interp

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/golang/repair"
)

// FuzzPresent passes source to what every lowered file goes through before the interpreter sees it. Source that parses must still
// parse after the repairs, with the same number of lines. Its imports must be the same, except for aura's own.
func FuzzPresent(f *testing.F) {
	for _, seed := range []string{
		"", "package a", "package a\n\nimport \"C\"\n", "//go:build ignore\n\npackage a\n", "// +build linux\n\npackage a\n",
		"\xef\xbb\xbfpackage a\n", "package a; import (\n\tx \"fmt\"\n\t. \"os\"\n)\nfunc f(int, ...string) {}\n",
		"package a\n\nfunc (T) m(int) { x[0] = a + b; y = -z; return }\n",
		"package a\n\nfunc f() any { for i, v := range m { go func() { g(i, &v) }() }; return !x }\n",
		"package a\n\nfunc f() { for i := 0; i < 3; i++ { defer func() { println(i) }() }; panic(err) }\n",
		"package a\n\nfunc f() { for _, v := range m { v := v; x := []int{v}; defer v.Close(x); defer func(n int) { g(n) }(v) }; h := func() {}; defer h() }\n",
		"package a\n\nfunc f() any { switch v { case 1, 2: }; switch m[k] { case nil, g(): }; switch { case a, // b\nc: }; return a > b }\n",
		"package a\n\nfunc f() { switch v.(type) { case error, int: }; x := 1; defer\nx.g(x); x, y = 2, 3; L: for { v := 1; defer (v).h(&v) } }\n",
		"package a\n\nfunc f() { for _, v := range m { l = append(l, v); l = append(l, &T{\n1}); x[v] = g(); a.b[0] = T{}; select { case <-c: l = append(l, g(func() { panic(1) })) } } }\n",
		"package a\n\nfunc f() int { L: switch t := g(); t.k { case 1: break L }; switch a = <-c; (a) { case 2: }; M: select { case c <- T{\nx + 1, // y\n}: if a { break }; continue; case l[n-1], m = <-d[i+1]: break M }; return <-c }\n",
		"package a\n\nvar a, b = []int{1}, 2\n\nfunc f() { x, p.q, y = nil, -1, nil; x, y = nil,\nnil; for _, c := range cs { c := c; close(c); for i := range c {} }; for range x { defer g(u|1<<n, 2) }; io.MultiWriter(a, b,\n) }\n",
		"package a\n\nfunc f(v, w any) { switch n { case a.b, // c, d\ng(): ; case 1,\n2 + m: }; switch x := v.(type) { case *T,\nint: ; case nil, []any: ; default: }; switch v.(type) { case T: }; switch w := w.(type) { case *T: switch w.(type) { case *U: } } }\n\ntype T struct{}\n",
		"package a\n\nfunc f(s string) int { for i := range s { defer fmt.Print(f(s), g(i)) }; for i := range x.y { fmt.Println(f(s)); fmt.Sprintf(\"%v %d%%\", h(\n1), func() {}(), x.y[i]) }; return 1 }\n",
		"package a\nfunc f(w any) (n int, s []struct{\nx int\n}) { switch w.(type) { case*A: }; x, y.z = f(), g(1); select { case(x),ok=<-c: }; for*p=range s {}; return h(n) }\n",
		"package a\n\nfunc f(v any) { for r := range s { defer g(r+math.Pi*2.5, h(func() { for { defer g(1, h(func() { panic(1) }), r|1<<n) }; select { case c <- h(r): } })); defer io.MultiWriter(r, s); select { case c <- h(func() { for { defer g(r, h(panic)) } }): } }; switch x := v.(type) { case *T, any: ; case interface{}: } }\n",
		"package a\n\nfunc f() { L: switch; a.b { case 0: }; switch\n// c\na.b { case 0: }; switch x := 1; a.b { case 0: } }\n",
		"package a\n\nfunc f() { switch x { case 0,g(): } }\n",
		"package a\n\nimport \"io\"\n\nfunc (T) Error() string { return fmt.Sprint(error(error(x)), io.Reader(<-c), error(\nx)) }\n\nfunc (T) MarshalJSON() { for { v, ok := x.(error); w, ok = m[k]; if u, ok := (x).(interface{ String() string }); !ok {} } } // c",
		"package a\n\nfunc f(v any, l ...any) { for _, x := range l { fmt.Print(v, x, x.(error), f(g(), h())); f(f()); y, ok := error(v).(io.Reader); defer f(error(y), m[k]); v, ok := m[strings.ToLower(a.b[0])] } }\n",
		"package a\n\nconst (\nA T = 1 << iota\nB\n)\n\nconst C, D p.T = -1, (2)\n",
		"package a\n\n//line /x/y.go:7\nfunc f() { panic(1) }\n", "/* c */ package /* d */ a /* e */\n", "package a\nfunc f() { x = -1 /* \n */ }\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.TrimPrefix(text, "\ufeff") // lowered source has none
		before, err := parser.ParseFile(token.NewFileSet(), "a.go", text, parser.ParseComments)
		if err != nil {
			return
		}
		out := string(present("/plugin/a.go", []byte(text), repair.Edits(before, []byte(text))))
		after, err := parser.ParseFile(token.NewFileSet(), "a.go", out, parser.ParseComments)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got, want := strings.Count(out, "\n"), strings.Count(text, "\n")+1; got != want {
			t.Errorf("%d lines became %d", want, got)
		}
		imports := 0
		for _, i := range after.Imports {
			if i.Path.Value != `"`+repair.Path+`"` {
				imports++
			}
		}
		if imports != len(before.Imports) || len(after.Decls)-len(after.Imports) != len(before.Decls)-len(before.Imports) && len(before.Imports) == len(after.Imports) {
			t.Errorf("%d imports became %d\n%s", len(before.Imports), imports, out)
		}
		containsWord([]byte(text), "Turns")
	})
}
