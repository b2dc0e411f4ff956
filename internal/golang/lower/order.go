package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Go evaluates the operands of a statement in two steps. First it evaluates, from left to right, those that have a place of their own in the order: calls,
// receives, conditions with && and ||, parts of slices, built-in functions. Then it reads the others, such as variables, fields and elements, and
// applies the operators. The interpreter reads each operand where it stands. Where a function that is called could show the difference, the
// operands of the first step become variables.

// early reports whether an operand has a place in the order in which Go evaluates the operands of a statement.
func (f *fn) early(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		tv := f.info.Types[e.Fun]
		if !tv.IsType() {
			return true
		}
		_, list := f.typeOf(e).Underlying().(*types.Slice)
		return list && isString(f.typeOf(e.Args[0]))
	case *ast.UnaryExpr:
		return e.Op == token.ARROW
	case *ast.BinaryExpr:
		return e.Op == token.LAND || e.Op == token.LOR
	case *ast.CompositeLit:
		_, isMap := f.typeOf(e).Underlying().(*types.Map)
		return isMap
	case *ast.SliceExpr, *ast.TypeAssertExpr:
		return true
	}
	return false
}

// fixed reports whether an expression is the same whenever it is evaluated.
func (f *fn) fixed(e ast.Expr) bool {
	tv := f.info.Types[e]
	return tv.Value != nil || tv.IsType() || tv.IsNil()
}

// showsOrder reports whether the first step of the evaluation of several operands could change what the second one reads: a call that may change
// something comes after an operand that may be changed.
func (f *fn) showsOrder(list []operand) bool {
	read, shows := false, false
	var within []ast.Expr
	var visit func(o operand)
	visit = func(o operand) {
		switch e := *o.x; {
		case shows || f.fixed(e):
		case f.early(e) || f.copied(o):
			shows = read && f.changes(e)
		case f.ofPlace(e) != nil:
			f.visitPlace(f.ofPlace(e), visit)
		default:
			within = append(within, e)
			for _, o := range f.slots(e) {
				visit(o)
			}
			read = read || f.changeable(e)
		}
	}
	for _, o := range list {
		visit(o)
	}
	if shows {
		return true
	}
	if f.ordered == nil && len(within) > 0 {
		f.ordered = map[ast.Expr]bool{}
	}
	for _, e := range within {
		f.ordered[e] = true
	}
	return false
}

// ofPlace returns the variable of which an operand is the address: of &x, and of x.m for a method m of pointers.
func (f *fn) ofPlace(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if _, lit := ast.Unparen(e.X).(*ast.CompositeLit); e.Op == token.AND && !lit {
			return ast.Unparen(e.X)
		}
	case *ast.SelectorExpr:
		s := f.info.Selections[e]
		if s == nil || s.Kind() != types.MethodVal || isPointer(f.typeOf(e.X)) {
			return nil
		}
		if _, pointer := receiver(s.Obj().(*types.Func)); pointer { //nolint:forcetypeassert // by its kind
			return ast.Unparen(e.X)
		}
	}
	return nil
}

// visitPlace visits what is read for the address of a variable or of a part of one.
func (f *fn) visitPlace(e ast.Expr, visit func(operand)) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
	case *ast.StarExpr:
		visit(operand{&e.X, nil})
	case *ast.SelectorExpr:
		switch {
		case f.info.Selections[e] == nil:
		case isPointer(f.typeOf(e.X)):
			visit(operand{&e.X, nil})
		default:
			f.visitPlace(e.X, visit)
		}
	case *ast.IndexExpr:
		if _, array := f.typeOf(e.X).Underlying().(*types.Array); array {
			f.visitPlace(e.X, visit)
		} else {
			visit(operand{&e.X, nil})
		}
		visit(operand{&e.Index, nil})
	default:
		visit(operand{&e, nil})
	}
}

// changeable reports whether the value of an operand, other than of its own operands, can be changed by a call, or whether reading it can panic.
func (f *fn) changeable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := f.info.Uses[e].(*types.Var)
		return ok && v.Pkg() != nil && (v.Parent() == v.Pkg().Scope() || f.isShared(v))
	case *ast.StarExpr:
		return true
	case *ast.IndexExpr:
		_, array := f.typeOf(e.X).Underlying().(*types.Array)
		return !array || f.info.Types[e.Index].Value == nil
	case *ast.SelectorExpr:
		s := f.info.Selections[e]
		switch {
		case s == nil:
			v, _ := f.info.Uses[e.Sel].(*types.Var)
			return v != nil
		case s.Kind() == types.FieldVal:
			return s.Indirect() || isPointer(f.typeOf(e.X))
		case s.Kind() == types.MethodVal:
			_, pointer := receiver(s.Obj().(*types.Func)) //nolint:forcetypeassert // by its kind
			return !pointer && isPointer(f.typeOf(e.X))
		}
	case *ast.BinaryExpr:
		return (e.Op == token.QUO || e.Op == token.REM) && f.info.Types[e.Y].Value == nil
	}
	return false
}

// orderly replaces what has a place in the order by variables, in the operands of e. declare returns the variable for a value. e itself is copied
// if something is replaced.
func (f *fn) orderly(e ast.Expr, declare func(ast.Expr) ast.Expr) ast.Expr {
	c := e
	for i, o := range f.slots(e) {
		if y := f.lateOperand(o, declare); y != *o.x {
			if c == e {
				c = f.duplicate(e)
			}
			*f.slots(c)[i].x = y
		}
	}
	return c
}

// lateOperand is orderly for an operand, which is replaced itself if it has a place in the order.
func (f *fn) lateOperand(o operand, declare func(ast.Expr) ast.Expr) ast.Expr {
	switch e := *o.x; {
	case f.fixed(e):
		return e
	case f.early(e) || f.copied(o):
		if _, several := f.info.TypeOf(e).(*types.Tuple); several {
			return e
		}
		return declare(e)
	default:
		return f.orderly(e, declare)
	}
}

// inOrder lowers an expression whose operands would show that the interpreter reads them too early: what has a place in the order becomes an argument of
// a function that computes the rest.
func (f *fn) inOrder(e ast.Expr) (string, bool) {
	if b, ok := e.(*ast.BinaryExpr); ok && f.early(b) || f.ordered[e] || !f.showsOrder(f.slots(e)) {
		return "", false
	}
	var params, values []string
	e = f.orderly(e, func(x ast.Expr) ast.Expr {
		t := types.Default(f.typeOf(x))
		name := f.variable(f.fresh("v"), t, x.Pos())
		params, values = append(params, name.Name+" "+f.typ(t, x.Pos())), append(values, f.expr(x))
		return name
	})
	results := ""
	switch t := f.info.TypeOf(e).(type) {
	case *types.Tuple:
		list := make([]string, t.Len())
		for i := range list {
			list[i] = f.typ(f.subst(t.At(i).Type()), e.Pos())
		}
		results = strings.Join(list, ", ")
	default:
		results = f.typ(types.Default(f.typeOf(e)), e.Pos())
	}
	ret := "return "
	if results == "" {
		ret = ""
	}
	return fmt.Sprintf("func(%s) (%s) {%s}(%s)", strings.Join(params, ", "), results, hiddenCall(" "+ret+f.expr(e)+" "), strings.Join(values, ", ")), true
}

// before is inOrder for the operands of a statement. It returns statements that declare variables, and the operands with these.
func (f *fn) before(list ...ast.Expr) (statements []string, late []ast.Expr) {
	if len(list) == 1 && f.early(list[0]) {
		// It is evaluated as a whole when its operands are known.
		statements, only := f.beforeOperands(list[0])
		return statements, []ast.Expr{only}
	}
	if !f.showsOrder(operands(pointersTo(list)...)) {
		return nil, list
	}
	for i := range list {
		late = append(late, f.lateOperand(operand{&list[i], nil}, func(x ast.Expr) ast.Expr {
			more, only := f.beforeOperands(x)
			name := f.variable(f.fresh("v"), types.Default(f.typeOf(x)), x.Pos())
			statements = append(append(statements, more...), name.Name+" := "+f.expr(only))
			return name
		}))
	}
	return statements, late
}

// beforeOperands is before for the operands of an expression.
func (f *fn) beforeOperands(e ast.Expr) (statements []string, late ast.Expr) {
	if !f.showsOrder(f.slots(e)) {
		return nil, e
	}
	return statements, f.orderly(e, func(x ast.Expr) ast.Expr {
		more, only := f.beforeOperands(x)
		name := f.variable(f.fresh("v"), types.Default(f.typeOf(x)), x.Pos())
		statements = append(append(statements, more...), name.Name+" := "+f.expr(only))
		return name
	})
}

// inOrderStatement is before for a simple statement.
func (f *fn) inOrderStatement(s ast.Stmt) (before []string, late ast.Stmt) {
	var list []ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		before, list = f.before(s.X)
		return before, &ast.ExprStmt{X: list[0]}
	case *ast.SendStmt:
		before, list = f.before(s.Chan, s.Value)
		return before, &ast.SendStmt{Chan: list[0], Arrow: s.Arrow, Value: list[1]}
	case *ast.IncDecStmt:
		before, list = f.before(s.X)
		return before, &ast.IncDecStmt{X: list[0], TokPos: s.TokPos, Tok: s.Tok}
	case *ast.AssignStmt:
		places := slices.DeleteFunc(slices.Clone(s.Lhs), func(l ast.Expr) bool {
			_, name := ast.Unparen(l).(*ast.Ident)
			return name
		})
		if len(s.Lhs) == 1 && !calls(s.Lhs[0]) {
			places = nil
		}
		before, list = f.before(append(places, s.Rhs...)...)
		if len(before) == 0 {
			return nil, s
		}
		left := slices.Clone(s.Lhs)
		for i, l := range left {
			if _, name := ast.Unparen(l).(*ast.Ident); !name && len(places) > 0 {
				left[i], list = list[0], list[1:]
			}
		}
		return before, &ast.AssignStmt{Lhs: left, TokPos: s.TokPos, Tok: s.Tok, Rhs: list}
	}
	return nil, s
}

// inBlock returns a statement after others.
func inBlock(before []string, text string) string {
	if len(before) == 0 {
		return text
	}
	return "{ " + strings.Join(append(before, text), "; ") + " }"
}
