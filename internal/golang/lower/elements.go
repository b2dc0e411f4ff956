package lower

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// elements lowers the values of a list.
func (f *fn) elements(e *ast.CompositeLit, elem types.Type) []string {
	var parts []string
	for _, x := range e.Elts {
		key := ""
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			key = f.info.Types[kv.Key].Value.ExactString() + ": "
			x = kv.Value
		}
		parts = append(parts, key+f.element(x, elem))
	}
	return keyed(e.Elts, parts)
}

// keyed writes the values of a list with their indexes, if that is needed.
func keyed(list []ast.Expr, parts []string) []string {
	if needKeys(list, parts) {
		for i := range parts {
			parts[i] = strconv.Itoa(i) + ": " + parts[i]
		}
	}
	return parts
}

// needKeys reports whether the values of a list are written with their indexes. The interpreter looks up the type of a value without
// one too early. It panics where the value is a part of something other than a variable, and takes a pointer for what it points to.
func needKeys(list []ast.Expr, parts []string) bool {
	found := slices.ContainsFunc(parts, func(x string) bool { return strings.Contains(x, "(*") })
	for _, x := range list {
		switch x := ast.Unparen(x).(type) {
		case *ast.KeyValueExpr:
			return false // it has keys already
		case *ast.SelectorExpr, *ast.SliceExpr:
			found = found || !isChain(x)
		}
	}
	return found
}

// isChain reports whether an expression consists of names and dots.
func isChain(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isChain(x.X)
	default:
		return false
	}
}
