package check

import (
	"go/ast"
	"go/types"
)

// runtimeFigures reports the figures of the Go runtime, which count what the interpreter does.
func runtimeFigures(p *pass, n ast.Node) {
	id, ok := n.(*ast.Ident)
	if !ok || p.compiled() {
		return
	}
	if obj, ok := p.pkg.Info.Uses[id].(*types.Func); ok && obj.FullName() == "runtime.ReadMemStats" {
		p.report(n, maybe, "runtime-figures", "runtime.ReadMemStats counts the memory of the interpreter, which allocates where compiled code does not",
			"do not compare its figures with those of a compiled program, or set runtime: native in plugin.yaml")
	}
}
