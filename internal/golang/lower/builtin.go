package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// builtin lowers the use of a built-in function.
func (f *fn) builtin(e *ast.CallExpr, fun ast.Expr) string { //nolint:funlen // one case after the other
	name := ""
	switch fun := fun.(type) {
	case *ast.Ident:
		name = f.info.Uses[fun].Name()
	case *ast.SelectorExpr:
		return f.memory(e, fun.Sel.Name)
	}
	arg := func(i int) string { return f.under(e.Args[i]) }
	switch name {
	case "append":
		return f.appends(e)
	case "make":
		t := f.typeOf(e.Args[0])
		args := []string{f.typ(t, e.Pos())}
		if f.opaque(t) {
			args[0] = f.typ(t.Underlying(), e.Pos())
		}
		for _, a := range e.Args[1:] {
			text := f.expr(a)
			if tv := f.info.Types[a]; tv.Value != nil {
				text = constant.ToInt(tv.Value).ExactString()
			} else if !types.Identical(f.typeOf(a), types.Typ[types.Int]) {
				text = "int(" + text + ")"
			}
			args = append(args, text)
		}
		if c, ok := t.Underlying().(*types.Chan); ok && c.Dir() != types.SendRecv {
			// The interpreter makes channels of both directions only.
			both := f.typ(types.NewChan(types.SendRecv, c.Elem()), e.Pos())
			made := f.helper(helperKey{does: "make", of: args[0]}, func() string { return fmt.Sprintf("(n int) %s { return make(%s, n) }", args[0], both) })
			return made + "(" + strings.Join(append(args[1:], "0")[:1], "") + ")"
		}
		return f.hidden("make("+strings.Join(args, ", ")+")", t, e.Pos())
	case "new":
		if !f.info.Types[e.Args[0]].IsType() {
			t := f.typeOf(e).Underlying().(*types.Pointer).Elem() //nolint:forcetypeassert // by the type checker
			name := f.typ(t, e.Pos())
			return f.helper(helperKey{does: "new", of: name}, func() string {
				return fmt.Sprintf("(v %s) *%[1]s { p := new(%[1]s); *p = v; return p }", name)
			}) + "(" + f.conv(e.Args[0], t) + ")"
		}
		return "new(" + f.typ(f.typeOf(e.Args[0]), e.Pos()) + ")"
	case "delete":
		m := f.typeOf(e.Args[0]).Underlying().(*types.Map) //nolint:forcetypeassert // by the type checker
		return "delete(" + arg(0) + ", " + f.mapKey(e.Args[1], m) + ")"
	case "panic":
		return boxAlias + ".Panic(" + f.conv(e.Args[0], anyType) + ")"
	case "recover":
		if f.recovery == "" {
			return boxAlias + ".NoPanic()" // the function was not deferred
		}
		return f.recovery + ".Recover()"
	case "print", "println":
		return f.prints(e, name)
	case "min", "max":
		return f.extreme(e, name)
	case "clear":
		return f.clear(e)
	case "len", "cap":
		if p, ok := f.typeOf(e.Args[0]).Underlying().(*types.Pointer); ok {
			// The pointer may be nil.
			typ := f.typ(f.typeOf(e.Args[0]), e.Pos())
			n := p.Elem().Underlying().(*types.Array).Len() //nolint:forcetypeassert // by the type checker
			return f.helper(helperKey{does: "len", of: typ}, func() string { return fmt.Sprintf("(p %s) int { return %d }", typ, n) }) + "(" + f.expr(e.Args[0]) + ")"
		}
		return name + "(" + arg(0) + ")"
	case "copy", "close", "complex", "real", "imag":
		var args []string
		for i := range e.Args {
			args = append(args, arg(i))
		}
		return name + "(" + strings.Join(args, ", ") + ")"
	}
	refuse(e.Pos(), "%s cannot be interpreted", name)
	return ""
}

// prints lowers print and println. The interpreter has other formats for them.
func (f *fn) prints(e *ast.CallExpr, name string) string {
	args := []string{`""`, `""`}
	if name == "println" {
		args = []string{`" "`, `"\n"`}
	}
	show := func(x string, t types.Type) {
		if isInterface(t) {
			x = boxAlias + ".Words(" + f.change(x, t, anyType, e.Pos()) + ")"
		}
		args = append(args, x)
	}
	if len(e.Args) == 1 {
		if from, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
			var params []string
			for i := range from.Len() {
				x := "aura_p" + strconv.Itoa(i)
				params = append(params, x+" "+f.typ(from.At(i).Type(), e.Pos()))
				show(x, from.At(i).Type())
			}
			return fmt.Sprintf("func(%s) { %s.Print(%s) }(%s)", strings.Join(params, ", "), boxAlias, strings.Join(args, ", "), f.expr(e.Args[0]))
		}
	}
	for _, a := range e.Args {
		if f.info.Types[a].IsNil() {
			args = append(args, "nil")
			continue
		}
		show(f.under(a), f.typeOf(a))
	}
	return boxAlias + ".Print(" + strings.Join(args, ", ") + ")"
}

func (f *fn) appends(e *ast.CallExpr) string {
	t := f.typeOf(e)
	elem := t.Underlying().(*types.Slice).Elem() //nolint:forcetypeassert // by the type checker
	name := f.typ(t.Underlying(), e.Pos())
	if from, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
		list := types.NewVar(token.NoPos, nil, "", types.NewSlice(elem))
		sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewVar(token.NoPos, nil, "", t), list), types.NewTuple(types.NewVar(token.NoPos, nil, "", t)), true)
		return f.applyTuple(e, from, sig, true, func(args []string, _ bool) string {
			if f.opaque(t) {
				args[0] = f.opened(args[0], name)
			}
			return f.hidden("append("+strings.Join(args, ", ")+")", t, e.Pos())
		})
	}
	first := "(" + name + ")(nil)"
	if !f.info.Types[e.Args[0]].IsNil() {
		first = f.under(e.Args[0])
	}
	args := []string{first}
	for i, a := range e.Args[1:] {
		if e.Ellipsis.IsValid() && i == len(e.Args)-2 {
			if isString(f.typeOf(a)) {
				args = append(args, "[]byte("+f.expr(a)+")...")
			} else if f.info.Types[a].IsNil() {
				args = append(args, "("+name+")(nil)...")
			} else {
				args = append(args, f.under(a)+"...")
			}
			continue
		}
		if f.info.Types[a].IsNil() && !isInterface(elem) && !f.opaque(elem) {
			// The interpreter gives all these nils one type.
			args = append(args, "("+f.typ(elem, a.Pos())+")(nil)")
			continue
		}
		value := f.conv(a, elem)
		if sig := f.declared(a); sig != nil && !isInterface(elem) && !f.opaque(elem) {
			// The interpreter appends its own form of a declared function, which is no function.
			name := value
			value = f.made(f.closure(sig, a.Pos(), func(args []string) string { return name + "(" + strings.Join(args, ", ") + ")" }), sig, a.Pos())
		}
		args = append(args, value)
	}
	if len(args) == 1 {
		return f.hidden(first, t, e.Pos())
	}
	if len(args) > 2 && slices.ContainsFunc(e.Args[1:], f.mayPanic) {
		// The interpreter reads each value when it appends it, after it has written those before.
		values := make([]string, len(args)-1)
		for i := range values {
			values[i] = "v" + strconv.Itoa(i)
		}
		list := strings.Join(values, ", ")
		appended := f.helper(helperKey{"append", name, strconv.Itoa(len(values))}, func() string {
			return fmt.Sprintf("(s %s, %s %s) %[1]s { return append(s, %[2]s) }", name, list, f.typ(elem, e.Pos()))
		})
		return f.hidden(appended+"("+strings.Join(args, ", ")+")", t, e.Pos())
	}
	return f.hidden("append("+strings.Join(args, ", ")+")", t, e.Pos())
}

// declared returns the signature of a declared function of the source that is the value of an expression, or nil.
func (f *fn) declared(e ast.Expr) *types.Signature {
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok && f.info.Types[call.Fun].IsType() {
		return f.declared(call.Args[0])
	}
	if obj, _ := f.static(e); obj == nil || obj.Signature().Recv() != nil || f.sourceOf(obj) == nil {
		return nil
	}
	sig, _ := f.typeOf(e).(*types.Signature)
	return sig
}

// extreme lowers min and max.
func (f *fn) extreme(e *ast.CallExpr, name string) string {
	t := f.typeOf(e)
	typ := f.typ(t, e.Pos())
	if len(e.Args) == 1 {
		return "(" + f.expr(e.Args[0]) + ")"
	}
	op := "<"
	if name == "max" {
		op = ">"
	}
	pair := f.helper(helperKey{does: name, of: typ}, func() string {
		nan := ""
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsFloat != 0 {
			nan = "if a != a { return a }; if b != b { return b }; "
		}
		return fmt.Sprintf("(a, b %s) %[1]s { %sif a %s b { return a }; return b }", typ, nan, op)
	})
	out := f.conv(e.Args[0], t)
	for _, a := range e.Args[1:] {
		out = pair + "(" + out + ", " + f.conv(a, t) + ")"
	}
	return out
}

func (f *fn) clear(e *ast.CallExpr) string {
	t := f.typeOf(e.Args[0])
	typ := f.typ(t.Underlying(), e.Pos())
	name := f.helper(helperKey{does: "clear", of: typ}, func() string {
		if s, ok := t.Underlying().(*types.Slice); ok {
			return fmt.Sprintf("(x %s) { for i := 0; i < len(x); i++ { var zero %s; x[i] = zero } }", typ, f.typ(s.Elem(), e.Pos()))
		}
		return fmt.Sprintf("(x %s) { %s.Clear(x) }", typ, boxAlias)
	})
	return name + "(" + f.under(e.Args[0]) + ")"
}
