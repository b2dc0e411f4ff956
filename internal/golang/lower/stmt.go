package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// target is a statement that break or continue can leave.
type target struct {
	label string
	// loop reports whether continue refers to it. function reports whether it is a loop over a function.
	loop, function bool
	// body is the body of a loop over a function.
	body *ast.BlockStmt
	// depth is the depth of the code around the statement.
	depth int
	// wanted reports whether the label is needed. made reports whether the label is not from the source.
	wanted bool
	made   bool
}

func (f *fn) block(list []ast.Stmt) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(f.stmt(s, ""))
	}
	return b.String()
}

// stmt lowers a statement to lines. label is the label of the statement.
func (f *fn) stmt(s ast.Stmt, label string) string {
	f.begun = f.line(s.Pos())
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return ""
	case *ast.LabeledStmt:
		return f.labeled(s)
	case *ast.BlockStmt:
		return f.line(s.Pos()) + "{\n" + f.block(s.List) + "}\n"
	case *ast.IfStmt:
		return f.ifStmt(s)
	case *ast.ForStmt:
		f.loops = append(f.loops, s)
		defer func() { f.loops = f.loops[:len(f.loops)-1] }()
		return f.forStmt(s, label)
	case *ast.RangeStmt:
		f.loops = append(f.loops, s)
		defer func() { f.loops = f.loops[:len(f.loops)-1] }()
		return f.declareShared(s, f.rangeStmt(s, label))
	case *ast.SwitchStmt:
		return f.switchStmt(s, label)
	case *ast.TypeSwitchStmt:
		return f.typeSwitch(s, label)
	case *ast.SelectStmt:
		return f.selectStmt(s, label)
	case *ast.BranchStmt:
		return f.line(s.Pos()) + f.branch(s) + "\n"
	case *ast.ReturnStmt:
		before, results := f.before(s.Results...)
		return f.line(s.Pos()) + inBlock(before, f.returns(&ast.ReturnStmt{Return: s.Return, Results: results})) + "\n"
	case *ast.DeferStmt:
		before, call := f.beforeOperands(s.Call)
		return f.line(s.Pos()) + inBlock(before, f.defers(&ast.DeferStmt{Defer: s.Defer, Call: call.(*ast.CallExpr)})) + "\n" //nolint:forcetypeassert // a copy
	case *ast.GoStmt:
		before, call := f.beforeOperands(s.Call)
		return f.line(s.Pos()) + inBlock(before, f.goes(&ast.GoStmt{Go: s.Go, Call: call.(*ast.CallExpr)})) + "\n" //nolint:forcetypeassert // a copy
	case *ast.DeclStmt:
		return f.decl(s)
	default:
		before, late := f.inOrderStatement(s)
		f.wide = true
		text := f.simple(late)
		f.wide = false
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			return f.line(s.Pos()) + strings.Join(append(before, text), "; ") + "\n"
		}
		return f.line(s.Pos()) + inBlock(before, text) + "\n"
	}
}

// simple lowers a simple statement. The text may consist of several statements.
func (f *fn) simple(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return f.expr(s.X)
	case *ast.SendStmt:
		c := f.typeOf(s.Chan).Underlying().(*types.Chan) //nolint:forcetypeassert // by the type checker
		return f.under(s.Chan) + " <- " + f.conv(s.Value, c.Elem())
	case *ast.IncDecStmt:
		return f.changed(s.X) + s.Tok.String()
	case *ast.AssignStmt:
		return f.assign(s)
	}
	refuse(s.Pos(), "this statement cannot be interpreted")
	return ""
}

// decl lowers a declaration in a function. Constants and types need none.
func (f *fn) decl(s *ast.DeclStmt) string {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return ""
	}
	var b strings.Builder
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec) //nolint:forcetypeassert // by the syntax
		before, values := f.before(v.Values...)
		b.WriteString(f.line(v.Pos()) + strings.Join(append(before, f.vars(&ast.ValueSpec{Names: v.Names, Type: v.Type, Values: values})), "; ") + "\n")
	}
	return b.String()
}

// vars lowers the declaration of variables. The values are evaluated before the variables are declared.
func (f *fn) vars(v *ast.ValueSpec) string {
	var values, sets []string
	declare := func(name *ast.Ident, value string) string {
		obj := f.info.Defs[name]
		text := "var " + f.name(obj) + " " + f.typ(f.subst(obj.Type()), name.Pos())
		if value == "" {
			return text
		}
		if isLiteralText(value) {
			value = "(" + value + ")"
		}
		return text + " = " + value
	}
	switch {
	case len(v.Values) == 0:
		for _, name := range v.Names {
			if name.Name != "_" {
				sets = append(sets, declare(name, ""))
			}
		}
	case len(v.Names) == 1 && v.Names[0].Name != "_":
		return declare(v.Names[0], f.assigned(v.Names[0], v.Values[0]))
	case len(v.Values) != len(v.Names):
		from := f.tupleOf(v.Values[0], len(v.Names))
		var temps []string
		for i, name := range v.Names {
			temp := "_"
			if name.Name != "_" {
				temp = f.fresh("v")
				sets = append(sets, declare(name, f.change(temp, from[i], f.leftType(name), name.Pos())))
			}
			temps = append(temps, temp)
		}
		op := " := "
		if len(sets) == 0 {
			op = " = "
		}
		values = append(values, strings.Join(temps, ", ")+op+f.multi(v.Values[0]))
	default:
		for i, name := range v.Names {
			if name.Name == "_" {
				values = append(values, f.discard(v.Values[i]))
				continue
			}
			temp := f.fresh("v")
			values = append(values, "var "+temp+" "+f.typ(f.leftType(name), name.Pos())+" = "+f.assigned(name, v.Values[i]))
			sets = append(sets, declare(name, temp))
		}
	}
	return strings.Join(append(values, sets...), "; ")
}

// discard evaluates an expression whose value is not used.
func (f *fn) discard(e ast.Expr) string {
	if f.info.Types[e].IsNil() {
		return ""
	}
	temp := f.fresh("v")
	return temp + " := " + f.expr(e) + "; _ = " + temp
}

func (f *fn) ifStmt(s *ast.IfStmt) string {
	init, before := f.inits(s.Init)
	cond := s.Cond
	if first, late := f.before(cond); len(first) > 0 {
		if before == "" {
			before = "{\n" + init
		}
		before, init, cond = before+strings.Join(first, "; ")+"\n", "", late[0]
	}
	text := f.line(s.Pos()) + before + "if " + init + f.expr(cond) + " {\n" + f.block(s.Body.List) + "}"
	switch e := s.Else.(type) {
	case nil:
	case *ast.IfStmt:
		inner := f.ifStmt(e)
		if strings.HasPrefix(strings.TrimPrefix(inner, f.line(e.Pos())), "if ") {
			text += " else " + inner
			text = strings.TrimSuffix(text, "\n")
		} else {
			text += " else {\n" + inner + "}"
		}
	case *ast.BlockStmt:
		text += " else {\n" + f.block(e.List) + "}"
	}
	if before != "" {
		text += "\n}"
	}
	return text + "\n"
}

// inits lowers the statement before the condition of an if or switch. If it becomes several statements, they come before it.
func (f *fn) inits(s ast.Stmt) (inside, before string) {
	if s == nil {
		return "", ""
	}
	text, several := f.first(s)
	if several {
		return "", "{\n" + text + "\n"
	}
	return text + "; ", ""
}

// first lowers the statement before a condition, and reports whether it becomes several statements.
func (f *fn) first(s ast.Stmt) (text string, several bool) {
	before, late := f.inOrderStatement(s)
	text = f.simple(late)
	return strings.Join(append(before, text), "; "), len(before) > 0 || strings.Contains(text, "; ") && f.several(s)
}

// several reports whether a statement becomes several.
func (f *fn) several(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok {
		return false
	}
	if len(a.Lhs) == len(a.Rhs) {
		return a.Tok == token.DEFINE && slices.ContainsFunc(a.Lhs, f.replaced)
	}
	return f.severalTuple(a, f.tupleOf(a.Rhs[0], len(a.Lhs)))
}

// labelName returns the name of a label. The interpreter does not distinguish labels from variables and packages.
func labelName(label *ast.Ident) string { return "aura_l_" + label.Name }

func (f *fn) labeled(s *ast.LabeledStmt) string {
	switch s.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		text := f.stmt(s.Stmt, "aura_o_"+s.Label.Name)
		if f.isJumpedTo(s.Label) {
			// What goto begins again is more than what break and continue refer to.
			text = labelName(s.Label) + ":\n{\n" + text + "}\n"
		}
		return text
	}
	return labelName(s.Label) + ":\n" + f.stmt(s.Stmt, "")
}

// isJumpedTo reports whether a goto of the function has a label.
func (f *fn) isJumpedTo(label *ast.Ident) bool {
	obj, found := f.info.Defs[label], false
	ast.Inspect(f.node, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			found = found || f.info.Uses[b.Label] == obj
		}
		return !found
	})
	return found
}

// enter begins a statement that can be left.
func (f *fn) enter(label string, loop bool) *target {
	t := &target{label: label, loop: loop, depth: f.depth}
	if label == "" {
		t.label, t.made = f.fresh("l"), true
	} else {
		t.wanted = true
	}
	f.targets = append(f.targets, t)
	return t
}

func (f *fn) leave() { f.targets = f.targets[:len(f.targets)-1] }

// prefix returns the label of a statement, if it is needed.
func (t *target) prefix() string {
	if t.wanted {
		return t.label + ":\n"
	}
	return ""
}
