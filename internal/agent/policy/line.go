package policy

import (
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// simpleCommands returns the commands of a shell line as they are written. It returns false unless the line runs these commands and
// nothing else, whatever its variables hold and whichever shell reads it. It knows what is harmless, not what is dangerous: words of
// plain text, quotes and the values of variables, which the shell evaluates once. Everything else may run a command that no text
// shows, or change what a command does: substitutions, operators of expansions (${X@P}, ${!X}), arithmetic, which evaluates the
// subscripts in values, assignments, redirections to files, functions, compound commands, and the builtins of the shell that
// evaluate their operands.
func simpleCommands(line string) ([]string, bool) {
	if strings.ContainsFunc(line, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || r == unicode.ReplacementChar
	}) {
		return nil, false // shells differ in what they make of these
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, false
	}
	c := commandList{line: line, printer: syntax.NewPrinter(syntax.SingleLine(true)), simple: true}
	syntax.Walk(file, c.visit)
	return c.found, c.simple
}

// commandList collects the commands of a line while all of the line is known to be simple.
type commandList struct {
	line    string
	printer *syntax.Printer
	found   []string
	simple  bool
}

// visit returns whether the parts of a node are visited.
func (c *commandList) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case nil, *syntax.File, *syntax.Stmt, *syntax.Comment, *syntax.BinaryCmd, *syntax.Subshell, *syntax.Block:
	case *syntax.CallExpr:
		c.add(n)
	case *syntax.Redirect:
		c.simple = c.simple && harmless(n)
	case *syntax.Word:
		c.simple = c.simple && c.plainParts(n.Parts, false)
		return false
	case *syntax.Lit:
		// The number of a descriptor, which harmless checked.
	default:
		c.simple = false
	}
	return c.simple
}

// add records a command, unless an assignment, its name or the shell makes it do more than its text shows.
func (c *commandList) add(call *syntax.CallExpr) {
	if len(call.Assigns) > 0 || len(call.Args) == 0 {
		c.simple = false
		return
	}
	var words []string
	for _, word := range call.Args {
		var b strings.Builder
		c.simple = c.simple && c.printer.Print(&b, word) == nil
		words = append(words, b.String())
	}
	name := call.Args[0].Lit()
	c.simple = c.simple && name != "" && !strings.ContainsAny(name, "\\*?[]{}$`") && !evaluates(name)
	c.found = append(c.found, strings.Join(words, " "))
}

// plainParts reports whether parts of a word are text, or the values of variables.
func (c *commandList) plainParts(parts []syntax.WordPart, quoted bool) bool {
	return !slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		switch part := part.(type) {
		case *syntax.Lit:
			return !plainText(part.Value)
		case *syntax.SglQuoted:
			return part.Dollar // sh reads $'\'' in another way
		case *syntax.DblQuoted:
			return part.Dollar || quoted || !c.plainParts(part.Parts, true)
		case *syntax.ParamExp:
			return !c.plainValue(part)
		default:
			return true
		}
	})
}

// plainText reports whether a text begins no expansion in any shell: a dollar or a backquote is escaped.
func plainText(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '$', '`':
			return false
		}
	}
	return true
}

// plainValue reports whether an expansion is $NAME, ${NAME} or $?, without any operator. It compares the text, so that no field of
// the syntax tree is forgotten.
func (c *commandList) plainValue(p *syntax.ParamExp) bool {
	if p.Param == nil || !syntax.ValidName(p.Param.Value) && p.Param.Value != "?" {
		return false
	}
	written := c.line[p.Pos().Offset():p.End().Offset()]
	return written == "$"+p.Param.Value || written == "${"+p.Param.Value+"}"
}

// harmless reports whether a redirection reaches no file and sets no variable: it joins two outputs, or discards one.
func harmless(r *syntax.Redirect) bool {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		return false // {NAME}> assigns to the variable, and evaluates its subscript
	}
	target := r.Word.Lit()
	switch r.Op {
	case syntax.DplOut:
		return target == "1" || target == "2"
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll:
		return target == "/dev/null"
	default:
		return false
	}
}

// builtins lists the commands that shells run themselves. Most evaluate an operand, assign to a variable or change what later
// commands do: printf -v 'a[$(rm x)]' runs rm.
var builtins = strings.Fields(`
	. : [ alias bg bind break builtin caller cd chdir command compgen complete compopt continue declare dirs disown echo enable eval
	exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray
	readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait`)

// inert lists the builtins that evaluate no operand and affect no later command but by the directory.
var inert = []string{":", "cd", "echo", "false", "pwd", "true"}

func evaluates(name string) bool {
	return slices.Contains(builtins, name) && !slices.Contains(inert, name)
}
