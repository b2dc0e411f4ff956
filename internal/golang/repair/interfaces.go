package repair

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// library holds the interfaces of the standard library that plugins convert values to or assert, by import path.
var library = map[string][]string{
	"container/heap": {"Interface"},
	"context":        {"Context"},
	"encoding":       {"BinaryMarshaler", "BinaryUnmarshaler", "TextMarshaler", "TextUnmarshaler"},
	"encoding/json":  {"Marshaler", "Unmarshaler"},
	"flag":           {"Getter", "Value"},
	"fmt":            {"Formatter", "GoStringer", "Scanner", "State", "Stringer"},
	"hash":           {"Hash", "Hash32", "Hash64"},
	"io":             {"ByteReader", "ByteScanner", "ByteWriter", "Closer", "ReadCloser", "ReadSeekCloser", "ReadSeeker", "ReadWriteCloser", "ReadWriter", "Reader", "ReaderAt", "ReaderFrom", "RuneReader", "RuneScanner", "Seeker", "StringWriter", "WriteCloser", "WriteSeeker", "Writer", "WriterAt", "WriterTo"},
	"io/fs":          {"DirEntry", "FS", "File", "FileInfo", "GlobFS", "ReadDirFS", "ReadDirFile", "ReadFileFS", "StatFS", "SubFS"},
	"log/slog":       {"Handler", "Leveler", "LogValuer"},
	"math/rand":      {"Source", "Source64"},
	"net":            {"Addr", "Conn", "Error", "Listener"},
	"net/http":       {"CookieJar", "FileSystem", "Flusher", "Handler", "Hijacker", "ResponseWriter", "RoundTripper"},
	"os":             {"DirEntry", "FileInfo", "Signal"},
	"sort":           {"Interface"},
	"sync":           {"Locker"},
}

// writtenOut maps the methods of interfaces that are asserted without a name to the name that our package has for the compiled
// interface.
var writtenOut = map[string]string{
	"Close() error":    "closer",
	"Error() string":   "error",
	"String() string":  "stringer",
	"Unwrap() error":   "unwrapper",
	"Unwrap() []error": "joined",
}

// compiled returns the source text of an interface of compiled code, and reports whether a type is one.
func (w *rewriter) compiled(x ast.Expr) (string, bool) {
	switch t := ast.Unparen(x).(type) {
	case *ast.Ident:
		return t.Name, t.Name == "error" && !w.names()["error"]
	case *ast.SelectorExpr:
		pkg, ok := t.X.(*ast.Ident)
		if !ok || w.names()[pkg.Name] || !slices.Contains(library[w.importPath(pkg.Name)], t.Sel.Name) {
			return "", false
		}
		return pkg.Name + "." + t.Sel.Name, true
	default:
		return "", false
	}
}

// importPath returns the path of the package that a name denotes in the file.
func (w *rewriter) importPath(name string) string {
	for _, spec := range w.file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name == nil && path.Base(importPath) == name || spec.Name != nil && spec.Name.Name == name {
			return importPath
		}
	}
	return ""
}

// names returns the names that the file declares, except those of fields and methods.
func (w *rewriter) names() map[string]bool {
	if w.named != nil {
		return w.named
	}
	w.named = map[string]bool{}
	addNames := func(ids ...*ast.Ident) {
		for _, id := range ids {
			w.named[id.Name] = true
		}
	}
	ast.Inspect(w.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil {
				addNames(n.Name)
			}
		case *ast.TypeSpec:
			addNames(n.Name)
		case *ast.ValueSpec:
			addNames(n.Names...)
		case *ast.FuncType:
			for _, list := range []*ast.FieldList{n.TypeParams, n.Params, n.Results} {
				addNames(namesOf(list)...)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, x := range n.Lhs {
					w.named[rootIdent(x)] = true
				}
			}
		case *ast.RangeStmt:
			w.named[rootIdent(n.Key)], w.named[rootIdent(n.Value)] = true, true
		}
		return true
	})
	return w.named
}

// namesOf returns the names in a list of parameters.
func namesOf(list *ast.FieldList) []*ast.Ident {
	if list == nil {
		return nil
	}
	var names []*ast.Ident
	for _, field := range list.List {
		names = append(names, field.Names...)
	}
	return names
}

// conversion rewrites error(x) as a function that returns x as an error, and does the same for other interfaces of compiled
// code. The interpreter would pass only the value, without its methods, and then panic. The function holds the value in a
// variable of its own.
func (w *rewriter) conversion(n *ast.CallExpr) {
	if len(n.Args) != 1 || n.Ellipsis.IsValid() || isNil(n.Args[0]) || mentionsIdent(n.Args[0], "recover") {
		return
	}
	x := n.Args[0]
	to, ok := w.compiled(n.Fun)
	if !ok || strings.Contains(w.written(n.Pos(), x.Pos())+w.written(x.End(), n.End()), "\n") {
		return
	}
	name := w.fresh(n.Pos())
	w.replace(n.Pos(), x.Pos(), "func() "+to+" { "+name+" := ")
	w.repairs(Conversion, n)
	w.closing = append(w.closing, Edit{at: int(x.End() - w.start), skip: int(n.End() - x.End()), insert: "; return " + name + " }()"})
}

// assertion makes an assertion to an interface of compiled code work. The interpreter searches a value of the source where the
// value was converted to an interface, which may be in another function, and panics at nil.
func (w *rewriter) assertion(n *ast.TypeAssertExpr) {
	if n.Type == nil {
		return
	}
	_, ok := w.compiled(n.Type)
	if name := w.writtenOut(n.Type); name != "" {
		w.replace(n.Type.Pos(), n.Type.End(), ourAlias+"."+name)
		ok = true
	}
	if !ok || mentionsIdent(n.X, "recover") {
		return
	}
	w.imports = true
	function := "kept"
	if w.tested[n] {
		function = "some"
	}
	w.insert(n.X.Pos(), ourAlias+"."+function+"(any(")
	w.repairs(Assertion, n)
	w.closing = append(w.closing, Edit{at: int(n.X.End() - w.start), insert: "))[0]"})
}

// writtenOut returns the name that our package has for an interface without a name, or "".
func (w *rewriter) writtenOut(x ast.Expr) string {
	t, ok := x.(*ast.InterfaceType)
	if !ok || len(t.Methods.List) != 1 {
		return ""
	}
	method := t.Methods.List[0]
	return writtenOut[w.written(method.Pos(), method.End())]
}

// test records assertions of the form v, ok := x.(T), which do not panic.
func (w *rewriter) test(left int, right []ast.Expr) {
	if left != 2 || len(right) != 1 {
		return
	}
	if n, ok := ast.Unparen(right[0]).(*ast.TypeAssertExpr); ok {
		w.tested[n] = true
	}
}
