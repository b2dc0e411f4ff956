package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
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
	if text, ok := f.hiddenReceiver(e, fun); ok {
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
			_, at := f.path("", recv, f.reached(recv, index[:len(index)-1]))
			compiled = f.compiled(at) || m.Pkg() != nil && f.sourceOf(m) == nil && !isInterface(at)
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
		args = append(args, f.argument(a, sig.Params().At(i).Type()))
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

// argument lowers an argument of a call. The interpreter looks for the methods of a nil that is an interface of compiled code.
func (f *fn) argument(e ast.Expr, t types.Type) string {
	if f.info.Types[e].IsNil() && f.compiled(t) {
		name := f.typ(t, e.Pos())
		return f.helper(helperKey{does: "nil", of: name}, func() string { return fmt.Sprintf("() %s { var none %[1]s; return none }", name) }) + "()"
	}
	return f.conv(e, t)
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
		return fmt.Sprintf("(x any) %s { var w %[1]s; if x != nil { w = %s.To(x, %d).(%[1]s) }; return w }", name, boxAlias, id)
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
