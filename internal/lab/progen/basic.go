package progen

import (
	"fmt"
)

func (g *gen) integer(t *typ, depth int) string {
	x, y := g.varying(t, depth-1), g.expr(t, depth-1)
	switch g.n(12) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", x, g.pick("+", "-", "*", "^", "&", "|", "&^"), y)
	case 2:
		return fmt.Sprintf("(%s %s (%s | 1))", x, g.pick("/", "%"), g.varying(t, depth-1))
	case 3:
		return fmt.Sprintf("(%s %s (uint(%s) & 15))", x, g.pick("<<", ">>"), g.varying(g.intType, depth-1))
	case 4:
		from := g.any(func(t *typ) bool { return t.kind == integer })
		return fmt.Sprintf("%s(%s)", t.name, g.varying(from, depth-1))
	case 5:
		return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max"), x, y)
	case 6:
		return fmt.Sprintf("(%s%s)", g.pick("-", "^"), x)
	case 7:
		of := g.any(func(t *typ) bool { return t.kind == list || t.kind == table || t.kind == text || t.kind == array })
		return fmt.Sprintf("%s(len(%s))", t.name, g.varying(of, depth-1))
	case 8:
		return fmt.Sprintf("fold([]int{1, 2, %s}, %s, func(a %s, b int) %[3]s { return a + %[3]s(b) })", g.expr(g.intType, depth-1), y, t.name)
	case 9:
		of := g.any(func(t *typ) bool { return t.comparable() && t.kind != contract })
		return fmt.Sprintf("%s(first(%s, %s, %s))", t.name, g.expr(of, depth-1), g.expr(of, depth-1), g.expr(of, depth-1))
	case 10:
		return fmt.Sprintf("%s(bits.OnesCount64(uint64(%s)))", t.name, x)
	}
	return g.constant(t)
}

func (g *gen) float(t *typ, depth int) string {
	x, y := g.varying(t, depth-1), g.expr(t, depth-1)
	switch g.n(4) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", x, g.pick("+", "-"), y)
	case 1:
		return fmt.Sprintf("%s(%s * %s)", t.name, x, y)
	case 2:
		return fmt.Sprintf("%s(%s)", t.name, g.varying(g.any(func(t *typ) bool { return t.kind == integer }), depth-1))
	}
	return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max"), x, y)
}

func (g *gen) text(t *typ, depth int) string {
	x, y := g.varying(t, depth-1), g.expr(t, depth-1)
	switch g.n(9) {
	case 0, 1:
		return fmt.Sprintf("cut(%s + %s)", x, y)
	case 2:
		v := g.any(func(t *typ) bool { return t.kind != contract })
		return t.convert(fmt.Sprintf("cut(fmt.Sprint(%s))", g.expr(v, depth-1)))
	case 3:
		return t.convert(fmt.Sprintf("strings.%s(string(%s))", g.pick("ToUpper", "TrimSpace", "ToLower"), x))
	case 4:
		return fmt.Sprintf("(%s + %s)[:len(%[2]s)]", x, t.convert(`"tail"`))
	case 5:
		return t.convert(fmt.Sprintf("strconv.Itoa(%s)", g.expr(g.intType, depth-1)))
	case 6:
		return t.convert(fmt.Sprintf("strings.Repeat(%q, int(uint8(%s)%%5))", g.pick("ab", "-"), g.varying(g.intType, depth-1)))
	case 7:
		v := g.any(func(t *typ) bool { return t.kind != contract && t.kind != failure })
		return t.convert(fmt.Sprintf("cut(fmt.Sprintf(%q, %s))", g.pick("%v", "%+v", "%T", "[%6v]", "%-8v|"), g.expr(v, depth-1)))
	default:
		return fmt.Sprintf("%s([]rune(string(%s)))", t.name, x)
	}
}

func (g *gen) boolean(depth int) string {
	if depth <= 0 {
		return g.varying(g.boolType, 0)
	}
	switch g.n(6) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.boolean(depth-1), g.pick("&&", "||"), g.noted(g.boolType, depth-1))
	case 1:
		return "!" + g.varying(g.boolType, depth-1)
	case 2:
		t := g.any(func(t *typ) bool { return t.kind == integer || t.kind == text || t.kind == float })
		return fmt.Sprintf("(%s %s %s)", g.varying(t, depth-1), g.pick("<", ">", "<=", ">="), g.expr(t, depth-1))
	case 3:
		return fmt.Sprintf("errors.Is(%s, %s)", g.failure(2), g.pick("errFirst", "errSecond", "ValueErr{1}", "CodeErr(7)"))
	case 4:
		t := g.any(func(t *typ) bool { return t.kind != failure })
		return fmt.Sprintf("func() bool { _, ok := any(%s).(%s); return ok }()", g.typed(t, g.expr(t, depth-1)), g.any(nil).name)
	default:
		t := g.any(func(t *typ) bool { return t.comparable() })
		return fmt.Sprintf("(%s %s same(%s))", g.varying(t, depth-1), g.pick("==", "!="), g.expr(t, depth-1))
	}
}
