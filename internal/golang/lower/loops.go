package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// forStmt lowers a for statement with a condition.
func (f *fn) forStmt(s *ast.ForStmt, label string) string {
	t := f.enter(label, true)
	defer f.leave()
	shared := f.perIteration(s)
	if shared != nil {
		return f.forPointers(s, t, shared)
	}
	init, cond, post := "", "", ""
	before, after := "", ""
	if s.Init != nil {
		several := false
		init, several = f.first(s.Init)
		// Without a condition and a post statement, the interpreter would set the variables again in each iteration.
		if f.src.SharedLoops || several || s.Cond == nil && s.Post == nil {
			before, after, init = "{\n"+init+"\n", "}\n", ""
		}
	}
	if s.Cond != nil {
		cond = f.expr(s.Cond)
	}
	if s.Post != nil {
		several := false
		if post, several = f.first(s.Post); several {
			post = "func() { " + post + " }()"
		}
	}
	body := f.block(s.Body.List)
	head := init + "; " + cond + "; " + post
	if init == "" && post == "" {
		head = cond
	}
	return f.line(s.Pos()) + before + t.prefix() + "for " + head + " {\n" + body + "}\n" + after
}

// perIteration returns the variables of a loop that need a variable per iteration: those that a
// function literal uses or whose address is taken.
func (f *fn) perIteration(s *ast.ForStmt) []types.Object {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || f.src.SharedLoops {
		return nil
	}
	vars := map[types.Object]bool{}
	for _, l := range init.Lhs {
		if id, ok := l.(*ast.Ident); ok && f.info.Defs[id] != nil && id.Name != "_" {
			vars[f.info.Defs[id]] = true
		}
	}
	captured := f.captured(s, vars)
	var out []types.Object
	for _, l := range init.Lhs {
		if id, ok := l.(*ast.Ident); ok {
			if obj := f.info.Defs[id]; obj != nil && captured[obj] {
				out = append(out, obj)
			}
		}
	}
	return out
}

// captured returns those of the variables that function literals use or whose address is taken.
func (f *fn) captured(n ast.Node, vars map[types.Object]bool) map[types.Object]bool {
	found := map[types.Object]bool{}
	ast.PreorderStack(n, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if obj := f.info.Uses[n]; vars[obj] && slices.ContainsFunc(stack, isLiteral) {
				found[obj] = true
			}
		case *ast.UnaryExpr:
			if obj := f.root(n.X); n.Op == token.AND && vars[obj] {
				found[obj] = true
			}
		}
		return true
	})
	return found
}

func isLiteral(n ast.Node) bool {
	_, ok := n.(*ast.FuncLit)
	return ok
}

// root returns the variable of which an expression is a part, or nil.
func (f *fn) root(e ast.Expr) types.Object {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return f.info.ObjectOf(x)
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// forPointers lowers a loop whose variables are kept behind pointers, a new one for each iteration.
func (f *fn) forPointers(s *ast.ForStmt, t *target, shared []types.Object) string {
	var b strings.Builder
	// The variables are set under their own names first.
	init, _ := f.first(s.Init)
	fmt.Fprintf(&b, "%s{\n%s\n", f.line(s.Pos()), init)
	var outer, next, begin []string
	for _, v := range shared {
		plain, typ := f.name(v), f.typ(f.subst(v.Type()), s.Pos())
		pointer, first := f.fresh("p"), f.fresh("q")
		fmt.Fprintf(&b, "%s := new(%s)\n*%[1]s = %[3]s\n", first, typ, plain)
		f.names[v], f.pointers[v] = pointer, true
		outer = append(outer, first)
		begin = append(begin, fmt.Sprintf("%s := %s\n", pointer, first))
		next = append(next, fmt.Sprintf("%s := new(%s)\n*%[1]s = *%[3]s\n", pointer, typ, first))
	}
	post := ""
	if s.Post != nil {
		post, _ = f.first(s.Post)
	}
	step := f.fresh("n")
	fmt.Fprintf(&b, "%s := func() {\n%s%s\n", step, strings.Join(next, ""), post)
	for i, v := range shared {
		fmt.Fprintf(&b, "%s = %s\n", outer[i], f.names[v])
	}
	b.WriteString("}\n")
	cond := ""
	if s.Cond != nil {
		cond = "if !(" + f.expr(s.Cond) + ") { break }\n"
	}
	body := f.block(s.Body.List)
	fmt.Fprintf(&b, "%sfor ; ; %s() {\n%s%s%s}\n}\n", t.prefix(), step, strings.Join(begin, ""), cond, body)
	return b.String()
}

// rangeStmt lowers a loop over a range.
func (f *fn) rangeStmt(s *ast.RangeStmt, label string) string {
	x := f.typeOf(s.X)
	if _, ok := x.Underlying().(*types.Signature); ok {
		return f.rangeFunc(s, label)
	}
	t := f.enter(label, true)
	defer f.leave()
	switch u := x.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return f.rangeString(s, t)
		}
		return f.rangeInt(s, t, x)
	case *types.Chan:
		v := f.loopVar(s, s.Key, u.Elem())
		body := v.set + f.inside(s)
		if v.name == "_" {
			return f.line(s.Pos()) + t.prefix() + "for range " + f.under(s.X) + " {\n" + body + "}\n"
		}
		return f.line(s.Pos()) + t.prefix() + "for " + v.name + " := range " + f.under(s.X) + " {\n" + body + "}\n"
	case *types.Map:
		return f.rangeOver(s, t, u.Key(), u.Elem())
	case *types.Slice:
		if _, ok := u.Elem().Underlying().(*types.Chan); ok {
			return f.rangeArray(s, t, u.Elem(), x) // the interpreter would receive from it
		}
		return f.rangeOver(s, t, types.Typ[types.Int], u.Elem())
	case *types.Array:
		return f.rangeArray(s, t, u.Elem(), x)
	case *types.Pointer:
		return f.rangeArray(s, t, u.Elem().Underlying().(*types.Array).Elem(), x) //nolint:forcetypeassert // by the type checker
	}
	refuse(s.Pos(), "a range over %s cannot be interpreted", x)
	return ""
}

// loopVar is a variable of a range loop: the name that the loop sets, and the statement that sets the variable of the source.
type loopVar struct{ name, set string }

func (f *fn) loopVar(s *ast.RangeStmt, e ast.Expr, from types.Type) loopVar {
	if e == nil {
		return loopVar{"_", ""}
	}
	if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
		return loopVar{"_", ""}
	}
	temp := f.fresh("k")
	if s.Tok == token.DEFINE {
		obj := f.info.Defs[e.(*ast.Ident)] //nolint:forcetypeassert // by the syntax
		name := f.name(obj)
		if f.src.SharedLoops {
			return loopVar{temp, "*(&" + name + ") = " + temp + "\n"}
		}
		return loopVar{temp, name + " := " + temp + "\n_ = " + name + "\n"}
	}
	return loopVar{temp, set(f.left(e), f.change(temp, from, f.leftType(e), e.Pos())) + "\n"}
}

// declareShared declares the variables of a loop that its iterations share before the loop.
func (f *fn) declareShared(s *ast.RangeStmt, loop string) string {
	if !f.src.SharedLoops || s.Tok != token.DEFINE {
		return loop
	}
	var b strings.Builder
	for _, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil || isBlank(e) {
			continue
		}
		obj := f.info.Defs[e.(*ast.Ident)] //nolint:forcetypeassert // by the syntax
		fmt.Fprintf(&b, "var %s %s\n", f.name(obj), f.typ(f.subst(obj.Type()), e.Pos()))
	}
	return "{\n" + b.String() + loop + "}\n"
}

func isChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

func (f *fn) rangeOver(s *ast.RangeStmt, t *target, key, elem types.Type) string {
	k, v := f.loopVar(s, s.Key, key), f.loopVar(s, s.Value, elem)
	x := f.under(s.X)
	if _, isMap := f.typeOf(s.X).Underlying().(*types.Map); isMap && isChan(elem) {
		// The interpreter would receive from the channels.
		m, keys, i := f.fresh("m"), f.fresh("k"), f.fresh("i")
		if k.name == "_" {
			k.name = f.fresh("k")
		}
		typ := f.typ(key, s.Pos())
		look := f.lookup(f.typeOf(s.X).Underlying().(*types.Map), s.Pos()) //nolint:forcetypeassert // it has channels
		ok := f.fresh("v")
		body := fmt.Sprintf("%s := %s[%s]\n%s, %s := %s(%s, %[1]s)\nif !%[5]s { continue }\n", k.name, keys, i, v.name, ok, look, m) + k.set + v.set + f.inside(s)
		return fmt.Sprintf("%s{\n%s := %s\n%s := %s.Keys(%[2]s).([]%[6]s)\n%[7]sfor %[8]s := 0; %[8]s < len(%[4]s); %[8]s++ {\n%[9]s}\n}\n",
			f.line(s.Pos()), m, x, keys, boxAlias, typ, t.prefix(), i, body)
	}
	first, second := inOrder(s, k, v)
	body := first.set + second.set + f.inside(s)
	head := "for " + k.name + ", " + v.name + " := range "
	switch {
	case k.name == "_" && v.name == "_":
		head = "for range "
	case v.name == "_":
		head = "for " + k.name + " := range "
	}
	return f.line(s.Pos()) + t.prefix() + head + x + " {\n" + body + "}\n"
}

// inOrder returns the statements that set the variables of a range loop. An index in the place of the value is evaluated before
// the key is set.
func inOrder(s *ast.RangeStmt, k, v loopVar) (first, second loopVar) {
	if _, ok := s.Value.(*ast.Ident); s.Tok == token.ASSIGN && s.Value != nil && !ok {
		return v, k
	}
	return k, v
}

// rangeArray lowers a loop over an array, a pointer to one, or a slice, by index.
func (f *fn) rangeArray(s *ast.RangeStmt, t *target, elem, x types.Type) string {
	k, v := f.loopVar(s, s.Key, types.Typ[types.Int]), f.loopVar(s, s.Value, elem)
	var b strings.Builder
	fmt.Fprintf(&b, "%s{\n", f.line(s.Pos()))
	list, n := f.fresh("a"), ""
	switch u := x.Underlying().(type) {
	case *types.Array:
		n = fmt.Sprint(u.Len())
		if v.name == "_" && calls(s.X) {
			fmt.Fprintf(&b, "%s := %s\n_ = %s\n", list, f.expr(s.X), list)
		}
		if v.name != "_" {
			fmt.Fprintf(&b, "var %s %s = %s\n", list, f.typ(x, s.Pos()), f.expr(s.X))
		}
	case *types.Pointer:
		n = fmt.Sprint(u.Elem().Underlying().(*types.Array).Len()) //nolint:forcetypeassert // by the type checker
		if v.name != "_" || calls(s.X) {
			fmt.Fprintf(&b, "%s := %s\n_ = %s\n", list, f.under(s.X), list)
		}
	default:
		n = f.fresh("n")
		fmt.Fprintf(&b, "%s := %s\n%s := len(%s)\n", list, f.under(s.X), n, list)
	}
	i := f.fresh("i")
	head := ""
	if k.name != "_" {
		head += k.name + " := " + i + "\n"
	}
	if v.name != "_" {
		head += v.name + " := " + list + "[" + i + "]\n"
	}
	first, second := inOrder(s, k, v)
	head += first.set + second.set
	body := head + f.inside(s)
	fmt.Fprintf(&b, "%sfor %s := 0; %[2]s < %[3]s; %[2]s++ {\n%[4]s}\n}\n", t.prefix(), i, n, body)
	return b.String()
}

func (f *fn) rangeInt(s *ast.RangeStmt, t *target, x types.Type) string {
	if s.Key != nil && isUntyped(x) {
		x = f.leftType(s.Key)
	}
	x = types.Default(x)
	typ := f.typ(x, s.Pos())
	k := f.loopVar(s, s.Key, x)
	n, i := f.fresh("n"), f.fresh("i")
	head := ""
	if k.name != "_" {
		head = k.name + " := " + i + "\n" + k.set
	}
	body := head + f.inside(s)
	return fmt.Sprintf("%s{\nvar %s %s = %s\n%sfor %s := %s(0); %[6]s < %[2]s; %[6]s++ {\n%[8]s}\n}\n", f.line(s.Pos()), n, typ, f.conv(s.X, x), t.prefix(), i, typ, body)
}

func (f *fn) rangeString(s *ast.RangeStmt, t *target) string {
	k, v := f.loopVar(s, s.Key, types.Typ[types.Int]), f.loopVar(s, s.Value, types.Typ[types.Int32])
	text, i, w, r := f.fresh("t"), f.fresh("i"), f.fresh("w"), f.fresh("r")
	head := ""
	if k.name != "_" {
		head += k.name + " := " + i + "\n"
	}
	if v.name != "_" {
		head += v.name + " := " + r + "\n"
	}
	first, second := inOrder(s, k, v)
	head += first.set + second.set
	body := head + f.inside(s)
	return fmt.Sprintf("%s{\nvar %s string = %s\nvar %s int\nvar %s rune\n%sfor %s := 0; %[7]s < len(%[2]s); %[7]s += %[4]s {\n%[5]s, %[4]s = %[8]s.Rune(%[2]s, %[7]s)\n%[9]s}\n}\n",
		f.line(s.Pos()), text, f.expr(s.X), w, r, t.prefix(), i, boxAlias, body)
}

// inside lowers the body of a range loop. It becomes a block of its own if it declares a variable of the loop again.
func (f *fn) inside(s *ast.RangeStmt) string {
	body := f.block(s.Body.List)
	for _, e := range []ast.Expr{s.Key, s.Value} {
		id, ok := e.(*ast.Ident)
		if !ok {
			continue
		}
		for _, stmt := range s.Body.List {
			if declares(stmt, id.Name) {
				return "{\n" + body + "}\n"
			}
		}
	}
	return body
}

func declares(s ast.Stmt, name string) bool { //nolint:gocognit // one case after the other
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			for _, l := range s.Lhs {
				if id, ok := l.(*ast.Ident); ok && id.Name == name {
					return true
				}
			}
		}
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok {
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, id := range v.Names {
						if id.Name == name {
							return true
						}
					}
				}
			}
		}
	case *ast.LabeledStmt:
		return declares(s.Stmt, name)
	}
	return false
}
