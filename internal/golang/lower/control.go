package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// branch lowers break, continue, goto and fallthrough.
func (f *fn) branch(s *ast.BranchStmt) string {
	if s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH {
		if s.Label == nil {
			return "fallthrough"
		}
		return f.jump(s.Label)
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

// jump lowers goto. The loops over functions between it and the label are left first.
func (f *fn) jump(label *ast.Ident) string {
	name, at := labelName(label), f.info.Uses[label].Pos()
	depth := 0
	for _, t := range f.targets {
		if t.function && t.body.Pos() <= at && at < t.body.End() {
			depth++
		}
	}
	if depth == f.depth {
		return "goto " + name
	}
	i := slices.Index(f.jumps, jump{name, depth})
	if i < 0 {
		i = len(f.jumps)
		f.jumps = append(f.jumps, jump{name, depth})
	}
	return fmt.Sprintf("{ %s = %d; return false }", f.code, -2-i)
}

// jump is a label outside of the loop over a function in which a goto is, and the depth of the code around the label.
type jump struct {
	label string
	depth int
}

// destination returns the statement that break or continue leaves.
func (f *fn) destination(s *ast.BranchStmt) *target {
	for _, t := range slices.Backward(f.targets) {

		if s.Label != nil && t.label != "aura_o_"+s.Label.Name {
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
	switch {
	case len(values) < 2:
	case f.frame != "" || f.depth > 0 || f.kept:
		before = f.together(s, values)
	}
	if f.depth == 0 && f.frame == "" && (!f.kept || len(s.Results) == 0) {
		if one != "" {
			return one
		}
		if f.named && len(s.Results) == 0 {
			values = f.resultNames()
		}
		f.apart(s, values)
		if before != "" {
			return "{ " + before + "return " + strings.Join(values, ", ") + " }"
		}
		return strings.TrimSpace("return " + strings.Join(values, ", "))
	}
	to := f.values
	if f.depth == 0 {
		to = f.resultNames()
	}
	sets := before
	if one != "" {
		values = nil
		for range to {
			values = append(values, f.fresh("v"))
		}
		sets = strings.Join(values, ", ") + " := " + strings.TrimPrefix(one, "return ") + "; "
	}
	for i, x := range values {
		place := to[i]
		if x == place {
			continue
		}
		switch f.subst(f.results.At(i).Type()).Underlying().(type) {
		case *types.Struct, *types.Array:
			place = "*(&" + place + ")" // see replaced
		}
		sets += set(place, x) + "; "
	}
	switch {
	case f.depth == 0 && f.frame == "":
		return "{ " + sets + "return " + strings.Join(to, ", ") + " }"
	case f.depth == 0:
		return "{ " + sets + "return }"
	}
	return fmt.Sprintf("{ %s%s = -1; return false }", sets, f.code)
}

// apart puts values of a return statement into parentheses. The interpreter writes what a call returns directly to the results of the function, and for
// built-in functions and for those in fields of structs to the wrong one; and it gives what an operator computes the type of the result. In parentheses
// a value has a place of its own.
func (f *fn) apart(s *ast.ReturnStmt, values []string) {
	for i, x := range s.Results {
		_, call := ast.Unparen(x).(*ast.CallExpr)
		if call && len(values) > 1 && f.info.Types[x].Value == nil || strings.ContainsRune("-+!^", rune(values[i][0])) {
			values[i] = "(" + values[i] + ")"
		}
	}
}

// together replaces the values of a return statement by variables and returns the statements that set them.
func (f *fn) together(s *ast.ReturnStmt, values []string) string {
	sets := make([]string, len(values))
	for i, x := range s.Results {
		if tv := f.info.Types[x]; tv.Value != nil || tv.IsNil() {
			continue
		}
		temp := f.fresh("v")
		sets[i] = fmt.Sprintf("var %s %s = %s; ", temp, f.typ(f.subst(f.results.At(i).Type()), x.Pos()), values[i])
		values[i] = temp
	}
	return strings.Join(sets, "")
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
		if obj, ok := f.static(ast.Unparen(x)); ok && !f.isMethodExpr(ast.Unparen(x)) && !isInterface(f.results.At(i).Type()) && f.ownMethod(obj) {
			// The interpreter returns a declared function as something that it cannot store.
			call := f.expr(x)
			values = append(values, f.closure(f.typeOf(x).Underlying().(*types.Signature), x.Pos(), func(args []string) string { //nolint:forcetypeassert // it is a function
				return call + "(" + strings.Join(args, ", ") + ")"
			}))
			continue
		}
		values = append(values, f.conv(x, f.subst(f.results.At(i).Type())))
	}
	return values, ""
}

// selectStmt lowers a select to a switch over what compiled code selected. The channels and what is sent are evaluated before.
func (f *fn) selectStmt(s *ast.SelectStmt, label string) string {
	t := f.enter(label, false)
	defer f.leave()
	var before, cases strings.Builder
	declareTemp := func(x, typ string) string {
		c := f.fresh("c")
		fmt.Fprintf(&before, "var %s %s = %s\n", c, typ, x)
		return c
	}
	channel := func(e ast.Expr) string { return declareTemp(f.under(e), f.typ(f.typeOf(e).Underlying(), e.Pos())) }
	n, v, ok := f.fresh("n"), f.fresh("v"), f.fresh("v")
	wait := true
	var list []string
	for _, c := range s.Body.List {
		clause := c.(*ast.CommClause) //nolint:forcetypeassert // by the syntax
		cases.WriteString(f.line(clause.Pos()))
		number := strconv.Itoa(len(list) / 2)
		after := ""
		switch comm := clause.Comm.(type) {
		case nil:
			wait, number = false, "-1"
		case *ast.AssignStmt:
			u := ast.Unparen(comm.Rhs[0]).(*ast.UnaryExpr) //nolint:forcetypeassert // by the syntax
			list = append(list, channel(u.X), "nil")
			after = f.received(comm, f.typeOf(u.X).Underlying().(*types.Chan).Elem(), v, ok) //nolint:forcetypeassert // by the type checker
		case *ast.ExprStmt:
			list = append(list, channel(ast.Unparen(comm.X).(*ast.UnaryExpr).X), "nil") //nolint:forcetypeassert // by the syntax
		case *ast.SendStmt:
			elem := f.typeOf(comm.Chan).Underlying().(*types.Chan).Elem() //nolint:forcetypeassert // by the type checker
			c := channel(comm.Chan)
			x := declareTemp(f.conv(comm.Value, elem), f.typ(elem, comm.Pos()))
			list = append(list, c, "[]any{0: "+boxAlias+".Any("+x+")}")
		default:
			refuse(clause.Pos(), "this case cannot be interpreted")
		}
		fmt.Fprintf(&cases, "case %s == %s:\n%s%s", n, number, after, f.caseBody(clause.Body))
	}
	return fmt.Sprintf("%s{\n%s%s, %s, %s := %s.Select(%s)\n_, _, _ = %[3]s, %[4]s, %[5]s\n%[8]sswitch {\n%[9]s}\n}\n", f.line(s.Pos()), before.String(), n, v, ok, boxAlias,
		strings.Join(append([]string{strconv.FormatBool(wait)}, list...), ", "), t.prefix(), cases.String())
}

// received lowers the assignment of a received value in a select.
func (f *fn) received(a *ast.AssignStmt, elem types.Type, v, ok string) string {
	var b strings.Builder
	for i, l := range a.Lhs {
		left := f.left(l)
		if left == "_" {
			continue
		}
		text, from := f.unpacked(v, elem, a.Pos()), elem
		if i == 1 {
			text, from = ok, types.Typ[types.Bool]
		}
		if a.Tok == token.DEFINE {
			fmt.Fprintf(&b, "var %s %s = %s\n_ = %[1]s\n", left, f.typ(from, a.Pos()), text)
		} else {
			b.WriteString(set(left, f.store(l, f.change(text, from, f.leftType(l), a.Pos()))) + "\n")
		}
	}
	return b.String()
}

// unpacked returns the value of a type that compiled code returned as any.
func (f *fn) unpacked(x string, t types.Type, at token.Pos) string {
	name := f.typ(t, at)
	switch {
	case name == "any":
		return x
	case isInterface(t):
		return f.toCompiled(t, at) + "(" + x + ")"
	}
	if empty(t) {
		return f.helper(helperKey{does: "zero", of: name}, func() string { return fmt.Sprintf("(x any) %s { var v %[1]s; return v }", name) }) + "(" + x + ")"
	}
	return f.opened(x, name)
}
