package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// id returns the number of a type, which describes it at run time.
func (g *gen) id(t types.Type, at token.Pos) int {
	t = types.Unalias(t)
	key := g.key(t)
	id := g.ids[key]
	if id == 0 {
		id = len(g.ids) + 1
		g.ids[key] = id
	}
	if !g.described[id] {
		g.described[id] = true
		g.describe(id, t, at)
	}
	return id
}

// parts returns the number of what a named type is made of. A struct is described field by field even if it is a type of compiled
// code by itself.
func (g *gen) parts(t types.Type, at token.Pos) int {
	s, ok := t.(*types.Struct)
	if !ok || g.boxed(t) {
		return g.id(t, at)
	}
	key := "parts " + g.key(t)
	id := g.ids[key]
	if id == 0 {
		id = len(g.ids) + 1
		g.ids[key] = id
	}
	if !g.described[id] {
		g.described[id] = true
		fmt.Fprintf(&g.table, "%d t %s%s\n", id, strconv.Quote(runtimeName(t)), g.fields(s, at))
	}
	return id
}

// fields describes the fields of a struct.
func (g *gen) fields(t *types.Struct, at token.Pos) string {
	var b strings.Builder
	for i := range t.NumFields() {
		f := t.Field(i)
		flags := ""
		if f.Exported() {
			flags += "e"
		}
		if f.Embedded() {
			flags += "m"
		}
		if !f.Exported() && g.asksReflect() {
			flags += " " + f.Pkg().Path()
		}
		id := g.id(f.Type(), at)
		fmt.Fprintf(&b, " %s %s %s %d", strconv.Quote(f.Name()), strconv.Quote(flags), strconv.Quote(t.Tag(i)), id)
		if _, function := f.Type().Underlying().(*types.Signature); g.hiddenField(t, i) && !function {
			name := g.typ(f.Type(), at)
			g.waiting = append(g.waiting, func() { fmt.Fprintf(&g.register, "%s.Hidden(%d, new(%s))\n", boxAlias, id, name) })
		}
	}
	return b.String()
}

// describe writes the description of a type. Package box reads it.
func (g *gen) describe(id int, t types.Type, at token.Pos) {
	write := func(kind string, rest ...any) {
		fields := []string{strconv.Itoa(id), kind, strconv.Quote(runtimeName(t))}
		for _, r := range rest {
			fields = append(fields, fmt.Sprint(r))
		}
		g.table.WriteString(strings.Join(fields, " ") + "\n")
	}
	if isInterface(t) {
		u := t.Underlying().(*types.Interface) //nolint:forcetypeassert // see isInterface
		var methods []any
		for m := range u.Methods() {
			methods = append(methods, strconv.Quote(m.Name()), strconv.Quote(runtimeName(m.Type())))
		}
		write("i", methods...)
		if g.compiled(t) {
			name := g.typ(t, at)
			g.waiting = append(g.waiting, func() { fmt.Fprintf(&g.register, "%s.Interface(%d, (*%s)(nil))\n", boxAlias, id, name) })
		}
		return
	}
	if !g.boxed(t) {
		write("n")
		name := g.typ(t, at)
		g.waiting = append(g.waiting, func() { fmt.Fprintf(&g.register, "%s.Native(%d, new(%s))\n", boxAlias, id, name) })
		return
	}
	if g.asksReflect() {
		name := g.typ(t, at)
		g.waiting = append(g.waiting, func() { fmt.Fprintf(&g.register, "%s.Raw(%d, new(%s))\n", boxAlias, id, name) })
	}
	if n, ok := t.(*types.Named); ok {
		write("d", g.parts(n.Underlying(), at), strconv.Quote(n.Obj().Name()), strconv.Quote(n.Obj().Pkg().Path()))
		g.methods(id, t, at)
		if p := types.NewPointer(t); types.NewMethodSet(p).Len() > types.NewMethodSet(t).Len() {
			write("x", g.id(p, at))
		}
		return
	}
	kind, parts := g.literal(t, at)
	write(kind, parts...)
	g.methods(id, t, at)
}

// literal returns the kind of a type without a name, and what describes its parts.
func (g *gen) literal(t types.Type, at token.Pos) (kind string, parts []any) {
	switch t := t.(type) {
	case *types.Pointer:
		return "p", []any{g.id(t.Elem(), at)}
	case *types.Slice:
		return "s", []any{g.id(t.Elem(), at)}
	case *types.Array:
		return "a", []any{g.id(t.Elem(), at)}
	case *types.Map:
		return "m", []any{g.id(t.Key(), at), g.id(t.Elem(), at)}
	case *types.Struct:
		return "t", []any{strings.TrimSpace(g.fields(t, at))}
	case *types.Chan:
		if g.asksReflect() {
			return "c", []any{g.id(t.Elem(), at)}
		}
	case *types.Signature:
		result, variadic := g.result(t, at)
		how := map[bool]string{true: "v", false: "-"}[variadic]
		switch {
		case g.asksReflect():
			return "f", append([]any{how, result}, g.tuples(t, at)...)
		case g.templates():
			return "f", []any{how, result}
		}
	}
	return "f", nil
}

// methods registers the methods of a type.
func (g *gen) methods(id int, t types.Type, at token.Pos) {
	set := types.NewMethodSet(t)
	if set.Len() == 0 {
		return
	}
	g.waiting = append(g.waiting, func() {
		f := &fn{gen: g, src: g.pkg, info: g.pkg.Info, names: map[types.Object]string{}, pointers: map[types.Object]bool{}, direct: map[ast.Node]bool{}}
		for sel := range set.Methods() {
			m := sel.Obj().(*types.Func) //nolint:forcetypeassert // a method set holds methods
			sig := sel.Type().(*types.Signature)
			fmt.Fprintf(&g.register, "%s.Method(%d, %q, %q, func(r any) any { x := r.(%s); return %s })\n", boxAlias, id, m.Name(), runtimeName(sig),
				g.typ(t, at), f.bound("x", t, sel.Index(), m, sig, at))
			if result, variadic := g.methodResult(t, sig, at); result != 0 || variadic && g.templates() {
				fmt.Fprintf(&g.register, "%s.Result(%d, %q, %d, %t)\n", boxAlias, id, m.Name(), result, variadic)
			}
			if g.asksReflect() && m.Exported() && !g.grows(t) {
				fmt.Fprintf(&g.register, "%s.Signature(%d, %q, %d)\n", boxAlias, id, m.Name(), g.id(plainSignature(sig), at))
			}
			if f.recoversItself(m) {
				f.unwinds = "aura_u"
				bound := f.bound("x", t, sel.Index(), m, sig, at)
				f.unwinds = ""
				fmt.Fprintf(&g.register, "%s.Method(%d, %q, %q, func(r any) any { x := r.(%s); return %s })\n", boxAlias, id, m.Name()+" recovering", runtimeName(sig),
					g.typ(t, at), strings.Replace("func(aura_u "+unwinding+", "+strings.TrimPrefix(bound, "func("), ", )", ")", 1))
			}
		}
	})
}

// methodResult is result for a method. A method of a generic type may return ever larger types.
func (g *gen) methodResult(recv types.Type, sig *types.Signature, at token.Pos) (id int, variadic bool) {
	if g.grows(recv) {
		return 0, sig.Variadic()
	}
	return g.result(sig, at)
}

// grows reports whether the methods of a type may lead to ever larger types.
func (g *gen) grows(recv types.Type) bool {
	if p, ok := recv.(*types.Pointer); ok {
		recv = p.Elem()
	}
	n, ok := types.Unalias(recv).(*types.Named)
	return !ok || n.TypeArgs() != nil
}

// plainSignature returns the type of a method without its receiver.
func plainSignature(sig *types.Signature) types.Type {
	return types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
}

// tuples returns the numbers of the types of parameters and, behind a mark, of results.
func (g *gen) tuples(sig *types.Signature, at token.Pos) []any {
	var out []any
	for v := range sig.Params().Variables() {
		out = append(out, g.id(v.Type(), at))
	}
	out = append(out, ">")
	for v := range sig.Results().Variables() {
		out = append(out, g.id(v.Type(), at))
	}
	return out
}

// templates reports whether the program may execute templates, which need to know more about functions.
func (g *gen) templates() bool { return g.uses("text/template", "html/template") }

// result returns the number of the type of a function's first result, or 0 if templates need not know it, and whether the function is variadic.
func (g *gen) result(sig *types.Signature, at token.Pos) (id int, variadic bool) {
	if g.templates() && sig.Results().Len() > 0 {
		if t := sig.Results().At(0).Type(); !isInterface(t) && g.boxed(t) {
			id = g.id(t, at)
		}
	}
	return id, sig.Variadic()
}

// runtimeName returns the name of a type in the form of package reflect.
func runtimeName(t types.Type) string { return typeName(t, (*types.Package).Name) }

// typeName is runtimeName with the names of packages that pkg returns. The type arguments in a name have the paths of packages.
func typeName(t types.Type, pkg func(*types.Package) string) string { //nolint:gocognit // one case after the other
	name := func(t types.Type) string { return typeName(t, pkg) }
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		b, _ := types.Default(t).(*types.Basic)
		if b.Kind() == types.UnsafePointer {
			return b.Name()
		}
		return types.Typ[b.Kind()].Name() // uint8 for byte
	case *types.Named:
		text := t.Obj().Name()
		if t.Obj().Pkg() != nil {
			text = pkg(t.Obj().Pkg()) + "." + text
		}
		if t.TypeArgs() != nil {
			var args []string
			for a := range t.TypeArgs().Types() {
				args = append(args, typeName(a, (*types.Package).Path))
			}
			text += "[" + strings.Join(args, ",") + "]"
		}
		return text
	case *types.Pointer:
		return "*" + name(t.Elem())
	case *types.Slice:
		return "[]" + name(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), name(t.Elem()))
	case *types.Map:
		return "map[" + name(t.Key()) + "]" + name(t.Elem())
	case *types.Chan:
		return map[types.ChanDir]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}[t.Dir()] + name(t.Elem())
	case *types.Signature:
		return "func" + runtimeSignature(t, name)
	case *types.Struct:
		var fields []string
		for i := range t.NumFields() {
			text := name(t.Field(i).Type())
			if !t.Field(i).Embedded() {
				text = t.Field(i).Name() + " " + text
			}
			if tag := t.Tag(i); tag != "" {
				text += " " + strconv.Quote(tag)
			}
			fields = append(fields, text)
		}
		if len(fields) == 0 {
			return "struct {}"
		}
		return "struct { " + strings.Join(fields, "; ") + " }"
	case *types.Interface:
		var methods []string
		for m := range t.Methods() {
			methods = append(methods, m.Name()+runtimeSignature(m.Signature(), name))
		}
		if len(methods) == 0 {
			return "interface {}"
		}
		return "interface { " + strings.Join(methods, "; ") + " }"
	}
	return t.String()
}

func runtimeSignature(t *types.Signature, name func(types.Type) string) string {
	var params, results []string
	for v := range t.Params().Variables() {
		params = append(params, name(v.Type()))
	}
	if t.Variadic() {
		params[len(params)-1] = "..." + strings.TrimPrefix(params[len(params)-1], "[]")
	}
	for v := range t.Results().Variables() {
		results = append(results, name(v.Type()))
	}
	out := "(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
		return out
	case 1:
		return out + " " + results[0]
	default:
		return out + " (" + strings.Join(results, ", ") + ")"
	}
}
