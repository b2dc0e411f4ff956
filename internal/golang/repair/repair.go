package repair

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// Edits returns edits, sorted by offset, that do not change the meaning of a file for a Go compiler and that keep the
// interpreter from being silently wrong:
//
//   - A parameter without a name gets the blank name. Without a name, the interpreter gives the parameter no storage and
//     passes its value to the next parameter.
//   - An operator on the right side of an assignment or in a return gets parentheses, and so does a received value in a
//     return. Without them the interpreter gives the operation the type of its destination; if that is an interface, the
//     function ends there.
//   - Named results are set to zero, and a call that is assigned gets parentheses: see results.
//   - A list, map, struct or received value that is assigned together with other values gets parentheses. Without them the
//     other values are lost.
//   - A loop variable that a function or a pointer may capture is copied, so that each iteration has its own.
//   - A number with a point beside a constant of package math, as in 2.5 * math.Pi, is converted to float64. The interpreter
//     gives the two different types.
//   - A value that a loop stores in a list or a map gets a variable of its own: see keepValues.
//   - A constant that has a type and is computed, as in 1 << iota, is converted to the type. The interpreter finds such a
//     constant unequal to itself.
//   - A list of conditions in a case becomes one condition. The interpreter evaluates only the first one.
//   - A list of computed values in a case becomes several cases. The interpreter computes only the first one.
//   - A switch over a value that may be an interface becomes a switch without a value. The interpreter converts the value, and
//     panics.
//   - A switch with a statement before its value gets a block around both. The interpreter does not compute the value.
//   - A number that is shifted gets the type of the operand beside it. The interpreter treats the number as an int.
//   - A loop over a list of channels gets its elements by index. The interpreter treats it as a loop over a channel.
//   - A loop over the offsets of a string gets a second variable. Without it the interpreter counts characters.
//   - A nil that is assigned together with other values is assigned after them. The interpreter looks for its type, and
//     panics.
//   - The writers of io.MultiWriter and the readers of io.MultiReader are passed as a list. The interpreter passes single ones
//     without their methods.
//   - A type switch over a parameter of type any becomes a switch over assertions: see anySwitches.
//   - A call whose result is printed gets parentheses: see printed.
//   - A conversion to an interface of compiled code, as in error(x), becomes a function that returns the interface: see
//     conversion.
//   - An assertion of such an interface finds values of the source: see assertion.
//   - A value that may be missing, as in v, ok := m[k], is zero if it is missing: see misses.
//   - The value that a parameter of type any holds is printed by its methods: see given, handed and teach.
//   - The type error in a case refers to the error of compiled code. The interpreter's own type matches none of its errors.
//   - Deferred calls and selects are rewritten: see deferred, selects, receives and leaves.
//   - Calls of panic go to a package of ours. The interpreter's own panic wraps its argument, so that recover returns a value
//     of another type, and a crash does not print the message.
func Edits(f *ast.File, text []byte) []Edit {
	w := newRewriter(f, text)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				w.name(n.Recv)
				w.name(n.Type.Params)
				w.routine(n.Recv, n.Type, n.Body)
			}
		case *ast.FuncLit:
			w.name(n.Type.Params)
			w.routine(nil, n.Type, n.Body)
		case *ast.AssignStmt:
			w.assignment(n)
			w.together(n.Rhs)
			w.test(len(n.Lhs), n.Rhs)
			w.misses(n)
		case *ast.ValueSpec:
			w.together(n.Values)
			w.test(len(n.Names), n.Values)
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				if isUnary(x) || received(x) != nil {
					w.wrap(x)
				}
			}
		case *ast.RangeStmt:
			w.ranging(n)
			w.loop(n.Body)
		case *ast.ForStmt:
			w.copyCounters(n)
			w.loop(n.Body)
		case *ast.GenDecl:
			w.constants(n)
		case *ast.LabeledStmt:
			w.labeled(n)
		case *ast.BlockStmt:
			w.block(n.List)
		case *ast.CaseClause:
			w.block(n.Body)
		case *ast.CommClause:
			w.block(n.Body)
			w.receives(n)
			w.leaves(n)
		case *ast.SelectStmt:
			w.selection(n)
		case *ast.SwitchStmt:
			w.choice(n)
		case *ast.TypeSwitchStmt:
			w.typeChoice(n)
		case *ast.BinaryExpr:
			w.typed(n.X, n.Y)
			w.typed(n.Y, n.X)
			w.shifted(n)
		case *ast.TypeAssertExpr:
			w.assertion(n)
		case *ast.DeferStmt:
			w.postponed[n.Call] = true
		case *ast.CallExpr:
			w.call(n)
			w.conversion(n)
		}
		return true
	})
	w.teach()
	if w.imports {
		w.insert(f.Name.End(), "; import "+ourAlias+" "+strconv.Quote(Path))
	}
	w.edits = append(w.edits, w.closing...)
	w.sort()
	w.copyArguments()
	if len(w.selections) > 0 {
		w.selects()
	}
	return w.edits
}

// Path is the import path of a package that replaces the built-in names panic and error, under the same names. The package
// also has wrapped, which reports whether the interpreter has wrapped a value; kept and some, which prepare a value for an
// assertion; and interfaces that have no other name. No source uses the path or its alias by chance.
const (
	Path     = "aura.internal/builtin"
	ourAlias = "aura_internal_builtin"
)

// call handles calls of functions that the interpreter gets wrong.
func (w *rewriter) call(n *ast.CallExpr) {
	switch f := n.Fun.(type) {
	case *ast.Ident:
		if f.Name == "panic" {
			w.ours(f)
		}
		w.handed(n, f)
	case *ast.SelectorExpr:
		w.printed(n, f)
		pkg, ok := f.X.(*ast.Ident)
		if !ok || pkg.Name != "io" || w.postponed[n] || n.Ellipsis.IsValid() || len(n.Args) == 0 {
			return
		}
		// A call that is the only argument may return several values.
		if _, alone := n.Args[0].(*ast.CallExpr); alone && len(n.Args) == 1 {
			return
		}
		if element, ok := strings.CutPrefix(f.Sel.Name, "Multi"); ok {
			w.insert(n.Args[0].Pos(), "[]io."+element+"{")
			w.closing = append(w.closing, Edit{at: int(n.Args[len(n.Args)-1].End() - w.start), insert: "}..."})
		}
	}
}

// block handles the statements of a block.
func (w *rewriter) block(list []ast.Stmt) {
	w.nils(list)
	w.lookups(list)
}

// loop handles the body of a loop.
func (w *rewriter) loop(body *ast.BlockStmt) {
	w.reuse(body)
	w.renewLiterals(body)
	w.keepValues(body)
}

func isNil(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "nil"
}

func (w *rewriter) name(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		if len(field.Names) == 0 {
			w.insert(field.Type.Pos(), "_ ")
		}
	}
}

func (w *rewriter) assignment(n *ast.AssignStmt) {
	if n.Tok != token.ASSIGN || len(n.Lhs) != len(n.Rhs) {
		return
	}
	for i, x := range n.Rhs {
		_, element := ast.Unparen(n.Lhs[i]).(*ast.IndexExpr)
		// The interpreter would use the variable for the result from the start of the call: see results.
		if isUnary(x) || element && isArithmetic(x) || !element && isPlainCall(x) {
			w.wrap(x)
		}
	}
}

func isUnary(x ast.Expr) bool {
	u, ok := x.(*ast.UnaryExpr)
	return ok && u.Op != token.AND && u.Op != token.ARROW
}

func isArithmetic(x ast.Expr) bool {
	b, ok := x.(*ast.BinaryExpr)
	return ok && b.Op.Precedence() > token.EQL.Precedence()
}
