package native

import (
	"fmt"
	"go/ast"
	"go/token"
	"iter"

	"github.com/idelchi/aura/internal/golang/loader"
)

// State returns what a running plugin would lose if another process took its place: variables of packages that the source can change, and
// goroutines. The empty string means nothing. In doubt, there is something.
func (s *Source) State() string {
	for _, p := range s.Packages {
		if found := s.stateOf(p); found != "" {
			return found
		}
	}
	return ""
}

func (s *Source) stateOf(p *loader.Package) string {
	names := map[string]bool{}
	for _, f := range p.Files {
		for v := range variables(f.Tree) {
			for i, name := range v.Names {
				switch {
				case name.Name == "_":
				case i < len(v.Values) && len(v.Names) == len(v.Values) && immutable(v.Values[i]):
					names[name.Name] = true
				default:
					return "the variable " + name.Name + " of package " + p.Path
				}
			}
		}
	}
	for _, f := range p.Files {
		if found := changes(f.Tree, names, s); found != "" {
			return found
		}
	}
	return ""
}

// variables returns the declarations of package-level variables in a file.
func variables(f *ast.File) iter.Seq[*ast.ValueSpec] {
	return func(yield func(*ast.ValueSpec) bool) {
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && !yield(v) {
					return
				}
			}
		}
	}
}

// immutable reports whether a value cannot change as long as nobody assigns to its variable: a literal, a table of literals, or the result
// of a function that is known to return such a value.
func immutable(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit, *ast.FuncLit:
		return true
	case *ast.Ident:
		return e.Name == "true" || e.Name == "false"
	case *ast.BinaryExpr:
		return immutable(e.X) && immutable(e.Y)
	case *ast.CompositeLit:
		for _, el := range e.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			if !immutable(el) {
				return false
			}
		}
		return true
	case *ast.CallExpr:
		fn, ok := e.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		x, ok := fn.X.(*ast.Ident)
		return ok && constants[x.Name+"."+fn.Sel.Name]
	default:
		return false
	}
}

// constants lists functions whose results do not change.
var constants = map[string]bool{
	"errors.New": true, "fmt.Errorf": true, "regexp.MustCompile": true, "strings.NewReplacer": true, "fmt.Sprintf": true, "time.Duration": true,
}

// changes returns the first use of one of the variables that may change it, and goroutines. A table may be read by index, by range and by
// its length. A name that a function declares itself counts as the variable.
func changes(f *ast.File, names map[string]bool, s *Source) string {
	found := ""
	report := func(n ast.Node, what string) {
		if found == "" {
			at := s.Position(n.Pos())
			found = fmt.Sprintf("%s (%s:%d)", what, at.Filename, at.Line)
		}
	}
	changed := func(e ast.Expr) {
		if root := rootOf(e); root != nil && names[root.Name] {
			report(root, "the variable "+root.Name)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			report(n, "a goroutine")
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if n.Tok != token.DEFINE {
					changed(left)
				}
			}
		case *ast.IncDecStmt:
			changed(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				changed(n.Key)
				changed(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				changed(n.X)
			}
		case *ast.CallExpr:
			if root := tableGiven(f, n, names); root != nil {
				report(root, "the variable "+root.Name)
			}
		}
		return found == ""
	})
	return found
}

// tableGiven returns the first of the variables that a call is given and may change. Only len is known to change nothing.
func tableGiven(f *ast.File, call *ast.CallExpr, names map[string]bool) *ast.Ident {
	if fn, ok := call.Fun.(*ast.Ident); ok && fn.Name == "len" {
		return nil
	}
	for _, arg := range call.Args {
		if root, ok := ast.Unparen(arg).(*ast.Ident); ok && names[root.Name] && !scalar(f, root.Name) {
			return root
		}
	}
	return nil
}

// scalar reports whether a variable is declared in the file with a value that a function cannot change.
func scalar(f *ast.File, name string) bool {
	for v := range variables(f) {
		for i, n := range v.Names {
			if n.Name == name && i < len(v.Values) {
				_, table := ast.Unparen(v.Values[i]).(*ast.CompositeLit)
				return !table
			}
		}
	}
	return false
}

// rootOf returns the variable that an expression selects a part of.
func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}
