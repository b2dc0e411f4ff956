package interp

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/interp/symtab"

	"github.com/idelchi/aura/internal/library"
	"github.com/idelchi/aura/internal/lower"
	"github.com/idelchi/aura/internal/pluginsource"
	"github.com/idelchi/aura/internal/repair"
)

// lower checks the types of all packages and writes them as the Go that the interpreter runs correctly.
func (s *source) lower() error {
	var packages []*lower.Package
	known := &imports{packages: map[string]*types.Package{}, library: library.Import}
	if s.imports(systemPackage) {
		known.library = systemLibrary().Import
	}
	for _, p := range s.packages {
		checked, err := s.typeCheck(p, known)
		if err != nil {
			return err
		}
		packages = append(packages, checked)
	}
	files, err := lower.Program(packages, lower.Library())
	if err != nil {
		return err
	}
	for _, p := range s.packages {
		for _, f := range files[p.path] {
			text := []byte(f.Text)
			tree, err := parser.ParseFile(token.NewFileSet(), f.Name, text, parser.SkipObjectResolution)
			if err != nil {
				return fmt.Errorf("reading the lowered source: %w", err)
			}
			if err := s.needed(tree); err != nil {
				return err
			}
			p.lowered = append(p.lowered, present(sourceFile{path: f.Name, text: text, edits: repair.Edits(tree, text)}))
		}
	}
	return nil
}

// imports reports whether a file imports a package.
func (s *source) imports(path string) bool {
	for _, p := range s.packages {
		for _, f := range p.files {
			if slices.ContainsFunc(f.imports, func(spec importSpec) bool { return spec.path == path }) {
				return true
			}
		}
	}
	return false
}

// needed adds the library packages that lowered source imports.
func (s *source) needed(tree *ast.File) error {
	for _, spec := range tree.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if (isStandard(p) || s.unsafe && pluginsource.IsRestricted(p)) && !slices.Contains(s.standard, p) {
			s.standard = append(s.standard, p)
		}
	}
	return nil
}

// typeCheck checks the types of a package.
func (s *source) typeCheck(p *sourcePackage, known *imports) (*lower.Package, error) {
	out := &lower.Package{Path: p.path, Vendored: !p.own, Fset: s.fset, Info: lower.NewInfo()}
	for _, f := range p.files {
		out.Files = append(out.Files, f.tree)
	}
	var failed error
	config := types.Config{Importer: known, Sizes: types.SizesFor("gc", runtime.GOARCH), Error: func(err error) {
		// A soft error, such as an unused variable, changes nothing.
		if e, ok := errors.AsType[types.Error](err); ok && e.Soft || failed != nil {
			return
		}
		failed = err
		if e, ok := errors.AsType[types.Error](err); ok && strings.HasPrefix(e.Msg, "undefined: ") && strings.Contains(e.Msg, ".") {
			failed = fmt.Errorf("%w (the interpreter's standard library is %s)", err, pluginsource.Library())
		}
	}}
	pkg, _ := config.Check(p.path, s.fset, out.Files, out.Info)
	if failed != nil {
		return nil, failed
	}
	out.Types = pkg
	known.packages[p.path] = pkg
	return out, nil
}

// imports finds packages for the type checker.
type imports struct {
	packages map[string]*types.Package
	library  func(path string) (*types.Package, error)
}

func (i *imports) Import(importPath string) (*types.Package, error) {
	if p := i.packages[importPath]; p != nil {
		return p, nil
	}
	return i.library(importPath)
}

// wrapperOf returns the type by which interpreted values get the methods of a compiled interface, or nil.
func wrapperOf(t reflect.Type) reflect.Type {
	symbols := symtab.Symbols(t.PkgPath())
	if t.PkgPath() == pluginsource.SDKPath {
		symbols = sdkSymbols()[path.Join(pluginsource.SDKPath, "sdk")]
	}
	v, ok := symbols["_"+t.Name()]
	if !ok {
		return nil
	}
	return v.Type().Elem()
}
