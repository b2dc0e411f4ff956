package lower

import (
	"go/ast"

	"github.com/idelchi/aura/internal/golang/library"
)

// Library returns the generic packages of the library that were imported so far.
func Library() []*Package {
	var out []*Package
	for _, path := range library.Generics() {
		if g := library.Source(path); g != nil {
			out = append(out, &Package{Path: path, Fset: library.Files, Files: []*ast.File{g.File}, Types: g.Types, Info: g.Info})
		}
	}
	return out
}
