package check

import (
	"go/ast"

	"github.com/idelchi/aura/internal/repair"
)

// repaired reports whether the loader rewrites a construct so that the interpreter runs it correctly.
func (p *pass) repaired(kind repair.Kind, n ast.Node) bool { return p.source.done.Has(kind, n) }

// copiedReceiver reports whether the loader copies the variable whose method is deferred, and the copy behaves the same: the
// method neither needs the address of the variable nor calls recover, which would not work from the rewritten call.
func (p *pass) copiedReceiver(sel *ast.SelectorExpr, d *ast.DeferStmt) bool {
	if !p.repaired(repair.Receiver, d) || p.recoveringName(sel.Sel.Name) {
		return false
	}
	method := p.callee(d.Call)
	return method == nil || !isPointer(method.Signature().Recv().Type()) || isPointer(p.typeOf(sel.X))
}

// recoveringName reports whether a function or method of that name calls recover.
func (p *pass) recoveringName(name string) bool {
	for _, f := range p.pkg.files {
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == name && fn.Body != nil && p.recovers(fn.Body) {
				return true
			}
		}
	}
	return false
}
