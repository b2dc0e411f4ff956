package interp

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
)

// unsupported looks for code that makes the interpreter panic instead of reporting an error. It is called only after such a
// panic, because it needs type information. Imported packages are not resolved, which rarely matters because the loops in
// question are over numbers.
func (s *source) unsupported(p *sourcePackage) error {
	var files []*ast.File
	for _, f := range p.files {
		parsed, err := parser.ParseFile(s.fset, f.path, f.text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, parsed)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	// The errors are caused by the missing imports.
	_, _ = config.Check(p.path, s.fset, files, info)
	var found error
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if loop, ok := n.(*ast.RangeStmt); ok && found == nil {
				if what := unsupportedRange(info.TypeOf(loop.X)); what != "" {
					found = fmt.Errorf("%s: %s", s.where(loop.Pos()), what)
				}
			}
			return found == nil
		})
	}
	return found
}

func unsupportedRange(t types.Type) string {
	if t == nil {
		return ""
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsInteger != 0 {
			return "the interpreter knows no range over a number, write for i := 0; i < n; i++"
		}
	case *types.Signature:
		return "the interpreter knows no range over a function, call it with a function literal"
	}
	return ""
}

// noImports is an importer that finds no packages.
type noImports struct{}

var errNoImports = errors.New("imports are not loaded")

func (noImports) Import(string) (*types.Package, error) { return nil, errNoImports }
