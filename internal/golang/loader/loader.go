// Package loader reads the Go source of a plugin: its own packages and the vendored packages that they import. It resolves imports, checks
// types and lowers the source for the interpreter. The interpreter, the builder of compiled plugins and the checker all use it, so the same
// rules, limits and messages hold whoever asks.
package loader

import (
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/golang/library"
	"github.com/idelchi/aura/internal/golang/lower"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// MaxSource is how much source is read, in bytes, with all vendored packages.
const MaxSource = 64 << 20

// Target is what the source is loaded for.
type Target struct {
	// Unsafe permits the restricted packages.
	Unsafe bool
	// Compiled is set if a Go toolchain compiles the source. Otherwise the interpreter runs it.
	Compiled bool
	// Root is the GOROOT of that toolchain, and Minor is 26 for Go 1.26. If Root is empty, each import that looks like one of the standard
	// library is taken for one.
	Root  string
	Minor int
	// System returns the library of plugins that import syscall. It is nil if the declarations of that package are not known.
	System func() *library.Library
}

// match decides which files belong to a package.
func (t Target) match() build.Context {
	if t.Compiled {
		return pluginsource.BuildContext(t.Minor)
	}
	return pluginsource.BuildContext(pluginsource.LanguageMinor)
}

// Source is the source of a plugin. It is read once.
type Source struct {
	Target

	// Dir is the absolute path of the plugin's directory.
	Dir string
	// Module is the path of the plugin's module, and Package the name of its own package.
	Module, Package string
	// language is the Go release whose language the plugin's own packages are written in, such as go1.21: the go line of the module. It is empty for
	// the language of the type checker.
	language string
	// Fset has the positions of all files.
	Fset *token.FileSet
	// Packages lists dependencies before their importers. The plugin's own package is the last.
	Packages []*Package
	// Standard lists the packages of the standard library that are imported, without those that exist as source.
	Standard []string

	byPath  map[string]*Package
	context build.Context
	// root is the plugin's directory while it is read for the compiler, or once a file is embedded.
	root *os.Root
	// room is how much source may still be read, in bytes. It is negative after that was exceeded.
	room int
	// unknown holds the imports whose declarations are not known. newer is set if the source may use something of the library that only the
	// compiler knows.
	unknown map[string]bool
	newer   bool
	// report is given each error. Loading ends if it returns the error, and goes on if it returns nil. refused is set after the first error that is
	// not soft.
	report  func(*Error) error
	refused bool
}

// Package is one directory of source.
type Package struct {
	// Path is the import path, and Name the name in the package clauses.
	Path, Name string
	// Own is set if the package belongs to the plugin's module. Otherwise it is vendored.
	Own   bool
	Files []*File
	// Embedded holds the files that go:embed directives name, by the names of their variables.
	Embedded map[string][]lower.Embedded
	// Types and Info are nil until the types are checked. They may be incomplete if there are errors.
	Types *types.Package
	Info  *types.Info

	// partial is set if a file of the package could not be read, and done if all its imports are resolved.
	partial, done bool
}

// File is one file of source.
type File struct {
	// Path is absolute.
	Path string
	Text []byte
	Tree *ast.File
}

// Read reads the plugin in a directory, which must be an absolute path, and performs all checks that need no types. It returns the first
// error, which is a *Error.
func Read(dir string, t Target) (*Source, error) {
	s := newSource(dir, t, func(e *Error) error {
		if e.Soft {
			return nil
		}
		return e
	})
	if err := s.read(); err != nil {
		return nil, err
	}
	return s, nil
}

// Check loads the plugin in a directory, which must be an absolute path, and returns all errors. It lowers the source only if there is no
// other error. The last package of the source is missing if nothing of it could be read.
func Check(dir string, t Target) (*Source, []*Error) {
	var found []*Error
	s := newSource(dir, t, func(e *Error) error {
		found = append(found, e)
		return nil
	})
	// The function above returns none of the errors.
	_ = s.read()
	if valid, _ := s.checkTypes(); valid && !t.Compiled {
		_, _ = s.lower()
	}
	return s, found
}

func newSource(dir string, t Target, report func(*Error) error) *Source {
	s := &Source{Target: t, Dir: dir, Fset: token.NewFileSet(), byPath: map[string]*Package{}, context: t.match(), room: MaxSource, unknown: map[string]bool{}}
	s.report = func(e *Error) error {
		s.refused = s.refused || !e.Soft
		return report(e)
	}
	return s
}

// Own returns the plugin's own package, or nil if nothing of it could be read.
func (s *Source) Own() *Package {
	if len(s.Packages) == 0 {
		return nil
	}
	if p := s.Packages[len(s.Packages)-1]; p.Path == s.Module && len(p.Files) > 0 {
		return p
	}
	return nil
}

// PackageOf returns the package that a file or directory belongs to, or nil.
func (s *Source) PackageOf(file string) *Package {
	for _, p := range s.Packages {
		if dir := s.dirOf(p.Path); dir == filepath.Dir(file) || dir == file {
			return p
		}
	}
	return nil
}

// Imports reports whether a package of the plugin imports a package of the standard library.
func (s *Source) Imports(standard string) bool { return slices.Contains(s.Standard, standard) }

// Position returns the file, line and column of a position. Line directives do not count.
func (s *Source) Position(pos token.Pos) token.Position { return s.Fset.PositionFor(pos, false) }

// dirOf returns the directory of a package.
func (s *Source) dirOf(importPath string) string {
	return filepath.Join(s.Dir, filepath.FromSlash(pluginsource.PackageDir(s.Module, importPath)))
}
