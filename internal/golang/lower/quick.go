package lower

import (
	"go/ast"
	"go/types"
	"strings"
)

// quickCalls holds the functions that call functions with random arguments.
var quickCalls = map[string]bool{"testing/quick.Check": true, "testing/quick.CheckEqual": true}

// random reports whether package quick makes arguments for the functions in a call as it would in Go: no type makes values itself.
func (f *fn) random(e *ast.CallExpr) bool {
	for _, a := range e.Args[:len(e.Args)-1] {
		sig, ok := f.typeOf(a).Underlying().(*types.Signature)
		if !ok {
			return false
		}
		for v := range sig.Params().Variables() {
			if !f.randomValue(v.Type(), map[types.Type]bool{}) {
				return false
			}
		}
	}
	return true
}

func (f *fn) randomValue(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	if n, ok := types.Unalias(t).(*types.Named); ok && f.own(n) {
		if obj, _, _ := types.LookupFieldOrMethod(n, true, n.Obj().Pkg(), "Generate"); obj != nil || f.opaque(n) {
			return false
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return f.randomValue(u.Key(), seen) && f.randomValue(u.Elem(), seen)
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		return f.randomValue(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if f.hiddenField(u, i) || !f.randomValue(u.Field(i).Type(), seen) {
				return false
			}
		}
	}
	return true
}

// quick lowers a call of a function of quickCalls. It gets the functions themselves.
func (f *fn) quick(e *ast.CallExpr, callee string) string {
	var args []string
	last := len(e.Args) - 1
	for _, a := range e.Args[:last] {
		args = append(args, boxAlias+".Any("+f.expr(a)+")")
	}
	return callee + "(" + strings.Join(append(args, f.expr(e.Args[last])), ", ") + ")"
}
