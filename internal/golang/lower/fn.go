package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
)

// fn lowers one function. env holds the type arguments of an instance.
type fn struct {
	*gen

	src  *Package
	info *types.Info
	// within is the declared function that is written, and node that function or the literal in it.
	within *ast.FuncDecl
	node   ast.Node
	env    map[*types.TypeParam]types.Type
	// names holds the new names of variables. pointers holds the loop variables that are kept behind pointers.
	names    map[types.Object]string
	pointers map[types.Object]bool
	// results holds the results of the function; named reports whether they are variables, and kept whether something else has these.
	results     *types.Tuple
	named, kept bool
	// targets holds the statements that can be left, the innermost last. depth counts the bodies of loops over functions.
	targets []*target
	depth   int
	// code is the variable that says how a loop over a function was left, values hold the results to return, and jumps the labels to which
	// goto leaves it.
	code   string
	values []string
	jumps  []jump
	// loops holds the loops around the current statement. direct holds the function literals that are called where they are
	// written, and the names of functions that are called.
	loops  []ast.Stmt
	direct map[ast.Node]bool
	// begun is the mark of the line of the statement that is written.
	begun string
	// wide is set where a statement may become a block.
	wide bool
	// frame is the variable with the deferred calls of a function that has some. recovery is the one that recover asks, in a function
	// that was deferred. unwinds is set while the call of a deferred method is written.
	frame, recovery, unwinds string
	// literals holds the function literals that are written already. Several texts are made of some calls, such as deferred ones, and
	// one of them is used; without this, the time would grow exponentially with the depth of such calls.
	literals map[writtenLiteral]string
	// ordered holds expressions that are part of others whose operands show no order, so theirs show none either; without this, the time would
	// grow with the square of the depth of expressions.
	ordered map[ast.Expr]bool
}

// writtenLiteral is a function literal and the variable that recover asks in it.
type writtenLiteral struct {
	literal  *ast.FuncLit
	recovery string
}

// typeOf returns the type of an expression.
func (f *fn) typeOf(e ast.Expr) types.Type {
	t := f.info.TypeOf(e)
	if t == nil {
		refuse(e.Pos(), "the type of this expression is unknown")
	}
	return f.subst(t)
}

// subst replaces type parameters by type arguments.
func (f *fn) subst(t types.Type) types.Type {
	if len(f.env) == 0 {
		return types.Unalias(t)
	}
	return f.replace(t, func(t types.Type) types.Type {
		if p, ok := t.(*types.TypeParam); ok {
			if a := f.env[p]; a != nil {
				return a
			}
		}
		if n, ok := t.(*types.Named); ok {
			return f.localInstance(n)
		}
		return nil
	})
}

// name returns the name of a variable.
func (f *fn) name(obj types.Object) string {
	if obj == nil || obj.Name() == "_" {
		return "_"
	}
	if name := f.names[obj]; name != "" {
		return name
	}
	name := obj.Name()
	if obj.Parent() == f.src.Types.Scope() && f.src == f.pkg {
		return f.globalName(obj)
	}
	if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
		return f.global(obj, token.NoPos)
	}
	if f.taken[name] || strings.HasPrefix(name, "aura_") || strings.HasPrefix(name, "T_") || strings.HasPrefix(name, "M_") {
		name += "_aura"
	}
	f.names[obj] = name
	return name
}

// global returns the name of a variable or function of a package.
func (f *fn) global(obj types.Object, at token.Pos) string {
	if obj.Pkg() == f.pkg.Types {
		return f.globalName(obj)
	}
	if !obj.Exported() && f.sourceOf(obj) != nil && !f.shared[obj] {
		refuse(at, "a generic function of package %s uses %s, which is not exported; instances of it cannot be written here", obj.Pkg().Path(), obj.Name())
	}
	return f.use(obj.Pkg()) + "." + f.globalName(obj)
}

// globalName returns the name of a variable or function of a package in that package. Lowered source uses the names that Go declares, such as true,
// in their own meaning. What instances in other packages use is exported.
func (p *program) globalName(obj types.Object) string {
	name := obj.Name()
	switch {
	case p.shared[obj]:
		return "X_" + name
	case types.Universe.Lookup(name) != nil && p.sourceOf(obj) != nil:
		return name + "_aura"
	}
	return name
}

// signature returns the parameters and results of a declared function. A receiver becomes the first parameter.
func (f *fn) signature(sig *types.Signature, recv *types.Var) string {
	var params []string
	if recv != nil {
		params = append(params, f.param(recv))
	}
	for v := range sig.Params().Variables() {
		params = append(params, f.param(v))
	}
	var results []string
	f.results, f.named = sig.Results(), false
	vars := map[types.Object]bool{}
	for v := range sig.Results().Variables() {
		results = append(results, f.typ(f.subst(v.Type()), v.Pos()))
		if v.Name() != "" || f.frame != "" {
			f.named = true
			// A variable of an inner block may have the name of a result that a return statement sets there.
			f.names[v] = f.fresh("r")
			vars[v] = true
		}
	}
	f.kept = len(f.captured(bodyOf(f.node), vars)) > 0
	out := "(" + strings.Join(params, ", ") + ")"
	if len(results) > 0 {
		out += " (" + strings.Join(results, ", ") + ")"
	}
	return out
}

func (f *fn) param(v *types.Var) string {
	name := "_"
	if v.Name() != "" {
		name = f.name(v)
	}
	return name + " " + f.typ(f.subst(v.Type()), v.Pos())
}

// body lowers the body of a function.
func (f *fn) body(b *ast.BlockStmt) string {
	if f.frame != "" {
		return f.guarded(b)
	}
	return "{" + within(f.title(), f.resultVars()+"\n"+f.block(b.List)+f.line(b.Rbrace)) + "}"
}

// bodyOf returns the body of a declared function or a function literal.
func bodyOf(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Body
	case *ast.FuncLit:
		return n.Body
	}
	return nil
}

// resultVars declares the results that have names. The interpreter keeps a result in the memory of the caller, with the value from before the call, so
// that results themselves have no names.
func (f *fn) resultVars() string {
	var b strings.Builder
	if f.named {
		for v := range f.results.Variables() {
			fmt.Fprintf(&b, "var %s %s; ", f.names[v], f.typ(f.subst(v.Type()), v.Pos()))
		}
	}
	return b.String()
}

// literal lowers a function literal.
func (f *fn) literal(e *ast.FuncLit) string {
	if !f.direct[e] && recoversItself(e.Body) {
		refuse(e.Pos(), "a function literal that calls recover is kept; the interpreter recovers only in a literal that is deferred where it is written: defer func() { ... }()")
	}
	text := f.literalIn(e, "")
	if f.direct[e] {
		return text
	}
	return f.made(text, f.typeOf(e), e.Pos())
}

// literalIn is literal for one that may be deferred: recovery is the variable that recover asks.
func (f *fn) literalIn(e *ast.FuncLit, recovery string) string {
	key := writtenLiteral{e, recovery}
	if text, ok := f.literals[key]; ok {
		return text
	}
	inner := &fn{gen: f.gen, src: f.src, info: f.info, within: f.within, node: e, env: f.env, names: f.names, pointers: f.pointers, direct: map[ast.Node]bool{}, recovery: recovery}
	sig := f.info.TypeOf(e).(*types.Signature) //nolint:forcetypeassert // it is a function
	inner.begin(e.Body)
	head := inner.signature(sig, nil)
	if f.literals == nil {
		f.literals = map[writtenLiteral]string{}
	}
	f.literals[key] = "func" + head + " " + inner.body(e.Body)
	return f.literals[key]
}

// begin prepares the lowering of a body.
func (f *fn) begin(b *ast.BlockStmt) {
	if deferring(b) {
		f.frame = f.fresh("d")
	}
}

// constant returns a constant as a value of a type.
func (f *fn) constant(v constant.Value, t types.Type, at token.Pos) string {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		refuse(at, "the constant %s cannot be written with the type %s", v, t)
	}
	name := f.typ(t, at)
	info := b.Info()
	switch {
	case info&types.IsBoolean != 0:
		return plainOr(name, "bool", strconv.FormatBool(constant.BoolVal(v)))
	case info&types.IsString != 0:
		return plainOr(name, "string", strconv.Quote(constant.StringVal(v)))
	case info&types.IsInteger != 0:
		text := constant.ToInt(v).ExactString()
		if name == "int" && text[0] == '-' {
			return "(" + text + ")"
		}
		return plainOr(name, "int", text)
	case info&types.IsFloat != 0:
		return name + "(" + float(v) + ")"
	case info&types.IsComplex != 0:
		v = constant.ToComplex(v)
		part := "float64"
		if b.Kind() == types.Complex64 {
			part = "float32"
		}
		return fmt.Sprintf("%s(complex(%s(%s), %s(%s)))", name, part, float(constant.Real(v)), part, float(constant.Imag(v)))
	}
	refuse(at, "the constant %s cannot be written with the type %s", v, t)
	return ""
}

func plainOr(name, plain, text string) string {
	if name == plain {
		return text
	}
	return name + "(" + text + ")"
}

func float(v constant.Value) string {
	x, _ := constant.Float64Val(constant.ToFloat(v))
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'e', -1, 64)
}

// conv lowers an expression whose value is assigned to something of a type.
func (f *fn) conv(e ast.Expr, to types.Type) string {
	tv := f.info.Types[e]
	if tv.IsNil() {
		return "nil"
	}
	if tv.Value != nil {
		t := f.typeOf(e)
		if isInterface(to) {
			t = types.Default(t)
			return f.change(f.constant(tv.Value, t, e.Pos()), t, to, e.Pos())
		}
		return f.constant(tv.Value, to, e.Pos())
	}
	x := f.expr(e)
	if isInterface(to) && isOperation(e) {
		// The interpreter ends the function if the interface is one of compiled code.
		x = "(" + x + ")"
	}
	return f.change(x, f.typeOf(e), to, e.Pos())
}

// isOperation reports whether an expression combines values by an operator.
func isOperation(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return true
	case *ast.UnaryExpr:
		return e.Op != token.AND && e.Op != token.ARROW
	default:
		return false
	}
}

var anyType = types.Universe.Lookup("any").Type()

// change returns the value x of a type as a value of another type, to which it is assignable.
func (f *fn) change(x string, from, to types.Type, at token.Pos) string {
	if !isInterface(to) {
		switch a, b := f.opaque(from), f.opaque(to); {
		case a && !b:
			return f.opened(x, f.typ(to, at))
		case b && !a:
			return f.hide(x, from, at)
		}
		return x
	}
	if isInterface(from) {
		switch {
		case types.Identical(from, to), f.compiled(from) && f.compiled(to):
			return x
		case f.compiled(to):
			return f.toCompiled(to, at) + "(" + x + ")"
		case f.compiled(from):
			if isReflectType(from) && findsMethods(to) {
				refuse(at, "the interpreter cannot use a reflect.Type as another interface with the methods Method or MethodByName; use reflect.Type")
			}
			return boxAlias + ".Any(" + x + ")"
		default:
			return x
		}
	}
	if b, ok := from.(*types.Basic); ok && b.Kind() == types.UntypedNil {
		return x
	}
	if !f.boxed(from) {
		if _, ok := from.Underlying().(*types.Signature); ok && !f.compiled(to) {
			// The interpreter has a type of its own for functions, until compiled code receives them.
			return boxAlias + ".Any(" + x + ")"
		}
		return x
	}
	b := fmt.Sprintf("%s.Box(%s, %d)", boxAlias, x, f.id(from, at))
	if f.compiled(to) {
		return f.toCompiled(to, at) + "(" + b + ")"
	}
	return b
}

// hide returns a value as the interpreter has it for an opaque type that is made of t.
func (f *fn) hide(x string, t types.Type, at token.Pos) string {
	name := f.typ(t, at)
	test := "if x == nil { return nil }; "
	if _, ok := t.Underlying().(*types.Array); ok {
		test = ""
	}
	return f.helper(helperKey{does: "hide", of: name}, func() string {
		return fmt.Sprintf("(x %s) any { %sreturn x }", name, test)
	}) + "(" + x + ")"
}

// hidden is hide for a type that may be opaque.
func (f *fn) hidden(x string, t types.Type, at token.Pos) string {
	if f.opaque(t) {
		return f.hide(x, t.Underlying(), at)
	}
	return x
}

// toCompiled returns the name of a function that returns an any as an interface of compiled code.
func (f *fn) toCompiled(to types.Type, at token.Pos) string {
	id, name := f.id(to, at), f.typ(to, at)
	return f.helper(helperKey{does: "to compiled", of: f.key(to)}, func() string {
		return fmt.Sprintf("(x any) %s { var w %[1]s; if x != nil { w = %s.To(x, %d).(%[1]s) }; return w }", name, boxAlias, id)
	})
}

// getter returns the name of a function that asserts the type of an any.
func (f *fn) getter(t, from types.Type, at token.Pos) string {
	id, name := f.id(t, at), f.typ(t, at)
	static := runtimeName(from)
	return f.helper(helperKey{"get", f.key(t), static}, func() string {
		if name == "any" {
			return fmt.Sprintf("(x any) any { return %s.Get(x, %d, %q) }", boxAlias, id, static)
		}
		if empty(t) {
			// The interpreter looks for a first field.
			return fmt.Sprintf("(x any) %s { var v %[1]s; %s.Get(x, %d, %q); return v }", name, boxAlias, id, static)
		}
		return fmt.Sprintf("(x any) %s { return %s.Get(x, %d, %q).(%[1]s) }", name, boxAlias, id, static)
	})
}

// empty reports whether a type is a struct without fields.
func empty(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	return ok && s.NumFields() == 0
}

// tester returns the name of a function that returns the content of an any and whether it is of a type.
func (f *fn) tester(t types.Type, at token.Pos) string {
	id, name := f.id(t, at), f.typ(t, at)
	return f.helper(helperKey{does: "test", of: f.key(t)}, func() string {
		assertion := ""
		if empty(t) {
			return fmt.Sprintf("(x any) (%s, bool) { var v %[1]s; return v, %s.Is(x, %d) }", name, boxAlias, id)
		}
		if name != "any" {
			assertion = ".(" + name + ")"
		}
		return fmt.Sprintf("(x any) (%s, bool) { var v %[1]s; if %s.Is(x, %d) { v = (%[2]s.Get(x, %[3]d, \"\")%[4]s); return v, true }; return v, false }", name, boxAlias, id, assertion)
	})
}
