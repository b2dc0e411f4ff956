package repair

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// rewriter collects edits.
type rewriter struct {
	file  *ast.File
	start token.Pos
	text  []byte
	edits []Edit
	// imports is set once the file uses what takes the place of a built-in name.
	imports bool
	// closing are edits that stand behind all others at their offset.
	closing []Edit
	// recovering are the names of the functions and methods of the file that call recover.
	recovering map[string]bool
	// labels are those of the switches that get a block around them.
	labels map[*ast.SwitchStmt]string
	// selections are the select statements, those within others behind them.
	selections []selection
	// labelled are the labels of select statements.
	labelled map[*ast.SelectStmt]*ast.Ident
	// asserted are the type switches that have become others.
	asserted map[*ast.TypeSwitchStmt]bool
	// strings are the loops over parameters of type string.
	strings map[*ast.RangeStmt]bool
	// copies are the arguments of deferred calls that are computed before, those within others behind them.
	copies []argument
	// postponed are the calls that are deferred.
	postponed map[*ast.CallExpr]bool
	// tested are the assertions that do not panic.
	tested map[*ast.TypeAssertExpr]bool
	// reused are the assignments to variables that may have had another value before, but for whole, which are looked at on success only.
	reused, whole map[*ast.AssignStmt]bool
	// declared, named and functions are filled in when they are needed.
	declared, named map[string]bool
	functions       map[string]*ast.FuncType
}

func newRewriter(f *ast.File, text []byte) rewriter {
	return rewriter{
		file: f, start: f.FileStart, text: text,
		recovering: recovering(f),
		labels:     map[*ast.SwitchStmt]string{},
		labelled:   map[*ast.SelectStmt]*ast.Ident{},
		asserted:   map[*ast.TypeSwitchStmt]bool{},
		strings:    map[*ast.RangeStmt]bool{},
		postponed:  map[*ast.CallExpr]bool{},
		tested:     map[*ast.TypeAssertExpr]bool{},
		reused:     map[*ast.AssignStmt]bool{},
		whole:      map[*ast.AssignStmt]bool{},
	}
}

func (w *rewriter) sort() {
	slices.SortStableFunc(w.edits, func(a, b Edit) int { return cmp.Compare(a.at, b.at) })
}

func (w *rewriter) insert(at token.Pos, text string) {
	w.edits = append(w.edits, Edit{at: int(at - w.start), insert: text})
}

// repairs notes what the edit that was made last repairs.
func (w *rewriter) repairs(kind Kind, node ast.Node) {
	last := &w.edits[len(w.edits)-1]
	last.does = append(last.does, repaired{kind, node})
}

// ours makes a built-in name mean what our package has under it.
func (w *rewriter) ours(id *ast.Ident) {
	w.imports = true
	w.insert(id.Pos(), ourAlias+".")
}

// replace puts text in the place of what stands between two positions. The lines that this spans stay.
func (w *rewriter) replace(from, to token.Pos, text string) {
	text = strings.Repeat("\n", strings.Count(w.written(from, to), "\n")) + text
	w.edits = append(w.edits, Edit{at: int(from - w.start), skip: int(to - from), insert: text})
}

// written is the source between two positions.
func (w *rewriter) written(from, to token.Pos) string {
	return string(w.text[from-w.start : to-w.start])
}

func (w *rewriter) wrap(x ast.Expr) {
	w.insert(x.Pos(), "(")
	w.insert(x.End(), ")")
}
