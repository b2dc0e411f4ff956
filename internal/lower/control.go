package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// branch lowers break, continue, goto and fallthrough.
func (f *fn) branch(s *ast.BranchStmt) string {
	if s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH {
		if s.Label != nil {
			if f.depth > 0 {
				refuse(s.Pos(), "goto in a loop over a function cannot be interpreted; use break or continue")
			}
			return "goto " + s.Label.Name
		}
		return "fallthrough"
	}
	t := f.destination(s)
	if t == nil {
		refuse(s.Pos(), "this %s cannot be interpreted", s.Tok)
	}
	inner := f.depth - t.depth
	if t.function {
		inner--
	}
	switch {
	case inner == 0 && t.function && s.Tok == token.BREAK:
		return "return false"
	case inner == 0 && t.function:
		return "return true"
	case inner == 0 && s.Label == nil:
		return s.Tok.String()
	case inner == 0:
		t.wanted = true
		return s.Tok.String() + " " + t.label
	}
	// The loops over functions in between are left first.
	t.wanted = t.wanted || !t.function
	return fmt.Sprintf("{ %s = %d; return false }", f.code, f.leaving(t, s.Tok))
}

// destination returns the statement that break or continue leaves.
func (f *fn) destination(s *ast.BranchStmt) *target {
	for _, t := range slices.Backward(f.targets) {

		if s.Label != nil && t.label != s.Label.Name {
			continue
		}
		if s.Tok == token.CONTINUE && !t.loop {
			continue
		}
		return t
	}
	return nil
}

// leaving returns the number by which a loop over a function says that a statement around it is to be left.
func (f *fn) leaving(t *target, tok token.Token) int {
	for i, u := range f.targets {
		if u == t {
			n := 2*i + 1
			if tok == token.CONTINUE {
				n++
			}
			return n
		}
	}
	return 0
}

// returns lowers a return statement.
func (f *fn) returns(s *ast.ReturnStmt) string {
	values, one := f.returned(s)
	before := ""
	if f.named && len(values) > 1 {
		before = f.together(s, values)
	}
	if f.depth == 0 {
		if one != "" {
			return one
		}
		if before != "" {
			return "{ " + before + "return " + strings.Join(values, ", ") + " }"
		}
		return strings.TrimSpace("return " + strings.Join(values, ", "))
	}
	var sets string
	if len(f.values) > 0 && len(s.Results) > 0 {
		if one != "" {
			sets = strings.Join(f.values, ", ") + " = " + strings.TrimPrefix(one, "return ") + "; "
		} else {
			sets = before + strings.Join(f.values, ", ") + " = " + strings.Join(values, ", ") + "; "
		}
	}
	return fmt.Sprintf("{ %s%s = -1; return false }", sets, f.code)
}

// together replaces the values of a return statement by variables and returns the statements that set them. The interpreter sets
// a result that has a name before it evaluates the next one.
func (f *fn) together(s *ast.ReturnStmt, values []string) string {
	var b strings.Builder
	for i, x := range s.Results {
		if tv := f.info.Types[x]; tv.Value != nil || tv.IsNil() {
			continue
		}
		temp := f.fresh("v")
		fmt.Fprintf(&b, "var %s %s = %s; ", temp, f.typ(f.subst(f.results.At(i).Type()), x.Pos()), values[i])
		values[i] = temp
	}
	return b.String()
}

// returned returns the values of a return statement; one is the whole statement if a single call gives several values.
func (f *fn) returned(s *ast.ReturnStmt) (values []string, one string) {
	if len(s.Results) == 1 && f.results.Len() > 1 {
		from := f.tupleOf(s.Results[0], f.results.Len())
		plain := true
		var params, args []string
		for i, t := range from {
			to := f.subst(f.results.At(i).Type())
			name := fmt.Sprintf("aura_p%d", i)
			params = append(params, name+" "+f.typ(t, s.Pos()))
			args = append(args, f.change(name, t, to, s.Pos()))
			plain = plain && (types.Identical(t, to) || !isInterface(to))
		}
		if plain {
			return nil, "return " + f.expr(s.Results[0])
		}
		sig := types.NewSignatureType(nil, nil, nil, nil, f.replaceTuple(f.results, f.subst), false)
		return nil, fmt.Sprintf("return func(%s)%s { return %s }(%s)", strings.Join(params, ", "), f.plainResults(sig, s.Pos()), strings.Join(args, ", "), f.expr(s.Results[0]))
	}
	for i, x := range s.Results {
		values = append(values, f.conv(x, f.subst(f.results.At(i).Type())))
	}
	return values, ""
}

// switchStmt lowers a switch to one without a value.
func (f *fn) switchStmt(s *ast.SwitchStmt, label string) string {
	t := f.enter(label, false)
	defer f.leave()
	var b strings.Builder
	fmt.Fprintf(&b, "%s{\n", f.line(s.Pos()))
	if s.Init != nil {
		b.WriteString(f.simple(s.Init) + "\n")
	}
	tag := ""
	var tagType types.Type
	if s.Tag != nil {
		tagType = types.Default(f.typeOf(s.Tag))
		tag = f.fresh("s")
		fmt.Fprintf(&b, "var %s %s = %s\n", tag, f.typ(tagType, s.Pos()), f.conv(s.Tag, tagType))
	}
	var cases strings.Builder
	for i, c := range s.Body.List {
		clause := c.(*ast.CaseClause) //nolint:forcetypeassert // by the syntax
		if clause.List == nil && i < len(s.Body.List)-1 && (fallsThrough(clause) || i > 0 && fallsThrough(s.Body.List[i-1])) {
			refuse(clause.Pos(), "a default case with fallthrough that is not the last one cannot be interpreted; put it at the end")
		}
		cases.WriteString(f.line(clause.Pos()))
		if clause.List == nil {
			cases.WriteString("default:\n")
		} else {
			var conditions []string
			for _, x := range clause.List {
				conditions = append(conditions, f.caseCondition(x, tag, tagType))
			}
			cases.WriteString("case " + strings.Join(conditions, " || ") + ":\n")
		}
		cases.WriteString(f.caseBody(clause.Body))
	}
	fmt.Fprintf(&b, "%sswitch {\n%s}\n}\n", t.prefix(), cases.String())
	return b.String()
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
		b.WriteString(f.simple(s.Init) + "\n")
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

func (f *fn) selectStmt(s *ast.SelectStmt, label string) string {
	t := f.enter(label, false)
	defer f.leave()
	// The interpreter evaluates the channels late.
	var before strings.Builder
	keep := func(e ast.Expr) string {
		c := f.fresh("c")
		fmt.Fprintf(&before, "%s := %s\n", c, f.under(e))
		return c
	}
	var cases strings.Builder
	for _, c := range s.Body.List {
		clause := c.(*ast.CommClause) //nolint:forcetypeassert // by the syntax
		cases.WriteString(f.line(clause.Pos()))
		after := ""
		switch comm := clause.Comm.(type) {
		case nil:
			cases.WriteString("default:\n")
		case *ast.AssignStmt:
			text := ""
			text, after = f.received(comm, keep)
			cases.WriteString("case " + text + ":\n")
		case *ast.ExprStmt:
			cases.WriteString("case <-" + keep(ast.Unparen(comm.X).(*ast.UnaryExpr).X) + ":\n") //nolint:forcetypeassert // by the syntax
		case *ast.SendStmt:
			c := keep(comm.Chan)
			elem := f.typeOf(comm.Chan).Underlying().(*types.Chan).Elem() //nolint:forcetypeassert // by the type checker
			v := f.fresh("v")
			fmt.Fprintf(&before, "var %s %s = %s\n", v, f.typ(elem, comm.Pos()), f.conv(comm.Value, elem))
			cases.WriteString("case " + c + " <- " + v + ":\n")
		default:
			refuse(clause.Pos(), "this case cannot be interpreted")
		}
		cases.WriteString(after + f.caseBody(clause.Body))
	}
	return f.line(s.Pos()) + "{\n" + before.String() + t.prefix() + "select {\n" + cases.String() + "}\n}\n"
}

// received lowers the assignment of a received value in a select.
func (f *fn) received(a *ast.AssignStmt, keep func(ast.Expr) string) (text, after string) {
	u := ast.Unparen(a.Rhs[0]).(*ast.UnaryExpr) //nolint:forcetypeassert // by the syntax
	from := f.tupleOf(a.Rhs[0], len(a.Lhs))
	if a.Tok == token.DEFINE {
		// A variable of the case itself would be the same in each iteration of a loop.
		var temps, sets []string
		for _, l := range a.Lhs {
			name, temp := f.left(l), "_"
			if name != "_" {
				temp = f.fresh("v")
				sets = append(sets, fmt.Sprintf("%s := %s; _ = %[1]s", name, temp))
			}
			temps = append(temps, temp)
		}
		if len(sets) == 0 {
			return "<-" + keep(u.X), ""
		}
		return strings.Join(temps, ", ") + " := <-" + keep(u.X), strings.Join(sets, "; ") + "\n"
	}
	var temps, sets []string
	for i, l := range a.Lhs {
		left := f.left(l)
		if left == "_" {
			temps = append(temps, "_")
			continue
		}
		temp := f.fresh("v")
		temps = append(temps, temp)
		sets = append(sets, left+" = "+f.change(temp, from[i], f.leftType(l), a.Pos()))
	}
	if len(sets) == 0 {
		return "<-" + keep(u.X), ""
	}
	return strings.Join(temps, ", ") + " := <-" + keep(u.X), strings.Join(sets, "; ") + "\n"
}
