package library

import (
	_ "embed" // for the declarations
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"sync"
)

// declarations holds the declarations of the SDK and of the part of the standard library that the interpreter has. They are
// embedded because aura also runs where Go is not installed. They are not compressed: each child of a plugin reads them.
//
//go:embed stdlib.txt
var declarations string

// stub is the text of a package. A hidden package cannot be imported; other packages use its types.
type stub struct {
	text   string
	hidden bool
}

// library returns the packages by their paths.
var library = sync.OnceValue(func() map[string]stub {
	packages := map[string]stub{}
	for part := range strings.SplitSeq(strings.TrimPrefix(declarations, "#"), "\n#") {
		mark, rest, _ := strings.Cut(part, " ")
		if path, body, ok := strings.Cut(rest, "\n"); ok && path != "" {
			packages[path] = stub{text: body, hidden: mark == "-"}
		}
	}
	return packages
})

// compiled caches the library's packages for all plugins. Sharing is safe, because go/types does not change a complete
// package.
var compiled = struct {
	sync.Mutex

	packages map[string]*types.Package
}{packages: map[string]*types.Package{}}

// ErrUnknown is returned for a package that is not part of the library.
var ErrUnknown = errors.New("nothing is known of this package")

// Import returns a package of the library.
func Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	compiled.Lock()
	defer compiled.Unlock()
	return compileLibrary(path)
}

func compileLibrary(path string) (*types.Package, error) {
	if p := compiled.packages[path]; p != nil {
		return p, nil
	}
	if IsGeneric(path) {
		return compileGeneric(path)
	}
	found, ok := library()[path]
	if !ok {
		return nil, ErrUnknown
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, found.text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading the declarations of %s: %w", path, err)
	}
	config := types.Config{Importer: libraryImporter{}, IgnoreFuncBodies: true}
	p, err := config.Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the declarations of %s: %w", path, err)
	}
	compiled.packages[path] = p
	return p, nil
}

// libraryImporter imports packages of the library. The caller must hold the lock of compiled.
type libraryImporter struct{}

func (libraryImporter) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return compileLibrary(path)
}

// Has reports whether aura provides a package: the SDK, or a package of the standard library that every plugin may import.
func Has(path string) bool {
	known, ok := library()[path]
	return ok && !known.hidden || IsGeneric(path)
}
