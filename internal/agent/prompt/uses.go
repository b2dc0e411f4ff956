package prompt

import (
	"slices"
	"strings"
	"text/template/parse"
)

// instructionsField is the field of Data that a template may include itself.
const instructionsField = "Instructions"

// UsesInstructions reports whether the template refers to .Instructions. It is false for a template that cannot be parsed;
// Render reports the error.
func (p Template) UsesInstructions() bool {
	if !strings.Contains(p.Body, opening) || !strings.Contains(p.Body, "."+instructionsField) {
		return false
	}
	t, err := p.parse(&meter{})
	if err != nil {
		return false
	}
	for _, part := range t.Templates() {
		if part.Tree != nil && uses(part.Root) {
			return true
		}
	}
	return false
}

// uses reports whether a node of a template, or a node below it, refers to the field.
func uses(n parse.Node) bool {
	switch n := n.(type) {
	case *parse.ListNode:
		return n != nil && slices.ContainsFunc(n.Nodes, uses)
	case *parse.ActionNode:
		return uses(n.Pipe)
	case *parse.IfNode:
		return branchUses(n.BranchNode)
	case *parse.WithNode:
		return branchUses(n.BranchNode)
	case *parse.RangeNode:
		return branchUses(n.BranchNode)
	case *parse.TemplateNode:
		return uses(n.Pipe)
	case *parse.PipeNode:
		return n != nil && slices.ContainsFunc(n.Cmds, func(c *parse.CommandNode) bool { return slices.ContainsFunc(c.Args, uses) })
	case *parse.FieldNode:
		return n.Ident[0] == instructionsField
	case *parse.VariableNode:
		return len(n.Ident) > 1 && n.Ident[1] == instructionsField
	case *parse.ChainNode:
		return uses(n.Node) || slices.Contains(n.Field, instructionsField)
	default:
		return false
	}
}

func branchUses(b parse.BranchNode) bool { return uses(b.Pipe) || uses(b.List) || uses(b.ElseList) }
