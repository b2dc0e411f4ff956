package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// methodName returns the name of the function that a method becomes.
func (g *gen) methodName(m *types.Func, _ []types.Type) string {
	n, _ := receiver(m)
	name := n.Obj().Name()
	return "M" + strconv.Itoa(len(name)) + "_" + name + "_" + m.Name()
}

// methodRef returns the name of the function for a method of a type of the source.
func (f *fn) methodRef(m *types.Func, n *types.Named, at token.Pos) string {
	origin := m.Origin()
	name := f.methodName(origin, nil)
	if n.TypeArgs() == nil {
		if n.Obj().Pkg() != f.pkg.Types {
			return f.use(n.Obj().Pkg()) + "." + name
		}
		return name
	}
	var args []types.Type
	for a := range n.TypeArgs().Types() {
		args = append(args, a)
	}
	return f.write(origin, args, at)
}

// instanceOf returns the name of the instance of a generic function that an expression names, or "".
func (f *fn) instanceOf(e ast.Expr) string {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if sel, isSel := ast.Unparen(e).(*ast.SelectorExpr); isSel {
		id, ok = sel.Sel, true
	}
	if !ok {
		return ""
	}
	inst, ok := f.info.Instances[id]
	if !ok {
		return ""
	}
	fun, ok := f.info.Uses[id].(*types.Func)
	if !ok {
		return ""
	}
	var args []types.Type
	for a := range inst.TypeArgs.Types() {
		args = append(args, f.subst(a))
	}
	if f.sourceOf(fun) == nil {
		refuse(e.Pos(), "the interpreter has no generic %s; write a loop", fun.FullName())
	}
	return f.write(fun.Origin(), args, e.Pos())
}

// write returns the name of an instance of a generic function or of a method of a generic type, and writes it later.
func (g *gen) write(fun *types.Func, args []types.Type, at token.Pos) string {
	var key strings.Builder
	key.WriteString(fun.FullName())
	for _, a := range args {
		key.WriteString(" " + g.key(a))
	}
	if name := g.instanceNames[key.String()]; name != "" {
		return name
	}
	g.instance(at)
	name := g.fresh(strings.ToLower(fun.Name()) + "_")
	g.instanceNames[key.String()] = name
	src, d := g.sourceOf(fun), g.decls[fun]
	if d == nil || d.Body == nil {
		refuse(at, "the function %s is not in the source", fun.FullName())
	}
	params := fun.Signature().TypeParams()
	if fun.Signature().Recv() != nil {
		params = fun.Signature().RecvTypeParams()
	}
	env := map[*types.TypeParam]types.Type{}
	for i := range params.Len() {
		env[params.At(i)] = args[i]
	}
	g.waiting = append(g.waiting, func() {
		if src != g.pkg {
			// The position of what cannot be lowered is the use of the instance.
			defer func() {
				if v := recover(); v != nil {
					if r, ok := v.(refusal); ok {
						v = refusal{at, fmt.Sprintf("%s: %s", fun.FullName(), r.message)}
					}
					panic(v)
				}
			}()
		}
		text := g.function(src, d, name, env)
		if g.instanceText += len(text); g.instanceText > maxInstanceText {
			refuse(at, "the instances of generic functions have more than %d MiB of source", maxInstanceText>>20)
		}
		g.place(src, d.Pos()).WriteString(text)
	})
	return name
}
