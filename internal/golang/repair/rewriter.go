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
	// imports reports whether the file uses the replacement of a built-in name.
	imports bool
	// closing holds edits that come after all other edits at their offset.
	closing []Edit
	// recovering holds the names of the functions and methods of the file that call recover.
	recovering map[string]bool
	// labels holds the labels of the switches that get a block around them.
	labels map[*ast.SwitchStmt]string
	// selections holds the select statements, outer ones before inner ones.
	selections []selection
	// labelled holds the labels of select statements.
	labelled map[*ast.SelectStmt]*ast.Ident
	// asserted holds the type switches that were rewritten.
	asserted map[*ast.TypeSwitchStmt]bool
	// strings holds the loops over parameters of type string.
	strings map[*ast.RangeStmt]bool
	// copies holds the arguments of deferred calls that are computed before, outer ones before inner ones.
	copies []argument
	// postponed holds the deferred calls.
	postponed map[*ast.CallExpr]bool
	// tested holds the assertions that do not panic.
	tested map[*ast.TypeAssertExpr]bool
	// reused holds the assignments to variables that may have another value from before. whole holds those of them whose
	// variable is read only on success.
	reused, whole map[*ast.AssignStmt]bool
	// declared, named and functions are computed on first use.
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

// repairs records what the most recent edit repairs.
func (w *rewriter) repairs(kind Kind, node ast.Node) {
	last := &w.edits[len(w.edits)-1]
	last.does = append(last.does, repaired{kind, node})
}

// ours makes a built-in name refer to its replacement in our package.
func (w *rewriter) ours(id *ast.Ident) {
	w.imports = true
	w.insert(id.Pos(), ourAlias+".")
}

// replace replaces the text between two positions. It keeps the number of lines.
func (w *rewriter) replace(from, to token.Pos, text string) {
	text = strings.Repeat("\n", strings.Count(w.written(from, to), "\n")) + text
	w.edits = append(w.edits, Edit{at: int(from - w.start), skip: int(to - from), insert: text})
}

// written returns the source between two positions.
func (w *rewriter) written(from, to token.Pos) string {
	return string(w.text[from-w.start : to-w.start])
}

func (w *rewriter) wrap(x ast.Expr) {
	w.insert(x.Pos(), "(")
	w.insert(x.End(), ")")
}
