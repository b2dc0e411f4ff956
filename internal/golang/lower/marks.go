package lower

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// Lowered source has marks, which the interpreter does not read. /*at 12*/ begins text that stands for line 12 of the source. /*in name*/
// begins the text of a function of the source, or, without a name, of one that the source does not have. /*out*/ ends it.

// line returns the mark of the line at a position.
func (f *fn) line(at token.Pos) string {
	return "/*at " + strconv.Itoa(f.src.Fset.PositionFor(at, false).Line) + "*/"
}

// within returns the text of a body with the name of the function that it belongs to.
func within(title, body string) string { return "/*in " + title + "*/" + body + "/*out*/" }

// hiddenCall returns a call that is made in a function that the source does not have.
func hiddenCall(call string) string { return within("", call) }

// titleOf returns the name that Go gives to a declared function.
func titleOf(src *Package, d *ast.FuncDecl) string {
	name := d.Name.Name
	if d.Recv != nil && len(d.Recv.List) == 1 {
		t := ast.Unparen(d.Recv.List[0].Type)
		star, pointer := t.(*ast.StarExpr)
		if pointer {
			t = ast.Unparen(star.X)
		}
		recv := receiverTitle(t)
		if pointer {
			recv = "(*" + recv + ")"
		}
		name = recv + "." + name
	} else if d.Type.TypeParams != nil {
		name += "[...]"
	}
	return src.Path + "." + name
}

func receiverTitle(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.IndexExpr:
		return receiverTitle(t.X) + "[...]"
	case *ast.IndexListExpr:
		return receiverTitle(t.X) + "[...]"
	}
	return ""
}

// nameLiterals numbers the function literals in a declaration as Go does: those in a function are func1, func2, and those in a literal 1, 2.
func (p *program) nameLiterals(root ast.Node, title string, first int, kind string) int {
	ast.Inspect(root, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		first++
		name := title + "." + kind + strconv.Itoa(first)
		p.titles[lit] = name
		p.nameLiterals(lit.Body, name, 0, "")
		return false
	})
	return first
}

// nameFunctions finds the names of all functions of a package.
func (p *program) nameFunctions(pkg *Package) {
	inits, globals := 0, 0
	for _, f := range pkg.Files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				title := titleOf(pkg, d)
				if d.Name.Name == "init" && d.Recv == nil {
					title += "." + strconv.Itoa(inits)
					inits++
				}
				p.titles[d] = title
				if d.Body != nil {
					p.nameLiterals(d.Body, title, 0, "func")
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					globals = p.nameLiterals(d, pkg.Path+".init", globals, "func")
				}
			}
		}
	}
}

// title returns the name of the function that is written, as a mark has it.
func (f *fn) title() string { return strings.ReplaceAll(f.titles[f.node], "*/", "") }

// expr lowers an expression. One that can panic gets a mark if it does not begin in the line of its statement.
func (f *fn) expr(e ast.Expr) string {
	at := e.Pos()
	switch e := e.(type) {
	case *ast.CallExpr:
		at = e.Lparen // as Go reports it
	case *ast.IndexExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
	default:
		return f.unmarked(e)
	}
	before, mark := f.begun, f.line(at)
	if before == "" || mark == before || f.info.Types[e].Value != nil {
		return f.unmarked(e)
	}
	f.begun = mark
	defer func() { f.begun = before }()
	return mark + f.unmarked(e)
}
