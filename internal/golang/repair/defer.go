package repair

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// routine describes the statements of a function, without the functions within it.
type routine struct {
	defers []deferral
	// values are the function literals that are not called immediately.
	values  []*ast.FuncLit
	returns []*ast.ReturnStmt
	// variables holds the names of parameters and local variables. assigned counts how often each is assigned a value.
	variables map[string]bool
	assigned  map[string]int
	// fixed holds the variables that must not be copied: their methods may need their address.
	fixed map[string]bool
}

// deferral is a defer statement. looped reports whether the statement may run several times in one call of its function.
type deferral struct {
	*ast.DeferStmt
	looped bool
}

// routine handles the statements of a function. The interpreter holds a lock on the variables of a function while its deferred
// calls run, and a function literal takes the same lock at its end. So a function literal that is called there is created by a
// separate function, whose variables are not locked.
func (w *rewriter) routine(receiver *ast.FieldList, t *ast.FuncType, block *ast.BlockStmt) {
	b := survey(block, receiver, t.Params, t.Results)
	w.results(t, block, b.returns)
	w.anyResults(t, b.returns)
	w.anySwitches(t.Params, block)
	w.texts(t.Params, block)
	w.given(t.Params, block)
	for _, d := range b.defers {
		w.deferred(b, d)
	}
	if len(b.defers) > 0 {
		for _, lit := range b.values {
			if made, ok := w.maker(lit); ok {
				w.insert(lit.Pos(), made)
				w.insert(lit.End(), " }()")
			}
		}
	}
}

// anyResults puts parentheses around comparisons and shifts that are returned as any.
func (w *rewriter) anyResults(t *ast.FuncType, returns []*ast.ReturnStmt) {
	var isAny []bool
	if t.Results != nil {
		for _, field := range t.Results.List {
			for range max(1, len(field.Names)) {
				isAny = append(isAny, emptyInterface(field.Type))
			}
		}
	}
	for _, r := range returns {
		for i, x := range r.Results {
			if op, ok := x.(*ast.BinaryExpr); ok && len(r.Results) == len(isAny) && isAny[i] && losesType(op.Op) {
				w.wrap(x)
			}
		}
	}
}

func losesType(op token.Token) bool {
	return op == token.SHL || op == token.SHR || op.Precedence() <= token.EQL.Precedence()
}

func emptyInterface(x ast.Expr) bool {
	switch t := ast.Unparen(x).(type) {
	case *ast.Ident:
		return t.Name == "any"
	case *ast.InterfaceType:
		return len(t.Methods.List) == 0
	default:
		return false
	}
}

// deferred makes a deferred call use the values of the moment at which it is deferred. The interpreter looks them up when the
// call runs: the arguments, the receiver and, for a function literal, the variables of the loop around it.
func (w *rewriter) deferred(b routine, d deferral) {
	var before strings.Builder
	for i, arg := range d.Call.Args {
		if !b.copyable(arg, d) || strings.Contains(w.written(arg.Pos(), arg.End()), "\n") {
			continue
		}
		alias := fmt.Sprintf("%s_%d", w.fresh(d.Pos()), i)
		w.copies = append(w.copies, argument{arg, alias})
		fmt.Fprintf(&before, "%s := %s; ", alias, place(alias))
	}
	name := w.fresh(d.Pos())
	switch f := d.Call.Fun.(type) {
	case *ast.FuncLit:
		made, ok := w.maker(f)
		if !d.looped || !ok || mentionsIdent(f, "recover") {
			break
		}
		w.replace(d.Pos(), f.Pos(), before.String()+name+" := "+made)
		w.repairs(Literal, d.DeferStmt)
		w.insert(f.End(), " }(); defer "+name)
		return
	case *ast.SelectorExpr:
		receiver := b.variable(f.X)
		end := f.Pos() + token.Pos(len(receiver))
		if b.fixed[receiver] || !b.varies(receiver, d.looped) || w.recovering[f.Sel.Name] || w.written(f.Pos(), end) != receiver {
			break
		}
		fmt.Fprintf(&before, "%s_r := %s; ", name, receiver)
		w.replace(d.Pos(), f.Pos(), before.String()+name+" := func() func() { return func() { ")
		w.repairs(Receiver, d.DeferStmt)
		w.replace(f.Pos(), end, name+"_r")
		w.insert(d.Call.End(), " } }(); defer "+name+"()")
		return
	}
	if before.Len() > 0 {
		w.insert(d.Pos(), before.String())
	}
}

// argument is an argument of a deferred call that is copied to a variable of that name.
type argument struct {
	ast.Expr
	name string
}

// place returns a placeholder for the value of a variable, used while more edits within the value may follow. No source
// contains its character.
func place(name string) string { return "\x00" + name + "\x00" }

// copyArguments makes the arguments of deferred calls be computed before the call is deferred. All other edits, except those
// of selects, must have been made and be sorted; edits within an argument move with it. Arguments within other arguments are
// handled first.
func (w *rewriter) copyArguments() {
	for _, arg := range slices.Backward(w.copies) {
		copied := w.combineEdits(arg.Expr)
		for i, e := range w.edits {
			w.edits[i].insert = strings.Replace(e.insert, place(arg.name), copied.insert, 1)
		}
		copied.insert = arg.name
		copied.does = append(copied.does, repaired{Argument, arg.Expr})
		w.edits = append(w.edits, copied)
		w.sort()
	}
}

// maker returns the start of a function that returns a function literal, up to the literal.
func (w *rewriter) maker(lit *ast.FuncLit) (string, bool) {
	signature := w.written(lit.Type.Pos(), lit.Type.End())
	if strings.Contains(signature, "//") {
		return "", false
	}
	return "func() " + strings.ReplaceAll(signature, "\n", " ") + " { return ", true
}

// fresh returns a name that belongs to a position and that no source uses by chance.
func (w *rewriter) fresh(at token.Pos) string { return fmt.Sprintf("aura_internal_%d", at-w.start) }

// variable returns the name of the function's variable that an expression reads, wholly or in part, if the expression starts
// with that name. Otherwise it returns "".
func (b routine) variable(x ast.Expr) string {
	switch ast.Unparen(x).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
	default:
		return ""
	}
	if name := rootIdent(x); b.variables[name] {
		return name
	}
	return ""
}

// copyable reports whether an argument of a deferred call needs a copy and can have one: the argument must have its own type,
// not the type of the parameter. Outside of a loop, the interpreter looks up only variables and parts of them later.
func (b routine) copyable(x ast.Expr, d deferral) bool {
	if b.variable(x) != "" || !d.looped {
		return b.variable(x) != ""
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		return x.Op != token.SHL && x.Op != token.SHR && (b.copyable(x.X, d) || b.copyable(x.Y, d))
	case *ast.UnaryExpr:
		return x.Op != token.AND && x.Op != token.ARROW && b.copyable(x.X, d)
	case *ast.CallExpr:
		// A call that is the only argument may return several values.
		return len(d.Call.Args) > 1
	default:
		return false
	}
}

// varies reports whether a variable may have another value later.
func (b routine) varies(name string, looped bool) bool {
	return name != "" && (looped || b.assigned[name] > 1)
}

// recovering returns the names of the functions that call recover. recover works only if these functions are deferred
// themselves.
func recovering(f *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && mentionsIdent(fn.Body, "recover") {
			names[fn.Name.Name] = true
		}
	}
	return names
}

// renewLiterals puts parentheses around lists and maps that are written in a loop and captured by a function. Without the
// parentheses, the interpreter lets all iterations share one variable.
func (w *rewriter) renewLiterals(loop *ast.BlockStmt) {
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt:
			return false
		case *ast.AssignStmt:
			for i, x := range n.Rhs {
				if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) && isCollection(x) && captures(loop, rootIdent(n.Lhs[i])) {
					w.wrap(x)
				}
			}
		}
		return true
	})
}

func isCollection(x ast.Expr) bool {
	lit, ok := x.(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch lit.Type.(type) {
	case *ast.ArrayType, *ast.MapType:
		return true
	default:
		return false
	}
}
