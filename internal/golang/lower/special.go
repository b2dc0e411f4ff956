package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// rawCalls holds the functions that inspect the memory behind their arguments of type any.
var rawCalls = map[string]bool{
	"sort.Slice": true, "sort.SliceStable": true, "sort.SliceIsSorted": true,
	"fmt.Scan": true, "fmt.Scanf": true, "fmt.Scanln": true, "fmt.Sscan": true, "fmt.Sscanf": true, "fmt.Sscanln": true,
	"fmt.Fscan": true, "fmt.Fscanf": true, "fmt.Fscanln": true,
	"encoding/binary.Read": true, "encoding/binary.Write": true, "encoding/binary.Size": true,
	"encoding/binary.Append": true, "encoding/binary.Encode": true, "encoding/binary.Decode": true,
}

// mirrorCalls holds the functions that encode their arguments.
var mirrorCalls = map[string]bool{
	"encoding/json.Marshal": true, "encoding/json.MarshalIndent": true, "(*encoding/json.Encoder).Encode": true,
}

// fillCalls holds the functions that decode into their last argument.
var fillCalls = map[string]bool{"encoding/json.Unmarshal": true, "(*encoding/json.Decoder).Decode": true}

// joinCalls holds the functions that write spaces between their last arguments, except where one is a string.
var joinCalls = func() map[string]bool {
	out := map[string]bool{"fmt.Print": true, "fmt.Sprint": true, "fmt.Fprint": true, "fmt.Append": true}
	for _, name := range []string{"Print", "Panic", "Fatal"} {
		out["log."+name], out["(*log.Logger)."+name] = true, true
	}
	for _, name := range []string{"HTMLEscaper", "JSEscaper", "URLQueryEscaper"} {
		out["text/template."+name], out["html/template."+name] = true, true
	}
	return out
}()

// templateCalls holds the functions that execute templates with their last argument.
var templateCalls = map[string]bool{
	"(*text/template.Template).Execute": true, "(*text/template.Template).ExecuteTemplate": true,
	"(*html/template.Template).Execute": true, "(*html/template.Template).ExecuteTemplate": true,
}

// templateFuncs holds the functions that give functions to templates.
var templateFuncs = map[string]bool{"(*text/template.Template).Funcs": true, "(*html/template.Template).Funcs": true}

// refusedCalls holds the functions that would see the interpreter's types, and their remedies.
var refusedCalls = func() map[string]string {
	out := map[string]string{}
	for remedy, names := range map[string]string{
		"use encoding/json":                       "encoding/asn1.Marshal encoding/asn1.MarshalWithParams encoding/asn1.Unmarshal encoding/asn1.UnmarshalWithParams",
		"use net/http and encoding/json":          "net/rpc.Register net/rpc.RegisterName (*net/rpc.Server).Register (*net/rpc.Server).RegisterName",
		"call the function with values of a loop": "testing/quick.Check testing/quick.CheckEqual",
	} {
		for name := range strings.FieldsSeq(names) {
			out[name] = remedy
		}
	}
	return out
}()

// inspecting holds the functions that find out which functions run.
var inspecting = map[string]bool{"runtime.Callers": true, "runtime.CallersFrames": true, "runtime.FuncForPC": true}

// libraryFunc returns the function or method of the library that is called, or nil.
func (f *fn) libraryFunc(fun ast.Expr) *types.Func {
	var obj *types.Func
	switch fun := ast.Unparen(fun).(type) {
	case *ast.SelectorExpr:
		obj, _ = f.info.Uses[fun.Sel].(*types.Func)
	case *ast.Ident:
		obj, _ = f.info.Uses[fun].(*types.Func)
	}
	if obj == nil || obj.Pkg() == nil || f.sourceOf(obj) != nil {
		return nil
	}
	return obj
}

// special lowers calls of library functions that need to know types of the source.
func (f *fn) special(e *ast.CallExpr) (string, bool) {
	obj := f.libraryFunc(e.Fun)
	if obj == nil {
		return "", false
	}
	name := obj.FullName()
	callee := func() string {
		call, _, _ := f.callee(ast.Unparen(e.Fun))
		return strings.TrimSuffix(call(nil, false), "()")
	}
	switch {
	case name == "errors.As" && len(e.Args) == 2:
		return f.errorsAs(e)
	case name == "runtime.SetFinalizer" || name == "runtime.AddCleanup":
		return f.deny(e, e.Pos(), "the interpreter keeps values longer than Go does, so that %s cannot be used; free what the value holds in a function of its own, and call it", name), true
	case inspecting[name] && f.src.Vendored:
		return f.rawCall(e, boxAlias+"."+obj.Name()), true
	case inspecting[name]:
		refuse(e.Pos(), "%s finds the functions of the interpreter instead of the plugin's; name the place in a text of its own", name)
	case obj.Pkg().Path() == "reflect":
		return f.reflects(e, obj)
	case passesValue(obj.Signature()):
		return f.deny(e, e.Pos(), "%s takes or returns a reflect.Value, and that of an interpreted plugin is another type; pass what it holds", name), true
	case joinCalls[name]:
		return f.joined(e, obj.Signature(), callee)
	case formatCalls[name]:
		return f.formatted(e, obj.Signature(), callee())
	case len(e.Args) == 0 || e.Ellipsis.IsValid():
		return "", false
	case rawCalls[name]:
		return f.rawCall(e, callee()), true
	case atomicCalls[name] != "" && plainReceiver(e.Fun):
		return f.stores(e, obj.Name(), atomicCalls[name], callee()), true
	case preparedArgs[name].with != "":
		return f.prepared(e, obj, callee()), true
	case mirrorCalls[name] && f.mayBox(e.Args[0]):
		return f.mirrors(e, obj, callee()), true
	case fillCalls[name] && f.mayBox(e.Args[len(e.Args)-1]):
		return f.fills(e, callee()), true
	case templateFuncs[name]:
		return callee() + "(" + boxAlias + ".Funcs(" + f.expr(e.Args[0]) + "))", true
	case templateCalls[name] && f.isTemplate(e.Fun) && f.mayBox(e.Args[len(e.Args)-1]):
		return f.executes(e, obj), true
	case templateCalls[name] && f.mayBox(e.Args[len(e.Args)-1]):
		return f.executesOn(e, obj, callee()), true
	case name == "flag.TextVar" || name == "(*flag.FlagSet).TextVar":
		return f.textVar(e, callee()), true
	case gobCalls[name] != "" && f.mayBox(e.Args[len(e.Args)-1]):
		return f.gob(e, name, callee()), true
	case refusedCalls[name] != "":
		return f.denyOwn(e, name, callee)
	}
	return "", false
}

// isTemplate reports whether a method is called of a template itself, not of a struct that embeds one.
func (f *fn) isTemplate(fun ast.Expr) bool {
	sel, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	t := types.TypeString(f.typeOf(sel.X), nil)
	return t == "*text/template.Template" || t == "*html/template.Template"
}

// fills lowers a call of a function that decodes.
func (f *fn) fills(e *ast.CallExpr, callee string) string {
	last := len(e.Args) - 1
	var args []string
	for _, a := range e.Args[:last] {
		args = append(args, f.expr(a))
	}
	args = append(args, "aura_p")
	return fmt.Sprintf("%s.Fill(%s, func(aura_p any) error { return %s(%s) })", boxAlias, f.conv(e.Args[last], anyType), callee, strings.Join(args, ", "))
}

// executes lowers the execution of a template.
func (f *fn) executes(e *ast.CallExpr, obj *types.Func) string {
	args := []string{f.expr(ast.Unparen(e.Fun).(*ast.SelectorExpr).X)} //nolint:forcetypeassert // see isTemplate
	for i, a := range e.Args {
		args = append(args, f.conv(a, obj.Signature().Params().At(i).Type()))
	}
	return boxAlias + "." + obj.Name() + "(" + strings.Join(args, ", ") + ")"
}

// denyOwn denies the call of a function that would see the interpreter's types. An argument of an interface type may hold a value of one.
func (f *fn) denyOwn(e *ast.CallExpr, name string, callee func() string) (string, bool) {
	if quickCalls[name] && f.random(e) {
		return f.quick(e, callee()), true
	}
	for _, a := range e.Args {
		t := f.typeOf(a)
		text := "the type " + types.TypeString(t, types.RelativeTo(f.src.Types)) + ", which is interpreted"
		if isInterface(t) || holdsInterface(t, 0) {
			text = "types of the plugin, which are interpreted, and " + types.ExprString(a) + " may be of one"
		}
		if f.mayBox(a) && !f.info.Types[a].IsNil() {
			return f.deny(e, a.Pos(), "%s does not see %s; %s", name, text, refusedCalls[name]), true
		}
	}
	return "", false
}

// deny refuses a call. In a vendored package, which the author of the plugin did not write and may use without reaching the call, the call
// panics instead.
func (f *fn) deny(e *ast.CallExpr, at token.Pos, format string, args ...any) string {
	if !f.src.Vendored {
		refuse(at, format, args...)
	}
	sig := f.typeOf(e.Fun).Underlying().(*types.Signature) //nolint:forcetypeassert // it is called
	var results, names []string
	for v := range sig.Results().Variables() {
		name := f.fresh("v")
		names, results = append(names, name), append(results, fmt.Sprintf("var %s %s; ", name, f.typ(f.subst(v.Type()), e.Pos())))
	}
	place := f.src.Fset.PositionFor(at, false)
	message := fmt.Sprintf("%s:%d: ", place.Filename, place.Line) + fmt.Sprintf(format, args...)
	return fmt.Sprintf("func()%s { %s%s.Panic(%q); return %s }()", f.plainResults(sig, e.Pos()), strings.Join(results, ""), boxAlias, message, strings.Join(names, ", "))
}

// mayBox reports whether an argument of type any may hold a box.
func (f *fn) mayBox(e ast.Expr) bool {
	t := f.typeOf(e)
	return isInterface(t) || f.boxed(t) || holdsInterface(t, 0)
}

// holdsInterface reports whether values of a type may hold interface values.
func holdsInterface(t types.Type, depth int) bool {
	if depth > 20 {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Pointer:
		return holdsInterface(u.Elem(), depth+1)
	case *types.Slice:
		return holdsInterface(u.Elem(), depth+1)
	case *types.Array:
		return holdsInterface(u.Elem(), depth+1)
	case *types.Map:
		return holdsInterface(u.Elem(), depth+1)
	case *types.Struct:
		for v := range u.Fields() {
			if t == u && holdsInterface(v.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// joined lowers a call of a function that writes no spaces next to strings: it sees the boxes of strings as structs.
func (f *fn) joined(e *ast.CallExpr, sig *types.Signature, callee func() string) (string, bool) {
	fixed, text := sig.Params().Len()-1, e.Ellipsis.IsValid()
	join := func(args []string, _ bool) string {
		return callee() + "(" + strings.Join(append(args[:fixed:fixed], boxAlias+".Operands("+strings.Join(args[fixed:], ", ")+")..."), ", ") + ")"
	}
	var args []string
	for i, a := range e.Args {
		t := f.typeOf(a)
		if from, ok := t.(*types.Tuple); ok {
			return f.applyTuple(e, from, sig, true, join), true
		}
		b, ok := t.Underlying().(*types.Basic)
		text = text || i >= fixed && (isInterface(t) || ok && b.Info()&types.IsString != 0 && f.boxed(t))
	}
	if !text {
		return "", false
	}
	for i, a := range e.Args {
		switch {
		case i < fixed:
			args = append(args, f.conv(a, sig.Params().At(i).Type()))
		case e.Ellipsis.IsValid():
			args = append(args, f.conv(a, sig.Params().At(fixed).Type())+"...")
		default:
			args = append(args, f.conv(a, anyType))
		}
	}
	return join(args, false), true
}

// rawCall passes the values themselves instead of boxes.
func (f *fn) rawCall(e *ast.CallExpr, callee string) string {
	sig := f.typeOf(e.Fun).Underlying().(*types.Signature) //nolint:forcetypeassert // it is called
	var args []string
	for i, a := range e.Args {
		t := f.typeOf(a)
		param := sig.Params().At(min(i, sig.Params().Len()-1)).Type()
		if i >= sig.Params().Len()-1 && sig.Variadic() {
			param = param.Underlying().(*types.Slice).Elem() //nolint:forcetypeassert // a variadic parameter is a slice
		}
		switch {
		case !isInterface(param) || f.compiled(param):
			args = append(args, f.conv(a, param))
		case sig.Variadic(): // It scans, and may find a method for that.
			args = append(args, boxAlias+".Scanned("+f.conv(a, anyType)+")")
		case isInterface(t):
			args = append(args, boxAlias+".Content("+f.conv(a, anyType)+")")
		default:
			args = append(args, f.expr(a))
		}
	}
	return callee + "(" + strings.Join(args, ", ") + ")"
}

// errorsAs lowers errors.As with a target of a type of the source.
func (f *fn) errorsAs(e *ast.CallExpr) (string, bool) {
	p, ok := f.typeOf(e.Args[1]).Underlying().(*types.Pointer)
	if !ok {
		return fmt.Sprintf("%s.AsAny(%s, %s)", boxAlias, f.conv(e.Args[0], types.Universe.Lookup("error").Type()), f.conv(e.Args[1], anyType)), true
	}
	t := p.Elem()
	if !f.boxed(t) && (!isInterface(t) || f.compiled(t)) {
		return "", false
	}
	name := f.typ(t, e.Pos())
	id := f.id(t, e.Pos())
	get := f.getter(t, anyType, e.Pos())
	target := f.change("to", p, anyType, e.Pos())
	as := f.helper(helperKey{does: "errors.As", of: f.key(t)}, func() string {
		return fmt.Sprintf("(err error, to *%s) bool { return %s.As(err, %d, %s, func(v any) { *to = (%s(v)) }) }", name, boxAlias, id, target, get)
	})
	return as + "(" + f.conv(e.Args[0], types.Universe.Lookup("error").Type()) + ", " + f.expr(e.Args[1]) + ")", true
}
