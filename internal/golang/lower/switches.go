package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// switchStmt lowers a switch to one without a value.
func (f *fn) switchStmt(s *ast.SwitchStmt, label string) string {
	t := f.enter(label, false)
	defer f.leave()
	var b strings.Builder
	fmt.Fprintf(&b, "%s{\n", f.line(s.Pos()))
	if s.Init != nil {
		init, _ := f.first(s.Init)
		b.WriteString(init + "\n")
	}
	tag := ""
	var tagType types.Type
	if s.Tag != nil {
		tagType = types.Default(f.typeOf(s.Tag))
		tag = f.fresh("s")
		fmt.Fprintf(&b, "var %s %s = %s\n", tag, f.typ(tagType, s.Pos()), f.conv(s.Tag, tagType))
	}
	// The interpreter falls through to and from a default case at the end only. For another one, the case is chosen first.
	chosen := ""
	if middleDefault(s) {
		chosen = f.fresh("n")
	}
	var cases, choice strings.Builder
	for i, c := range s.Body.List {
		clause := c.(*ast.CaseClause) //nolint:forcetypeassert // by the syntax
		head := "default:\n"
		if clause.List != nil {
			var conditions []string
			for _, x := range clause.List {
				conditions = append(conditions, f.caseCondition(x, tag, tagType))
			}
			head = "case " + strings.Join(conditions, " || ") + ":\n"
		}
		cases.WriteString(f.line(clause.Pos()))
		if chosen == "" {
			cases.WriteString(head)
		} else {
			fmt.Fprintf(&choice, "%s%s%s = %d\n", f.line(clause.Pos()), head, chosen, i)
			fmt.Fprintf(&cases, "case %s == %d:\n", chosen, i)
		}
		cases.WriteString(f.caseBody(clause.Body))
	}
	if chosen != "" {
		fmt.Fprintf(&b, "%s := 0\nswitch {\n%s}\n", chosen, choice.String())
	}
	fmt.Fprintf(&b, "%sswitch {\n%s}\n}\n", t.prefix(), cases.String())
	return b.String()
}

// middleDefault reports whether a default case that is not the last one falls through, or the one before it.
func middleDefault(s *ast.SwitchStmt) bool {
	for i, c := range s.Body.List {
		if clause, ok := c.(*ast.CaseClause); ok && clause.List == nil && i < len(s.Body.List)-1 {
			return fallsThrough(clause) || i > 0 && fallsThrough(s.Body.List[i-1])
		}
	}
	return false
}

// fallsThrough reports whether a case ends with fallthrough.
func fallsThrough(s ast.Stmt) bool {
	c, ok := s.(*ast.CaseClause)
	if !ok || len(c.Body) == 0 {
		return false
	}
	b, ok := c.Body[len(c.Body)-1].(*ast.BranchStmt)
	return ok && b.Tok == token.FALLTHROUGH
}

// caseBody lowers the statements of a case. The interpreter finds labels in a block of their own only.
func (f *fn) caseBody(list []ast.Stmt) string {
	last := ""
	if n := len(list); n > 0 {
		if b, ok := list[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			list, last = list[:n-1], f.line(b.Pos())+"fallthrough\n"
		}
	}
	body := f.block(list)
	if strings.Contains(body, ":\n") {
		body = "{\n" + body + "}\n"
	}
	return body + last
}

func (f *fn) caseCondition(x ast.Expr, tag string, t types.Type) string {
	if tag == "" {
		if isInterface(f.typeOf(x)) {
			return fmt.Sprintf("%s.Equal(%s, true)", boxAlias, f.conv(x, anyType))
		}
		return "(" + f.expr(x) + ")"
	}
	if f.info.Types[x].IsNil() {
		return tag + " == nil"
	}
	tx := f.typeOf(x)
	if isUntyped(tx) {
		tx = t
	}
	give := func(to types.Type) string { return f.change(tag, t, to, x.Pos()) }
	value := func(to types.Type) string { return f.conv(x, to) }
	return "(" + f.equalTexts(t, tx, give, value, func() string { return tag + " == " + f.compared(x, t) }, "") + ")"
}

// compared lowers a value beside an operator. The interpreter gets a literal in parentheses wrong there.
func (f *fn) compared(x ast.Expr, t types.Type) string {
	x = ast.Unparen(x)
	text := f.conv(x, t)
	if tv := f.info.Types[x]; tv.Value != nil {
		if rest, ok := strings.CutPrefix(text, "("); ok {
			return strings.TrimSuffix(rest, ")")
		}
		return text
	}
	switch x.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
		return "(" + text + ")"
	}
	return text
}

// typeSwitch lowers a type switch to a switch over conditions.
func (f *fn) typeSwitch(s *ast.TypeSwitchStmt, label string) string {
	t := f.enter(label, false)
	defer f.leave()
	var b strings.Builder
	fmt.Fprintf(&b, "%s{\n", f.line(s.Pos()))
	if s.Init != nil {
		init, _ := f.first(s.Init)
		b.WriteString(init + "\n")
	}
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		x = a.Rhs[0]
	case *ast.ExprStmt:
		x = a.X
	}
	subject := ast.Unparen(x).(*ast.TypeAssertExpr).X //nolint:forcetypeassert // by the syntax
	st := f.typeOf(subject)
	tag, whole := f.fresh("s"), f.fresh("s")
	fmt.Fprintf(&b, "var %s %s = %s\nvar %s any = %s\n", whole, f.typ(st, s.Pos()), f.expr(subject), tag, f.change(whole, st, anyType, s.Pos()))
	var cases strings.Builder
	for _, c := range s.Body.List {
		clause := c.(*ast.CaseClause) //nolint:forcetypeassert // by the syntax
		cases.WriteString(f.line(clause.Pos()))
		var conditions []string
		var only types.Type
		for _, x := range clause.List {
			if f.info.Types[x].IsNil() {
				conditions = append(conditions, tag+" == nil")
				continue
			}
			only = f.subst(f.info.TypeOf(x))
			conditions = append(conditions, fmt.Sprintf("%s.Is(%s, %d)", boxAlias, tag, f.id(only, x.Pos())))
		}
		if clause.List == nil {
			cases.WriteString("default:\n")
		} else {
			cases.WriteString("case " + strings.Join(conditions, " || ") + ":\n")
		}
		if v := f.info.Implicits[clause]; v != nil {
			value := whole
			if len(clause.List) == 1 && only != nil {
				value = f.getter(only, st, clause.Pos()) + "(" + tag + ")"
			}
			name := f.name(v)
			fmt.Fprintf(&cases, "var %s %s = %s\n_ = %[1]s\n", name, f.typ(f.subst(v.Type()), clause.Pos()), value)
		}
		cases.WriteString(f.caseBody(clause.Body))
	}
	fmt.Fprintf(&b, "%sswitch {\n%s}\n}\n", t.prefix(), cases.String())
	return b.String()
}
