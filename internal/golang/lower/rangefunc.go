package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// rangeFunc lowers a loop over a function. The body becomes a function; a variable says how it was left.
func (f *fn) rangeFunc(s *ast.RangeStmt, label string) string {
	sig := f.typeOf(s.X).Underlying().(*types.Signature)               //nolint:forcetypeassert // see rangeStmt
	yield := sig.Params().At(0).Type().Underlying().(*types.Signature) //nolint:forcetypeassert // by the type checker
	var b strings.Builder
	outermost := f.depth == 0
	fmt.Fprintf(&b, "%s{\n", f.line(s.Pos()))
	oldCode, oldValues, oldJumps := f.code, f.values, f.jumps
	if outermost {
		f.code = f.fresh("c")
		f.values, f.jumps = nil, nil
		fmt.Fprintf(&b, "%s := 0\n", f.code)
		if f.named {
			f.values = f.resultNames()
		}
		for v := range f.results.Variables() {
			if f.named {
				break
			}
			name := f.fresh("r")
			f.values = append(f.values, name)
			fmt.Fprintf(&b, "var %s %s\n", name, f.typ(f.subst(v.Type()), s.Pos()))
		}
	}
	x := f.under(s.X)
	t := f.enter(label, true)
	t.function, t.body = true, s.Body
	f.depth++
	var params []string
	var head strings.Builder
	for i, e := range []ast.Expr{s.Key, s.Value} {
		if i >= yield.Params().Len() {
			break
		}
		v := f.loopVar(s, e, yield.Params().At(i).Type())
		params = append(params, v.name+" "+f.typ(yield.Params().At(i).Type(), s.Pos()))
		head.WriteString(v.set)
	}
	body := head.String() + f.inside(s)
	f.depth--
	f.leave()
	fmt.Fprintf(&b, "%s(func(%s) bool {\n%sreturn true\n})\n", x, strings.Join(params, ", "), body)
	b.WriteString(f.unwound())
	if outermost {
		f.code, f.values, f.jumps = oldCode, oldValues, oldJumps
	}
	b.WriteString("}\n")
	return b.String()
}

// jumped returns the statements after a loop over a function that go on with a goto of its body.
func (f *fn) jumped() string {
	var b strings.Builder
	for i, j := range f.jumps {
		if j.depth == f.depth {
			fmt.Fprintf(&b, "if %s == %d { %[1]s = 0; goto %[3]s }\n", f.code, -2-i, j.label)
		}
	}
	return b.String()
}

// unwound returns the statements after a loop over a function that leave what its body wanted to leave.
func (f *fn) unwound() string {
	var b strings.Builder
	b.WriteString(f.jumped())
	if f.depth > 0 {
		// The caller is itself the body of a loop over a function.
		for i, t := range f.targets {
			if t.depth == f.depth && !t.function && t.wanted {
				fmt.Fprintf(&b, "if %s == %d { %[1]s = 0; break %[3]s }\n", f.code, 2*i+1, t.label)
				if t.loop {
					fmt.Fprintf(&b, "if %s == %d { %[1]s = 0; continue %[3]s }\n", f.code, 2*i+2, t.label)
				}
			}
			if t.function && t.depth == f.depth-1 {
				fmt.Fprintf(&b, "if %s == %d { %[1]s = 0; return false }\nif %[1]s == %[3]d { %[1]s = 0; return true }\n", f.code, 2*i+1, 2*i+2)
			}
		}
		fmt.Fprintf(&b, "if %s != 0 { return false }\n", f.code)
		return b.String()
	}
	for i, t := range f.targets {
		if !t.function && t.wanted {
			fmt.Fprintf(&b, "if %s == %d { break %s }\n", f.code, 2*i+1, t.label)
			if t.loop {
				fmt.Fprintf(&b, "if %s == %d { continue %s }\n", f.code, 2*i+2, t.label)
			}
		}
	}
	ret := "return " + strings.Join(f.values, ", ")
	if f.frame != "" {
		ret = "return" // from the body of the function: see guarded
	}
	fmt.Fprintf(&b, "if %s == -1 { %s }\n", f.code, strings.TrimSpace(ret))
	return b.String()
}
