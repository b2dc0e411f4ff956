package lower

import (
	"fmt"
	"go/ast"
	"go/types"
)

// memory lowers a function of package unsafe.
func (f *fn) memory(e *ast.CallExpr, name string) string {
	args := f.under(e.Args[0])
	if len(e.Args) > 1 {
		args += ", int(" + f.expr(e.Args[1]) + ")"
	}
	switch name {
	case "Add":
		return f.use(types.Unsafe) + ".Add(" + args + ")"
	case "String", "StringData":
		return boxAlias + ".Unsafe" + name + "(" + args + ")"
	case "Slice", "SliceData":
		from, to := f.typ(f.typeOf(e.Args[0]).Underlying(), e.Pos()), f.typ(f.typeOf(e), e.Pos())
		params, values := "p "+from, "p"
		if name == "Slice" {
			params, values = params+", n int", values+", n"
		}
		return f.helper(helperKey{"unsafe " + name, from, to}, func() string {
			return fmt.Sprintf("(%s) %s { return %s.Unsafe%s(%s).(%[2]s) }", params, to, boxAlias, name, values)
		}) + "(" + args + ")"
	}
	refuse(e.Pos(), "unsafe.%s cannot be interpreted; compile the plugin (runtime: native in plugin.yaml)", name)
	return ""
}
