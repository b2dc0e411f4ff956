package progen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// gen writes one program.
type gen struct {
	r      *rand.Rand
	out    strings.Builder
	count  int
	indent string

	all                           []*typ
	intType, stringType, boolType *typ
	failType                      *typ
	functions                     []function
	// scope holds the variables that can be used.
	scope []variable
	// depth counts the statements around the current one. label is the one of a loop among them.
	depth int
	label string
	// room is the number of statements that the function may still have.
	room int
}

type variable struct {
	name string
	typ  *typ
	// fixed reports that the program does not assign to the variable.
	fixed bool
}

// function is a declared function.
type function struct {
	name    string
	params  []*typ
	results []*typ
	// variadic reports whether the last parameter is variadic.
	variadic bool
}

// Program returns the declarations of a program, among them the function program, which runs it.
func Program(seed uint64) string {
	g := &gen{r: rand.New(rand.NewPCG(seed, 15))} //nolint:gosec // the same seed gives the same program
	g.print("%s", prelude)
	g.types()
	for range 3 + g.n(3) {
		g.function()
	}
	var calls strings.Builder
	for i := range 6 {
		name := fmt.Sprintf("part%d", i)
		g.part(name)
		fmt.Fprintf(&calls, "\tguard(%q, %s)\n", name, name)
	}
	g.print("func program() {\n%s}", calls.String())
	return g.out.String()
}

// prelude is a part of every program. tick ends loops that would take too long, cut and few keep values small, and note shows the
// order of evaluation.
const prelude = `var ticks int

func tick() {
	if ticks++; ticks > 3000 {
		panic("out of ticks")
	}
}

func guard(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, "panics:", r)
		}
	}()
	ticks = 0
	f()
}

func cut[S ~string](s S) S { return s[:min(len(s), 60)] }

func few[S ~[]E, E any](s S) S { return s[:min(len(s), 5)] }

func same[T any](v T) T { return v }

func note[T any](n int, v T) T {
	fmt.Print("#", n, " ")
	return v
}

func each[S ~[]E, E, R any](s S, f func(int, E) R) []R {
	var out []R
	for i, v := range s {
		out = append(out, f(i, v))
	}
	return out
}

func fold[E, R any](s []E, start R, f func(R, E) R) R {
	for _, v := range s {
		start = f(start, v)
	}
	return start
}

func sortedKeys[M ~map[K]V, K cmp.Ordered, V any](m M) []K { return slices.Sorted(maps.Keys(m)) }

type Pair[A, B any] struct {
	First  A
	Second B
}

func pairOf[A, B any](a A, b B) Pair[A, B] { return Pair[A, B]{a, b} }

func (p Pair[A, B]) Swap() Pair[B, A] { return Pair[B, A]{p.Second, p.First} }

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(v ...T) *Stack[T] {
	s.items = append(s.items, v...)
	return s
}

func (s *Stack[T]) All() func(yield func(int, T) bool) {
	return func(yield func(int, T) bool) {
		for i := len(s.items) - 1; i >= 0; i-- {
			if !yield(i, s.items[i]) {
				return
			}
		}
	}
}

func limited[N int | int8 | int64](n N) func(func(N) bool) {
	return func(yield func(N) bool) {
		for i := N(0); i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func caught(n int) {
	if r := recover(); r != nil {
		fmt.Println("caught", n, r)
	}
}

func first[T comparable](v T, rest ...T) int { return slices.Index(rest, v) }
`

func (g *gen) n(limit int) int { return g.r.IntN(limit) }

func (g *gen) chance(percent int) bool { return g.n(100) < percent }

func (g *gen) pick(list ...string) string { return list[g.n(len(list))] }

func (g *gen) fresh(kind string) string {
	g.count++
	return fmt.Sprintf("%s%d", kind, g.count)
}

// any returns one of the types for which ok holds.
func (g *gen) any(ok func(*typ) bool) *typ {
	for range 1000 {
		// Types of the program come last, and are more interesting.
		i := g.n(len(g.all))
		if g.chance(50) {
			i = max(i, g.n(len(g.all)))
		}
		if t := g.all[i]; ok == nil || ok(t) {
			return t
		}
	}
	return g.intType
}

// print writes lines.
func (g *gen) print(format string, args ...any) {
	for line := range strings.Lines(fmt.Sprintf(format, args...) + "\n") {
		g.out.WriteString(g.indent + line)
	}
}

// block writes statements in a scope of their own.
func (g *gen) block(body func()) {
	indent, scope := g.indent, len(g.scope)
	g.indent += "\t"
	g.depth++
	body()
	g.depth--
	g.indent, g.scope = indent, g.scope[:scope]
}

// declare adds a variable that the program has declared.
func (g *gen) declare(name string, t *typ, fixed bool) {
	g.scope = append(g.scope, variable{name, t, fixed})
}

// function declares a function with parameters and results.
func (g *gen) function() {
	f := function{name: g.fresh("fun")}
	var params, results []string
	scope := g.scope
	g.scope = nil
	for i := range 1 + g.n(3) {
		t := g.any(nil)
		f.params = append(f.params, t)
		name := fmt.Sprintf("p%d", i)
		params = append(params, name+" "+t.name)
		g.declare(name, t, false)
	}
	if f.variadic = g.chance(30); f.variadic {
		last := len(params) - 1
		params[last] = fmt.Sprintf("p%d ...%s", last, f.params[last].name)
		g.scope[last].typ = g.listOf(f.params[last])
	}
	for i := range 1 + g.n(2) {
		t := g.any(nil)
		f.results = append(f.results, t)
		name := fmt.Sprintf("r%d", i)
		results = append(results, name+" "+t.name)
		g.declare(name, t, false)
	}
	g.print("func %s(%s) (%s) {", f.name, strings.Join(params, ", "), strings.Join(results, ", "))
	g.room = 5
	g.block(func() {
		g.print("tick()")
		if g.chance(40) {
			g.print("defer func() {")
			g.block(func() {
				if g.chance(50) {
					g.print("if r := recover(); r != nil {\n\tfmt.Println(\"recovered\", r)\n}")
				}
				g.assign()
			})
			g.print("}()")
		}
		g.statements(3)
		var values []string
		for _, t := range f.results {
			values = append(values, g.expr(t, 2))
		}
		if g.chance(80) {
			g.print("return %s", strings.Join(values, ", "))
		} else {
			g.print("return")
		}
	})
	g.print("}")
	g.scope = scope
	g.functions = append(g.functions, f)
}

// part declares a function without parameters that prints.
func (g *gen) part(name string) {
	g.scope, g.label = nil, ""
	g.print("func %s() {", name)
	g.room = 25
	g.block(func() {
		for range 4 {
			g.variable()
		}
		g.statements(8)
		for _, v := range g.scope {
			g.show(v.name, v.typ)
		}
	})
	g.print("}")
}
