package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// unmarked lowers an expression.
func (f *fn) unmarked(e ast.Expr) string {
	if tv, ok := f.info.Types[e]; ok && tv.Value != nil {
		return f.constant(tv.Value, types.Default(f.subst(tv.Type)), e.Pos())
	}
	if text, ok := f.inOrder(e); ok {
		return text
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		// The interpreter does not run a conversion in parentheses beside && and ||.
		if call, ok := ast.Unparen(e.X).(*ast.CallExpr); ok && f.info.Types[call.Fun].IsType() {
			return f.expr(call)
		}
		return enclosed(f.expr(e.X))
	case *ast.Ident:
		return f.ident(e)
	case *ast.FuncLit:
		return f.literal(e)
	case *ast.CompositeLit:
		return f.composite(e, f.typeOf(e))
	case *ast.SelectorExpr:
		return f.selector(e)
	case *ast.IndexExpr:
		if name := f.instanceOf(e.X); name != "" {
			return name
		}
		return f.index(e)
	case *ast.IndexListExpr:
		if name := f.instanceOf(e.X); name != "" {
			return name
		}
	case *ast.SliceExpr:
		return f.slice(e)
	case *ast.StarExpr:
		return "(*" + f.under(e.X) + ")"
	case *ast.UnaryExpr:
		return f.unary(e)
	case *ast.BinaryExpr:
		return f.binary(e)
	case *ast.CallExpr:
		return f.call(e)
	case *ast.TypeAssertExpr:
		t := f.typeOf(e)
		if f.compiled(t) {
			f.id(t, e.Pos())
		}
		return f.getter(t, f.typeOf(e.X), e.Pos()) + "(" + f.conv(e.X, anyType) + ")"
	}
	refuse(e.Pos(), "this expression cannot be interpreted")
	return ""
}

// under lowers an expression so that its value can be used by what its type is made of.
func (f *fn) under(e ast.Expr) string {
	x := f.expr(e)
	t := f.typeOf(e)
	if f.opaque(t) {
		return f.opened(x, f.typ(t.Underlying(), e.Pos()))
	}
	return x
}

func (f *fn) ident(e *ast.Ident) string {
	if e.Name == "_" {
		return "_"
	}
	obj := f.info.ObjectOf(e)
	switch obj := obj.(type) {
	case *types.Nil:
		return "nil"
	case *types.Func:
		return f.functionValue(e, obj)
	case *types.Var:
		if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
			return f.global(obj, e.Pos())
		}
		if f.pointers[obj] {
			return "(*" + f.name(obj) + ")"
		}
		return f.name(obj)
	}
	refuse(e.Pos(), "%s cannot be used here", e.Name)
	return ""
}

// functionValue returns a declared function as a value.
func (f *fn) functionValue(id *ast.Ident, obj *types.Func) string {
	f.keepsName(id, obj)
	if name := f.instanceOf(id); name != "" {
		return name
	}
	if text, ok := f.libraryValue(id); ok {
		return text
	}
	name := f.global(obj, id.Pos())
	if sig := obj.Signature(); sig.Variadic() && f.sourceOf(obj) == nil {
		return f.made(f.closure(sig, id.Pos(), func(args []string) string { return name + "(" + strings.Join(args, ", ") + "...)" }), sig, id.Pos())
	}
	return name
}

// composite lowers a composite literal of a type, which may be elided in the source.
func (f *fn) composite(e *ast.CompositeLit, t types.Type) string {
	prefix := ""
	if p, ok := t.Underlying().(*types.Pointer); ok {
		prefix, t = "&", p.Elem()
	}
	name := f.typ(t, e.Pos())
	if f.opaque(t) {
		name = f.typ(t.Underlying(), e.Pos())
	}
	var parts []string
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				key := kv.Key.(*ast.Ident).Name //nolint:forcetypeassert // a field has a name
				for j := range u.NumFields() {
					if u.Field(j).Name() == key {
						i = j
					}
				}
				x = kv.Value
			}
			f.passField(u.Field(i), x.Pos())
			value := f.element(x, u.Field(i).Type())
			if f.hiddenField(u, i) && value != "nil" {
				value = f.hide(value, u.Field(i).Type(), x.Pos())
			}
			parts = append(parts, f.fieldName(u, i)+": "+value)
		}
	case *types.Map:
		if text, ok := f.inOrderMap(e, u, name); ok {
			return f.hidden(text, t, e.Pos())
		}
		parts = f.mapElements(e, u)
	case *types.Slice:
		parts = f.elements(e, u.Elem())
	case *types.Array:
		parts = f.elements(e, u.Elem())
	default:
		refuse(e.Pos(), "a literal of the type %s cannot be interpreted", t)
	}
	if prefix != "" && f.opaque(t) {
		refuse(e.Pos(), "the address of a literal of the type %s, which contains itself, cannot be interpreted; assign it to a variable first", t)
	}
	return f.hidden(prefix+name+"{"+strings.Join(parts, ", ")+"}", t, e.Pos())
}

// element lowers a value in a composite literal.
func (f *fn) element(x ast.Expr, t types.Type) string {
	if lit, ok := x.(*ast.CompositeLit); ok && lit.Type == nil {
		return f.change(f.composite(lit, t), t, t, x.Pos())
	}
	return f.conv(x, t)
}

// selector lowers x.name.
func (f *fn) selector(e *ast.SelectorExpr) string {
	sel := f.info.Selections[e]
	if sel == nil {
		switch obj := f.info.Uses[e.Sel].(type) {
		case *types.Func:
			return f.functionValue(e.Sel, obj)
		case *types.Var:
			return f.global(obj, e.Pos())
		}
		refuse(e.Pos(), "%s cannot be used here", e.Sel.Name)
	}
	switch sel.Kind() {
	case types.FieldVal:
		if v, ok := sel.Obj().(*types.Var); ok {
			f.passField(v, e.Pos())
		}
		x, _ := f.path(f.expr(e.X), f.typeOf(e.X), sel.Index())
		return x
	case types.MethodVal:
		if text, ok := f.libraryValue(e); ok {
			return text
		}
		t := f.typeOf(e.X)
		m, index := f.method(t, e)
		sig := f.typeOf(e).(*types.Signature) //nolint:forcetypeassert // it is a function
		x := f.expr(e.X)
		x, t = f.path(x, t, f.reached(t, index[:len(index)-1]))
		recv := m.Signature().Recv().Type()
		_, pointer := types.Unalias(recv).(*types.Pointer)
		_, have := t.Underlying().(*types.Pointer)
		switch {
		case isInterface(t):
			if !f.compiled(t) {
				return f.dynamic(x, m.Name(), sig, e.Pos())
			}
			x = f.receiverOf(x, f.typ(t, e.Pos()))
		case pointer && !have:
			x, t = "&"+x, types.NewPointer(t)
		case !pointer && have:
			x, t = "*"+x, t.Underlying().(*types.Pointer).Elem() //nolint:forcetypeassert // see above
		}
		name := f.typ(t, e.Pos())
		return fmt.Sprintf("func(aura_x %s) %s { return %s }(%s)", name, f.typ(sig, e.Pos()), f.bound("aura_x", t, index[len(index)-1:], m, sig, e.Pos()), x)
	default:
		sig := f.typeOf(e).(*types.Signature) //nolint:forcetypeassert // it is a function
		t := f.typeOf(e.X)
		m, index := f.method(t, e)
		text := f.closure(sig, e.Pos(), func(args []string) string {
			return f.methodCall(args[0], t, index, m, args[1:], m.Signature().Variadic(), e.Pos())
		})
		if f.direct[e.Sel] {
			return text
		}
		return f.made(text, sig, e.Pos())
	}
}

// method returns the method that a selector names, and the path to it.
func (f *fn) method(t types.Type, e *ast.SelectorExpr) (*types.Func, []int) {
	obj, index, _ := types.LookupFieldOrMethod(t, true, f.src.Types, e.Sel.Name)
	m, ok := obj.(*types.Func)
	if !ok {
		refuse(e.Sel.Pos(), "the method %s cannot be found", e.Sel.Name)
	}
	return m, index
}

// path returns the field of x at the end of a path, and its type.
func (f *fn) path(x string, t types.Type, index []int) (string, types.Type) {
	for _, i := range index {
		s := structOf(t)
		x += "." + f.fieldName(s, i)
		t = s.Field(i).Type()
		if f.hiddenField(s, i) {
			x = f.clearField(x, t, s.Field(i).Pos())
		}
	}
	return x, t
}

// reached returns the part of a path to a method that is written. A struct of the library has the methods of its embedded fields itself,
// and those fields that are not exported cannot be named.
func (p *program) reached(t types.Type, index []int) []int {
	for n, i := range index {
		s := structOf(t)
		if v := s.Field(i); !v.Exported() && p.sourceOf(v) == nil {
			return index[:n]
		}
		t = s.Field(i).Type()
	}
	return index
}

// rawPath is path for a field that is assigned to.
func (f *fn) rawPath(x string, t types.Type, index []int) (string, types.Type) {
	for _, i := range index {
		s := structOf(t)
		x += "." + f.fieldName(s, i)
		t = s.Field(i).Type()
	}
	return x, t
}

// closure returns a function literal with the parameters of a signature. call returns the call that it makes.
func (f *fn) closure(sig *types.Signature, at token.Pos, call func(args []string) string) string {
	var params, args []string
	for i := range sig.Params().Len() {
		args = append(args, "aura_p"+strconv.Itoa(i))
		params = append(params, args[i]+" "+f.typ(sig.Params().At(i).Type(), at))
	}
	ret := ""
	if sig.Results().Len() > 0 {
		ret = "return "
	}
	return fmt.Sprintf("func(%s)%s {%s}", strings.Join(params, ", "), f.plainResults(sig, at), hiddenCall(" "+ret+call(args)+" "))
}

// bound returns a function literal that calls a method of x.
func (f *fn) bound(x string, t types.Type, index []int, m *types.Func, sig *types.Signature, at token.Pos) string {
	return f.closure(sig, at, func(args []string) string { return f.methodCall(x, t, index, m, args, sig.Variadic(), at) })
}

// methodCall returns a call of a method of x. spread reports whether the last argument holds the variadic ones.
func (f *fn) methodCall(x string, t types.Type, index []int, m *types.Func, args []string, spread bool, at token.Pos) string {
	x, t = f.path(x, t, f.reached(t, index[:len(index)-1]))
	if isInterface(t) && !f.compiled(t) {
		sig := f.lookupSignature(t, m)
		return f.dynamic(x, m.Name(), sig, at) + "(" + strings.Join(args, ", ") + ")"
	}
	recv, pointer := receiver(m)
	have := t
	p, isPointer := t.Underlying().(*types.Pointer)
	if isPointer {
		have = p.Elem()
	}
	if n, ok := types.Unalias(have).(*types.Named); ok && !isInterface(t) && f.own(n) && recv != nil {
		switch {
		case pointer && !isPointer:
			x = "&" + x
		case !pointer && isPointer:
			x = "*" + x
		}
		if f.unwinds != "" && f.recoversItself(m) {
			return f.methodRef(m, n, at) + recovering + "(" + strings.Join(append([]string{f.unwinds, x}, args...), ", ") + ")"
		}
		return f.methodRef(m, n, at) + "(" + strings.Join(append([]string{x}, args...), ", ") + ")"
	}
	dots := ""
	if spread {
		dots = "..."
	}
	return x + "." + m.Name() + "(" + strings.Join(args, ", ") + dots + ")"
}

// dynamic returns a method of a value of an interface type of the source.
func (f *fn) dynamic(x, name string, sig *types.Signature, at token.Pos) string {
	method := fmt.Sprintf("%s.Call(%s, %q)", boxAlias, x, name)
	for v := range sig.Results().Variables() {
		if f.boxed(v.Type()) && !isInterface(v.Type()) {
			// The interpreter forgets the types of the results if compiled code returns the function: it would not find their fields.
			method = "any(" + method + ")"
			break
		}
	}
	return method + ".(" + f.typ(sig, at) + ")"
}

func (f *fn) lookupSignature(t types.Type, m *types.Func) *types.Signature {
	obj, _, _ := types.LookupFieldOrMethod(t, false, m.Pkg(), m.Name())
	if found, ok := obj.(*types.Func); ok {
		return found.Signature()
	}
	return m.Signature()
}

// receiver returns the type that declares a method, and whether the receiver is a pointer.
func receiver(m *types.Func) (*types.Named, bool) {
	recv := m.Signature().Recv()
	if recv == nil {
		return nil, false
	}
	t := types.Unalias(recv.Type())
	p, pointer := t.(*types.Pointer)
	if pointer {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n, pointer
}

func (f *fn) index(e *ast.IndexExpr) string {
	t := f.typeOf(e.X)
	x := f.under(e.X)
	switch u := t.Underlying().(type) {
	case *types.Map:
		return x + "[" + f.mapKey(e.Index, u) + "]"
	default:
		return x + "[" + f.expr(e.Index) + "]"
	}
}

// mapKey lowers a key of a map. Without its type, the interpreter takes a nil for an interface value.
func (f *fn) mapKey(e ast.Expr, m *types.Map) string {
	if t := f.typ(m.Key(), e.Pos()); f.info.Types[e].IsNil() && t != "any" {
		return "(" + t + ")(nil)"
	}
	return f.hashed(f.element(e, m.Key()), m.Key())
}

// hashed returns a key of a type. One that is an interface is checked: the panic of the interpreter names its own types. It also
// compares constants of different types.
func (f *fn) hashed(key string, t types.Type) string {
	if isInterface(t) && !f.compiled(t) {
		return boxAlias + ".Key(" + key + ")"
	}
	return key
}

func (f *fn) slice(e *ast.SliceExpr) string {
	part := func(x ast.Expr) string {
		if x == nil {
			return ""
		}
		return f.expr(x)
	}
	out := f.under(e.X) + "[" + part(e.Low) + ":" + part(e.High)
	if e.Slice3 {
		out += ":" + part(e.Max)
	}
	return f.hidden(out+"]", f.typeOf(e), e.Pos())
}

// enclosed returns an expression in parentheses, unless it is a name: the interpreter gets (n) + 1 wrong beside ||.
func enclosed(x string) string {
	if token.IsIdentifier(x) {
		return x
	}
	return "(" + x + ")"
}
