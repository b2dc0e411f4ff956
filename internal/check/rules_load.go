package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// builtins finds predeclared functions that are newer than the interpreter.
func builtins(p *pass, n ast.Node) {
	id, ok := n.(*ast.Ident)
	if !ok {
		return
	}
	if b, ok := p.info.Uses[id].(*types.Builtin); ok {
		switch b.Name() {
		case "min", "max":
			p.report(n, atLoad, "builtin", "the interpreter does not know "+b.Name(), "write the comparison: if a < b { … }")
		case "clear":
			p.report(n, atLoad, "builtin", "the interpreter does not know clear", "make a new map or slice, or write a loop with delete")
		}
	}
}

// ranges finds loops over types that the interpreter cannot loop over.
func ranges(p *pass, n ast.Node) {
	loop, ok := n.(*ast.RangeStmt)
	if !ok {
		return
	}
	switch t := p.typeOf(loop.X).Underlying().(type) {
	case *types.Basic:
		if t.Info()&types.IsInteger != 0 {
			p.report(n, atLoad, "range-number", "the interpreter knows no range over a number", "write for i := 0; i < n; i++")
			return
		}
	case *types.Signature:
		p.report(n, atLoad, "range-function", "the interpreter knows no range over a function", "call it with a function literal")
		return
	case *types.Pointer:
		if _, address := ast.Unparen(loop.X).(*ast.UnaryExpr); address {
			break
		}
		p.report(n, atRun, "range-pointer", "the interpreter cannot loop over a pointer to an array", "loop over the array: range *p, or over a slice of it: range p[:]")
	}
	if loop.Tok.String() == "=" {
		p.report(n, atRun, "range-assign", "the interpreter does not assign the variables of a range loop with =",
			"declare the loop's variables with := and copy what is needed in the body")
	}
}

// workingGenerics lists the generic functions of the library that the interpreter can run.
var workingGenerics = map[string]bool{
	"slices.Contains": true, "slices.ContainsFunc": true, "slices.Index": true, "slices.IndexFunc": true, "slices.EqualFunc": true,
	"cmp.Compare": true, "cmp.Less": true,
}

// genericCalls finds calls of generic functions that the interpreter lacks or whose types it cannot infer.
func genericCalls(p *pass, n ast.Node) {
	if sel, ok := n.(*ast.SelectorExpr); ok {
		fn, ok := p.info.Uses[sel.Sel].(*types.Func)
		if ok && fn.Pkg() != nil && (fn.Pkg().Path() == "slices" || fn.Pkg().Path() == "cmp") && !workingGenerics[fn.Pkg().Path()+"."+fn.Name()] {
			p.report(n, atLoad, "generic-library", fmt.Sprintf("the interpreter cannot run %s.%s", fn.Pkg().Path(), fn.Name()),
				"use package sort, or write a loop; of slices it has Contains, ContainsFunc, Index, IndexFunc and EqualFunc")
		}
		return
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return
	}
	switch ast.Unparen(call.Fun).(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return // the type arguments are explicit
	}
	fn := p.callee(call)
	if fn == nil || fn.Pkg() == nil || p.source.byPath[fn.Pkg().Path()] == nil || fn.Signature().TypeParams().Len() == 0 {
		return
	}
	if why := uninferable(p, call, fn.Origin().Signature()); why != "" {
		p.report(n, atLoad, "generic-inference", fmt.Sprintf("the interpreter cannot infer the types for %s: %s", fn.Name(), why),
			fmt.Sprintf("name them: %s[…](…)", fn.Name()))
	}
}

// uninferable says why the interpreter cannot infer the type arguments. The interpreter takes the types that it finds in the
// parameters, one after the other, as the type parameters in their order.
func uninferable(p *pass, call *ast.CallExpr, sig *types.Signature) string {
	params, fixed := sig.Params(), sig.Params().Len()
	if sig.Variadic() {
		fixed--
	}
	if len(call.Args) == 1 && params.Len() > 1 {
		return "the arguments are the results of another call"
	}
	var met []*types.TypeParam
	for i := range fixed {
		occurrences(params.At(i).Type(), &met)
		if i >= len(call.Args) {
			break
		}
		tv := p.info.Types[call.Args[i]]
		if tv.IsNil() {
			return "an argument is nil"
		}
		if isFloatLiteral(call.Args[i]) && isUnion(params.At(i).Type()) {
			return "an argument is a constant with a decimal point"
		}
	}
	for i := range sig.TypeParams().Len() {
		if i >= len(met) || met[i] != sig.TypeParams().At(i) {
			return "it uses the first types in the parameters for the type parameters"
		}
	}
	return ""
}

func isFloatLiteral(x ast.Expr) bool {
	lit, ok := ast.Unparen(x).(*ast.BasicLit)
	return ok && strings.ContainsAny(lit.Value, ".e") && lit.Kind.String() == "FLOAT"
}

func isUnion(t types.Type) bool {
	tp, ok := t.(*types.TypeParam)
	if !ok {
		return false
	}
	i, ok := tp.Constraint().Underlying().(*types.Interface)
	return ok && !i.IsMethodSet() && !i.IsComparable() || ok && i.NumEmbeddeds() > 0
}

// occurrences appends the type parameters in t in the order in which the interpreter finds them.
func occurrences(t types.Type, met *[]*types.TypeParam) {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		*met = append(*met, t)
	case *types.Pointer:
		occurrences(t.Elem(), met)
	case *types.Slice:
		occurrences(t.Elem(), met)
	case *types.Chan:
		occurrences(t.Elem(), met)
	case *types.Map:
		occurrences(t.Key(), met)
		occurrences(t.Elem(), met)
	case *types.Struct:
		for f := range t.Fields() {
			occurrences(f.Type(), met)
		}
	case *types.Signature:
		for v := range t.Params().Variables() {
			occurrences(v.Type(), met)
		}
		for v := range t.Results().Variables() {
			occurrences(v.Type(), met)
		}
	}
}

// genericAliases finds aliases with type parameters.
func genericAliases(p *pass, n ast.Node) {
	if spec, ok := n.(*ast.TypeSpec); ok && spec.Assign.IsValid() && spec.TypeParams != nil {
		p.report(n, atLoad, "generic-alias", "the interpreter knows no alias with type parameters", "declare a type, or write the type out")
	}
}

// recursiveTypes finds types that contain themselves without a struct in between, and function types that are contained in a
// struct among their own parameters.
func recursiveTypes(p *pass, n ast.Node) {
	spec, ok := n.(*ast.TypeSpec)
	if !ok {
		return
	}
	obj, ok := p.info.Defs[spec.Name].(*types.TypeName)
	if !ok || obj.IsAlias() {
		return
	}
	named, ok := obj.Type().(*types.Named)
	if !ok {
		return
	}
	r := recursion{target: named, seen: map[types.Type]bool{}}
	switch u := named.Underlying().(type) {
	case *types.Struct, *types.Interface:
		return
	default:
		if r.reaches(u) {
			p.report(n, atLoad, "recursive-type", fmt.Sprintf("the interpreter cannot build type %s, which contains itself", spec.Name.Name),
				"put a struct between: type T struct { … T }")
			return
		}
	}
	if sig, ok := named.Underlying().(*types.Signature); ok {
		r.structs, r.seen = true, map[types.Type]bool{}
		if r.reaches(sig) {
			p.report(n, atRun, "recursive-function", fmt.Sprintf("a %s cannot be called: a struct among its parameters holds values of the same type", spec.Name.Name),
				"apply the functions at once instead of keeping them in the struct, or keep them as an interface type")
		}
	}
}

// recursion searches for a type within other types.
type recursion struct {
	target  *types.Named
	structs bool
	seen    map[types.Type]bool
}

func (r recursion) reaches(t types.Type) bool {
	t = types.Unalias(t)
	if r.seen[t] || len(r.seen) > maxParts {
		return false
	}
	r.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		return t == r.target || r.reaches(t.Underlying())
	case *types.Pointer:
		return r.reaches(t.Elem())
	case *types.Slice:
		return r.reaches(t.Elem())
	case *types.Array:
		return r.reaches(t.Elem())
	case *types.Chan:
		return r.reaches(t.Elem())
	case *types.Map:
		return r.reaches(t.Key()) || r.reaches(t.Elem())
	case *types.Signature:
		return r.reachesAny(t.Params()) || r.reachesAny(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if r.structs && r.reaches(f.Type()) {
				return true
			}
		}
	}
	return false
}

func (r recursion) reachesAny(tuple *types.Tuple) bool {
	for v := range tuple.Variables() {
		if r.reaches(v.Type()) {
			return true
		}
	}
	return false
}

// newExpressions finds calls of new with a value.
func newExpressions(p *pass, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return
	}
	if b, ok := p.info.Uses[id].(*types.Builtin); ok && b.Name() == "new" && !p.info.Types[call.Args[0]].IsType() {
		p.report(n, atRun, "new-value", "the interpreter ignores the value given to new and leaves a zero", "x := value, then &x")
	}
}
