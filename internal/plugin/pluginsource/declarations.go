package pluginsource

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

// Declaration is a function or a variable at the top level of a file.
type Declaration struct {
	Name *ast.Ident
	// Type and Body describe the function, declared or literal. They are nil if the declaration does not show them.
	Type *ast.FuncType
	Body *ast.BlockStmt
	// TakesSDK reports whether a parameter of a declared function has a type of the SDK. Every hook has such a parameter.
	TakesSDK bool
}

// Declarations returns the functions and variables that a file declares in the package scope. Methods are not included.
func Declarations(f *ast.File) []Declaration {
	sdkName := SDKName(f)
	var out []Declaration
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				out = append(out, Declaration{Name: d.Name, Type: d.Type, Body: d.Body, TakesSDK: mentionsPackage(d.Type.Params, sdkName)})
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				out = append(out, variables(d)...)
			}
		}
	}
	return out
}

func variables(d *ast.GenDecl) []Declaration {
	var out []Declaration
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range v.Names {
			d := Declaration{Name: name}
			if i < len(v.Values) {
				if lit, ok := v.Values[i].(*ast.FuncLit); ok {
					d.Type, d.Body = lit.Type, lit.Body
				}
			}
			out = append(out, d)
		}
	}
	return out
}

// SDKName returns the name under which a file imports the SDK. It is "." if the file imports the SDK into its own scope or twice.
// It is empty if the file does not import the SDK.
func SDKName(f *ast.File) string {
	name := ""
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil || path != SDKPath:
		case name != "":
			return "."
		case spec.Name == nil:
			name = "sdk"
		default:
			name = spec.Name.Name
		}
	}
	return name
}

// mentionsPackage reports whether the type of a parameter refers to the named package.
func mentionsPackage(params *ast.FieldList, name string) bool {
	found := false
	ast.Inspect(params, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			x, ok := sel.X.(*ast.Ident)
			found = found || ok && x.Name == name
		}
		return !found
	})
	return found
}

// AlmostHook is a function that was probably meant to be a hook.
type AlmostHook struct {
	Name  *ast.Ident
	Meant hookpoint.Name
}

// AlmostHooks returns the functions that take a type of the SDK and whose names are almost the name of a hook that the package
// does not define. aura does not call these functions.
func AlmostHooks(declared []Declaration) []AlmostHook {
	names := map[string]bool{}
	for _, d := range declared {
		names[d.Name.Name] = true
	}
	var out []AlmostHook
	for _, d := range declared {
		if !d.TakesSDK {
			continue
		}
		if meant, ok := hookpoint.Almost(d.Name.Name, func(n hookpoint.Name) bool { return names[string(n)] }); ok {
			out = append(out, AlmostHook{Name: d.Name, Meant: meant})
		}
	}
	return out
}

// DeclaredNames returns the names of everything that a file declares in the package scope.
func DeclaredNames(f *ast.File) []string {
	var out []string
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				out = append(out, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					out = append(out, s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						out = append(out, name.Name)
					}
				}
			}
		}
	}
	return out
}
