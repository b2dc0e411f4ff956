package check

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/repair"
)

// verbs finds structs whose fields are printed with their names.
func verbs(p *pass, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || !p.calls(call, "fmt") || call.Ellipsis.IsValid() || !strings.HasSuffix(p.callee(call).Name(), "f") {
		return
	}
	for i, arg := range call.Args {
		v := p.info.Types[arg].Value
		if v == nil || v.Kind() != constant.String {
			continue
		}
		p.checkVerbs(constant.StringVal(v), call.Args[i+1:])
		return
	}
}

func (p *pass) checkVerbs(format string, args []ast.Expr) {
	for i, verb := range verbsOf(format) {
		if i >= len(args) {
			return
		}
		t := p.typeOf(args[i])
		named := p.interpreted(t)
		switch {
		case named == nil || types.IsInterface(named) || stringMethod(named) != "":
		case verb == "+v" && hidesFields(t):
			p.report(args[i], maybe, "format-type", "the name of a field that is not exported gets an X in front", "print the fields one by one")
		}
	}
}

// hidesFields reports whether a type is a struct with unexported fields, or a pointer to one.
func hidesFields(t types.Type) bool {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if !f.Exported() {
			return true
		}
	}
	return false
}

// verbsOf returns the verbs of a format, one for each argument, with the flag + if they have it, and a * for each width that
// is an argument. It returns nil if the format numbers its arguments.
func verbsOf(format string) []string {
	var list []string
	in, flag := false, ""
	for _, r := range format {
		switch {
		case !in:
			in, flag = r == '%', ""
		case r == '[':
			return nil
		case r == '+':
			flag = "+"
		case strings.ContainsRune("-# .0123456789", r):
		case r == '*':
			list = append(list, "*")
		default:
			in = false
			if r != '%' && r < utf8.RuneSelf {
				list = append(list, flag+string(r))
			}
		}
	}
	return list
}

// printedCalls finds calls whose result is the only printed value. The loader repairs calls of functions of the same file.
func printedCalls(p *pass, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || !p.calls(call, "fmt") || len(call.Args) != 1 || strings.HasSuffix(p.callee(call).Name(), "f") {
		return
	}
	inner, ok := call.Args[0].(*ast.CallExpr)
	if !ok || p.info.Types[inner.Fun].IsType() {
		return
	}
	named := p.interpreted(p.typeOf(inner))
	fn := p.callee(inner)
	if named == nil || fn == nil || types.IsInterface(named) || stringMethod(named) == "" || p.source.byPath[fn.Pkg().Path()] == nil ||
		p.repaired(repair.Printed, inner) {
		return
	}
	p.report(inner, atRun, "format-call", fmt.Sprintf("the result of %s is printed without its method %s", fn.Name(), stringMethod(named)),
		fmt.Sprintf("put the call into parentheses, or call the method: %s().%s()", fn.Name(), stringMethod(named)))
}
