package progen

// leaving makes function literals in a loop that leave the program: as interface values, and to functions of the library that call them later. Each
// captures variables of its iteration.
func (g *gen) leaving() {
	t := g.any(nil)
	calls, shown, sum := g.fresh("f"), g.fresh("f"), g.fresh("n")
	g.print("var %s []func()\nvar %s []any\n%s := 0", calls, shown, sum)
	i, x, y := g.fresh("i"), g.fresh("x"), g.fresh("y")
	switch g.n(4) {
	case 0:
		g.print("for %s := range 3 {", i)
	case 1:
		g.print("for _, %s := range []int{4, 2, 7} {", i)
	case 2:
		g.print("for %s := 0; func() bool { %s = append(%[2]s, func() { %s += %[1]s }); return %[1]s < 3 }(); %[1]s++ {", i, calls, sum)
	default:
		g.print("for %s := 0; %[1]s < 3; func() { %[1]s++; %s = append(%[2]s, func() { %s += %[1]s }) }() {", i, calls, sum)
	}
	g.block(func() {
		g.print("%s := %s\n%s := %s*10 + 1", x, g.typed(t, g.varying(t, 2)), y, i)
		for range 1 + g.n(3) {
			switch g.n(5) {
			case 0:
				g.print("%s = append(%[1]s, sync.OnceFunc(func() { %s += %s + %s }))", calls, sum, y, i)
			case 1:
				g.print("%s = append(%[1]s, func() %s { %s++; %s += %[3]s; return %[5]s })", shown, t.name, y, sum, x)
			case 2:
				g.print("%s = append(%[1]s, any(func() %s { return %s }))", shown, t.name, x)
			case 3:
				p := g.fresh("p")
				g.print("%s := &sync.Pool{New: func() any { %s++; return %[2]s + %[3]s }}", p, y, i)
				g.print("%s = append(%[1]s, func() { %s += %s.Get().(int) })", calls, sum, p)
			default:
				g.print("%s = append(%[1]s, func() { %s += len(strings.Map(func(r rune) rune { return r + rune(%s%%5) }, \"abc\")) + %[3]s })", calls, sum, y)
			}
		}
		g.print("_, _ = %s, %s", x, y)
	})
	g.print("}")
	g.print("for _, f := range append(%s, %[1]s...) {\n\tf()\n\tfmt.Print(%s, \" \")\n}\nfmt.Println()", calls, sum)
	g.print("for _, f := range %s {", shown)
	g.block(func() { g.show("f.(func() "+t.name+")()", t) })
	g.print("}\nfmt.Println(%s)", sum)
}
