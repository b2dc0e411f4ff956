package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// The variables that contain Command.Files.
const (
	fileVar  = "FILE"
	filesVar = "FILES"
)

// maxExported is the largest size of FILE in the environment of programs, in bytes. No program starts with a variable over 128
// KiB.
const maxExported = 100 << 10

// fileEnviron is an environment that adds the variables for files.
type fileEnviron struct {
	expand.Environ

	files  []string
	joined string
}

// withFiles sets FILE and FILES for a runner whose environment is already set.
func withFiles(files []string) interp.RunnerOption {
	return func(r *interp.Runner) error {
		if len(files) > 0 {
			r.Env = fileEnviron{r.Env, files, strings.Join(files, " ")}
		}

		return nil
	}
}

func (e fileEnviron) Get(name string) expand.Variable {
	switch name {
	case fileVar:
		return expand.Variable{Set: true, Exported: len(e.joined) <= maxExported, Kind: expand.String, Str: e.joined}
	case filesVar:
		return expand.Variable{Set: true, Kind: expand.Indexed, List: e.files}
	default:
		return e.Environ.Get(name)
	}
}

func (e fileEnviron) Each(yield func(string, expand.Variable) bool) {
	ended := false

	e.Environ.Each(func(name string, v expand.Variable) bool {
		ended = !yield(name, v)

		return !ended
	})

	for _, name := range []string{fileVar, filesVar} {
		ended = ended || !yield(name, e.Get(name))
	}
}

// spread changes a line so that each file stays one word where the shell would split a text into words, whatever its name
// contains: $FILE and $FILES become "${FILES[@]}" there. The variable of a loop over the files is quoted within the loop. A
// line that assigns FILE or FILES itself is not changed.
func spread(file *syntax.File) {
	if assigns(file, fileVar) || assigns(file, filesVar) {
		return
	}

	eachSplit(file, func(words []*syntax.Word) bool { return replace(words, listed) })
}

// eachSplit calls change for each list of words that the shell splits. If change changes the words of a loop, eachSplit quotes
// the variable of the loop.
func eachSplit(root syntax.Node, change func([]*syntax.Word) bool) {
	syntax.Walk(root, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			change(node.Args)
		case *syntax.ArrayExpr:
			for _, elem := range node.Elems {
				if elem.Value != nil {
					change([]*syntax.Word{elem.Value})
				}
			}
		case *syntax.ForClause:
			if loop, ok := node.Loop.(*syntax.WordIter); ok && (change(loop.Items) || loop.Name.Value == fileVar) {
				quoteIn(node.Do, loop.Name.Value)
			}
		}

		return true
	})
}

// quoteIn quotes a variable where its value would be split, unless the statements set the variable themselves.
func quoteIn(body []*syntax.Stmt, name string) {
	set := func(s *syntax.Stmt) bool { return assigns(s, name) }
	if slices.ContainsFunc(body, set) {
		return
	}

	quote := func(p *syntax.ParamExp) *syntax.ParamExp {
		if p.Param == nil || p.Param.Value != name {
			return nil
		}

		return p
	}

	for _, stmt := range body {
		eachSplit(stmt, func(words []*syntax.Word) bool { return replace(words, quote) })
	}
}

// replace replaces each unquoted expansion by the result of change in double quotes. If change returns nil, the expansion
// stays.
func replace(words []*syntax.Word, change func(*syntax.ParamExp) *syntax.ParamExp) (changed bool) {
	for _, word := range words {
		for i, part := range word.Parts {
			old, ok := part.(*syntax.ParamExp)
			if !ok {
				continue
			}

			if p := change(old); p != nil {
				word.Parts[i] = &syntax.DblQuoted{Left: p.Pos(), Right: p.End(), Parts: []syntax.WordPart{p}}
				changed = true
			}
		}
	}

	return changed
}

// listed turns an expansion of FILE or FILES into an expansion of all elements of FILES. It returns nil for other expansions,
// and for an expansion that cannot be applied to each element alone.
func listed(p *syntax.ParamExp) *syntax.ParamExp {
	if p.Param == nil || p.Param.Value != fileVar && p.Param.Value != filesVar {
		return nil
	}

	if p.Excl || p.Length || p.Names != 0 || p.Exp != nil && !perElement(p.Exp.Op) && !ifUnset(p.Exp.Op) {
		return nil
	}

	if p.Index != nil && !isAll(p.Index) || p.Slice != nil && (p.Index == nil || p.Param.Value == fileVar) {
		return nil
	}

	list := *p
	list.Short = false
	list.Param = &syntax.Lit{ValuePos: p.Param.ValuePos, ValueEnd: p.Param.ValueEnd, Value: filesVar}
	list.Index = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "@"}}}

	if p.Exp != nil && ifUnset(p.Exp.Op) {
		list.Exp = nil
	}

	return &list
}

// isAll reports whether an index is * or @.
func isAll(index syntax.ArithmExpr) bool {
	word, ok := index.(*syntax.Word)

	return ok && (word.Lit() == "@" || word.Lit() == "*")
}

// ifUnset reports whether an operator applies to a variable that is unset or empty. Here there is always a file.
func ifUnset(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull,
		syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return true
	default:
		return false
	}
}

// perElement reports whether an operator changes a text, so that it can be applied to each element.
func perElement(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix,
		syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return true
	default:
		return false
	}
}

// assigns reports whether a line sets or unsets a variable other than as the variable of a loop.
func assigns(root syntax.Node, name string) (found bool) {
	syntax.Walk(root, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Assign:
			found = found || node.Name != nil && node.Name.Value == name && !node.Naked
		case *syntax.CallExpr:
			found = found || sets(node.Args, name)
		}

		return !found
	})

	return found
}

// sets reports whether a command is one that sets the variables it names, and whether it names this one.
func sets(args []*syntax.Word, name string) bool {
	if len(args) == 0 || !slices.Contains([]string{"read", "mapfile", "readarray", "unset", "printf"}, args[0].Lit()) {
		return false
	}

	return slices.ContainsFunc(args[1:], func(w *syntax.Word) bool { return w.Lit() == name })
}
