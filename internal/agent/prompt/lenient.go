package prompt

import (
	"slices"
	"strconv"
	"text/template"
	"text/template/parse"
)

// varsField is the field of Data whose keys are chosen by the user.
const varsField = "Vars"

// lenient makes an unset variable empty wherever the template uses it in an expression, such as a test or a default. A variable
// that is only printed stays an error if it is unset, because its name is probably a typo.
func lenient(t *template.Template) {
	for _, part := range t.Templates() {
		if part.Tree != nil {
			lenientList(part.Root)
		}
	}
}

func lenientList(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			if !isPrinted(n.Pipe) {
				lenientPipe(n.Pipe)
			}
		case *parse.IfNode:
			lenientBranch(n.BranchNode)
		case *parse.WithNode:
			lenientBranch(n.BranchNode)
		case *parse.RangeNode:
			lenientBranch(n.BranchNode)
		case *parse.TemplateNode:
			lenientPipe(n.Pipe)
		}
	}
}

func lenientBranch(b parse.BranchNode) {
	lenientPipe(b.Pipe)
	lenientList(b.List)
	lenientList(b.ElseList)
}

// isPrinted reports whether an action only prints one value.
func isPrinted(p *parse.PipeNode) bool {
	return len(p.Decl) == 0 && len(p.Cmds) == 1 && len(p.Cmds[0].Args) == 1
}

func lenientPipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	for _, command := range p.Cmds {
		for i, arg := range command.Args {
			if inner, ok := arg.(*parse.PipeNode); ok {
				lenientPipe(inner)
				continue
			}
			command.Args[i] = lenientValue(arg)
		}
	}
}

// lenientValue replaces .Vars.name and $.Vars.name by (index .Vars "name").
func lenientValue(n parse.Node) parse.Node {
	var vars parse.Node
	var name string
	switch n := n.(type) {
	case *parse.FieldNode:
		if !slices.Equal(n.Ident[:len(n.Ident)-1], []string{varsField}) {
			return n
		}
		vars, name = &parse.FieldNode{NodeType: parse.NodeField, Pos: n.Pos, Ident: n.Ident[:1]}, n.Ident[1]
	case *parse.VariableNode:
		if len(n.Ident) != 3 || n.Ident[0] != "$" || n.Ident[1] != varsField {
			return n
		}
		vars, name = &parse.VariableNode{NodeType: parse.NodeVariable, Pos: n.Pos, Ident: n.Ident[:2]}, n.Ident[2]
	default:
		return n
	}
	pos := n.Position()
	command := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{
		parse.NewIdentifier("index").SetPos(pos), vars,
		&parse.StringNode{NodeType: parse.NodeString, Pos: pos, Quoted: strconv.Quote(name), Text: name},
	}}
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{command}}
}
