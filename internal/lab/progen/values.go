package progen

import (
	"fmt"
	"strings"
)

// closures writes function literals that keep variables, among them those of a loop.
func (g *gen) closures() {
	list, i := g.fresh("fs"), g.fresh("i")
	t := g.any(nil)
	place, pt := g.place()
	g.print("var %s []func() %s", list, t.name)
	head := fmt.Sprintf("for %s := 0; %[1]s < 3; %[1]s++ {", i)
	if g.chance(50) {
		head = fmt.Sprintf("for %s := range 3 {", i)
	}
	g.print("%s", head)
	g.block(func() {
		g.declare(i, g.intType, true)
		local := g.fresh("v")
		g.print("%s := %s", local, g.expr(g.intType, 2))
		g.declare(local, g.intType, false)
		g.print("%s = append(%[1]s, func() %s {", list, t.name)
		g.block(func() {
			g.print("tick()\n%s += %s", local, i)
			if place != "" && g.chance(50) {
				g.print("%s = %s", place, g.expr(pt, 1))
			}
			g.print("return %s", g.expr(t, 2))
		})
		g.print("})")
	})
	f := g.fresh("f")
	g.print("}\nfor _, %s := range %s {", f, list)
	g.block(func() { g.show(f+"()", t); g.show(f+"()", t) })
	g.print("}")
}

// deferred writes a function that defers calls, panics and recovers.
func (g *gen) deferred() {
	t := g.any(func(t *typ) bool { return t.kind != contract })
	label := g.label
	g.label = ""
	g.print("func() {")
	g.block(func() {
		g.print("defer func() { fmt.Println(\"recovered:\", recover()) }()")
		g.print("defer fmt.Println(\"deferred\", %s)", g.noted(t, 2))
		name := g.fresh("v")
		g.print("%s := %s", name, g.typed(t, g.varying(t, 1)))
		g.declare(name, t, false)
		g.print("defer func(x %s) { fmt.Println(\"kept\", x, %s) }(%[2]s)", t.name, name)
		for _, m := range t.methods {
			if !m.pointer {
				g.print("defer %s.%s()", name, m.name)
			}
		}
		g.print("for i := range 3 {\n\tdefer fmt.Print(i, \" \")\n}")
		g.statements(2)
		g.print("%s = %s", name, g.expr(t, 1))
		if g.chance(60) {
			g.print("if len(fmt.Sprint(%s)) >= 0 {\n\tpanic(%s)\n}", name, g.pick(name, `"text"`, "errSecond", "ValueErr{3}", `fmt.Errorf("wrapped: %w", ValueErr{4})`))
		}
	})
	g.print("}()")
	g.label = label
}

// results writes a function that defers, and declares its parameters and results again: in its own block, and in blocks within.
func (g *gen) results() {
	t, other := g.any(nil), g.any(nil)
	r, p, x, a, b := g.fresh("r"), g.fresh("p"), g.fresh("x"), g.fresh("v"), g.fresh("v")
	label := g.label
	g.label = ""
	g.print("%s, %s := func(%s %s) (%s %s, n int) {", a, b, p, other.name, r, t.name)
	g.block(func() {
		g.declare(r, t, false)
		g.declare(p, other, false)
		g.print("defer func() { fmt.Println(\"ends\", %s, n, %s) }()", r, p)
		again, of := r, t
		if g.chance(50) {
			again, of = p, other
		}
		g.print("%s, %s := %s, %s", x, again, g.typed(g.intType, g.expr(g.intType, 1)), g.typed(of, g.varying(of, 1)))
		g.print("for i := range 3 {\n\t%s, n := %s, i\n\tif n > %s&3 {\n\t\treturn %[1]s, n\n\t}\n}", r, g.typed(t, g.varying(t, 1)), x)
		g.statements(2)
		g.print("n, %s = len(fmt.Sprint(%s)), %s", g.pick("_", r), x, g.typed(t, g.varying(t, 2)))
		g.print("if %s, n := %s, n+1; n > 4 {\n\treturn %[1]s, n\n}", r, g.typed(t, g.varying(t, 1)))
		g.print("return")
	})
	g.print("}(%s)", g.typed(other, g.varying(other, 1)))
	g.label = label
	g.declare(a, t, false)
	g.declare(b, g.intType, false)
	g.show(a, t)
	g.show(b, g.intType)
}

// encoded encodes a value and decodes it again.
func (g *gen) encoded() {
	t := g.any(func(t *typ) bool { return t.encodable() })
	if !t.encodable() {
		return
	}
	data, back := g.fresh("data"), g.fresh("back")
	g.print("%s, err := json.Marshal(%s)\nfmt.Println(string(%[1]s), err)", data, g.expr(t, 3))
	g.print("var %s %s\nerr = json.Unmarshal(%s, &%[1]s)\nfmt.Printf(\"%%+v %%v\\n\", %[1]s, err != nil)", back, t.name, data)
}

// failed looks into an error.
func (g *gen) failed() {
	e := g.fresh("e")
	g.print("%s := %s", e, g.failure(3))
	g.print("fmt.Println(%s, errors.Is(%[1]s, errFirst), errors.Is(%[1]s, errSecond), errors.Is(%[1]s, ValueErr{2}))", e)
	v := g.fresh("x")
	switch g.n(3) {
	case 0:
		g.print("var %s ValueErr\nif errors.As(%s, &%[1]s) {\n\tfmt.Println(\"code\", %[1]s.Code)\n}", v, e)
	case 1:
		g.print("var %s *PointerErr\nif errors.As(%s, &%[1]s) {\n\tfmt.Println(\"op\", %[1]s.Op, %[1]s.Err)\n}", v, e)
	default:
		g.print("var %s interface{ Is(error) bool }\nfmt.Println(errors.As(%s, &%[1]s))\nswitch %[2]s.(type) {\ncase ValueErr:\n\tfmt.Println(\"value\")\ncase *PointerErr, CodeErr:\n\tfmt.Println(\"pointer or code\")\n}", v, e)
	}
	g.declare(e, g.failType, true)
}

// several assigns several values at once.
func (g *gen) several() {
	for _, f := range g.functions {
		if len(f.results) == 2 && g.chance(50) {
			a, b := g.fresh("v"), g.fresh("v")
			g.print("%s, %s := %s\n_, _ = %[1]s, %[2]s", a, b, g.callOf(f, 2))
			g.declare(a, f.results[0], false)
			g.declare(b, f.results[1], false)
			return
		}
	}
	s := g.any(func(t *typ) bool { return t.kind == list })
	if s.kind != list {
		return
	}
	name, i := g.fresh("l"), g.fresh("i")
	g.print("%s, %s := %s{%s, %s, %s}, 0", name, i, s.name, g.expr(s.elem, 1), g.expr(s.elem, 1), g.expr(s.elem, 1))
	g.print("%s[%s], %[2]s = %[1]s[%[2]s+1], 2", name, i)
	g.print("%s, %s[%[1]s] = 1, %[2]s[0]", i, name)
	g.print("%s[0], %[1]s[1], %[1]s[2] = %[1]s[2], %[1]s[0], note(%d, %[1]s[1])", name, g.n(100))
	g.declare(name, s, false)
	g.show(name, s)
}

// mutate changes a value by pointers, and prints copies of it.
func (g *gen) mutate() {
	t := g.any(func(t *typ) bool { return t.kind == record || t.kind == array || len(t.names) > 0 })
	a, b, p := g.fresh("v"), g.fresh("v"), g.fresh("p")
	g.print("%s := %s\n%s := %[1]s\n%[4]s := &%[1]s\n_ = %[4]s", a, g.varying(t, 2), b, p)
	g.declare(a, t, false)
	for _, m := range t.methods {
		if m.pointer {
			g.show(p+"."+m.name+"()", m.result)
			f := g.fresh("f")
			g.print("%s := %s.%s\n%[1]s()", f, a, m.name)
		}
	}
	switch t.kind {
	case record:
		f := t.fields[g.n(len(t.fields))]
		g.print("%s.%s = %s", p, f.name, g.expr(f.typ, 2))
	case array:
		g.print("%s[1] = %s", p, g.expr(t.elem, 2))
		g.print("for i, e := range %s {\n\t%[1]s[0] = e\n\t_ = i\n}", a)
	default:
		g.print("*%s = %s", p, g.expr(t, 2))
	}
	g.show(a, t)
	g.show(b, t)
	if t.comparable() {
		g.print("fmt.Println(%s == %s, any(%[1]s) == any(%[2]s))", a, b)
	}
	g.declare(b, t, false)
}

// sorted sorts a list by its elements' texts.
func (g *gen) sorted() {
	t := g.any(func(t *typ) bool { return t.kind == list && t.elem.kind != contract })
	if t.kind != list {
		return
	}
	name := g.fresh("l")
	var parts []string
	for range 4 {
		parts = append(parts, g.expr(t.elem, 1))
	}
	g.print("%s := %s{%s}", name, t.name, strings.Join(parts, ", "))
	switch {
	case g.chance(40):
		g.print("slices.SortStableFunc(%s, func(a, b %s) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })", name, t.elem.name)
	case g.chance(50):
		g.print("sort.SliceStable(%s, func(i, j int) bool { return fmt.Sprint(%[1]s[i]) < fmt.Sprint(%[1]s[j]) })", name)
	default:
		g.print("slices.Reverse(%s)\n%[1]s = slices.Insert(%[1]s, 1, %[1]s[0])\nclear(%[1]s[:1])", name)
	}
	g.show(name, t)
	g.declare(name, t, false)
}

// builder writes to a strings.Builder.
func (g *gen) builder() {
	b := g.fresh("b")
	g.print("var %s strings.Builder", b)
	g.print("for _, word := range strings.Fields(%s) {\n\tfmt.Fprintf(&%s, \"%%s/%%d;\", word, len(word))\n}", g.expr(g.stringType, 2), b)
	g.print("%s.WriteString(%s)\nfmt.Println(%[1]s.Len(), %[1]s.String())", b, g.expr(g.stringType, 2))
}
