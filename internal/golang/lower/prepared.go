package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// preparedArgs maps functions to the number of the argument that a function of package box prepares for them, and to its name.
var preparedArgs = map[string]struct {
	arg  int
	with string
}{
	"log/slog.NewJSONHandler": {1, "LogJSON"}, "log/slog.NewTextHandler": {1, "LogText"}, "context.WithValue": {1, "ContextKey"},
	"encoding/xml.Marshal": {0, "XML"}, "encoding/xml.MarshalIndent": {0, "XML"}, "(*encoding/xml.Encoder).Encode": {0, "XML"}, "(*encoding/xml.Encoder).EncodeElement": {0, "XMLNamed"},
	"encoding/xml.Unmarshal": {1, "XMLPlace"}, "(*encoding/xml.Decoder).Decode": {0, "XMLPlace"}, "(*encoding/xml.Decoder).DecodeElement": {0, "XMLPlace"},
}

// prepared lowers a call of a function with a prepared argument.
func (f *fn) prepared(e *ast.CallExpr, obj *types.Func, callee string) string {
	prepare := preparedArgs[obj.FullName()]
	call := func(args []string, _ bool) string {
		args[prepare.arg] = boxAlias + "." + prepare.with + "(" + args[prepare.arg] + ")"
		return callee + "(" + strings.Join(args, ", ") + ")"
	}
	if from, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
		return f.applyTuple(e, from, obj.Signature(), true, call)
	}
	var args []string
	for i, a := range e.Args {
		args = append(args, f.conv(a, obj.Signature().Params().At(i).Type()))
	}
	return call(args, false)
}

// formatCalls holds the functions that format their last arguments.
var formatCalls = func() map[string]bool {
	out := map[string]bool{"fmt.Appendf": true}
	for _, name := range []string{"Printf", "Panicf", "Fatalf"} {
		out["log."+name], out["(*log.Logger)."+name] = true, true
	}
	return out
}()

// formatted lowers a call of a function that formats. It gets the text, because some verbs print the types of their arguments.
func (f *fn) formatted(e *ast.CallExpr, sig *types.Signature, callee string) (string, bool) {
	last := sig.Params().Len() - 1
	call := func(args []string, _ bool) string {
		text := boxAlias + ".Sprintf(" + strings.Join(args[last-1:], ", ") + ")"
		return callee + "(" + strings.Join(append(args[:last-1:last-1], `"%s"`, text), ", ") + ")"
	}
	var args []string
	for i, a := range e.Args {
		t := f.typeOf(a)
		if from, ok := t.(*types.Tuple); ok {
			return f.applyTuple(e, from, sig, true, call), true
		}
		switch {
		case i < last:
			args = append(args, f.conv(a, sig.Params().At(i).Type()))
		case e.Ellipsis.IsValid():
			args = append(args, f.conv(a, sig.Params().At(last).Type())+"...")
		default:
			args = append(args, f.conv(a, anyType))
		}
	}
	return call(args, false), true
}

// mirrors lowers a call of a function that encodes.
func (f *fn) mirrors(e *ast.CallExpr, obj *types.Func, callee string) string {
	args := []string{boxAlias + ".Mirror(" + f.conv(e.Args[0], anyType) + ")"}
	for _, a := range e.Args[1:] {
		args = append(args, f.expr(a))
	}
	with, results := "Marshal", "([]byte, error)"
	if obj.Signature().Results().Len() == 1 {
		with, results = "Encode", "error"
	}
	return boxAlias + "." + with + "(func() " + results + " { return " + callee + "(" + strings.Join(args, ", ") + ") })"
}

// executesOn lowers the execution of a template that another struct embeds.
func (f *fn) executesOn(e *ast.CallExpr, obj *types.Func, callee string) string {
	var args []string
	last := len(e.Args) - 1
	for i, a := range e.Args[:last] {
		args = append(args, f.conv(a, obj.Signature().Params().At(i).Type()))
	}
	template := f.expr(ast.Unparen(e.Fun).(*ast.SelectorExpr).X) //nolint:forcetypeassert // a method is called
	args = append(args, boxAlias+".Data("+template+", "+f.conv(e.Args[last], anyType)+")")
	return callee + "(" + strings.Join(args, ", ") + ")"
}

// atomicCalls maps the methods that store values, which must all be of one type, to what they do.
var atomicCalls = map[string]string{"(*sync/atomic.Value).Store": "store", "(*sync/atomic.Value).Swap": "swap"}

// stores lowers a call of a method of an atomic.Value. Its argument is compared with the value that is stored already.
func (f *fn) stores(e *ast.CallExpr, method, operation, callee string) string {
	load := strings.TrimSuffix(callee, method) + "Load()"
	return fmt.Sprintf("%s(%s.Consistent(%s, %s, %q))", callee, boxAlias, load, f.conv(e.Args[0], anyType), operation)
}

// plainReceiver reports whether the receiver of a method may be evaluated twice.
func plainReceiver(fun ast.Expr) bool {
	for e := ast.Unparen(fun); ; {
		switch x := e.(type) {
		case *ast.Ident:
			return true
		case *ast.SelectorExpr:
			e = ast.Unparen(x.X)
		case *ast.StarExpr:
			e = ast.Unparen(x.X)
		default:
			return false
		}
	}
}

// textVar lowers a call of flag.TextVar, or of the method of a set of flags.
func (f *fn) textVar(e *ast.CallExpr, callee string) string {
	set, method := "", "TextVar"
	if receiver, found := strings.CutSuffix(callee, ".TextVar"); found && f.libraryFunc(e.Fun).Signature().Recv() != nil {
		set, method = receiver+", ", "SetTextVar"
	}
	return fmt.Sprintf("%s.%s(%s%s, %s, %s, %s)", boxAlias, method, set, f.conv(e.Args[0], anyType), f.expr(e.Args[1]), f.conv(e.Args[2], anyType), f.expr(e.Args[3]))
}
