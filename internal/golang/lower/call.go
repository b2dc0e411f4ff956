package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// call lowers a call, a conversion or the use of a built-in function.
func (f *fn) call(e *ast.CallExpr) string {
	fun := ast.Unparen(e.Fun)
	tv := f.info.Types[fun]
	switch {
	case tv.IsType():
		return f.conversion(e.Args[0], f.subst(tv.Type), e.Pos())
	case tv.IsBuiltin():
		return f.builtin(e, fun)
	}
	if text, ok := f.special(e); ok {
		return text
	}
	callee, compiled, sig := f.callee(fun)
	return f.apply(e, sig, compiled, callee)
}

// callee returns a function that writes the call of fun with arguments, and whether fun is compiled code.
func (f *fn) callee(fun ast.Expr) (callee func(args []string, spread bool) string, compiled bool, sig *types.Signature) {
	t := f.typeOf(fun)
	sig, ok := t.Underlying().(*types.Signature)
	if !ok {
		refuse(fun.Pos(), "the type %s cannot be called", t)
	}
	f.callsName(fun)
	plain := func(name string) func([]string, bool) string {
		return func(args []string, spread bool) string {
			if spread {
				return name + "(" + strings.Join(args, ", ") + "...)"
			}
			return name + "(" + strings.Join(args, ", ") + ")"
		}
	}
	if obj := f.libraryFunc(fun); obj != nil && obj.Signature().Recv() == nil {
		return plain(f.global(obj, fun.Pos())), true, sig
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := f.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			recv := f.typeOf(sel.X)
			m, index := f.method(recv, sel)
			x := f.expr(sel.X)
			_, at := f.path("", recv, index[:len(index)-1])
			compiled = f.compiled(at) || m.Pkg() != nil && f.sources[m.Pkg()] == nil && !isInterface(at)
			if m.Pkg() == nil {
				compiled = true // the method Error of error
			}
			if isInterface(at) && !f.compiled(at) {
				compiled = false
			}
			return func(args []string, spread bool) string {
				return f.methodCall(x, recv, index, m, args, spread, fun.Pos())
			}, compiled, sig
		}
	}
	if lit, ok := fun.(*ast.FuncLit); ok {
		f.direct[lit] = true
		return plain(f.expr(lit)), false, sig
	}
	x := f.under(fun)
	// A function value that compiled code returned, such as a context.CancelFunc, is called like one of the source.
	if n, ok := types.Unalias(t).(*types.Named); ok && !f.own(n) && sig.Variadic() {
		return plain(x), true, sig
	}
	return plain(x), false, sig
}

// apply writes a call with the arguments of e.
func (f *fn) apply(e *ast.CallExpr, sig *types.Signature, compiled bool, callee func(args []string, spread bool) string) string {
	if len(e.Args) == 1 {
		if from, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
			return f.applyTuple(e, from, sig, compiled, callee)
		}
	}
	n := sig.Params().Len()
	var args []string
	for i, a := range e.Args {
		if sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
			break
		}
		args = append(args, f.conv(a, sig.Params().At(i).Type()))
	}
	if !sig.Variadic() {
		return callee(args, false)
	}
	if e.Ellipsis.IsValid() {
		return callee(args, compiled)
	}
	list := sig.Params().At(n - 1).Type()
	elem := list.Underlying().(*types.Slice).Elem() //nolint:forcetypeassert // a variadic parameter is a slice
	var rest []string
	given := e.Args[min(n-1, len(e.Args)):]
	for _, a := range given {
		rest = append(rest, f.conv(a, elem))
	}
	if !compiled {
		rest = keyed(given, rest)
	}
	return callee(append(args, f.pack(rest, list, compiled, e.Pos())...), false)
}

// pack returns variadic arguments as the callee takes them: compiled code takes them one by one, functions of the source a list.
func (f *fn) pack(rest []string, list types.Type, compiled bool, at token.Pos) []string {
	switch {
	case compiled:
		return rest
	case len(rest) == 0:
		return []string{"nil"}
	default:
		return []string{f.typ(list, at) + "{" + strings.Join(rest, ", ") + "}"}
	}
}

// applyTuple writes a call whose arguments are the results of another call.
func (f *fn) applyTuple(e *ast.CallExpr, from *types.Tuple, sig *types.Signature, compiled bool, callee func(args []string, spread bool) string) string {
	var params, args, rest []string
	n := sig.Params().Len()
	for i := range from.Len() {
		name := "aura_p" + strconv.Itoa(i)
		t := from.At(i).Type()
		params = append(params, name+" "+f.typ(t, e.Pos()))
		if sig.Variadic() && i >= n-1 {
			elem := sig.Params().At(n - 1).Type().Underlying().(*types.Slice).Elem() //nolint:forcetypeassert // a variadic parameter is a slice
			rest = append(rest, f.change(name, t, elem, e.Pos()))
		} else {
			args = append(args, f.change(name, t, sig.Params().At(i).Type(), e.Pos()))
		}
	}
	if sig.Variadic() {
		args = append(args, f.pack(rest, sig.Params().At(n-1).Type(), compiled, e.Pos())...)
	}
	ret := ""
	if sig.Results().Len() > 0 {
		ret = "return "
	}
	return fmt.Sprintf("func(%s)%s { %s%s }(%s)", strings.Join(params, ", "), f.plainResults(sig, e.Pos()), ret, callee(args, false), f.expr(e.Args[0]))
}

// conversion lowers T(x).
func (f *fn) conversion(x ast.Expr, to types.Type, at token.Pos) string {
	from := f.typeOf(x)
	if tv := f.info.Types[x]; tv.IsNil() {
		if isInterface(to) {
			return f.typ(to, at) + "(nil)"
		}
		return "(" + f.typ(to, at) + ")(nil)"
	}
	if isInterface(to) {
		text := f.conv(x, to)
		if f.typ(to, at) == "any" {
			return "any(" + text + ")"
		}
		if f.boxed(from) || isInterface(from) {
			return text
		}
		return f.native(to, at) + "(" + text + ")"
	}
	if isString(to) && isInteger(from) {
		return "string(rune(" + f.expr(x) + "))"
	}
	a, b := f.typ(from, at), f.typ(to, at)
	if a == b && !isUntyped(from) {
		return enclosed(f.expr(x))
	}
	if f.opaque(to) || f.opaque(from) {
		return f.change(f.expr(x), from, to, at)
	}
	if s, ok := from.Underlying().(*types.Slice); ok {
		if text := f.sliceToArray(f.under(x), s, to, at); text != "" {
			return text
		}
	}
	if tv := f.info.Types[x]; tv.Value != nil && isComplex(to) {
		return f.constant(tv.Value, to, at)
	}
	if _, basic := to.Underlying().(*types.Basic); !basic {
		b = "(" + b + ")"
	}
	if tv := f.info.Types[x]; tv.Value != nil {
		return b + "(" + f.constant(tv.Value, types.Default(from), at) + ")"
	}
	return b + "(" + f.under(x) + ")"
}

// sliceToArray converts a slice to an array or to a pointer to one.
func (f *fn) sliceToArray(x string, s *types.Slice, to types.Type, at token.Pos) string {
	elem := to
	if p, ok := to.Underlying().(*types.Pointer); ok {
		elem = p.Elem()
	}
	if _, ok := elem.Underlying().(*types.Array); !ok {
		return ""
	}
	list, typ := f.typ(s, at), f.typ(to, at)
	return f.helper(helperKey{"array", typ, list}, func() string {
		return fmt.Sprintf("(x %s) %s { return %s.Array(x, new(%[2]s)).(%[2]s) }", list, typ, boxAlias)
	}) + "(" + x + ")"
}

func isComplex(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsComplex != 0
}

// native returns the name of a function that returns a compiled value as an interface.
func (f *fn) native(to types.Type, at token.Pos) string {
	id, name := f.id(to, at), f.typ(to, at)
	return f.helper(helperKey{does: "native", of: f.key(to)}, func() string {
		return fmt.Sprintf("(x any) (w %s) { if x != nil { w = %s.To(x, %d).(%[1]s) }; return w }", name, boxAlias, id)
	})
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// builtin lowers the use of a built-in function.
func (f *fn) builtin(e *ast.CallExpr, fun ast.Expr) string { //nolint:funlen // one case after the other
	name := ""
	switch fun := fun.(type) {
	case *ast.Ident:
		name = f.info.Uses[fun].Name()
	case *ast.SelectorExpr:
		if fun.Sel.Name != "Add" {
			refuse(e.Pos(), "unsafe.%s cannot be interpreted; compile the plugin (runtime: native in plugin.yaml)", fun.Sel.Name)
		}
		return f.use(types.Unsafe) + ".Add(" + f.expr(e.Args[0]) + ", int(" + f.expr(e.Args[1]) + "))"
	}
	arg := func(i int) string { return f.under(e.Args[i]) }
	switch name {
	case "append":
		return f.appends(e)
	case "make":
		t := f.typeOf(e.Args[0])
		args := []string{f.typ(t, e.Pos())}
		if f.opaque(t) {
			args[0] = f.typ(t.Underlying(), e.Pos())
		}
		for _, a := range e.Args[1:] {
			text := f.expr(a)
			if tv := f.info.Types[a]; tv.Value != nil {
				text = constant.ToInt(tv.Value).ExactString()
			} else if !types.Identical(f.typeOf(a), types.Typ[types.Int]) {
				text = "int(" + text + ")"
			}
			args = append(args, text)
		}
		if c, ok := t.Underlying().(*types.Chan); ok && c.Dir() != types.SendRecv {
			// The interpreter makes channels of both directions only.
			both := f.typ(types.NewChan(types.SendRecv, c.Elem()), e.Pos())
			made := f.helper(helperKey{does: "make", of: args[0]}, func() string { return fmt.Sprintf("(n int) %s { return make(%s, n) }", args[0], both) })
			return made + "(" + strings.Join(append(args[1:], "0")[:1], "") + ")"
		}
		return f.hidden("make("+strings.Join(args, ", ")+")", t, e.Pos())
	case "new":
		if !f.info.Types[e.Args[0]].IsType() {
			t := f.typeOf(e).Underlying().(*types.Pointer).Elem() //nolint:forcetypeassert // by the type checker
			name := f.typ(t, e.Pos())
			return f.helper(helperKey{does: "new", of: name}, func() string {
				return fmt.Sprintf("(v %s) *%[1]s { p := new(%[1]s); *p = v; return p }", name)
			}) + "(" + f.conv(e.Args[0], t) + ")"
		}
		return "new(" + f.typ(f.typeOf(e.Args[0]), e.Pos()) + ")"
	case "delete":
		m := f.typeOf(e.Args[0]).Underlying().(*types.Map) //nolint:forcetypeassert // by the type checker
		return "delete(" + arg(0) + ", " + f.mapKey(e.Args[1], m) + ")"
	case "panic":
		return "panic(" + boxAlias + ".Panic(" + f.conv(e.Args[0], anyType) + "))"
	case "recover":
		if f.recovery == "" {
			return boxAlias + ".NoPanic()" // the function was not deferred
		}
		return f.recovery + ".Recover()"
	case "print", "println":
		return f.prints(e, name)
	case "min", "max":
		return f.extreme(e, name)
	case "clear":
		return f.clear(e)
	case "len", "cap":
		if p, ok := f.typeOf(e.Args[0]).Underlying().(*types.Pointer); ok {
			// The pointer may be nil.
			typ := f.typ(f.typeOf(e.Args[0]), e.Pos())
			n := p.Elem().Underlying().(*types.Array).Len() //nolint:forcetypeassert // by the type checker
			return f.helper(helperKey{does: "len", of: typ}, func() string { return fmt.Sprintf("(p %s) int { return %d }", typ, n) }) + "(" + f.expr(e.Args[0]) + ")"
		}
		return name + "(" + arg(0) + ")"
	case "copy", "close", "complex", "real", "imag":
		var args []string
		for i := range e.Args {
			args = append(args, arg(i))
		}
		return name + "(" + strings.Join(args, ", ") + ")"
	}
	refuse(e.Pos(), "%s cannot be interpreted", name)
	return ""
}

// prints lowers print and println. The interpreter has other formats for them.
func (f *fn) prints(e *ast.CallExpr, name string) string {
	args := []string{`""`, `""`}
	if name == "println" {
		args = []string{`" "`, `"\n"`}
	}
	show := func(x string, t types.Type) {
		if isInterface(t) {
			x = boxAlias + ".Words(" + f.change(x, t, anyType, e.Pos()) + ")"
		}
		args = append(args, x)
	}
	if len(e.Args) == 1 {
		if from, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
			var params []string
			for i := range from.Len() {
				x := "aura_p" + strconv.Itoa(i)
				params = append(params, x+" "+f.typ(from.At(i).Type(), e.Pos()))
				show(x, from.At(i).Type())
			}
			return fmt.Sprintf("func(%s) { %s.Print(%s) }(%s)", strings.Join(params, ", "), boxAlias, strings.Join(args, ", "), f.expr(e.Args[0]))
		}
	}
	for _, a := range e.Args {
		if f.info.Types[a].IsNil() {
			args = append(args, "nil")
			continue
		}
		show(f.under(a), f.typeOf(a))
	}
	return boxAlias + ".Print(" + strings.Join(args, ", ") + ")"
}

func (f *fn) appends(e *ast.CallExpr) string {
	t := f.typeOf(e)
	elem := t.Underlying().(*types.Slice).Elem() //nolint:forcetypeassert // by the type checker
	name := f.typ(t.Underlying(), e.Pos())
	if from, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
		list := types.NewVar(token.NoPos, nil, "", types.NewSlice(elem))
		sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewVar(token.NoPos, nil, "", t), list), types.NewTuple(types.NewVar(token.NoPos, nil, "", t)), true)
		return f.applyTuple(e, from, sig, true, func(args []string, _ bool) string {
			if f.opaque(t) {
				args[0] = f.opened(args[0], name)
			}
			return f.hidden("append("+strings.Join(args, ", ")+")", t, e.Pos())
		})
	}
	first := "(" + name + ")(nil)"
	if !f.info.Types[e.Args[0]].IsNil() {
		first = f.under(e.Args[0])
	}
	args := []string{first}
	for i, a := range e.Args[1:] {
		if e.Ellipsis.IsValid() && i == len(e.Args)-2 {
			if isString(f.typeOf(a)) {
				args = append(args, "[]byte("+f.expr(a)+")...")
			} else if f.info.Types[a].IsNil() {
				args = append(args, "("+name+")(nil)...")
			} else {
				args = append(args, f.under(a)+"...")
			}
			continue
		}
		if f.info.Types[a].IsNil() && !isInterface(elem) && !f.opaque(elem) {
			// The interpreter gives all these nils one type.
			args = append(args, "("+f.typ(elem, a.Pos())+")(nil)")
			continue
		}
		args = append(args, f.conv(a, elem))
	}
	if len(args) == 1 {
		return f.hidden(first, t, e.Pos())
	}
	if len(args) > 2 && slices.ContainsFunc(e.Args[1:], f.mayPanic) {
		// The interpreter reads each value when it appends it, after it has written those before.
		values := make([]string, len(args)-1)
		for i := range values {
			values[i] = "v" + strconv.Itoa(i)
		}
		list := strings.Join(values, ", ")
		appended := f.helper(helperKey{"append", name, strconv.Itoa(len(values))}, func() string {
			return fmt.Sprintf("(s %s, %s %s) %[1]s { return append(s, %[2]s) }", name, list, f.typ(elem, e.Pos()))
		})
		return f.hidden(appended+"("+strings.Join(args, ", ")+")", t, e.Pos())
	}
	return f.hidden("append("+strings.Join(args, ", ")+")", t, e.Pos())
}

// extreme lowers min and max.
func (f *fn) extreme(e *ast.CallExpr, name string) string {
	t := f.typeOf(e)
	typ := f.typ(t, e.Pos())
	if len(e.Args) == 1 {
		return "(" + f.expr(e.Args[0]) + ")"
	}
	op := "<"
	if name == "max" {
		op = ">"
	}
	pair := f.helper(helperKey{does: name, of: typ}, func() string {
		nan := ""
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsFloat != 0 {
			nan = "if a != a { return a }; if b != b { return b }; "
		}
		return fmt.Sprintf("(a, b %s) %[1]s { %sif a %s b { return a }; return b }", typ, nan, op)
	})
	out := f.conv(e.Args[0], t)
	for _, a := range e.Args[1:] {
		out = pair + "(" + out + ", " + f.conv(a, t) + ")"
	}
	return out
}

func (f *fn) clear(e *ast.CallExpr) string {
	t := f.typeOf(e.Args[0])
	typ := f.typ(t.Underlying(), e.Pos())
	name := f.helper(helperKey{does: "clear", of: typ}, func() string {
		if s, ok := t.Underlying().(*types.Slice); ok {
			return fmt.Sprintf("(x %s) { for i := 0; i < len(x); i++ { var zero %s; x[i] = zero } }", typ, f.typ(s.Elem(), e.Pos()))
		}
		return fmt.Sprintf("(x %s) { %s.Clear(x) }", typ, boxAlias)
	})
	return name + "(" + f.under(e.Args[0]) + ")"
}
