package native

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// The files of the program that replace the toolchain's package log.
const (
	overlayList = "overlay.json"
	overlayLog  = "overlay/log.go"
)

// addOverlay adds a package log whose Fatal functions panic, if the plugin is in safe mode and uses the package. As in the interpreter, a
// plugin in safe mode cannot end its process.
func (s *Source) addOverlay(tree map[string][]byte, t Toolchain) error {
	if s.Unsafe || !s.Imports("log") {
		return nil
	}
	path := filepath.Join(t.Root, "src", "log", "log.go")
	text, err := files.Read(path, files.MaxText)
	if err == nil {
		text, err = withoutFatal(path, text)
	}
	if err != nil {
		return fmt.Errorf("reading package log of the Go toolchain: %w", err)
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{path: overlayLog}})
	tree[overlayLog], tree[overlayList] = text, list
	return err
}

// withoutFatal returns the source of package log in which Fatal does what Panic does, and so on: each has the other's body.
func withoutFatal(name string, text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	bodies := map[string][]byte{}
	var fatal []*ast.FuncDecl
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		switch {
		case strings.HasPrefix(fn.Name.Name, "Panic"):
			bodies[signature(fn)] = text[offset(fn.Body.Pos()):offset(fn.Body.End())]
		case strings.HasPrefix(fn.Name.Name, "Fatal"):
			fatal = append(fatal, fn)
		}
	}
	var out bytes.Buffer
	done := 0
	for _, fn := range fatal {
		body := bodies[strings.Replace(signature(fn), "Fatal", "Panic", 1)]
		if body == nil {
			return nil, fmt.Errorf("%s: %s has no counterpart that panics", fset.Position(fn.Pos()), fn.Name.Name)
		}
		out.Write(text[done:offset(fn.Body.Pos())])
		out.Write(body)
		done = offset(fn.Body.End())
	}
	const known = 6
	if len(fatal) != known {
		return nil, fmt.Errorf("%s declares %d functions named Fatal, Fatalf and Fatalln, want %d", name, len(fatal), known)
	}
	out.Write(text[done:])
	return out.Bytes(), nil
}

// signature returns the name of a function with the names that its body can use.
func signature(fn *ast.FuncDecl) string {
	parts := []string{fn.Name.Name}
	for _, list := range []*ast.FieldList{fn.Recv, fn.Type.Params} {
		if list == nil {
			continue
		}
		parts = append(parts, ";")
		for _, f := range list.List {
			for _, n := range f.Names {
				parts = append(parts, n.Name)
			}
		}
	}
	return strings.Join(parts, " ")
}
