package progen

import "fmt"

// statements writes up to n statements.
func (g *gen) statements(n int) {
	for range 1 + g.n(n) {
		if g.room--; g.room < 0 {
			return
		}
		g.statement()
	}
}

func (g *gen) statement() {
	if g.depth > 3 {
		g.assign()
		return
	}
	kinds := []func(){
		g.variable, g.variable, g.assign, g.assign, g.assign, g.ifStmt, g.countedLoop, g.rangeLoop, g.rangeLoop, g.switchStmt, g.typeSwitch, g.closures,
		g.deferred, g.encoded, g.failed, g.several, g.mutate, g.sorted, g.builder, g.pointers, g.tables, g.goroutines, g.channels, g.unwound, g.results,
		g.leaving, g.ordered, g.shown,
	}
	kinds[g.n(len(kinds))]()
}

// shown prints an expression.
func (g *gen) shown() {
	t := g.any(nil)
	g.show(g.expr(t, 3), t)
}

// variable declares a variable.
func (g *gen) variable() {
	t := g.any(nil)
	name := g.fresh("v")
	x := g.expr(t, 2)
	switch {
	case g.chance(20) && t.kind != contract && t.kind != failure:
		g.print("var %s %s", name, t.name)
	case g.chance(50):
		g.print("var %s %s = %s", name, t.name, x)
	default:
		g.print("%s := %s(%s)", name, t.name, x)
	}
	g.print("_ = %s", name)
	g.declare(name, t, false)
}

// place returns something that can be assigned to, and its type.
func (g *gen) place() (string, *typ) {
	var names []string
	var types []*typ
	add := func(name string, t *typ) { names, types = append(names, name), append(types, t) }
	for _, v := range g.scope {
		if v.fixed {
			continue
		}
		add(v.name, v.typ)
		switch v.typ.kind {
		case record:
			for _, f := range v.typ.fields {
				add(v.name+"."+f.name, f.typ)
			}
		case array:
			add(fmt.Sprintf("%s[%d]", v.name, g.n(v.typ.size)), v.typ.elem)
		default:
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	i := g.n(len(names))
	return names[i], types[i]
}

// assign writes an assignment.
func (g *gen) assign() {
	place, t := g.place()
	if place == "" {
		return
	}
	switch {
	case t.kind == integer && g.chance(50):
		switch g.n(3) {
		case 0:
			g.print("%s%s", place, g.pick("++", "--"))
		case 1:
			g.print("%s %s (uint(%s) & 7)", place, g.pick("<<=", ">>="), g.varying(g.intType, 1))
		default:
			g.print("%s %s %s", place, g.pick("+=", "-=", "*=", "^=", "|=", "&=", "&^="), g.expr(t, 2))
		}
	case t.kind == text && g.chance(40):
		g.print("if len(%s) < 200 {\n\t%[1]s += %s\n}", place, g.expr(t, 1))
	case g.chance(25):
		g.tuple(place, t)
	default:
		g.print("%s = %s", place, g.noted(t, 2))
	}
}

// tuple assigns the results of a function literal to a place and to an element of a map.
func (g *gen) tuple(place string, t *typ) {
	other := g.any(nil)
	m := g.fresh("m")
	g.print("%s := map[string]%s{}", m, other.name)
	g.print("%s, %s[\"k\"] = func() (%s, %s) { return %s, %s }()", place, m, t.name, other.name, g.expr(t, 2), g.expr(other, 2))
	g.show(m+"[\"k\"]", other)
}

// show prints a value.
func (g *gen) show(x string, t *typ) {
	var verb string
	switch t.kind {
	case integer:
		verb = g.pick("%v", "%d", "%+v", "%#v", "%x", "%5d|", "%T")
	case text:
		verb = g.pick("%q", "%q", "%x", "%#v", "%.2q")
	case contract:
		g.print("fmt.Printf(\"%%T %%v\\n\", %s, %[1]s)", x)
		return
	case failure:
		g.print("fmt.Printf(\"%%v %%q\\n\", %s, %[1]s)", x)
		return
	case float:
		verb = g.pick("%v", "%.3f", "%T", "%8.2f|")
	default:
		verb = g.pick("%v", "%+v", "%#v", "%T %[1]v")
	}
	g.print("fmt.Printf(%q, %s)", verb+"\n", x)
}

func (g *gen) ifStmt() {
	t := g.any(func(t *typ) bool { return t.kind == integer || t.kind == text || t.kind == boolean })
	name := g.fresh("c")
	g.print("if %s := %s(%s); (%s) {", name, t.name, g.expr(t, 2), g.boolean(2))
	g.block(func() {
		g.print("_ = %s", name)
		g.declare(name, t, false)
		g.statements(3)
	})
	g.print("} else {")
	g.block(func() { g.print("_ = %s", name); g.statements(2) })
	g.print("}")
}

// loop writes the body of a loop.
func (g *gen) loop(body func()) {
	label := g.label
	g.block(func() {
		g.print("tick()")
		body()
		if g.chance(30) {
			g.print("if (%s) {", g.boolean(1))
			word := g.pick("break", "continue")
			if g.label != "" && g.chance(60) {
				word += " " + g.label
			}
			g.print("\t%s\n}", word)
		}
		g.statements(3)
	})
	g.label = label
}

// labelled perhaps writes a label for the loop that follows. It is used in any case.
func (g *gen) labelled() {
	if g.label != "" || !g.chance(40) {
		return
	}
	g.label = g.fresh("Loop")
	g.print("%s:", g.label)
}

func (g *gen) useLabel(own bool) {
	if own {
		g.print("if ticks > 2000 {\n\tbreak %s\n}", g.label)
	}
}

func (g *gen) countedLoop() {
	before := g.label
	g.labelled()
	own := g.label != before
	i := g.fresh("i")
	t := g.any(func(t *typ) bool { return t.kind == integer && t.bits >= 8 })
	end, stepped := 2+g.n(3), g.chance(20)
	if stepped {
		g.print("for %s := %s(0); ; {", i, t.name)
	} else {
		g.print("for %s := %s(0); %[1]s < %[3]d; %[1]s++ {", i, t.name, end)
	}
	g.loop(func() {
		if stepped {
			g.print("if %s++; %[1]s > %d {\n\tbreak\n}", i, end)
		}
		g.useLabel(own)
		g.declare(i, t, true)
	})
	g.label = before
	g.print("}")
}

func (g *gen) rangeLoop() {
	before := g.label
	g.labelled()
	own := g.label != before
	k, v := g.fresh("k"), g.fresh("e")
	kt, vt := g.intType, (*typ)(nil)
	switch g.n(7) {
	case 0:
		kt = g.any(func(t *typ) bool { return t.kind == integer })
		g.print("for %s := range %s(%d) {", k, kt.name, 1+g.n(4))
	case 1:
		vt = basic("int32")
		g.print("for %s, %s := range (%s) {", k, v, g.expr(g.stringType, 1))
	case 2:
		m := g.any(func(t *typ) bool { return t.kind == table })
		if m.kind != table {
			g.print("for range 2 {")
			k = ""
			break
		}
		kt = m.key
		g.print("for _, %s := range sortedKeys(%s) {", k, g.expr(m, 2))
	case 3:
		n := g.any(func(t *typ) bool { return t.kind != failure })
		vt = n
		g.print("for %s, %s := range new(Stack[%s]).Push(%s, %s).All() {", k, v, n.name, g.expr(n, 1), g.expr(n, 1))
	case 4:
		kt = basic(g.pick("int", "int8", "int64"))
		g.print("for %s := range limited(%s(%d)) {", k, kt.name, 1+g.n(4))
	default:
		s := g.any(func(t *typ) bool { return t.kind == list || t.kind == array })
		if s.elem == nil {
			g.print("for range 2 {")
			k = ""
			break
		}
		vt = s.elem
		g.print("for %s, %s := range %s {", k, v, g.varying(s, 1))
	}
	g.loop(func() {
		g.useLabel(own)
		if k != "" {
			g.print("_ = %s", k)
			g.declare(k, kt, g.chance(50))
		}
		if vt != nil {
			g.print("_ = %s", v)
			g.declare(v, vt, false)
		}
	})
	g.label = before
	g.print("}")
}

func (g *gen) switchStmt() {
	t := g.any(func(t *typ) bool { return t.kind == integer && len(t.names) > 0 || t.kind == text })
	seen := map[string]bool{}
	g.print("switch %s; %s {", "tick()", g.varying(t, 2))
	for i := range 3 {
		x := g.constant(t)
		if len(t.names) > 0 {
			x = t.names[i]
		}
		if seen[x] {
			continue
		}
		seen[x] = true
		g.print("case %s:", x)
		g.block(func() {
			g.print("fmt.Println(\"case\", %d)", i)
			g.statements(2)
			if g.chance(30) {
				g.print("if (%s) {\n\tbreak\n}", g.boolean(1))
			}
			if g.chance(40) {
				g.print("fallthrough")
			}
		})
	}
	g.print("default:")
	g.block(func() { g.print("fmt.Println(\"default\")"); g.statements(2) })
	g.print("}")
}

func (g *gen) typeSwitch() {
	t := g.any(func(t *typ) bool { return t.kind != failure })
	name := g.fresh("t")
	g.print("switch %s := any(%s).(type) {", name, g.typed(t, g.expr(t, 2)))
	seen := map[string]bool{"any": true}
	for range 3 {
		c := g.any(nil)
		if g.chance(40) {
			c = t
		}
		if seen[c.name] {
			continue
		}
		seen[c.name] = true
		if g.chance(20) && !seen["*"+c.name] && c.kind == record {
			seen["*"+c.name] = true
			g.print("case *%s, %[1]s:\n\tfmt.Printf(\"%%T\\n\", %s)", c.name, name)
			continue
		}
		g.print("case %s:", c.name)
		g.block(func() { g.declare(name, c, false); g.show(name, c); g.statements(1) })
	}
	g.print("default:\n\tfmt.Printf(\"%%T\\n\", %s)\n}", name)
}
