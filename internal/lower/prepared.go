package lower

import (
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
