package lower

import (
	"go/ast"

	"github.com/idelchi/aura/internal/golang/library"
)

// Library returns the packages of the library that exist as source, or in part, and were imported so far.
func Library() []*Package {
	var out []*Package
	for _, path := range library.Sources() {
		if g := library.Source(path); g != nil {
			out = append(out, &Package{Path: path, Mixed: !library.IsGeneric(path), Fset: library.Files, Files: []*ast.File{g.File}, Types: g.Types, Info: g.Info})
		}
	}
	return out
}
