package lower

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// own reports whether a type is declared by the source. Types of the generic library packages are treated alike.
func (p *program) own(t *types.Named) bool {
	return p.sourceOf(t.Obj()) != nil
}

func isInterface(t types.Type) bool {
	_, ok := t.Underlying().(*types.Interface)
	return ok
}

// compiled reports whether an interface type is declared by compiled code and has methods. Values of all others are of type any.
func (p *program) compiled(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || p.own(n) {
		return false
	}
	i, ok := n.Underlying().(*types.Interface)
	return ok && i.NumMethods() > 0
}

// key returns a text that is the same for identical types only.
func (p *program) key(t types.Type) string {
	limitParts(t)
	return types.TypeString(p.marked(t), func(pkg *types.Package) string { return pkg.Path() })
}

// marked is t. Types that functions declare get numbers, because several may have one name.
func (p *program) marked(t types.Type) types.Type {
	return p.replace(t, func(t types.Type) types.Type {
		n, ok := t.(*types.Named)
		if !ok || !p.local(n) {
			return nil
		}
		if p.locals[n.Obj()] == 0 {
			p.locals[n.Obj()] = len(p.locals) + 1
		}
		text := []string{n.Obj().Name() + "·" + strconv.Itoa(p.locals[n.Obj()])}
		for a := range n.TypeArgs().Types() {
			text = append(text, p.key(a))
		}
		return types.NewNamed(types.NewTypeName(token.NoPos, n.Obj().Pkg(), strings.Join(text, " "), nil), types.Typ[types.Int], nil)
	})
}

// local reports whether a type is declared in a function.
func (p *program) local(n *types.Named) bool {
	obj := n.Obj()
	return p.written[obj] || obj.Pkg() != nil && obj.Parent() != nil && obj.Parent() != obj.Pkg().Scope()
}

// localInstance returns the type that a generic function declares, for the type arguments of an instance of the function.
func (f *fn) localInstance(n *types.Named) types.Type {
	obj := n.Obj()
	if obj.Pkg() != f.src.Types || f.within == nil || f.written[obj] || obj.Pos() < f.within.Body.Pos() || obj.Pos() > f.within.End() {
		return nil // another function declares it
	}
	if n.TypeArgs() != nil || n.TypeParams() != nil {
		refuse(obj.Pos(), "the generic type %s is declared in a generic function; declare it outside", obj.Name())
	}
	params := slices.SortedFunc(maps.Keys(f.env), func(a, b *types.TypeParam) int { return cmp.Compare(a.Index(), b.Index()) })
	keys := []string{fmt.Sprintf("%p", obj)}
	var args []string
	for _, param := range params {
		keys = append(keys, f.key(f.env[param]))
		args = append(args, typeName(f.env[param], (*types.Package).Path))
	}
	key := strings.Join(keys, " ")
	if known := f.localTypes[key]; known != nil {
		return known
	}
	name := types.NewTypeName(obj.Pos(), obj.Pkg(), obj.Name()+"["+strings.Join(args, ",")+"]", nil)
	out := types.NewNamed(name, nil, nil)
	f.written[name], f.localTypes[key] = true, out
	out.SetUnderlying(f.subst(n.Underlying()))
	return out
}

// replace returns t with the types for which f returns one replaced.
func (p *program) replace(t types.Type, f func(types.Type) types.Type) types.Type {
	t = types.Unalias(t)
	if r := f(t); r != nil {
		return r
	}
	again := func(t types.Type) types.Type { return p.replace(t, f) }
	switch t := t.(type) {
	case *types.Named:
		if t.TypeArgs() == nil {
			return t
		}
		var args []types.Type
		changed := false
		for a := range t.TypeArgs().Types() {
			args = append(args, again(a))
			changed = changed || args[len(args)-1] != a
		}
		if !changed {
			return t
		}
		out, err := types.Instantiate(p.context, t.Origin(), args, false)
		if err != nil {
			refuse(t.Obj().Pos(), "instantiating %s: %v", t, err)
		}
		return out
	case *types.Pointer:
		return types.NewPointer(again(t.Elem()))
	case *types.Slice:
		return types.NewSlice(again(t.Elem()))
	case *types.Array:
		return types.NewArray(again(t.Elem()), t.Len())
	case *types.Map:
		return types.NewMap(again(t.Key()), again(t.Elem()))
	case *types.Chan:
		return types.NewChan(t.Dir(), again(t.Elem()))
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, p.replaceTuple(t.Params(), again), p.replaceTuple(t.Results(), again), t.Variadic())
	case *types.Tuple:
		return p.replaceTuple(t, again)
	case *types.Struct:
		var fields []*types.Var
		var tags []string
		for i := range t.NumFields() {
			v := t.Field(i)
			fields = append(fields, types.NewField(v.Pos(), v.Pkg(), v.Name(), again(v.Type()), v.Embedded()))
			tags = append(tags, t.Tag(i))
		}
		return types.NewStruct(fields, tags)
	case *types.Interface:
		if t.NumMethods() == 0 && t.NumEmbeddeds() == 0 && !t.IsComparable() {
			return anyType.Underlying() // interface{} is the same type and has another text
		}
		var methods []*types.Func
		for m := range t.Methods() {
			methods = append(methods, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), again(m.Type()).(*types.Signature))) //nolint:forcetypeassert // see above
		}
		return types.NewInterfaceType(methods, nil).Complete()
	}
	return t
}

// replaceTuple is replace for parameters or results. Their names are left out: they are no part of the type.
func (p *program) replaceTuple(t *types.Tuple, again func(types.Type) types.Type) *types.Tuple {
	var vars []*types.Var
	for v := range t.Variables() {
		vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), "", again(v.Type())))
	}
	return types.NewTuple(vars...)
}

// boxed reports whether a value of a concrete type needs a box in an interface: the type, or one that it contains, is the
// source's own, or the interpreter has another type for it.
func (p *program) boxed(t types.Type) bool {
	t = types.Unalias(t)
	switch t := t.(type) {
	case *types.Basic:
		return false
	case *types.Named:
		return p.own(t)
	case *types.Pointer:
		return p.boxed(t.Elem())
	case *types.Slice:
		return p.boxed(t.Elem())
	case *types.Array:
		return p.boxed(t.Elem())
	case *types.Chan:
		return p.boxed(t.Elem())
	case *types.Map:
		return p.boxed(t.Key()) || p.boxed(t.Elem())
	case *types.Signature:
		if t.Variadic() {
			return true
		}
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				if p.boxed(v.Type()) {
					return true
				}
			}
		}
		return false
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() || f.Embedded() || p.boxed(f.Type()) {
				return true
			}
		}
		return false
	case *types.Interface:
		return t.NumMethods() > 0
	}
	return true
}

// opaque reports whether a type that is not a struct contains itself. The interpreter sees its values as any.
func (p *program) opaque(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !p.own(n) {
		return false
	}
	key := "opaque " + p.key(n)
	known, ok := p.shapes[key]
	if !ok {
		known = p.reaches(n.Underlying(), n, 0)
		p.shapes[key] = known
	}
	return known
}

// reaches reports whether t contains n other than in a struct type that has a name.
func (p *program) reaches(t types.Type, n *types.Named, depth int) bool {
	if depth > 50 {
		return true
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if types.Identical(t, n) {
			return true
		}
		if !p.own(t) {
			return false
		}
		switch u := t.Underlying().(type) {
		case *types.Struct, *types.Interface:
			return false
		default:
			return p.reaches(u, n, depth+1)
		}
	case *types.Pointer:
		return p.reaches(t.Elem(), n, depth+1)
	case *types.Slice:
		return p.reaches(t.Elem(), n, depth+1)
	case *types.Array:
		return p.reaches(t.Elem(), n, depth+1)
	case *types.Chan:
		return p.reaches(t.Elem(), n, depth+1)
	case *types.Map:
		return p.reaches(t.Key(), n, depth+1) || p.reaches(t.Elem(), n, depth+1)
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				if p.reaches(v.Type(), n, depth+1) {
					return true
				}
			}
		}
	case *types.Struct:
		if n.Underlying() == t {
			return false
		}
		for f := range t.Fields() {
			if p.reaches(f.Type(), n, depth+1) {
				return true
			}
		}
	}
	return false
}

// typ returns a type as lowered source writes it.
func (g *gen) typ(t types.Type, at token.Pos) string {
	text := g.typeText(t, at)
	if len(text) > maxTypeText {
		refuse(at, "this type is too large to write out; declare named types for its parts")
	}
	return text
}

func (g *gen) typeText(t types.Type, at token.Pos) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return g.use(types.Unsafe) + ".Pointer"
		}
		return types.Default(t).(*types.Basic).Name() //nolint:forcetypeassert // it is basic
	case *types.Named:
		return g.named(t, at)
	case *types.Pointer:
		return "*" + g.typ(t.Elem(), at)
	case *types.Slice:
		return "[]" + g.typ(t.Elem(), at)
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), g.typ(t.Elem(), at))
	case *types.Map:
		return "map[" + g.typ(t.Key(), at) + "]" + g.typ(t.Elem(), at)
	case *types.Chan:
		switch t.Dir() {
		case types.SendOnly:
			return "chan<- " + g.typ(t.Elem(), at)
		case types.RecvOnly:
			return "<-chan " + g.typ(t.Elem(), at)
		default:
			return "chan (" + g.typ(t.Elem(), at) + ")"
		}
	case *types.Signature:
		return "func" + g.plainSignature(t, at)
	case *types.Struct:
		return g.structType(t, at)
	case *types.Interface:
		return "any"
	}
	refuse(at, "the type %s cannot be interpreted", t)
	return ""
}

func (g *gen) named(t *types.Named, at token.Pos) string {
	obj := t.Obj()
	if obj.Pkg() == nil {
		return obj.Name()
	}
	if !g.own(t) {
		if t.TypeArgs() != nil {
			refuse(at, "the interpreter has no %s; use a type without type parameters", types.TypeString(t, nil))
		}
		return g.use(obj.Pkg()) + "." + obj.Name()
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return "any"
	case *types.Struct:
		if origin := g.libraryStruct(u); origin != nil {
			return g.named(origin, at)
		}
		return g.structName(t, u, at)
	default:
		if g.opaque(t) {
			return "any"
		}
		return g.typ(u, at)
	}
}

// instance counts an instance.
func (g *gen) instance(at token.Pos) {
	if g.instances++; g.instances > MaxInstances {
		refuse(at, "more than %d instances of generic functions and types; use fewer type arguments, or an interface", MaxInstances)
	}
}

// plainSignature returns the parameters and results of a function without names.
func (g *gen) plainSignature(t *types.Signature, at token.Pos) string {
	var params []string
	for v := range t.Params().Variables() {
		params = append(params, g.typ(v.Type(), at))
	}
	return "(" + strings.Join(params, ", ") + ")" + g.plainResults(t, at)
}

func (g *gen) plainResults(t *types.Signature, at token.Pos) string {
	var results []string
	for v := range t.Results().Variables() {
		results = append(results, g.typ(v.Type(), at))
	}
	switch len(results) {
	case 0:
		return ""
	case 1:
		return " " + results[0]
	default:
		return " (" + strings.Join(results, ", ") + ")"
	}
}
