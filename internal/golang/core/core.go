// Package core says which Go the interpreter runs: the small part of the language that lowering writes, and that the interpreter runs as a compiler
// does. CORE.md describes it. Check refuses everything else, so that what lowering should have translated cannot reach the interpreter.
//
// The check looks at syntax only. That the types fit was checked before the source was lowered.
package core

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Box is the name by which lowered source refers to the operations of package box.
const Box = "aura_box"

// Error reports a form that is not core, at a line of the source that was lowered.
type Error struct {
	Line    int
	Message string

	at token.Pos
}

func (e *Error) Error() string {
	return e.Message + " is not in the Go that aura interprets; lowering should have replaced it, which is a fault of aura"
}

// checker checks one file. operation reports whether package box has an operation.
type checker struct {
	operation func(string) bool
	// above holds the nodes around the current one, the innermost last.
	above []ast.Node
}

// Check returns the first form of a lowered file that is not core, or nil. text is the text of the file.
func Check(fset *token.FileSet, f *ast.File, text []byte, operation func(name string) bool) (err *Error) {
	defer func() {
		if v := recover(); v != nil {
			e, ok := v.(*Error)
			if !ok {
				panic(v)
			}
			e.Line = lineOf(text[:fset.PositionFor(e.at, false).Offset])
			err = e
		}
	}()
	c := &checker{operation: operation}
	for _, d := range f.Decls {
		c.declaration(d)
		ast.Inspect(d, c.visit)
	}
	return nil
}

func refuse(n ast.Node, format string, args ...any) {
	panic(&Error{Message: fmt.Sprintf(format, args...), at: n.Pos()})
}

// lineOf returns the line of the source that the last mark in a lowered text names, or 0.
func lineOf(text []byte) (line int) {
	const mark = "/*at "
	if i := bytes.LastIndex(text, []byte(mark)); i >= 0 {
		_, _ = fmt.Sscanf(string(text[i+len(mark):]), "%d", &line)
	}
	return line
}

// visit checks a node, before those that it consists of.
func (c *checker) visit(n ast.Node) bool {
	if n == nil {
		c.above = c.above[:len(c.above)-1]
		return true
	}
	switch n := n.(type) {
	case ast.Stmt:
		c.statement(n)
	case ast.Expr:
		c.expression(n)
	}
	c.above = append(c.above, n)
	return true
}

// parent returns a node around the current one: 0 is the closest.
func (c *checker) parent(i int) ast.Node {
	if i >= len(c.above) {
		return nil
	}
	return c.above[len(c.above)-1-i]
}

// declaration checks a declaration of a package.
func (c *checker) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			refuse(d, "a method")
		}
		c.signature(d.Type)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				if d.Tok == token.VAR && (len(spec.Names) != 1 || spec.Values != nil) {
					refuse(spec, "a variable of a package that is not set in init")
				}
			case *ast.TypeSpec:
				if _, ok := spec.Type.(*ast.StructType); !ok || spec.TypeParams != nil || spec.Assign.IsValid() {
					refuse(spec, "a type other than a struct")
				}
			}
		}
	}
}

// signature checks the type of a function that has a body.
func (c *checker) signature(t *ast.FuncType) {
	if t.TypeParams != nil {
		refuse(t, "a generic function")
	}
	for _, p := range t.Params.List {
		if len(p.Names) == 0 {
			refuse(p, "a parameter without a name")
		}
	}
	if t.Results != nil && slices.ContainsFunc(t.Results.List, func(r *ast.Field) bool { return len(r.Names) > 0 }) {
		refuse(t, "a result with a name")
	}
}

// statement checks a statement.
func (c *checker) statement(n ast.Stmt) {
	switch n := n.(type) {
	case *ast.DeferStmt:
		refuse(n, "defer")
	case *ast.SelectStmt:
		refuse(n, "select")
	case *ast.TypeSwitchStmt:
		refuse(n, "a type switch")
	case *ast.SwitchStmt:
		if n.Init != nil || n.Tag != nil {
			refuse(n, "a switch over a value")
		}
	case *ast.CaseClause:
		if len(n.List) > 1 {
			refuse(n, "several conditions in a case")
		}
	case *ast.DeclStmt:
		if d, ok := n.Decl.(*ast.GenDecl); !ok || d.Tok != token.VAR || len(d.Specs) != 1 || len(d.Specs[0].(*ast.ValueSpec).Names) != 1 { //nolint:forcetypeassert // by the syntax
			refuse(n, "a declaration other than of one variable")
		} else if spec := d.Specs[0].(*ast.ValueSpec); len(spec.Values) == 1 { //nolint:forcetypeassert // by the syntax
			c.defined(spec.Names[0], spec.Values[0])
		}
	case *ast.AssignStmt:
		c.assignment(n)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			refuse(n, "a range loop that assigns to variables of others")
		}
		if _, literal := n.X.(*ast.BasicLit); literal {
			refuse(n, "a range over a literal")
		}
	}
}

// assignment checks that no value is computed in the memory of what it is assigned to, unless it is complete before that is written.
func (c *checker) assignment(n *ast.AssignStmt) {
	single := len(n.Lhs) == 1
	if n.Tok == token.DEFINE && single {
		c.defined(n.Lhs[0], n.Rhs[0])
	}
	if n.Tok == token.DEFINE && single || len(n.Lhs) != len(n.Rhs) {
		return
	}
	for i, x := range n.Rhs {
		c.assigned(n, n.Lhs[i], x)
	}
}

// assigned checks a value that is assigned to a place.
func (c *checker) assigned(n *ast.AssignStmt, place, x ast.Expr) {
	_, variable := place.(*ast.Ident)
	inPlace := n.Tok != token.ASSIGN
	switch x := x.(type) {
	case *ast.CallExpr:
		fun, ok := x.Fun.(*ast.Ident)
		inPlace = inPlace || ok && fun.Name == "append" && variable
	case *ast.UnaryExpr:
		_, constant := x.X.(*ast.BasicLit)
		inPlace = inPlace || constant
	case *ast.BinaryExpr:
		inPlace = inPlace || variable && x.Op.Precedence() > token.EQL.Precedence()
	case *ast.CompositeLit, *ast.FuncLit:
		inPlace = false
	case *ast.Ident:
		if inPlace = x.Name != "nil" || len(n.Lhs) == 1; !inPlace {
			refuse(x, "nil beside other values")
		}
	default:
		return
	}
	if !inPlace {
		refuse(x, "a value that is assigned without parentheses")
	}
}

// defined checks the value of a new variable. The interpreter writes a composite literal to the memory of the variable, which may be the one that a
// function literal of an earlier iteration holds. Variables that lowering made are held by none.
func (c *checker) defined(name, value ast.Expr) {
	id, ok := name.(*ast.Ident)
	if _, literal := value.(*ast.CompositeLit); literal && ok && !strings.HasPrefix(id.Name, "aura_") {
		refuse(value, "a composite literal that defines a variable without parentheses")
	}
}

// replaced lists the built-in functions and the names that lowering replaces.
var replaced = map[string]bool{"clear": true, "iota": true, "max": true, "min": true, "panic": true, "print": true, "println": true, "recover": true}

// expression checks an expression or a type.
func (c *checker) expression(n ast.Expr) {
	switch n := n.(type) {
	case *ast.Ident:
		if _, field := c.parent(0).(*ast.Field); replaced[n.Name] && !c.names(n) && !field {
			refuse(n, "%s", n.Name)
		}
	case *ast.FuncLit:
		c.signature(n.Type)
		c.literal(n)
	case *ast.CompositeLit:
		if n.Type == nil {
			refuse(n, "a literal without its type")
		}
		if a, ok := n.Type.(*ast.ArrayType); ok && a.Len != nil {
			if _, dots := a.Len.(*ast.Ellipsis); dots {
				refuse(n, "an array whose length is counted")
			}
		}
	case *ast.InterfaceType:
		refuse(n, "an interface other than any")
	case *ast.Ellipsis:
		refuse(n, "a variadic function")
	case *ast.IndexListExpr:
		refuse(n, "an instance")
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && x.Name == Box && c.operation != nil && !c.operation(n.Sel.Name) {
			refuse(n, "%s.%s", Box, n.Sel.Name)
		}
	}
}

// names reports whether the current name is that of a field, a selector or a key.
func (c *checker) names(id *ast.Ident) bool {
	switch p := c.parent(0).(type) {
	case *ast.SelectorExpr:
		return p.Sel == id
	case *ast.KeyValueExpr:
		return p.Key == id
	}
	return false
}

// literal checks where a function literal stands. One that is kept is the result of a function of its own, which has a frame of its own.
func (c *checker) literal(n *ast.FuncLit) {
	switch p := c.parent(0).(type) {
	case *ast.ReturnStmt:
		if block, ok := c.parent(1).(*ast.BlockStmt); ok && len(p.Results) == 1 && (len(block.List) == 1 || c.registers()) || forwards(n) {
			return
		}
	case *ast.CallExpr:
		if p.Fun == n || c.consumes(p) || isLoopBody(n) && len(p.Args) == 1 || forwards(n) {
			return
		}
	case *ast.AssignStmt:
		if id, ok := p.Lhs[0].(*ast.Ident); ok && p.Tok == token.DEFINE && (strings.HasPrefix(id.Name, "aura_") || forwards(n)) {
			return // called by statements that lowering wrote
		}
	}
	refuse(n, "a function literal that is kept without a function of its own")
}

// forwards reports whether a literal only passes its parameters to a declared function, and captures nothing.
func forwards(n *ast.FuncLit) bool {
	var x ast.Expr
	if len(n.Body.List) == 1 {
		switch s := n.Body.List[0].(type) {
		case *ast.ReturnStmt:
			if len(s.Results) == 1 {
				x = s.Results[0]
			}
		case *ast.ExprStmt:
			x = s.X
		}
	}
	call, ok := x.(*ast.CallExpr)
	return ok && !slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		id, ok := a.(*ast.Ident)
		return !ok || !strings.HasPrefix(id.Name, "aura_p")
	})
}

// isLoopBody reports whether a literal is the body of a loop over a function. The loop waits while it runs.
func isLoopBody(n *ast.FuncLit) bool {
	if len(n.Body.List) == 0 {
		return false
	}
	for _, p := range n.Type.Params.List {
		if name := p.Names[0].Name; name != "_" && !strings.HasPrefix(name, "aura_k") {
			return false
		}
	}
	last := n.Body.List[len(n.Body.List)-1]
	for {
		switch s := last.(type) {
		case *ast.LabeledStmt:
			last = s.Stmt
			continue
		case *ast.ReturnStmt:
			if len(s.Results) != 1 {
				return false
			}
			id, ok := s.Results[0].(*ast.Ident)
			return ok && id.Name == "true"
		}
		return false
	}
}

// registers reports whether the current statement is in a literal that is registered as a method.
func (c *checker) registers() bool {
	call, ok := c.parent(3).(*ast.CallExpr)
	return ok && c.consumes(call)
}

// consumes reports whether a call only calls the function literals that it gets, before it returns.
func (c *checker) consumes(n *ast.CallExpr) bool {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && (x.Name == Box || strings.HasPrefix(x.Name, "aura_d") && sel.Sel.Name == "Run")
}
