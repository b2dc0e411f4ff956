package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// target is a statement that break or continue can leave.
type target struct {
	label string
	// loop reports whether continue refers to it. function reports whether it is a loop over a function.
	loop, function bool
	// depth is the depth of the code around the statement.
	depth int
	// wanted reports whether the label is needed. made reports whether the label is not from the source.
	wanted bool
	made   bool
}

func (f *fn) block(list []ast.Stmt) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(f.stmt(s, ""))
	}
	return b.String()
}

// stmt lowers a statement to lines. label is the label of the statement.
func (f *fn) stmt(s ast.Stmt, label string) string {
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return ""
	case *ast.LabeledStmt:
		return f.labeled(s)
	case *ast.BlockStmt:
		return f.line(s.Pos()) + "{\n" + f.block(s.List) + "}\n"
	case *ast.IfStmt:
		return f.ifStmt(s)
	case *ast.ForStmt:
		f.loops = append(f.loops, s)
		defer func() { f.loops = f.loops[:len(f.loops)-1] }()
		return f.forStmt(s, label)
	case *ast.RangeStmt:
		f.loops = append(f.loops, s)
		defer func() { f.loops = f.loops[:len(f.loops)-1] }()
		return f.rangeStmt(s, label)
	case *ast.SwitchStmt:
		return f.switchStmt(s, label)
	case *ast.TypeSwitchStmt:
		return f.typeSwitch(s, label)
	case *ast.SelectStmt:
		return f.selectStmt(s, label)
	case *ast.BranchStmt:
		return f.line(s.Pos()) + f.branch(s) + "\n"
	case *ast.ReturnStmt:
		return f.line(s.Pos()) + f.returns(s) + "\n"
	case *ast.DeferStmt:
		return f.line(s.Pos()) + f.defers(s) + "\n"
	case *ast.GoStmt:
		return f.line(s.Pos()) + f.goes(s) + "\n"
	case *ast.DeclStmt:
		return f.decl(s)
	default:
		f.wide = true
		text := f.simple(s)
		f.wide = false
		return f.line(s.Pos()) + text + "\n"
	}
}

// simple lowers a simple statement. The text may consist of several statements.
func (f *fn) simple(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return f.expr(s.X)
	case *ast.SendStmt:
		c := f.typeOf(s.Chan).Underlying().(*types.Chan) //nolint:forcetypeassert // by the type checker
		return f.under(s.Chan) + " <- " + f.conv(s.Value, c.Elem())
	case *ast.IncDecStmt:
		return f.expr(s.X) + s.Tok.String()
	case *ast.AssignStmt:
		return f.assign(s)
	}
	refuse(s.Pos(), "this statement cannot be interpreted")
	return ""
}

// assign lowers an assignment.
func (f *fn) assign(s *ast.AssignStmt) string {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		return f.expr(s.Lhs[0]) + " " + s.Tok.String() + " " + f.operand(s.Rhs[0])
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
	var left, right []string
	for i, l := range s.Lhs {
		left = append(left, f.left(l))
		right = append(right, f.assigned(l, s.Rhs[i]))
	}
	return strings.Join(left, ", ") + " " + s.Tok.String() + " " + strings.Join(right, ", ")
}

// places reports whether several values are assigned, at least one of them to something other than a variable, or as an
// interface.
func (f *fn) places(s *ast.AssignStmt) bool {
	if len(s.Lhs) < 2 || s.Tok != token.ASSIGN {
		return false
	}
	for _, l := range s.Lhs {
		id, ok := ast.Unparen(l).(*ast.Ident)
		if !ok || id.Name != "_" && isInterface(f.leftType(id)) {
			return true
		}
	}
	return false
}

// assignPlaces lowers an assignment of several values: first all operands are evaluated, then the values are assigned.
func (f *fn) assignPlaces(s *ast.AssignStmt) string {
	var before, places, values, sets []string
	keep := func(x string) string {
		temp := f.fresh("v")
		before = append(before, temp+" := "+x)
		return temp
	}
	for _, l := range s.Lhs {
		switch l := ast.Unparen(l).(type) {
		case *ast.IndexExpr:
			x := f.under(l.X)
			if _, ok := f.typeOf(l.X).Underlying().(*types.Array); ok {
				x = "&" + x
			}
			index := ""
			if m, ok := f.typeOf(l.X).Underlying().(*types.Map); ok {
				if isInterface(m.Key()) {
					index = f.fresh("v")
					before = append(before, fmt.Sprintf("var %s %s = %s", index, f.typ(m.Key(), l.Pos()), f.conv(l.Index, m.Key())))
				} else {
					index = keep(f.conv(l.Index, m.Key()))
				}
			} else if f.info.Types[l.Index].Value != nil {
				index = f.expr(l.Index)
			} else {
				index = keep(f.expr(l.Index))
			}
			if x[0] != '&' {
				x = keep(x)
			} else {
				// The interpreter cannot take the address of an array in an array. Its operands are rarely changed by the statement.
				x = x[1:]
			}
			places = append(places, x+"["+index+"]")
		case *ast.StarExpr:
			places = append(places, "*"+keep(f.under(l.X)))
		case *ast.SelectorExpr:
			if _, ok := f.typeOf(l.X).Underlying().(*types.Pointer); ok && f.info.Selections[l] != nil {
				x, _ := f.rawPath(keep(f.expr(l.X)), f.typeOf(l.X), f.info.Selections[l].Index())
				places = append(places, x)
			} else {
				places = append(places, f.left(l))
			}
		default:
			places = append(places, f.left(l))
		}
	}
	for i, l := range s.Lhs {
		t := types.Type(nil)
		if places[i] == "_" {
			values = append(values, "_ = "+f.assigned(l, s.Rhs[i]))
			continue
		}
		t = f.leftType(l)
		temp := f.fresh("v")
		values = append(values, fmt.Sprintf("var %s %s = %s", temp, map[bool]string{true: "any", false: f.typ(t, l.Pos())}[f.hiddenPlace(l)], f.assigned(l, s.Rhs[i])))
		sets = append(sets, places[i]+" = "+temp)
	}
	text := strings.Join(slices.Concat(before, values, sets), "; ")
	if f.wide {
		return "{ " + text + " }"
	}
	return "func() { " + text + " }()"
}

// left lowers what is assigned to.
func (f *fn) left(l ast.Expr) string {
	if id, ok := l.(*ast.Ident); ok {
		if id.Name == "_" {
			return "_"
		}
		if obj := f.info.Defs[id]; obj != nil {
			return f.name(obj)
		}
	}
	if sel, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && f.hiddenPlace(l) {
		x, _ := f.rawPath(f.expr(sel.X), f.typeOf(sel.X), f.info.Selections[sel].Index())
		return x
	}
	return f.expr(l)
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
		return look + "(" + f.under(e.X) + ", " + f.conv(e.Index, m.Key()) + ")"
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
	return f.helper("look "+typ, func() string {
		key, elem := f.typ(m.Key(), at), f.typ(m.Elem(), at)
		return fmt.Sprintf("(m %s, k %s) (%s, bool) { v, ok := m[k]; if !ok { var zero %[3]s; return zero, false }; return v, true }", typ, key, elem)
	})
}

// assignTuple lowers an assignment of the values of one expression.
func (f *fn) assignTuple(s *ast.AssignStmt) string {
	from := f.tupleOf(s.Rhs[0], len(s.Lhs))
	if len(from) != len(s.Lhs) {
		refuse(s.Pos(), "this assignment cannot be interpreted")
	}
	plain := true
	for i, l := range s.Lhs {
		if id, ok := l.(*ast.Ident); ok && id.Name == "_" {
			continue
		}
		if t := f.leftType(l); isInterface(t) && !types.Identical(t, from[i]) || f.hiddenPlace(l) {
			plain = false
		}
	}
	var left []string
	for _, l := range s.Lhs {
		left = append(left, f.left(l))
	}
	if plain {
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
		sets = append(sets, left[i]+" = "+f.store(l, f.change(temp, from[i], f.leftType(l), s.Pos())))
	}
	var declare []string
	if s.Tok == token.DEFINE {
		for i, l := range s.Lhs {
			if id, ok := l.(*ast.Ident); ok && f.info.Defs[id] != nil && id.Name != "_" {
				declare = append(declare, "var "+left[i]+" "+f.typ(f.leftType(l), l.Pos()))
			}
		}
	}
	return strings.Join(slices.Concat(declare, []string{strings.Join(temps, ", ") + " := " + f.multi(s.Rhs[0])}, sets), "; ")
}

// decl lowers a declaration in a function. Constants and types need none.
func (f *fn) decl(s *ast.DeclStmt) string {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return ""
	}
	var b strings.Builder
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec) //nolint:forcetypeassert // by the syntax
		b.WriteString(f.line(v.Pos()) + f.vars(v) + "\n")
	}
	return b.String()
}

// vars lowers the declaration of variables. The values are evaluated before the variables are declared.
func (f *fn) vars(v *ast.ValueSpec) string {
	var values, sets []string
	declare := func(name *ast.Ident, value string) string {
		obj := f.info.Defs[name]
		text := "var " + f.name(obj) + " " + f.typ(f.subst(obj.Type()), name.Pos())
		if value == "" {
			return text
		}
		return text + " = " + value
	}
	switch {
	case len(v.Values) == 0:
		for _, name := range v.Names {
			if name.Name != "_" {
				sets = append(sets, declare(name, ""))
			}
		}
	case len(v.Names) == 1 && v.Names[0].Name != "_":
		return declare(v.Names[0], f.assigned(v.Names[0], v.Values[0]))
	case len(v.Values) != len(v.Names):
		from := f.tupleOf(v.Values[0], len(v.Names))
		var temps []string
		for i, name := range v.Names {
			temp := "_"
			if name.Name != "_" {
				temp = f.fresh("v")
				sets = append(sets, declare(name, f.change(temp, from[i], f.leftType(name), name.Pos())))
			}
			temps = append(temps, temp)
		}
		op := " := "
		if len(sets) == 0 {
			op = " = "
		}
		values = append(values, strings.Join(temps, ", ")+op+f.multi(v.Values[0]))
	default:
		for i, name := range v.Names {
			if name.Name == "_" {
				values = append(values, f.discard(v.Values[i]))
				continue
			}
			temp := f.fresh("v")
			values = append(values, "var "+temp+" "+f.typ(f.leftType(name), name.Pos())+" = "+f.assigned(name, v.Values[i]))
			sets = append(sets, declare(name, temp))
		}
	}
	return strings.Join(append(values, sets...), "; ")
}

// discard evaluates an expression whose value is not used.
func (f *fn) discard(e ast.Expr) string {
	if f.info.Types[e].IsNil() {
		return ""
	}
	temp := f.fresh("v")
	return temp + " := " + f.expr(e) + "; _ = " + temp
}

func (f *fn) ifStmt(s *ast.IfStmt) string {
	init, before := f.inits(s.Init)
	text := f.line(s.Pos()) + before + "if " + init + f.expr(s.Cond) + " {\n" + f.block(s.Body.List) + "}"
	switch e := s.Else.(type) {
	case nil:
	case *ast.IfStmt:
		inner := f.ifStmt(e)
		if strings.HasPrefix(strings.TrimPrefix(inner, f.line(e.Pos())), "if ") {
			text += " else " + inner
			text = strings.TrimSuffix(text, "\n")
		} else {
			text += " else {\n" + inner + "}"
		}
	case *ast.BlockStmt:
		text += " else {\n" + f.block(e.List) + "}"
	}
	if before != "" {
		text += "\n}"
	}
	return text + "\n"
}

// inits lowers the statement before the condition of an if or switch. If it becomes several statements, they come before it.
func (f *fn) inits(s ast.Stmt) (inside, before string) {
	if s == nil {
		return "", ""
	}
	text := f.simple(s)
	if strings.Contains(text, "; ") && f.several(s) {
		return "", "{\n" + text + "\n"
	}
	return text + "; ", ""
}

// several reports whether a statement becomes several.
func (f *fn) several(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Lhs) == len(a.Rhs) {
		return false
	}
	from := f.tupleOf(a.Rhs[0], len(a.Lhs))
	for i, l := range a.Lhs {
		if id, ok := l.(*ast.Ident); ok && id.Name == "_" {
			continue
		}
		if t := f.leftType(l); isInterface(t) && !types.Identical(t, from[i]) || f.hiddenPlace(l) {
			return true
		}
	}
	return false
}

func (f *fn) labeled(s *ast.LabeledStmt) string {
	switch s.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return f.stmt(s.Stmt, s.Label.Name)
	}
	return s.Label.Name + ":\n" + f.stmt(s.Stmt, "")
}

// enter begins a statement that can be left.
func (f *fn) enter(label string, loop bool) *target {
	t := &target{label: label, loop: loop, depth: f.depth}
	if label == "" {
		t.label, t.made = f.fresh("l"), true
	} else {
		t.wanted = true
	}
	f.targets = append(f.targets, t)
	return t
}

func (f *fn) leave() { f.targets = f.targets[:len(f.targets)-1] }

// prefix returns the label of a statement, if it is needed.
func (t *target) prefix() string {
	if t.wanted {
		return t.label + ":\n"
	}
	return ""
}

// goes lowers a go statement.
func (f *fn) goes(s *ast.GoStmt) string { return "go " + f.started(s.Call) }

// started lowers a call that go or defer starts. The callee is a name, so that the interpreter evaluates all else before.
func (f *fn) started(e *ast.CallExpr) string {
	if tv := f.info.Types[ast.Unparen(e.Fun)]; tv.IsBuiltin() || tv.IsType() {
		return f.expr(e)
	}
	text := f.call(e)
	return text
}

// defers lowers a defer statement. The interpreter evaluates arguments late, so a function that holds them is deferred.
func (f *fn) defers(s *ast.DeferStmt) string {
	fun := ast.Unparen(s.Call.Fun)
	if lit, ok := fun.(*ast.FuncLit); ok {
		f.direct(lit)
		if recovers(lit.Body) && f.usesLoop(lit) {
			refuse(s.Pos(), "a function literal that calls recover is deferred in a loop and uses its variables, which the interpreter gets wrong; call a function that defers it")
		}
	}
	if f.deferred == "" && !f.separable(s.Call) {
		if _, static := f.static(fun); static || len(s.Call.Args) > 0 || f.info.Types[fun].IsBuiltin() {
			return "defer " + f.started(s.Call)
		}
		if _, ok := fun.(*ast.FuncLit); ok {
			return "defer " + f.started(s.Call)
		}
	}
	lit, isLit := fun.(*ast.FuncLit)
	call, compiled, sig := f.calleeOrRefuse(s.Call)
	var params, names, args []string
	callee := call
	var fixed []string
	if sel, ok := fun.(*ast.SelectorExpr); ok && f.info.Selections[sel] != nil && f.info.Selections[sel].Kind() == types.MethodVal {
		// The receiver is evaluated now.
		recv, name := f.receiverNow(sel)
		params, fixed = append(params, "aura_x "+name), append(fixed, recv)
		m, index := f.method(f.typeOf(sel.X), sel)
		_, t := f.path("", f.typeOf(sel.X), index[:len(index)-1])
		if _, pointer := receiver(m); pointer && !isInterface(t) {
			if _, have := t.Underlying().(*types.Pointer); !have {
				t = types.NewPointer(t)
			}
		} else if p, have := t.Underlying().(*types.Pointer); have && !isInterface(t) && f.ownMethod(m) {
			t = p.Elem()
		}
		callee = func(args []string, spread bool) string {
			return f.methodCall("aura_x", t, index[len(index)-1:], m, args, spread, s.Pos())
		}
	} else if !isLit {
		if _, static := f.static(fun); !static {
			params, fixed = append(params, "aura_x "+f.typ(sig, s.Pos())), append(fixed, f.under(fun))
			callee = func(args []string, spread bool) string { return "aura_x(" + strings.Join(args, ", ") + ")" }
		}
	}
	for i := range sig.Params().Len() {
		params = append(params, fmt.Sprintf("aura_p%d %s", i, f.typ(sig.Params().At(i).Type(), s.Pos())))
		names = append(names, fmt.Sprintf("aura_p%d", i))
	}
	f.apply(s.Call, sig, false, func(a []string, _ bool) string { args = a; return "" })
	if len(args) != sig.Params().Len() {
		refuse(s.Pos(), "a deferred call whose arguments are the results of another call cannot be interpreted; assign them to variables first")
	}
	_ = lit
	factory := fmt.Sprintf("func(%s) func() { return func() { %s } }(%s)", strings.Join(params, ", "), callee(names, compiled && sig.Variadic()), strings.Join(append(fixed, args...), ", "))
	if f.deferred != "" {
		return fmt.Sprintf("%s = append(%[1]s, %[2]s)", f.deferred, factory)
	}
	temp := f.fresh("d")
	return temp + " := " + factory + "; defer " + temp + "()"
}

func (f *fn) ownMethod(m *types.Func) bool { return m.Pkg() != nil && f.sources[m.Pkg()] != nil }

// receiverNow returns the receiver of a method call and its type.
func (f *fn) receiverNow(sel *ast.SelectorExpr) (recv, name string) {
	t := f.typeOf(sel.X)
	m, index := f.method(t, sel)
	x, t := f.path(f.expr(sel.X), t, index[:len(index)-1])
	if isInterface(t) {
		return x, f.typ(t, sel.Pos())
	}
	_, pointer := receiver(m)
	p, have := t.Underlying().(*types.Pointer)
	switch {
	case pointer && !have:
		return "&" + x, "*" + f.typ(t, sel.Pos())
	case !pointer && have && f.ownMethod(m):
		return "*" + x, f.typ(p.Elem(), sel.Pos())
	}
	return x, f.typ(t, sel.Pos())
}

// static returns the declared function that an expression names.
func (f *fn) static(fun ast.Expr) (*types.Func, bool) {
	switch x := fun.(type) {
	case *ast.IndexExpr:
		return f.static(ast.Unparen(x.X))
	case *ast.IndexListExpr:
		return f.static(ast.Unparen(x.X))
	case *ast.Ident:
		fn, ok := f.info.Uses[x].(*types.Func)
		return fn, ok
	case *ast.SelectorExpr:
		fn, ok := f.info.Uses[x.Sel].(*types.Func)
		return fn, ok
	}
	return nil, false
}

// direct marks a function literal that is called or deferred where it is written.
func (f *fn) direct(lit *ast.FuncLit) { f.literals[lit] = true }

// usesLoop reports whether a function literal uses a variable of a loop around it.
func (f *fn) usesLoop(lit *ast.FuncLit) bool {
	if len(f.loops) == 0 {
		return false
	}
	loop := f.loops[0]
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := f.info.Uses[id]; obj != nil && loop.Pos() <= obj.Pos() && obj.Pos() < lit.Pos() {
				found = true
			}
		}
		return !found
	})
	return found
}

// separable reports whether a call can be deferred from within another function: it does not call recover.
func (f *fn) separable(e *ast.CallExpr) bool {
	fun := ast.Unparen(e.Fun)
	if tv := f.info.Types[fun]; tv.IsBuiltin() || tv.IsType() {
		return false
	}
	if len(e.Args) == 1 {
		if _, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
			return false
		}
	}
	if lit, ok := fun.(*ast.FuncLit); ok {
		return len(e.Args) > 0 && !recovers(lit.Body)
	}
	obj, ok := f.static(fun)
	if !ok {
		return len(e.Args) > 0
	}
	d := f.decls[obj.Origin()]
	return d == nil || d.Body != nil && !recovers(d.Body)
}

func (f *fn) calleeOrRefuse(e *ast.CallExpr) (func([]string, bool) string, bool, *types.Signature) {
	if tv := f.info.Types[ast.Unparen(e.Fun)]; tv.IsBuiltin() || tv.IsType() {
		refuse(e.Pos(), "this cannot be deferred in a loop over a function; put it in a function literal")
	}
	return f.callee(ast.Unparen(e.Fun))
}
