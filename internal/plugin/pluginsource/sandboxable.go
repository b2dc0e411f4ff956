package pluginsource

import (
	"bytes"
	"go/ast"
	"go/parser"
)

// MayLeaveSandbox reports whether the package in a directory has a function Sandboxable that does anything other than return
// true.
func MayLeaveSandbox(dir string) bool {
	p, err := read(dir, parser.SkipObjectResolution, func(text []byte) bool { return bytes.Contains(text, []byte(Sandboxable.Name)) })
	if err != nil {
		return false
	}
	for _, f := range p.files {
		// A file that does not parse cannot be loaded either.
		if f.err != nil {
			continue
		}
		for _, d := range Declarations(f.tree) {
			if d.Name.Name == Sandboxable.Name && !returnsTrue(d.Body) {
				return true
			}
		}
	}
	return false
}

func returnsTrue(body *ast.BlockStmt) bool {
	if body == nil || len(body.List) != 1 {
		return false
	}
	r, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return false
	}
	value, ok := r.Results[0].(*ast.Ident)
	return ok && value.Name == "true"
}
