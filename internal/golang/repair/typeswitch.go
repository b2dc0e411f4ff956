package repair

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// anySwitches makes type switches over parameters of type any match types of the plugin's own. In a switch that names the
// value, the interpreter matches no such types with methods; in a switch that does not, it matches none without methods. An
// assertion matches both, so a switch is rewritten as a switch over the results of assertions: switch x := v.(type) { case *T:
// … } becomes { var is bool; if v != nil { _, is = v.(*T) }; switch { case is: x := v.(*T); … }}.
func (w *rewriter) anySwitches(params *ast.FieldList, body *ast.BlockStmt) {
	if params == nil {
		return
	}
	for _, field := range params.List {
		for _, name := range field.Names {
			if emptyInterface(field.Type) && name.Name != "_" && !redeclares(body, name.Name) {
				w.anySwitchesOver(name.Name, body)
			}
		}
	}
}

// anySwitchesOver handles the type switches over one parameter.
func (w *rewriter) anySwitchesOver(param string, n ast.Node) {
	labelled := map[ast.Stmt]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			labelled[n.Stmt] = true
		case *ast.FuncLit:
			return !hasParam(n.Type, param)
		case *ast.TypeSwitchStmt:
			x, bound := typeSubject(n)
			if id, ok := x.(*ast.Ident); ok && id.Name == param && n.Init == nil && !labelled[n] && w.assertable(n.Body) {
				w.assertCases(n, param, bound)
			}
			return bound != param
		}
		return true
	})
}

// redeclares reports whether a body declares another variable of that name, except in type switches and parameters.
func redeclares(body *ast.BlockStmt, name string) bool {
	found := false
	guards := map[ast.Stmt]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSwitchStmt:
			guards[n.Assign] = true
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				found = found || !guards[n] && rootIdent(x) == name
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				found = found || id.Name == name
			}
		case *ast.RangeStmt:
			found = found || rootIdent(n.Key) == name || rootIdent(n.Value) == name
		}
		return !found
	})
	return found
}

func hasParam(f *ast.FuncType, name string) bool {
	for _, list := range []*ast.FieldList{f.Params, f.Results} {
		if list != nil && mentionsIdent(list, name) {
			return true
		}
	}
	return false
}

// typeSubject returns the value that a type switch is over, and the name that the switch gives the value.
func typeSubject(n *ast.TypeSwitchStmt) (x ast.Expr, bound string) {
	guard, ok := n.Assign.(*ast.ExprStmt)
	if !ok {
		assign, ok := n.Assign.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			return nil, ""
		}
		bound = rootIdent(assign.Lhs[0])
		guard = &ast.ExprStmt{X: assign.Rhs[0]}
	}
	assert, ok := ast.Unparen(guard.X).(*ast.TypeAssertExpr)
	if !ok {
		return nil, ""
	}
	return assert.X, bound
}

// assertable reports whether at least one case is a type of the source, and all other cases are such types or built in.
// Interfaces are excluded: an assertion to an interface of the source always succeeds.
func (w *rewriter) assertable(body *ast.BlockStmt) bool {
	own := false
	for _, stmt := range body.List {
		clause, ok := stmt.(*ast.CaseClause)
		if !ok {
			return false
		}
		for _, x := range clause.List {
			switch {
			case strings.Contains(w.written(x.Pos(), x.End()), "\n"):
				return false
			case w.concrete(x):
				own = true
			case !unnamedType(x) || rootIdent(x) == "error":
				return false
			}
		}
	}
	return own
}

// concrete reports whether a type is declared in the source, or is a pointer to such a type, and is not an interface.
func (w *rewriter) concrete(x ast.Expr) bool {
	if star, ok := x.(*ast.StarExpr); ok {
		id, named := star.X.(*ast.Ident)
		return named && types.Universe.Lookup(id.Name) == nil
	}
	id, ok := x.(*ast.Ident)
	if !ok || types.Universe.Lookup(id.Name) != nil {
		return false
	}
	found := false
	ast.Inspect(w.file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if ok && spec.Name.Name == id.Name && spec.TypeParams == nil {
			switch spec.Type.(type) {
			case *ast.StructType, *ast.ArrayType, *ast.MapType, *ast.FuncType:
				found = true
			case *ast.Ident:
				found = builtinType(spec.Type)
			}
		}
		return !found
	})
	return found
}

// unnamedType reports whether a type is built in, or is a list or map of other types. The interpreter does not wrap values of
// such a type.
func unnamedType(x ast.Expr) bool {
	switch x.(type) {
	case *ast.ArrayType, *ast.MapType:
		return true
	default:
		return builtinType(x)
	}
}

// builtinType reports whether a type consists of built-in names only.
func builtinType(x ast.Expr) bool {
	builtin := true
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		builtin = builtin && (!ok || types.Universe.Lookup(id.Name) != nil)
		return builtin
	})
	return builtin
}

// assertCases rewrites a type switch as a switch over assertions.
func (w *rewriter) assertCases(n *ast.TypeSwitchStmt, param, bound string) {
	var tests strings.Builder
	var names []string
	for _, stmt := range n.Body.List {
		clause, ok := stmt.(*ast.CaseClause)
		if !ok {
			continue
		}
		value := param
		var conditions []string
		for _, x := range clause.List {
			switch {
			case isNil(x):
				conditions = append(conditions, param+" == nil")
				continue
			case emptyInterface(x):
				conditions = append(conditions, param+" != nil")
				continue
			}
			written := w.written(x.Pos(), x.End())
			is := w.fresh(x.Pos())
			test := is
			if unnamedType(x) {
				test += " && !" + ourAlias + ".wrapped(" + param + ")"
				w.imports = true
			}
			conditions = append(conditions, test)
			names = append(names, is)
			fmt.Fprintf(&tests, "_, %s = %s.(%s); ", is, param, written)
			if len(clause.List) == 1 {
				value = param + ".(" + written + ")"
			}
		}
		if len(conditions) > 0 {
			w.replace(clause.List[0].Pos(), clause.List[len(clause.List)-1].End(), " "+strings.Join(conditions, " || "))
		}
		if bound != "" && bound != "_" {
			w.insert(clause.Colon+1, " "+bound+" := "+value+";")
		}
	}
	w.asserted[n] = true
	w.replace(n.Switch, n.Body.Lbrace, "{ var "+strings.Join(names, ", ")+" bool; if "+param+" != nil { "+tests.String()+"}; switch ")
	w.repairs(Assertions, n)
	w.closing = append(w.closing, Edit{at: int(n.End() - w.start), insert: "}"})
}
