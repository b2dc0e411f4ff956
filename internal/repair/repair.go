package repair

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// Edits returns edits that mean nothing to a Go compiler and keep the interpreter from being silently wrong:
//
//   - A parameter without a name gets the blank one. The interpreter gives it no place and hands its value to the next.
//   - An operator on the right side of an assignment or in a return gets parentheses, a received value in a return too. Without them the interpreter gives the
//     operation the type of its destination; if that is an interface, the function ends there.
//   - Named results are set to zero, and a call that is assigned gets parentheses: see results.
//   - A list, map, struct or received value that is assigned together with others gets parentheses. Without them those are lost.
//   - A loop variable that a function or a pointer may capture is copied, so that each iteration has its own.
//   - A number with a point beside a constant of package math, as in 2.5 * math.Pi, is made a float64. The interpreter takes the
//     two for different types.
//   - What a loop puts into a list or a map gets a variable of its own: see keepValues.
//   - A constant that has a type and is computed, as in 1 << iota, is converted to the type. The interpreter takes it for unequal
//     to itself.
//   - A list of conditions in a case becomes one condition. The interpreter looks at the first only.
//   - A list of values in a case, if they are computed, becomes several cases. The interpreter computes the first only.
//   - A switch on what may be an interface becomes one without a value. The interpreter converts the value, and panics.
//   - A switch with a statement before its value gets a block around both. The interpreter does not compute the value.
//   - A number that is shifted gets the type of what stands beside it. The interpreter takes it for an int.
//   - A loop over a list of channels gets its elements by their index. The interpreter takes it for a loop over a channel.
//   - A loop over the offsets of a string gets a second variable. Without it the interpreter counts characters.
//   - A nil that is assigned together with other values is assigned after them. The interpreter looks for its type, and panics.
//   - The writers of io.MultiWriter and the readers of io.MultiReader are given as a list. The interpreter hands over single ones
//     without their methods.
//   - A type switch over a parameter of type any becomes one over assertions: see anySwitches.
//   - A call whose result is printed gets parentheses: see printed.
//   - A conversion to an interface of compiled code, as in error(x), becomes a function that returns one: see conversion.
//   - An assertion of such an interface finds values of the source: see assertion.
//   - A value that may not be there, as in v, ok := m[k], is zero if it is not: see misses.
//   - What a parameter of type any holds is printed by its methods: see given, handed and teach.
//   - The type error of a case is that of compiled code. The interpreter's own fits none of its errors.
//   - What concerns deferred calls and select: see deferred, selects, receives and leaves.
//   - Panic is called in a package of ours. The interpreter's own wraps its argument, so that recover returns something of
//     another type, and a crash prints something that is not the message.
//
// They are in the order of their offsets.
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

// Path is the import path of a package that holds what takes the place of built-in names, by the same names: panic and error. It also has
// wrapped, which reports whether the interpreter has put a value into one of its own; kept and some, which prepare a value for an
// assertion; and interfaces that have no other name. No source will use it, or its alias, by chance.
const (
	Path     = "aura.internal/builtin"
	ourAlias = "aura_internal_builtin"
)

// call handles calls that the interpreter gets wrong by their name.
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
		// A call that is alone may stand for several values.
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

// loop handles what is repeated.
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
		// A call would have the variable for its result from its beginning on: see results.
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
