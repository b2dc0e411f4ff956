package progen

// ordered assigns to places that may not exist, and prints what happened before the panic.
func (g *gen) ordered() {
	l, p, m, x := g.fresh("l"), g.fresh("p"), g.fresh("m"), g.fresh("n")
	g.print("%s, %s := []int{3, 1, 2}, 0\nvar %s *Pair[int, int]\nvar %s map[int]int", l, x, p, m)
	if g.chance(60) {
		g.print("%s = new(Pair[int, int])", p)
	}
	if g.chance(60) {
		g.print("%s = map[int]int{}", m)
	}
	value := func() string { return g.expr(g.intType, 1) }
	noted := func() string { return g.noted(g.intType, 1) }
	index := func() string { return g.pick("0", "1", "2", "ticks%3", "len("+l+")", "note(7, 1)", "note(8, 9)") }
	for range 1 + g.n(3) {
		g.print("func() {")
		g.block(func() {
			g.print("defer func() { fmt.Println(\"ordered:\", recover()) }()")
			switch g.n(9) {
			case 0:
				g.print("%s[%s] = %s", l, index(), noted())
			case 1:
				g.print("%s[%s] %s %s", l, index(), g.pick("+=", "^=", "-="), noted())
			case 2:
				g.print("%s.%s = %s", p, g.pick("First", "Second"), noted())
			case 3:
				g.print("%s[1], %s.First = %s, %s", m, p, noted(), noted())
			case 4:
				g.print("%s = append(%[1]s[:0], %[1]s[2], %[1]s[1], %[1]s[0])", l)
			case 5:
				g.print("%s, _ = %s, %s[ticks%%3+%d]", x, value(), l, g.n(3))
			case 6:
				g.print("%s[0], %[1]s[2] = %[1]s[2], %[1]s[%s]", l, index())
			case 7:
				g.print("var face fmt.Stringer\ndefer face.String()\nfmt.Println(\"not reached\")")
			default:
				g.print("%s[%s] %s %s", m, index(), g.pick("=", "+="), noted())
			}
		})
		g.print("}()")
	}
	g.print("fmt.Println(%s, %s == nil || %[2]s.First == 0, %s, %s)", l, p, m, x)
	g.declare(x, g.intType, false)
}
