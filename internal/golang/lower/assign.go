package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// assign lowers an assignment.
func (f *fn) assign(s *ast.AssignStmt) string {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		return f.operate(s)
	}
	if len(s.Lhs) != len(s.Rhs) {
		return f.assignTuple(s)
	}
	if id, ok := s.Lhs[0].(*ast.Ident); ok && id.Name == "_" && len(s.Lhs) == 1 && f.wide {
		return f.discard(s.Rhs[0])
	}
	if f.places(s) {
		return f.assignPlaces(s)
	}
	if s.Tok == token.DEFINE && f.redefines(s) {
		return f.redefine(s)
	}
	var left, right []string
	for i, l := range s.Lhs {
		left = append(left, f.left(l))
		value := f.assigned(l, s.Rhs[i])
		if !f.inPlace(s, i, left[i], value) {
			value = alone(value)
		}
		right = append(right, value)
	}
	return strings.Join(left, ", ") + " " + s.Tok.String() + " " + strings.Join(right, ", ")
}

// set returns the assignment of a value to a place.
func set(place, value string) string { return place + " = " + alone(value) }

// alone returns the value of an assignment or of a return in parentheses, unless it only names a variable or a literal. Without them the interpreter
// computes calls, operators and composite literals in the memory of the destination, which they may read, or with its type.
func alone(value string) string {
	if strings.ContainsAny(value, "({ ") || strings.ContainsRune("-+!^*&<", rune(value[0])) {
		return "(" + value + ")"
	}
	return value
}

// isLiteralText reports whether a value is written as a composite literal. The interpreter would set the variable of the iteration before anew.
func isLiteralText(value string) bool {
	return strings.HasSuffix(value, "}") && !strings.HasPrefix(value, "&") && !strings.HasPrefix(value, "func(")
}

// inPlace reports whether a value may be computed in the memory of the variable that it is assigned to, which saves a copy.
func (f *fn) inPlace(s *ast.AssignStmt, i int, left, value string) bool {
	if s.Tok == token.DEFINE && len(s.Lhs) == 1 {
		return !isLiteralText(value)
	}
	if !token.IsIdentifier(left) || left == "_" || isInterface(f.leftType(s.Lhs[i])) {
		return false
	}
	x, binary := s.Rhs[i].(*ast.BinaryExpr)
	return binary && x.Op.Precedence() > token.EQL.Precedence() || strings.HasPrefix(value, "append(")
}

// redefines reports whether a definition assigns to variables of an outer statement, or evaluates a value only for its panic.
func (f *fn) redefines(s *ast.AssignStmt) bool {
	for i, l := range s.Lhs {
		if f.replaced(l) || f.ofSignature(l) || isBlank(l) && f.mayPanic(s.Rhs[i]) {
			return true
		}
	}
	return false
}

// redefine lowers a definition by way of variables that hold the values.
func (f *fn) redefine(s *ast.AssignStmt) string {
	var values, sets []string
	for i, l := range s.Lhs {
		if isBlank(l) {
			values = append(values, f.discard(s.Rhs[i]))
			continue
		}
		temp, typ := f.fresh("v"), f.typ(f.leftType(l), l.Pos())
		values = append(values, fmt.Sprintf("var %s %s = %s", temp, typ, f.assigned(l, s.Rhs[i])))
		if f.info.Defs[l.(*ast.Ident)] != nil { //nolint:forcetypeassert // by the syntax
			sets = append(sets, fmt.Sprintf("var %s %s = %s", f.left(l), typ, temp))
		} else {
			sets = append(sets, set(f.left(l), temp))
		}
	}
	return strings.Join(append(values, sets...), "; ")
}

// places reports whether the values of an assignment are computed in statements of their own, before anything is assigned: there are several, and at
// least one is assigned to something other than a variable, or as an interface, or can panic; or a call computes the value of a place that can panic.
func (f *fn) places(s *ast.AssignStmt) bool {
	if s.Tok != token.ASSIGN {
		return false
	}
	if len(s.Lhs) == 1 {
		return calls(s.Rhs[0]) && f.mayPanic(s.Lhs[0])
	}
	if slices.ContainsFunc(s.Rhs, func(x ast.Expr) bool { return f.mayPanic(x) || f.info.Types[x].IsNil() }) {
		return true
	}
	for _, l := range s.Lhs {
		id, ok := ast.Unparen(l).(*ast.Ident)
		if !ok || id.Name != "_" && (isInterface(f.leftType(id)) || f.opaque(f.leftType(id))) {
			return true
		}
	}
	return false
}

// assignPlaces lowers an assignment: first all operands and values are evaluated, then the values are assigned.
func (f *fn) assignPlaces(s *ast.AssignStmt) string {
	var before, places []string
	if len(s.Lhs) == 1 && !calls(s.Lhs[0]) {
		places = []string{f.left(s.Lhs[0])}
	} else {
		before, places = f.operands(s.Lhs)
	}
	var values, sets []string
	for i, l := range s.Lhs {
		if places[i] == "_" {
			values = append(values, f.discard(s.Rhs[i]))
			continue
		}
		t := f.typ(f.leftType(l), l.Pos())
		if f.hiddenPlace(l) {
			t = "any"
		}
		temp := f.fresh("v")
		values = append(values, fmt.Sprintf("var %s %s = %s", temp, t, f.assigned(l, s.Rhs[i])))
		sets = append(sets, places[i]+" = "+temp)
	}
	values = slices.DeleteFunc(values, func(text string) bool { return text == "" })
	return f.sequence(slices.Concat(before, values, sets))
}

// operands returns the places that are assigned to, and the statements that evaluate their operands.
func (f *fn) operands(list []ast.Expr) (before, places []string) {
	declareTemp := func(x string) string {
		temp := f.fresh("v")
		before = append(before, temp+" := "+x)
		return temp
	}
	for _, l := range list {
		switch l := ast.Unparen(l).(type) {
		case *ast.IndexExpr:
			x, index, declared := f.elementPlace(l, declareTemp)
			before = append(before, declared...)
			places = append(places, x+"["+index+"]")
		case *ast.StarExpr:
			places = append(places, "*"+declareTemp(f.under(l.X)))
		case *ast.SelectorExpr:
			if _, ok := f.typeOf(l.X).Underlying().(*types.Pointer); ok && f.info.Selections[l] != nil {
				x, _ := f.rawPath(declareTemp(f.expr(l.X)), f.typeOf(l.X), f.info.Selections[l].Index())
				places = append(places, x)
			} else {
				places = append(places, f.left(l))
			}
		default:
			places = append(places, f.left(l))
		}
	}
	return before, places
}

// arrayPlace returns an array of which an element is assigned to. The interpreter cannot take the address of an array in an array, so that the
// operands are kept instead.
func (f *fn) arrayPlace(e ast.Expr, keep func(string) string) string {
	l, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok {
		return f.under(e)
	}
	x := ""
	switch f.typeOf(l.X).Underlying().(type) {
	case *types.Array:
		x = f.arrayPlace(l.X, keep)
	case *types.Slice, *types.Pointer:
		x = keep(f.under(l.X))
	default:
		return f.under(e)
	}
	if f.info.Types[l.Index].Value != nil {
		return x + "[" + f.expr(l.Index) + "]"
	}
	return x + "[" + keep(f.expr(l.Index)) + "]"
}

// elementPlace returns the operands of an element that is assigned to. declared holds statements before.
func (f *fn) elementPlace(l *ast.IndexExpr, keep func(string) string) (x, index string, declared []string) {
	if _, ok := f.typeOf(l.X).Underlying().(*types.Array); ok {
		x = f.arrayPlace(l.X, keep)
	} else {
		x = keep(f.under(l.X))
	}
	m, ok := f.typeOf(l.X).Underlying().(*types.Map)
	switch {
	case ok && isInterface(m.Key()):
		index = f.fresh("v")
		return x, index, []string{fmt.Sprintf("var %s %s = %s", index, f.typ(m.Key(), l.Pos()), f.mapKey(l.Index, m))}
	case ok:
		return x, keep(f.mapKey(l.Index, m)), nil
	case f.info.Types[l.Index].Value != nil:
		return x, f.expr(l.Index), nil
	default:
		return x, keep(f.expr(l.Index)), nil
	}
}

// left lowers what is assigned to.
func (f *fn) left(l ast.Expr) string {
	if id, ok := ast.Unparen(l).(*ast.Ident); ok {
		if id.Name == "_" {
			return "_"
		}
		if obj := f.info.Defs[id]; obj != nil {
			return f.name(obj)
		}
		if f.replaced(id) {
			return "*(&" + f.expr(id) + ")"
		}
	}
	if obj := f.libraryVar(l); obj != nil {
		// The interpreter would replace its own entry of the symbol, not the variable of the library.
		return "*(&" + f.global(obj, l.Pos()) + ")"
	}
	// The interpreter does not assign through a pointer in parentheses.
	if star, ok := ast.Unparen(l).(*ast.StarExpr); ok {
		return "*" + f.under(star.X)
	}
	if id, ok := ast.Unparen(l).(*ast.Ident); ok && f.pointers[f.info.ObjectOf(id)] {
		return "*" + f.name(f.info.ObjectOf(id))
	}
	if sel, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && f.hiddenPlace(l) {
		x, _ := f.rawPath(f.expr(sel.X), f.typeOf(sel.X), f.info.Selections[sel].Index())
		return x
	}
	return f.expr(l)
}

// replaced reports whether the interpreter would not change a variable that is assigned to but replace it: closures and pointers
// would keep the old one.
func (f *fn) replaced(l ast.Expr) bool {
	id, ok := ast.Unparen(l).(*ast.Ident)
	if !ok || id.Name == "_" || f.info.Defs[id] != nil || f.pointers[f.info.ObjectOf(id)] {
		return false
	}
	switch f.leftType(id).Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// ofSignature reports whether a variable on the left of := is a parameter or result of a function that defers calls. The body of such a function
// becomes another function, in which := would declare a new variable.
func (f *fn) ofSignature(l ast.Expr) bool {
	id, ok := ast.Unparen(l).(*ast.Ident)
	if !ok || f.frame == "" || f.info.Defs[id] != nil {
		return false
	}
	v, ok := f.info.Uses[id].(*types.Var)
	return ok && v.Kind() != types.LocalVar
}

// assigned lowers the value for l.
func (f *fn) assigned(l, r ast.Expr) string {
	if id, ok := l.(*ast.Ident); ok && id.Name == "_" {
		if f.info.Types[r].IsNil() {
			return "nil"
		}
		return f.expr(r)
	}
	return f.store(l, f.conv(r, f.leftType(l)))
}

func (f *fn) leftType(l ast.Expr) types.Type {
	if id, ok := l.(*ast.Ident); ok {
		if obj := f.info.ObjectOf(id); obj != nil {
			return f.subst(obj.Type())
		}
	}
	return f.typeOf(l)
}

// tupleOf returns the types of the n values of an expression.
func (f *fn) tupleOf(e ast.Expr, n int) []types.Type {
	t := f.typeOf(e)
	if tuple, ok := t.(*types.Tuple); ok {
		var out []types.Type
		for v := range tuple.Variables() {
			out = append(out, v.Type())
		}
		if len(out) == n {
			return out
		}
	}
	return []types.Type{t, types.Typ[types.Bool]}
}

// multi lowers an expression with several values.
func (f *fn) multi(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.TypeAssertExpr:
		t := f.typeOf(e.Type)
		return f.tester(t, e.Pos()) + "(" + f.conv(e.X, anyType) + ")"
	case *ast.IndexExpr:
		m, ok := f.typeOf(e.X).Underlying().(*types.Map)
		if !ok {
			break
		}
		look := f.lookup(m, e.Pos())
		return look + "(" + f.under(e.X) + ", " + f.mapKey(e.Index, m) + ")"
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			return "<-" + f.under(e.X)
		}
	}
	return f.expr(e)
}

// lookup returns the name of a function that returns an element of a map and whether there is one.
func (f *fn) lookup(m *types.Map, at token.Pos) string {
	typ := f.typ(m, at)
	return f.helper(helperKey{does: "look up", of: typ}, func() string {
		key, elem := f.typ(m.Key(), at), f.typ(m.Elem(), at)
		return fmt.Sprintf("(m %s, k %s) (%s, bool) { v, ok := m[k]; if !ok { var zero %[3]s; return zero, false }; return v, true }", typ, key, elem)
	})
}

// severalTuple reports whether an assignment of the values of one expression becomes several statements.
func (f *fn) severalTuple(s *ast.AssignStmt, from []types.Type) bool {
	for i, l := range s.Lhs {
		id, ok := ast.Unparen(l).(*ast.Ident)
		if !ok {
			// The interpreter does not assign to elements of maps here.
			return true
		}
		if id.Name == "_" {
			continue
		}
		if t := f.leftType(l); isInterface(t) && !types.Identical(t, from[i]) || f.replaced(l) || s.Tok == token.DEFINE && f.ofSignature(l) {
			return true
		}
	}
	return false
}

// assignTuple lowers an assignment of the values of one expression.
func (f *fn) assignTuple(s *ast.AssignStmt) string {
	from := f.tupleOf(s.Rhs[0], len(s.Lhs))
	if len(from) != len(s.Lhs) {
		refuse(s.Pos(), "this assignment cannot be interpreted")
	}
	before, left := f.operands(s.Lhs)
	if !f.severalTuple(s, from) {
		return strings.Join(left, ", ") + " " + s.Tok.String() + " " + f.multi(s.Rhs[0])
	}
	var temps, sets []string
	for i, l := range s.Lhs {
		if left[i] == "_" {
			temps = append(temps, "_")
			continue
		}
		temp := f.fresh("v")
		temps = append(temps, temp)
		sets = append(sets, set(left[i], f.store(l, f.change(temp, from[i], f.leftType(l), s.Pos()))))
	}
	if s.Tok == token.DEFINE {
		for i, l := range s.Lhs {
			if id, ok := l.(*ast.Ident); ok && f.info.Defs[id] != nil && id.Name != "_" {
				before = append(before, "var "+left[i]+" "+f.typ(f.leftType(l), l.Pos()))
			}
		}
	}
	return strings.Join(slices.Concat(before, []string{strings.Join(temps, ", ") + " := " + f.multi(s.Rhs[0])}, sets), "; ")
}
