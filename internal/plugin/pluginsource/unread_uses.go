package pluginsource

import "go/ast"

// uses examines how one file uses contexts.
type uses struct {
	*contextFile

	taking map[string][]bool
	fields map[string]bool
	// contexts counts, for each name, the enclosing functions that have a context parameter with that name.
	contexts map[string]int
	lost     bool
}

// read adds the fields that the file reads to fields. It returns false if a context is used as a whole.
func (f *contextFile) read(taking map[string][]bool, fields map[string]bool) bool {
	u := &uses{contextFile: f, taking: taking, fields: fields, contexts: map[string]int{}}
	for _, decl := range f.file.Decls {
		u.walk(decl)
	}
	return !u.lost
}

func (u *uses) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil {
				u.walk(n.Recv)
			}
			u.function(n.Type, n.Body)
			return false
		case *ast.FuncLit:
			u.function(n.Type, n.Body)
			return false
		case *ast.FuncType:
			u.signature(n)
			return false
		case *ast.CallExpr:
			u.call(n)
			return false
		case *ast.SelectorExpr:
			u.selector(n)
			return false
		case *ast.Ident:
			u.lost = u.lost || u.contexts[n.Name] > 0
		}
		return !u.lost
	})
}

// function examines a function body, in which the context parameters are known.
func (u *uses) function(t *ast.FuncType, body *ast.BlockStmt) {
	names := u.signature(t)
	for _, name := range names {
		u.contexts[name]++
	}
	if body != nil {
		u.walk(body)
	}
	for _, name := range names {
		u.contexts[name]--
	}
}

// signature returns the names of the parameters that are contexts.
func (u *uses) signature(t *ast.FuncType) []string {
	var names []string
	for _, list := range []*ast.FieldList{t.TypeParams, t.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			u.walk(field.Type)
		}
	}
	for _, field := range t.Params.List {
		if !u.isContext(field.Type) {
			u.walk(field.Type)
			continue
		}
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// selector accepts c.Field and c.Context.Field for a context c. Any other use of a context type may declare a variable, a field
// or a conversion that holds a context.
func (u *uses) selector(n *ast.SelectorExpr) {
	switch {
	case u.isContext(n):
		u.lost = true
	case u.isWhole(n.X):
		u.fields[n.Sel.Name] = true
		u.lost = u.lost || n.Sel.Name == "Context"
	default:
		u.walk(n.X)
	}
}

// isWhole reports whether an expression is a context, or the context that a hook's context embeds.
func (u *uses) isWhole(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return u.contexts[e.Name] > 0
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		return ok && u.contexts[x.Name] > 0 && e.Sel.Name == "Context"
	default:
		return false
	}
}

// call permits passing a context to a function of this package that takes one, because that function is examined too.
func (u *uses) call(n *ast.CallExpr) {
	u.walk(n.Fun)
	name, _ := n.Fun.(*ast.Ident)
	for i, arg := range n.Args {
		if u.isWhole(arg) && name != nil && !n.Ellipsis.IsValid() && i < len(u.taking[name.Name]) && u.taking[name.Name][i] {
			continue
		}
		u.walk(arg)
	}
}
