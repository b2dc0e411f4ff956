package library

import (
	_ "embed" // for the declarations
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"
)

// declarations holds the declarations of the SDK and of the part of the standard library that the interpreter has. They are
// embedded because aura also runs where Go is not installed. They are not compressed: each child of a plugin reads them.
//
//go:embed stdlib.txt
var declarations string

// library returns the texts of the packages by their paths. Some packages cannot be imported; other packages use their types.
var library = sync.OnceValue(func() map[string]string {
	packages := map[string]string{}
	for part := range strings.SplitSeq(strings.TrimPrefix(declarations, "# "), "\n# ") {
		if path, text, ok := strings.Cut(part, "\n"); ok {
			packages[path] = text
		}
	}
	return packages
})

// ErrUnknown is returned for a package that is not part of the library.
var ErrUnknown = errors.New("nothing is known of this package")

// Library imports packages for a type checker. Packages that were imported are kept for all plugins. Sharing is safe, because go/types does
// not change a complete package.
type Library struct {
	// own is the text of one package that differs in this library; path is empty if there is none.
	path, own string
	// packages is guarded by compiling.
	packages map[string]*types.Package
}

// compiling is held while packages of any library are compiled.
var compiling sync.Mutex

// standard is the library of plugins that import no package of their own system.
var standard = With("", "")

// With returns a library in which one package has other declarations.
func With(path, declarations string) *Library {
	return &Library{path: path, own: declarations, packages: map[string]*types.Package{}}
}

// Import returns a package of the library.
func Import(path string) (*types.Package, error) { return standard.Import(path) }

// Import returns a package of the library.
func (l *Library) Import(path string) (*types.Package, error) {
	compiling.Lock()
	defer compiling.Unlock()
	return importer{l}.Import(path)
}

// importer imports packages of a library. The caller must hold compiling.
type importer struct{ *Library }

// Import returns a package of the library.
func (l importer) Import(path string) (*types.Package, error) {
	switch p := l.packages[path]; {
	case p != nil:
		return p, nil
	case path == "unsafe":
		return types.Unsafe, nil
	case slices.Contains(Sources(), path):
		return compileGeneric(path)
	}
	text := l.own
	if path != l.path {
		var ok bool
		if text, ok = library()[path]; !ok {
			return nil, ErrUnknown
		}
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading the declarations of %s: %w", path, err)
	}
	config := types.Config{Importer: l, IgnoreFuncBodies: true}
	p, err := config.Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the declarations of %s: %w", path, err)
	}
	l.packages[path] = p
	return p, nil
}

// Has reports whether aura provides a package: the SDK, or a package of the standard library that every plugin may import.
func Has(path string) bool {
	_, found := slices.BinarySearch(importable[:], path)
	return found
}
