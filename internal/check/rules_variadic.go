package check

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/idelchi/aura/internal/repair"
)

// forwardedValues finds values that a function of the source passes on unchanged to compiled code, as in log.Printf(format,
// args...). The compiled code gets them in the interpreter's wrapping.
func forwardedValues(p *pass, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || call.Ellipsis.IsValid() {
		return
	}
	fn := p.callee(call)
	if fn == nil || !fn.Signature().Variadic() || !p.forwards(fn) {
		return
	}
	fixed := fn.Signature().Params().Len() - 1
	for i := fixed; i < len(call.Args); i++ {
		t := p.typeOf(call.Args[i])
		named := p.interpreted(t)
		if named == nil || isPointer(t) && stringMethod(named) == "" || types.IsInterface(named) || types.NewMethodSet(types.NewPointer(named)).Len() == 0 {
			continue
		}
		fix := "give it the fields that matter"
		if method := stringMethod(named); method != "" {
			fix = fmt.Sprintf("call the method: x.%s()", method)
		}
		p.report(call.Args[i], atRun, "format-forwarded", fmt.Sprintf("%s passes this to compiled code without the methods of %s", fn.Name(), named.Obj().Name()), fix)
	}
}

// forwards reports whether a function of this package passes its last parameter, a list of any, to compiled code.
func (p *pass) forwards(fn *types.Func) bool {
	params := fn.Signature().Params()
	last := params.At(params.Len() - 1)
	list, ok := last.Type().(*types.Slice)
	if !ok || !isEmpty(list.Elem()) {
		return false
	}
	found := false
	for _, f := range p.pkg.files {
		if !within(f, fn.Pos()) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !call.Ellipsis.IsValid() {
				return !found
			}
			id, ok := call.Args[len(call.Args)-1].(*ast.Ident)
			to := p.callee(call)
			found = found || ok && p.object(id) == last && p.hidden(to)
			return !found
		})
	}
	return found
}

// capturedValues finds values that a function of the source gets as an any, and that a function literal within it passes to
// compiled code. There the values have lost their methods, or are nil.
func capturedValues(p *pass, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return
	}
	fn := p.callee(call)
	if fn == nil || fn.Signature().Variadic() || len(call.Args) != fn.Signature().Params().Len() {
		return
	}
	for i, x := range call.Args {
		named := p.interpreted(p.typeOf(x))
		param := fn.Signature().Params().At(i)
		if named == nil || types.IsInterface(named) || !isEmpty(param.Type()) || types.NewMethodSet(types.NewPointer(named)).Len() == 0 || !p.captured(fn, param) {
			continue
		}
		p.report(x, maybe, "interface-captured", fmt.Sprintf("a function literal in %s passes this to compiled code, where it is nil or has lost its methods", fn.Name()),
			fmt.Sprintf("let the parameter have the type %s, or one of an interface with methods", named.Obj().Name()))
	}
}

// captured reports whether a function literal in a function of this package passes a parameter to compiled code.
func (p *pass) captured(fn *types.Func, param *types.Var) bool {
	found := false
	for _, f := range p.pkg.files {
		if !within(f, fn.Pos()) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if ok && lit.Pos() > param.Pos() {
				found = found || p.givesToLibrary(lit.Body, param)
			}
			return !found
		})
	}
	return found
}

func (p *pass) givesToLibrary(body *ast.BlockStmt, param *types.Var) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		to := p.callee(call)
		for _, x := range call.Args {
			id, ok := x.(*ast.Ident)
			found = found || ok && p.object(id) == param && !p.repaired(repair.Given, id) && to != nil && to.Pkg() != nil && p.source.byPath[to.Pkg().Path()] == nil
		}
		return !found
	})
	return found
}

// hidden reports whether a function is compiled and does not see values that the interpreter wraps. Package fmt sees them.
func (p *pass) hidden(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && p.source.byPath[fn.Pkg().Path()] == nil && fn.Pkg().Path() != "fmt"
}
