package interp

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"

	"github.com/idelchi/aura/internal/pluginsource"
)

// emitted returns the names of the events that a file emits. A name that is not written as a literal is unknown.
func emitted(f *ast.File) []string {
	sdkName := pluginsource.SDKName(f)
	if sdkName == "" {
		return nil
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		switch fn := call.Fun.(type) {
		case *ast.SelectorExpr:
			if x, ok := fn.X.(*ast.Ident); !ok || x.Name != sdkName || fn.Sel.Name != "Emit" {
				return true
			}
		case *ast.Ident:
			if sdkName != "." || fn.Name != "Emit" {
				return true
			}
		default:
			return true
		}
		if lit, ok := call.Args[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if name, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, name)
			}
		}
		return true
	})
	return out
}

// emits returns the names of the events that the source emits, sorted.
func (s *source) emits() []string {
	var out []string
	for _, p := range s.packages {
		for _, f := range p.files {
			out = append(out, f.emits...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
