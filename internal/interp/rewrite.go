package interp

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// edit is text to put in the place of the bytes from an offset of a file on; of none, to insert it there.
type edit struct {
	at, skip int
	insert   string
}

// workarounds returns edits that mean nothing to a Go compiler and keep the interpreter from being silently wrong:
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
//   - The type error of a case is that of compiled code. The interpreter's own fits none of its errors.
//   - What concerns deferred calls and select: see deferred, selects, receives and leaves.
//   - Panic is called in a package of ours. The interpreter's own wraps its argument, so that recover returns something of
//     another type, and a crash prints something that is not the message.
//
// They are in the order of their offsets.
func workarounds(f *ast.File, text []byte) []edit {
	w := newRewriter(f, text)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				w.name(n.Recv)
				w.name(n.Type.Params)
				w.function(n.Recv, n.Type, n.Body)
			}
		case *ast.FuncLit:
			w.name(n.Type.Params)
			w.function(nil, n.Type, n.Body)
		case *ast.AssignStmt:
			w.assignment(n)
			w.together(n.Rhs)
		case *ast.ValueSpec:
			w.together(n.Values)
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				if isUnary(x) || received(x) != nil {
					w.wrap(x)
				}
			}
		case *ast.RangeStmt:
			w.ranging(n)
			w.renewLiterals(n.Body)
			w.keepValues(n.Body)
		case *ast.ForStmt:
			w.copyCounters(n)
			w.renewLiterals(n.Body)
			w.keepValues(n.Body)
		case *ast.GenDecl:
			w.constants(n)
		case *ast.LabeledStmt:
			w.labeled(n)
		case *ast.BlockStmt:
			w.nils(n.List)
		case *ast.CaseClause:
			w.nils(n.Body)
		case *ast.CommClause:
			w.nils(n.Body)
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
		case *ast.DeferStmt:
			w.postponed[n.Call] = true
		case *ast.CallExpr:
			w.call(n)
		}
		return true
	})
	if w.imports {
		w.insert(f.Name.End(), "; import "+ourAlias+" "+strconv.Quote(ourPath))
	}
	w.edits = append(w.edits, w.closing...)
	w.sort()
	if len(w.selections) > 0 {
		w.selects()
	}
	return w.edits
}

// ourPath is the import path of a package that holds what takes the place of built-in names, by the same names. No source will
// use it, or its alias, by chance.
const (
	ourPath  = "aura.internal/builtin"
	ourAlias = "aura_internal_builtin"
)

// ourSymbols are what the package holds.
func ourSymbols() map[string]reflect.Value {
	return map[string]reflect.Value{"panic": reflect.ValueOf(raise), "error": reflect.ValueOf((*error)(nil)), "wrapped": reflect.ValueOf(wrapped)}
}

// call handles calls that the interpreter gets wrong by their name.
func (w *rewriter) call(n *ast.CallExpr) {
	switch f := n.Fun.(type) {
	case *ast.Ident:
		if f.Name == "panic" {
			w.ours(f)
		}
	case *ast.SelectorExpr:
		w.printed(n, f)
		pkg, ok := f.X.(*ast.Ident)
		if !ok || pkg.Name != "io" || n.Ellipsis.IsValid() || len(n.Args) == 0 {
			return
		}
		// A call that is alone may stand for several values.
		if _, alone := n.Args[0].(*ast.CallExpr); alone && len(n.Args) == 1 {
			return
		}
		if element, ok := strings.CutPrefix(f.Sel.Name, "Multi"); ok {
			w.insert(n.Args[0].Pos(), "[]io."+element+"{")
			w.closing = append(w.closing, edit{at: int(n.Args[len(n.Args)-1].End() - w.start), insert: "}..."})
		}
	}
}

// raise is a panic with the value as it is.
func raise(v any) { panic(v) }

// standsForInterface reports whether a value of a type in the file could have methods of its own, and so be handed to compiled
// code as an interface; or whether nil is handed over, as by http.NewRequest("GET", url, nil), for which the interpreter looks at the
// interface's methods too.
func standsForInterface(f *ast.File) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || slices.ContainsFunc(n.Args, isNil)
		case *ast.CompositeLit:
			found = found || slices.ContainsFunc(n.Elts, isNil)
		case *ast.KeyValueExpr:
			found = found || isNil(n.Value)
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Rhs, isNil)
		case *ast.ValueSpec:
			found = found || slices.ContainsFunc(n.Values, isNil)
		case *ast.FuncDecl:
			found = found || n.Recv != nil
		case *ast.InterfaceType:
			found = found || len(n.Methods.List) > 0
		case *ast.StructType:
			for _, field := range n.Fields.List {
				found = found || len(field.Names) == 0
			}
		}
		return !found
	})
	return found
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

// copyCounters handles the loop variables of a for clause that its body leaves alone. One that the body changes must stay what
// it is, because the next iteration goes on from there.
func (w *rewriter) copyCounters(n *ast.ForStmt) {
	init, ok := n.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return
	}
	var variables []ast.Expr
	for _, v := range init.Lhs {
		if id, ok := v.(*ast.Ident); ok && !changes(n.Body, id.Name) {
			variables = append(variables, v)
		}
	}
	w.copyVariables(n.Body, variables...)
}

// copyVariables lets a loop's body begin with copies of the variables, if something in it could outlive the iteration.
func (w *rewriter) copyVariables(body *ast.BlockStmt, variables ...ast.Expr) {
	var names []string
	for _, v := range variables {
		if id, ok := v.(*ast.Ident); ok && id.Name != "_" && captures(body, id.Name) {
			names = append(names, id.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	list := strings.Join(names, ", ")
	if !slices.ContainsFunc(names, func(name string) bool { return declares(body, name) }) {
		w.insert(body.Lbrace+1, " "+list+" := "+list+";")
		return
	}
	// The body has a variable of that name, such as a copy of its own. Two of one name need two blocks.
	w.insert(body.Lbrace+1, " "+list+" := "+list+"; {")
	w.closing = append(w.closing, edit{at: int(body.Rbrace - w.start), insert: "}"})
}

// declares reports whether a block declares the name itself, not in a block within it.
func declares(block *ast.BlockStmt, name string) bool {
	for _, stmt := range block.List {
		for {
			labeled, ok := stmt.(*ast.LabeledStmt)
			if !ok {
				break
			}
			stmt = labeled.Stmt
		}
		switch s := stmt.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE && slices.ContainsFunc(s.Lhs, func(x ast.Expr) bool { return rootIdent(x) == name }) {
				return true
			}
		case *ast.DeclStmt:
			if mentionsIdent(s, name) {
				return true
			}
		}
	}
	return false
}

// captures reports whether a function literal in the body mentions the name, or the address of it or of a part is taken, or it is
// put where an interface may hold it.
func captures(body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = found || mentionsIdent(n, name)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && rootIdent(n.X) == name
		default:
			found = found || handsOver(n, name)
		}
		return !found
	})
	return found
}

// changes reports whether the body assigns to the name or takes its address.
func changes(body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				found = found || n.Tok != token.DEFINE && rootIdent(x) == name
			}
		case *ast.IncDecStmt:
			found = found || rootIdent(n.X) == name
		case *ast.RangeStmt:
			found = found || n.Tok == token.ASSIGN && (rootIdent(n.Key) == name || rootIdent(n.Value) == name)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && rootIdent(n.X) == name
		}
		return !found
	})
	return found
}
