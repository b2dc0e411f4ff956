package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// typeMethods maps the methods of reflect.Type that a type of compiled code does not have for a type of the source to functions of package box.
var typeMethods = map[string]string{
	"Implements": "Implements", "AssignableTo": "AssignableTo", "ConvertibleTo": "ConvertibleTo", "Method": "TypeMethod", "MethodByName": "FoundMethod",
}

// reflects lowers calls of package reflect. Lowered source gets a package reflect that knows the types of the source, so that few calls differ.
func (f *fn) reflects(e *ast.CallExpr, obj *types.Func) (string, bool) {
	name, ok := strings.CutPrefix(obj.FullName(), "(reflect.Type).")
	sel, isSel := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok || !isSel {
		return "", false
	}
	known := typeMethods[name]
	if known == "" || !isReflectType(f.typeOf(sel.X)) {
		return "", false
	}
	return fmt.Sprintf("%s.%s(%s, %s)", boxAlias, known, f.expr(sel.X), f.conv(e.Args[0], obj.Signature().Params().At(0).Type())), true
}

// passesValue reports whether a function has a parameter or result of the type reflect.Value.
func passesValue(sig *types.Signature) bool {
	return holdsValue(sig.Params()) || holdsValue(sig.Results())
}

// holdsValue reports whether a type consists of reflect.Value and other types.
func holdsValue(t types.Type) bool {
	return strings.Contains(types.TypeString(t, nil), "reflect.Value")
}

// passField refuses the use of a field of a struct of the library that holds a reflect.Value.
func (f *fn) passField(v *types.Var, at token.Pos) {
	if v.Pkg() != nil && v.Pkg().Path() != "reflect" && f.sourceOf(v) == nil && holdsValue(v.Type()) {
		refuse(at, "the field %s holds a reflect.Value, and that of an interpreted plugin is another type", v.Name())
	}
}

func isReflectType(t types.Type) bool { return types.TypeString(t, nil) == "reflect.Type" }

// asksReflect reports whether the program uses package reflect, which must know more about types.
func (p *program) asksReflect() bool { return p.uses("reflect") }

// uses reports whether any package of the source imports one of the packages.
func (p *program) uses(paths ...string) bool {
	key := "uses " + strings.Join(paths, " ")
	known, ok := p.shapes[key]
	if !ok {
		for pkg, source := range p.sources {
			for _, imported := range pkg.Imports() {
				for _, path := range paths {
					known = known || !source.Mixed && imported.Path() == path
				}
			}
		}
		p.shapes[key] = known
	}
	return known
}

// findsMethods reports whether an interface has the methods by which a reflect.Type finds methods, and that lowered source calls in another way.
func findsMethods(t types.Type) bool {
	u, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range u.Methods() {
		if m.Name() == "Method" || m.Name() == "MethodByName" {
			return true
		}
	}
	return false
}
