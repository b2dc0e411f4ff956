package progen

import (
	"fmt"
	"strings"
)

// pointers calls methods with pointer receivers by way of an interface.
func (g *gen) pointers() {
	var m method
	t := g.any(func(t *typ) bool {
		for _, each := range t.methods {
			if each.pointer {
				m = each
				return true
			}
		}
		return false
	})
	if !m.pointer {
		return
	}
	a, b, face := g.fresh("v"), g.fresh("v"), g.fresh("f")
	g.print("%s, %s := %s, %s", a, b, g.typed(t, g.varying(t, 2)), g.typed(t, g.varying(t, 1)))
	g.print("var %s interface{ %s() %s } = &%s", face, m.name, m.result.name, a)
	g.show(face+"."+m.name+"()", m.result)
	g.print("for _, x := range []interface{ %s() %s }{&%s, %s, &%s} {\n\tx.%[1]s()\n}", m.name, m.result.name, a, face, b)
	g.print("if p, ok := %s.(*%s); ok {\n\tp.%s()\n\tfmt.Println(p == &%s, any(%[1]s) == any(&%[4]s), any(%[1]s) == any(&%[5]s))\n}", face, t.name, m.name, a, b)
	f := g.fresh("f")
	g.print("%s := %s.%s\n%[1]s()\n%[2]s = &%[4]s\n%[1]s()", f, face, m.name, b)
	g.show(a, t)
	g.show(b, t)
	g.declare(a, t, false)
}

// tables changes a table while it is in use, and copies of what it holds.
func (g *gen) tables() {
	elem := g.any(func(t *typ) bool { return t.kind != failure && t.kind != contract })
	key := g.any(func(t *typ) bool { return t.kind == integer && t.bits > 8 || t.kind == text })
	m, k, c := g.fresh("m"), g.fresh("k"), g.fresh("v")
	g.print("%s := map[%s]%s{}", m, key.name, elem.name)
	at := func(n int) string {
		if key.kind == text {
			return fmt.Sprintf("%s(%q)", key.name, fmt.Sprint("k", n))
		}
		return fmt.Sprintf("%s(%d)", key.name, n)
	}
	g.print("%s[%s], %[1]s[%[3]s] = %[4]s, %[5]s", m, at(1), at(2), g.expr(elem, 2), g.expr(elem, 1))
	g.print("for i, %s := range sortedKeys(%s) {", k, m)
	g.block(func() {
		g.print("%s := %s[%s]\n_ = %[1]s", c, m, k)
		g.declare(c, elem, false)
		switch elem.kind {
		case integer:
			g.print("%s[%s]++\n%[1]s[%[2]s] += %[3]s\n%[1]s[%[4]s] -= 2", m, k, g.expr(elem, 1), at(7))
		case text:
			g.print("%s[%s] += %q\n%[1]s[%[4]s] += %[1]s[%[2]s]", m, k, "+", at(7))
		case list:
			// Whether both share an array after append depends on capacities, which Go does not define.
			if g.chance(50) {
				g.print("%s[%s] = append(%[1]s[%[2]s], %s)", m, k, g.expr(elem.elem, 1))
				break
			}
			g.print("if len(%s[%s]) > 0 {\n\t%[1]s[%[2]s][0] = %s\n}", m, k, g.expr(elem.elem, 1))
		case record:
			f := elem.fields[g.n(len(elem.fields))]
			g.print("%s.%s = %s", c, f.name, g.expr(f.typ, 2))
		case array:
			g.print("%s[1] = %s", c, g.expr(elem.elem, 1))
		default:
			g.print("%s = %s", c, g.expr(elem, 1))
		}
		g.show(fmt.Sprintf("%s[%s]", m, k), elem)
		g.print("if i == 0 {\n\t%s[%s] = %s\n\tdelete(%[1]s, %[4]s)\n}", m, at(3), c, k)
	})
	g.print("}")
	x, ok := g.fresh("v"), g.fresh("ok")
	g.print("%s, %s := %s[%s]", x, ok, m, at(g.n(4)))
	g.show(x, elem)
	g.print("fmt.Println(%s, len(%s), sortedKeys(%[2]s))", ok, m)
	g.print("for k := range %s {\n\tdelete(%[1]s, k)\n\t%[1]s[k] = %s\n\tdelete(%[1]s, k)\n}\nfmt.Println(len(%[1]s))", m, x)
}

// goroutines lets several goroutines fill a list.
func (g *gen) goroutines() {
	t := g.any(nil)
	list, total, wg, mu := g.fresh("l"), g.fresh("n"), g.fresh("wg"), g.fresh("mu")
	g.print("%s, %s := make([]%s, 4), 0\nvar %s sync.WaitGroup\nvar %s sync.Mutex", list, total, t.name, wg, mu)
	g.print("for i := range %s {", list)
	g.block(func() {
		x := g.fresh("x")
		g.print("%s := %s", x, g.typed(t, g.varying(t, 2)))
		g.print("%s.Add(1)", wg)
		arg := g.chance(50)
		if arg {
			g.print("go func(i int, y %s) {", t.name)
		} else {
			g.print("go func() {\n\ty := %s", x)
		}
		g.print("\tdefer %s.Done()\n\t%s.Lock()\n\tdefer %[2]s.Unlock()", wg, mu)
		if g.chance(40) {
			g.print("\tdefer func() { %s += len(fmt.Sprint(recover())) }()", total)
		}
		g.print("\t%s[i] = y\n\t%s += i", list, total)
		if g.chance(30) {
			g.print("\tdefer func() { recover() }()\n\tpanic(y)")
		}
		if arg {
			g.print("}(i, %s)\n%[1]s = %s", x, g.expr(t, 1))
		} else {
			g.print("}()")
		}
	})
	g.print("}\n%s.Wait()\nfmt.Println(%s)", wg, total)
	g.print("for _, x := range %s {", list)
	g.block(func() { g.show("x", t) })
	g.print("}")
}

// channels passes values through goroutines that select.
func (g *gen) channels() {
	t := g.any(nil)
	in, out, done := g.fresh("in"), g.fresh("out"), g.fresh("done")
	var values []string
	for range 3 {
		values = append(values, g.expr(t, 2))
	}
	list := g.fresh("l")
	g.print("%s := []%s{%s}", list, t.name, strings.Join(values, ", "))
	g.print("%s, %s, %s := make(chan %s%s), make(chan Pair[int, %[4]s]), make(chan struct{})", in, out, done, t.name, g.pick("", ", 2"))
	g.print("go func() {\n\tdefer close(%s)\n\tfor _, x := range %s {\n\t\tselect {\n\t\tcase %[1]s <- x:\n\t\tcase <-%[3]s:\n\t\t\treturn\n\t\t}\n\t}\n}()", in, list, done)
	g.print("go func() {\n\tdefer close(%s)\n\tn := 0\n\tfor {\n\t\tselect {\n\t\tcase x, ok := <-%s:\n\t\t\tif !ok {\n\t\t\t\treturn\n\t\t\t}\n\t\t\tn++\n\t\t\t%[1]s <- pairOf(n, x)\n\t\tcase <-%[3]s:\n\t\t\treturn\n\t\t}\n\t}\n}()",
		out, in, done)
	if g.chance(50) {
		g.print("for p := range %s {", out)
		g.block(func() { g.print("fmt.Print(p.First, \" \")"); g.show("p.Second", t) })
		g.print("}\nclose(%s)", done)
	} else {
		g.print("fmt.Println((<-%s).First)\nclose(%s)\nfor range %[1]s {\n}", out, done)
	}
	last := g.fresh("v")
	g.print("var %s %s\n_ = %[1]s\nselect {\ncase p, ok := <-%[3]s:\n\t%[1]s = p.Second\n\tfmt.Println(ok, p.First)\ndefault:\n\tfmt.Println(\"none\")\n}", last, t.name, out)
	if t.kind != contract && t.kind != failure {
		g.show(last, t)
	}
}

// unwound panics in deferred calls, and in loops that defer.
func (g *gen) unwound() {
	label := g.label
	g.label = ""
	place, t := g.place()
	g.print("func() {")
	g.block(func() {
		g.print("defer func() { fmt.Println(\"outer:\", recover(), recover()) }()")
		g.print("for i := range limited(2) {\n\tdefer func() {\n\t\tfmt.Println(i, recover())\n\t\tif i == %d {\n\t\t\tpanic(\"from \" + fmt.Sprint(i))\n\t\t}\n\t}()\n}", g.n(3))
		g.print("defer caught(%d)", g.n(100))
		if place != "" {
			g.print("defer func() { %s = %s }()", place, g.expr(t, 1))
		}
		g.print("defer func() {\n\tdefer caught(%d)\n\tif (%s) {\n\t\tpanic(\"inner\")\n\t}\n}()", g.n(100), g.boolean(1))
		g.statements(2)
		if g.chance(70) {
			g.print("if ticks >= 0 {\n\tpanic(%s)\n}", g.pick(`"text"`, "errSecond", "ValueErr{3}", "ticks"))
		}
	})
	g.print("}()")
	g.label = label
}
