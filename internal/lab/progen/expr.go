package progen

import (
	"fmt"
	"strconv"
	"strings"
)

// constant returns a constant of a basic type.
func (g *gen) constant(t *typ) string {
	switch t.kind {
	case integer:
		limit := 100
		if t.bits > 8 && g.chance(20) {
			limit = 30000
		}
		n := g.n(limit)
		if t.signed && g.chance(30) {
			n = -n
		}
		if len(t.names) > 0 && g.chance(70) {
			return g.pick(t.names...)
		}
		return fmt.Sprintf("%s(%d)", t.name, n)
	case float:
		return fmt.Sprintf("%s(%s)", t.name, g.pick("0.5", "1.25", "-3", "1e3", "2", "0.1"))
	case text:
		s := strconv.Quote(g.pick("", "a", "abc", "zz top", "héllo", "日本", "x\xffy", "tab\t", "A,b;c"))
		if t.name != "string" {
			return t.name + "(" + s + ")"
		}
		return s
	default:
		s := g.pick("true", "false")
		if t.name != "bool" {
			return t.name + "(" + s + ")"
		}
		return s
	}
}

// varying returns an expression of a type that is not a constant.
func (g *gen) varying(t *typ, depth int) string {
	if v := g.known(t); v != "" {
		return v
	}
	x := g.expr(t, depth)
	return "same(" + x + ")"
}

// known returns a variable of a type, or "".
func (g *gen) known(t *typ) string {
	var found []string
	for _, v := range g.scope {
		if v.typ.name == t.name {
			found = append(found, v.name)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return g.pick(found...)
}

// expr returns an expression of a type.
func (g *gen) expr(t *typ, depth int) string {
	if depth <= 0 {
		if v := g.known(t); v != "" && g.chance(60) {
			return v
		}
		return g.literal(t, depth)
	}
	switch g.n(10) {
	case 0, 1:
		if v := g.known(t); v != "" {
			return v
		}
	case 2:
		if x := g.part1(t, depth); x != "" {
			return x
		}
	case 3:
		if x := g.call(t, depth); x != "" {
			return x
		}
	case 4:
		if x := g.methodCall(t, depth); x != "" {
			return x
		}
	case 5:
		return g.wrapped(t, depth)
	}
	switch t.kind {
	case integer:
		return g.integer(t, depth)
	case float:
		return g.float(t, depth)
	case text:
		return g.text(t, depth)
	case boolean:
		return t.convert(g.boolean(depth))
	case list:
		return g.list(t, depth)
	default:
		return g.literal(t, depth)
	}
}

// convert returns a value of the basic type of t as a value of t.
func (t *typ) convert(x string) string {
	if t.name == t.base {
		return x
	}
	return t.name + "(" + x + ")"
}

// literal returns a literal.
func (g *gen) literal(t *typ, depth int) string {
	switch t.kind {
	case list, array:
		n := g.n(4)
		if t.kind == list && n == 0 {
			return t.name + g.pick("(nil)", "{}")
		}
		if t.kind == array {
			n = min(n, t.size)
		}
		var parts []string
		for range n {
			parts = append(parts, g.expr(t.elem, depth-1))
		}
		return t.name + "{" + strings.Join(parts, ", ") + "}"
	case table:
		x := g.literalKey(t.key)
		if g.chance(20) {
			return t.name + "{}"
		}
		return fmt.Sprintf("%s{%s: %s}", t.name, x, g.expr(t.elem, depth-1))
	case record:
		var parts []string
		keyed := g.chance(60)
		for _, f := range t.fields {
			x := g.expr(f.typ, depth-1)
			if keyed {
				if g.chance(30) {
					continue
				}
				x = f.name + ": " + x
			}
			parts = append(parts, x)
		}
		return t.name + "{" + strings.Join(parts, ", ") + "}"
	case contract:
		return t.name + "(" + g.expr(t.members[g.n(len(t.members))], depth-1) + ")"
	case failure:
		return g.failure(depth)
	default:
		return g.constant(t)
	}
}

func (g *gen) literalKey(t *typ) string {
	if v := g.known(t); v != "" && g.chance(30) {
		return v
	}
	return g.constant(t)
}

// failure returns an error.
func (g *gen) failure(depth int) string {
	if depth > 0 {
		switch g.n(4) {
		case 0:
			return fmt.Sprintf("fmt.Errorf(%q, %s)", g.pick("outer: %w", "%w!", "at 3: %w"), g.failure(depth-1))
		case 1:
			return fmt.Sprintf("errors.Join(%s, %s)", g.failure(depth-1), g.failure(depth-1))
		case 2:
			return fmt.Sprintf("error(&PointerErr{%q, %s})", g.pick("read", "write"), g.failure(depth-1))
		}
	}
	return g.pick("errFirst", "errSecond", "error(ValueErr{1})", "error(ValueErr{same(2)})", "error(CodeErr(7))")
}

// part1 returns a part of a variable: a field or an element.
func (g *gen) part1(t *typ, depth int) string { //nolint:gocognit // one case after the other
	var found []string
	for _, v := range g.scope {
		switch v.typ.kind {
		case record:
			for _, f := range v.typ.fields {
				if f.typ.name == t.name {
					found = append(found, v.name+"."+f.name)
				}
				if f.embedded {
					for _, inner := range f.typ.fields {
						if inner.typ.name == t.name && !g.ambiguous(v.typ, inner.name) {
							found = append(found, v.name+"."+inner.name)
						}
					}
				}
			}
		case array:
			if v.typ.elem.name == t.name {
				found = append(found, fmt.Sprintf("%s[uint(%s)%%%d]", v.name, g.varying(g.intType, depth-1), v.typ.size))
			}
		case list:
			if v.typ.elem.name == t.name {
				found = append(found, fmt.Sprintf("append(%s, %s)[0]", v.name, g.expr(t, depth-1)), fmt.Sprintf("slices.Concat(%s, %s{%s})[0]", v.name, v.typ.name, g.expr(t, depth-1)))
			}
		case table:
			if v.typ.elem.name == t.name && t.kind != contract && t.kind != failure {
				found = append(found, fmt.Sprintf("%s[%s]", v.name, g.literalKey(v.typ.key)))
			}
		default:
		}
	}
	if len(found) == 0 {
		return ""
	}
	return g.pick(found...)
}

// ambiguous reports whether a struct has a field of that name itself.
func (g *gen) ambiguous(t *typ, name string) bool {
	for _, f := range t.fields {
		if f.name == name {
			return true
		}
	}
	return false
}

// call returns a call of a declared function.
func (g *gen) call(t *typ, depth int) string {
	for _, f := range g.functions {
		if len(f.results) == 1 && f.results[0].name == t.name && g.chance(60) {
			return g.callOf(f, depth)
		}
	}
	return ""
}

func (g *gen) callOf(f function, depth int) string {
	var args []string
	for i, p := range f.params {
		if f.variadic && i == len(f.params)-1 {
			if v := g.known(g.listOf(p)); v != "" && g.chance(40) {
				args = append(args, v+"...")
				break
			}
			for range g.n(3) {
				args = append(args, g.noted(p, depth-1))
			}
			break
		}
		args = append(args, g.noted(p, depth-1))
	}
	return f.name + "(" + strings.Join(args, ", ") + ")"
}

// noted returns an expression whose evaluation may be printed.
func (g *gen) noted(t *typ, depth int) string {
	x := g.expr(t, depth)
	if g.chance(20) {
		return fmt.Sprintf("note(%d, %s)", g.n(100), x)
	}
	return x
}

// methodCall returns a call of a method with that result.
func (g *gen) methodCall(t *typ, depth int) string {
	var found []string
	for _, v := range g.scope {
		for _, m := range v.typ.methods {
			if m.result.name != t.name || m.pointer {
				continue
			}
			if v.typ.kind == contract {
				found = append(found, fmt.Sprintf("%s.%s(%s)", v.name, m.name, g.expr(t, depth-1)))
				continue
			}
			found = append(found, fmt.Sprintf("%s.%s()", v.name, m.name), fmt.Sprintf("(&%s).%s()", v.name, m.name), fmt.Sprintf("%s.%s(%s)", v.typ.name, m.name, v.name), fmt.Sprintf("same(%s.%s)()", v.name, m.name))
		}
	}
	if len(found) == 0 {
		return ""
	}
	return g.pick(found...)
}

// wrapped returns an expression by way of a function, a generic one, an interface or a pointer.
func (g *gen) wrapped(t *typ, depth int) string {
	x := g.expr(t, depth-1)
	y := g.expr(t, depth-1)
	switch g.n(10) {
	case 0:
		return fmt.Sprintf("func() %s { return %s }()", t.name, x)
	case 1:
		return fmt.Sprintf("any(%s).(%s)", g.typed(t, x), t.name)
	case 2:
		return fmt.Sprintf("pairOf[%s, int](%s, 1).Swap().Second", t.name, x)
	case 3:
		return fmt.Sprintf("*func(v %s) *%[1]s { return &v }(%s)", t.name, x)
	case 4:
		return fmt.Sprintf("Pair[string, %s]{%q, %s}.Second", t.name, "k", x)
	case 5:
		return fmt.Sprintf("map[bool]%s{true: %s, false: %s}[%s]", t.name, x, y, g.varying(g.boolType, 1))
	case 6:
		return fmt.Sprintf("each([]%s{%s, %s}, func(i int, v %[1]s) %[1]s { return v })[1]", t.name, x, y)
	case 7:
		return fmt.Sprintf("fold([]%s{%s}, %s, func(a, b %[1]s) %[1]s { return b })", t.name, x, y)
	case 8:
		return fmt.Sprintf("struct{ a, b %s }{%s, %s}.a", t.name, x, y)
	default:
		return fmt.Sprintf("note(%d, %s)", g.n(100), g.typed(t, x))
	}
}

// typed returns an expression whose type does not depend on its use.
func (g *gen) typed(t *typ, x string) string {
	if t.kind == contract || t.kind == failure {
		return t.name + "(" + x + ")"
	}
	return x
}

func (g *gen) list(t *typ, depth int) string {
	x := g.expr(t, depth-1)
	switch g.n(5) {
	case 0:
		return fmt.Sprintf("few(append(%s, %s))", g.varying(t, depth-1), g.noted(t.elem, depth-1))
	case 1:
		return fmt.Sprintf("slices.Clone(%s)", x)
	case 2:
		return fmt.Sprintf("few(slices.Concat(%s, %s))", g.varying(t, depth-1), x)
	case 3:
		return fmt.Sprintf("append(%s[:0:0], %s...)", g.varying(t, depth-1), x)
	}
	return g.literal(t, depth)
}
