package interp

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/golang/interp/symtab"
	"github.com/idelchi/aura/internal/golang/library"
	"github.com/idelchi/aura/internal/golang/loader"
	"github.com/idelchi/aura/internal/golang/lower"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// source is the source of a plugin and the texts that the interpreter gets instead of it.
type source struct {
	*loader.Source

	// texts holds the lowered texts of each package, in the order of Packages.
	texts [][][]byte
	// standard lists the packages of the standard library that the source or its lowered texts import, without duplicates.
	standard []string
	// lowered is the result of lowering this source, for the next time that it is loaded. It is empty if the source was lowered before.
	lowered []byte
}

// readSource reads the source of a plugin and lowers it. lowered is what an earlier call returned as lowered; it spares lowering the same source
// again.
func readSource(dir string, unsafe bool, lowered []byte) (*source, error) {
	read, err := loader.Read(dir, loader.Target{Unsafe: unsafe, System: systemLibrary})
	if err != nil {
		return nil, err
	}
	s := &source{Source: read, standard: read.Standard}
	if s.useLowered(lowered) {
		return s, nil
	}
	files, err := s.Lower()
	if err != nil {
		return nil, err
	}
	for _, p := range s.Packages {
		texts, err := s.present(files[p.Path])
		if err != nil {
			return nil, err
		}
		s.texts = append(s.texts, texts)
	}
	slices.Sort(s.standard)
	s.lowered, err = s.encodeLowered()
	return s, err
}

// fileMark begins the first line of a lowered text: the path of the file that it stands for follows.
const fileMark = "//file "

// present returns the texts of lowered files as the interpreter gets them, and adds what they import.
func (s *source) present(files []lower.File) ([][]byte, error) {
	var out [][]byte
	for _, f := range files {
		text := []byte(f.Text)
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name, text, parser.ImportsOnly)
		if err != nil {
			return nil, fmt.Errorf("reading the lowered source: %w", err)
		}
		s.needed(tree)
		out = append(out, slices.Concat([]byte(fileMark), []byte(strings.ReplaceAll(f.Name, "\n", " ")), []byte("\n"), text))
	}
	return out, nil
}

// needed adds the library packages that lowered source imports.
func (s *source) needed(tree *ast.File) {
	for _, spec := range tree.Imports {
		p := loader.ImportPath(spec)
		standard := library.Has(p) && !pluginsource.Owns(pluginsource.SDKPath, p)
		if (standard || s.Unsafe && pluginsource.IsRestricted(p)) && !slices.Contains(s.standard, p) {
			s.standard = append(s.standard, p)
		}
	}
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
