package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// weight is when a construct does harm.
type weight int

const (
	// atLoad keeps the plugin from loading.
	atLoad weight = iota
	// atRun fails each time the line runs. In a vendored package it is unknown whether the line ever runs.
	atRun
	// maybe fails with some values.
	maybe
)

// pass checks one package that is valid Go.
type pass struct {
	*checker

	source *source
	pkg    *sourcePackage
	types  *types.Package
	info   *types.Info
	// stack holds the nodes from the file to the current node, which is the last element.
	stack []ast.Node
	// changed holds the places at which each variable is assigned to.
	changed map[types.Object][]change
	// origin holds the initial value of variables that are initialised with a single expression.
	origin map[types.Object]ast.Expr
	// keeps holds the parameters that functions keep beyond the call.
	keeps map[types.Object]bool
}

// change is an assignment to a variable as a whole or to a part of it, which may be behind a pointer.
type change struct {
	at    token.Pos
	whole bool
}

// rule is called for every node.
type rule = func(*pass, ast.Node)

// contractRules are about what a plugin gives aura, whatever runs the plugin.
var contractRules = []rule{toolSchemas, commandSchemas, disabledTools}

// interpreterRules find what the interpreter cannot do, or does otherwise than Go.
var interpreterRules = []rule{
	builtins, ranges, genericCalls, genericAliases, recursiveTypes, newExpressions,
	switches, typeSwitches, assertions, comparisons, mapKeys, methodExpressions, embeddedInterfaces,
	errorsAs, errorArguments, errorValues, errorMethods, nilReturns,
	deferredArguments, deferredLoops, deferredLiterals, methodValues, counters,
	jsonValues, formats, verbs, printedCalls, templates,
	storedValues, structValues,
	shifts, channelRanges, nilAssignments, rangeStrings, forwardedValues, capturedValues, constantGroups,
}

func (p *pass) run() {
	p.survey()
	rules := contractRules
	if !p.compiled() {
		rules = slices.Concat(rules, interpreterRules)
	}
	for _, f := range p.pkg.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				p.stack = p.stack[:len(p.stack)-1]
				return true
			}
			p.stack = append(p.stack, n)
			for _, rule := range rules {
				rule(p, n)
			}
			return true
		})
	}
}

// report adds a finding about a construct.
func (p *pass) report(n ast.Node, w weight, rule, message, fix string) {
	at := p.source.fset.PositionFor(n.Pos(), false)
	f := Finding{File: at.Filename, Line: at.Line, Column: at.Column, Severity: Error, Rule: rule, Message: message, Fix: fix}
	if w == maybe || w == atRun && !p.pkg.own {
		f.Severity = Warning
	}
	p.addIn(p.pkg, f)
}

// survey records where variables get their values.
func (p *pass) survey() {
	p.changed = map[types.Object][]change{}
	p.origin = map[types.Object]ast.Expr{}
	p.keeps = map[types.Object]bool{}
	for _, f := range p.pkg.files {
		ast.Inspect(f, func(n ast.Node) bool {
			p.surveyKept(n)
			switch n := n.(type) {
			case *ast.AssignStmt:
				p.surveyAssignment(n)
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if len(n.Values) == len(n.Names) {
						p.origin[p.info.Defs[name]] = n.Values[i]
					}
				}
			case *ast.IncDecStmt:
				p.change(n.X, n.Pos())
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					p.change(n.Key, n.Pos())
					p.change(n.Value, n.Pos())
				}
			}
			return true
		})
	}
}

func (p *pass) surveyAssignment(n *ast.AssignStmt) {
	for i, left := range n.Lhs {
		if id, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
			obj := p.info.Defs[id]
			if obj == nil {
				obj = p.info.Uses[id]
			}
			if p.origin[obj] == nil {
				p.origin[obj] = n.Rhs[i]
			}
		}
		if id, ok := left.(*ast.Ident); !ok || p.info.Defs[id] == nil {
			p.change(left, n.Pos())
		}
	}
}

func (p *pass) change(x ast.Expr, at token.Pos) {
	if obj := p.root(x); obj != nil {
		_, whole := ast.Unparen(x).(*ast.Ident)
		p.changed[obj] = append(p.changed[obj], change{at: at, whole: whole})
	}
}

// root returns the variable that an expression reads or writes a part of.
func (p *pass) root(x ast.Expr) types.Object {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			if v, ok := p.object(e).(*types.Var); ok {
				return v
			}
			return nil
		case *ast.SelectorExpr:
			if id, ok := e.X.(*ast.Ident); ok {
				if _, ok := p.info.Uses[id].(*types.PkgName); ok {
					x = e.Sel
					continue
				}
			}
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		default:
			return nil
		}
	}
}

func (p *pass) object(id *ast.Ident) types.Object {
	if obj := p.info.Defs[id]; obj != nil {
		return obj
	}
	return p.info.Uses[id]
}

// typeOf returns an expression's type; it never returns nil.
func (p *pass) typeOf(x ast.Expr) types.Type {
	if x != nil {
		if t := p.info.TypeOf(x); t != nil {
			return types.Unalias(t)
		}
	}
	return types.Typ[types.Invalid]
}

// callee returns the function or method that a call names, or nil.
func (p *pass) callee(call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	fn, _ := p.info.Uses[id].(*types.Func)
	return fn
}

// calls reports whether a call names a function of the given library package.
func (p *pass) calls(call *ast.CallExpr, pkg string, names ...string) bool {
	fn := p.callee(call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != pkg {
		return false
	}
	for _, name := range names {
		if fn.Name() == name {
			return true
		}
	}
	return len(names) == 0
}

// interpreted returns the named type behind t, or behind a pointer to it, if the type is declared in interpreted source.
func (p *pass) interpreted(t types.Type) *types.Named {
	t = types.Unalias(t)
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || p.source.byPath[named.Obj().Pkg().Path()] == nil {
		return nil
	}
	return named
}

// enclosing returns the innermost function around the current node, and the loops between the two.
func (p *pass) enclosing() (fn ast.Node, loops []ast.Node) {
	for i := len(p.stack) - 2; i >= 0; i-- {
		switch n := p.stack[i].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return n, loops
		case *ast.ForStmt, *ast.RangeStmt:
			loops = append(loops, n)
		}
	}
	return nil, loops
}

// parent returns the node that is up levels above the current node, or nil.
func (p *pass) parent(up int) ast.Node {
	if i := len(p.stack) - 1 - up; i >= 0 {
		return p.stack[i]
	}
	return nil
}

func within(outer ast.Node, pos token.Pos) bool { return outer.Pos() <= pos && pos < outer.End() }

var errorInterface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface) //nolint:forcetypeassert // error is one

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }
