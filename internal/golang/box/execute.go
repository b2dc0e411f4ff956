package box

import (
	"errors"
	html "html/template"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	plain "text/template"
	"text/template/parse"
)

// Execute is the method Execute of a template. The template accesses fields and methods by functions that know the types of the source.
func (s *Space) Execute(t any, w io.Writer, data any) error { return s.ExecuteTemplate(t, w, "", data) }

// ExecuteTemplate is Execute for an associated template. The name is empty for the template itself.
func (s *Space) ExecuteTemplate(t any, w io.Writer, name string, data any) error {
	if t, ok := t.(*html.Template); ok {
		return execute(s, t, w, name, data)
	}
	return execute(s, t.(*plain.Template), w, name, data) //nolint:forcetypeassert // there are no others
}

// templates is a template of one of the packages.
type templates[T any] interface {
	AddParseTree(name string, tree *parse.Tree) (T, error)
	Clone() (T, error)
	Execute(w io.Writer, data any) error
	ExecuteTemplate(w io.Writer, name string, data any) error
	Funcs(funcs plain.FuncMap) T
	Name() string
	Templates() []T
}

func treeOf(t any) *parse.Tree {
	switch t := t.(type) {
	case *plain.Template:
		return t.Tree
	case *html.Template:
		return t.Tree
	}
	return nil
}

func execute[T templates[T]](s *Space, t T, w io.Writer, name string, data any) error {
	own, err := t.Clone()
	if err != nil {
		// Package html/template does not copy a template that was executed with a value of compiled code.
		data, own = s.Data(t, data), t
	}
	r := rewriter{access: access{s, missingKey(t)}, funcs: plain.FuncMap{}}
	if err == nil {
		data = viewAny(data)
		if err := rewrite(&r, own); err != nil {
			return err
		}
	}
	if name != "" {
		return r.explained(own.ExecuteTemplate(w, name, data))
	}
	return r.explained(own.Execute(w, data))
}

// rewrite changes a copy of a template, and those that belong to it.
func rewrite[T templates[T]](r *rewriter, own T) error {
	r.funcs[plainFunc], r.funcs[showFunc], r.funcs[trueFunc], r.funcs[textFunc] = plainAny, showAny, trueAny, textAny
	defined := part(own, "common", "parseFuncs")
	for name, f := range map[string]any{"index": r.access.index, "printf": r.access.space.Sprintf} {
		// The plugin may have functions with these names.
		if defined.Kind() == reflect.Map && !defined.MapIndex(reflect.ValueOf(name)).IsValid() {
			r.funcs[name] = f
		}
	}
	trees := map[string]*parse.Tree{}
	for _, each := range append(own.Templates(), own) {
		tree := treeOf(each)
		if tree == nil || tree.Root == nil || trees[each.Name()] != nil {
			continue
		}
		tree = tree.Copy()
		r.list(tree.Root)
		trees[each.Name()] = tree
	}
	own.Funcs(r.funcs)
	for name, tree := range trees {
		if _, err := own.AddParseTree(name, tree); err != nil {
			return err
		}
	}
	return nil
}

// missingKey returns the option of a template for keys that a map does not have.
func missingKey(t any) int64 {
	if v := part(t, "common", "option", "missingKey"); v.CanInt() {
		return v.Int()
	}
	return 0
}

// part returns a part of a template that package template does not export.
func part(t any, names ...string) reflect.Value {
	v := reflect.ValueOf(t)
	if _, ok := t.(*html.Template); ok {
		v = v.Elem().FieldByName("text")
	}
	for _, name := range names {
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return reflect.Value{}
		}
		v = v.FieldByName(name)
	}
	return v
}

// The functions that rewritten templates call.
const (
	plainFunc = "aura_plain"
	showFunc  = "aura_show"
	trueFunc  = "aura_true"
	textFunc  = "aura_text"
)

// prepared maps the functions that look at the kinds of their arguments to those that prepare an argument.
var prepared = map[string]string{
	"eq": plainFunc, "ne": plainFunc, "lt": plainFunc, "le": plainFunc, "gt": plainFunc, "ge": plainFunc, "len": plainFunc,
	"slice": plainFunc, "not": plainFunc, "and": trueFunc, "or": trueFunc, "print": textFunc, "html": textFunc, "js": textFunc, "urlquery": textFunc,
}

// rewriter changes the nodes of a template.
type rewriter struct {
	access access
	funcs  plain.FuncMap
	calls  []rewritten
}

// rewritten is a call that stands for a text of the original template.
type rewritten struct{ name, receiver, text string }

func (r *rewriter) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			r.pipe(n.Pipe)
			if len(n.Pipe.Decl) == 0 {
				then(n.Pipe, showFunc)
			}
		case *parse.IfNode:
			r.branch(&n.BranchNode, trueFunc)
		case *parse.RangeNode:
			r.branch(&n.BranchNode, plainFunc)
		case *parse.WithNode:
			r.branch(&n.BranchNode, trueFunc)
		case *parse.TemplateNode:
			r.pipe(n.Pipe)
		case *parse.ListNode:
			r.list(n)
		}
	}
}

func (r *rewriter) branch(n *parse.BranchNode, last string) {
	r.pipe(n.Pipe)
	then(n.Pipe, last)
	r.list(n.List)
	r.list(n.ElseList)
}

// then adds a function to a pipeline.
func then(p *parse.PipeNode, name string) {
	p.Cmds = append(p.Cmds, command(p.Pos, parse.NewIdentifier(name).SetPos(p.Pos)))
}

func command(at parse.Pos, args ...parse.Node) *parse.CommandNode {
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: at, Args: args}
}

func (r *rewriter) pipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	var cmds []*parse.CommandNode
	for i, c := range p.Cmds {
		r.command(c)
		if id, ok := c.Args[0].(*parse.IdentifierNode); ok && prepared[id.Ident] != "" && i > 0 {
			cmds = append(cmds, command(c.Pos, parse.NewIdentifier(prepared[id.Ident]).SetPos(c.Pos)))
		}
		cmds = append(cmds, c)
	}
	p.Cmds = cmds
}

func (r *rewriter) command(c *parse.CommandNode) {
	var args []parse.Node
	prepare := ""
	if id, ok := c.Args[0].(*parse.IdentifierNode); ok {
		prepare = prepared[id.Ident]
	}
	for i, a := range c.Args {
		call := r.node(a)
		switch {
		case call != nil && i == 0:
			args = append(args, call...)
			c.Pos = a.Position()
			continue
		case call != nil:
			a = group(a.Position(), call...)
		}
		switch a.Type() {
		case parse.NodePipe, parse.NodeDot, parse.NodeVariable, parse.NodeIdentifier:
			if i > 0 && prepare != "" {
				a = group(a.Position(), parse.NewIdentifier(prepare).SetPos(a.Position()), a)
			}
		default:
		}
		args = append(args, a)
	}
	c.Args = args
}

// group returns a call in parentheses.
func group(at parse.Pos, args ...parse.Node) *parse.PipeNode {
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: at, Cmds: []*parse.CommandNode{command(at, args...)}}
}

// node returns the call for an access of fields, or nil.
func (r *rewriter) node(n parse.Node) []parse.Node {
	switch n := n.(type) {
	case *parse.FieldNode:
		return r.call(n, &parse.DotNode{NodeType: parse.NodeDot, Pos: n.Pos}, n.Ident)
	case *parse.VariableNode:
		if len(n.Ident) > 1 {
			return r.call(n, &parse.VariableNode{NodeType: parse.NodeVariable, Pos: n.Pos, Ident: n.Ident[:1]}, n.Ident[1:])
		}
	case *parse.ChainNode:
		text := n.String()
		inside := n.Node.Copy() // A copy of a template shares it.
		if call := r.node(inside); call != nil {
			inside = group(n.Pos, call...)
		}
		return r.callAs(n, text, inside, n.Field)
	case *parse.PipeNode:
		r.pipe(n)
	}
	return nil
}

func (r *rewriter) call(n, receiver parse.Node, path []string) []parse.Node {
	return r.callAs(n, n.String(), receiver, path)
}

func (r *rewriter) callAs(n parse.Node, text string, receiver parse.Node, path []string) []parse.Node {
	name := "aura_" + strconv.Itoa(len(r.funcs)) + "_"
	r.funcs[name] = func(receiver any, args ...any) (any, error) { return r.access.follow(receiver, path, args) }
	r.calls = append(r.calls, rewritten{name, receiver.String(), text})
	return []parse.Node{parse.NewIdentifier(name).SetPos(n.Position()), receiver}
}

var added = regexp.MustCompile(` \| aura_(true|plain|show|text)`)

// grouped is an argument of a function that looks at its kind.
var grouped = regexp.MustCompile(`\(aura_(?:true|plain|text) ([^()]*|\([^()]*\))\)`)

// explained returns the error of a template in terms of the original.
func (r *rewriter) explained(err error) error {
	var e plain.ExecError
	if !errors.As(err, &e) {
		return err
	}
	text := added.ReplaceAllString(e.Err.Error(), "")
	for _, c := range slices.Backward(r.calls) {
		from, to := "at <"+c.name, ">: error calling "+c.name+": "
		if i, j := strings.Index(text, from), strings.Index(text, to); i >= 0 && j > i {
			text = text[:i] + "at <" + c.text + ">: " + text[j+len(to):]
		}
		call := c.name + " " + c.receiver
		text = strings.NewReplacer("("+call+")", c.text, call, c.text, c.name, c.text).Replace(text)
	}
	e.Err = reworded{grouped.ReplaceAllString(text, "$1"), e.Err}
	return e
}

// reworded is an error with another text.
type reworded struct {
	text string
	error
}

func (r reworded) Error() string { return r.text }

func (r reworded) Unwrap() error { return r.error }
