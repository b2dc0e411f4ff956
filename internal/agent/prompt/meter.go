package prompt

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/idelchi/aura/internal/base/limit"
)

// The limits of one rendering. Users write the templates, but a mistake in a loop must not exhaust the memory.
var (
	errSteps = fmt.Errorf("it runs more than %d blocks and functions; shorten its loops", limit.PromptSteps)
	errWork  = fmt.Errorf("its functions make values of more than %s; use smaller ones", limit.Size(limit.PromptWork))
	errSize  = fmt.Errorf("it renders to more than %s", limit.Size(limit.Prompt))
	errDeep  = errors.New("a value contains itself, or is nested too deeply")
)

// reached returns the limit that a rendering exceeded, or nil if it failed for another reason.
func reached(err error) error {
	for _, each := range []error{errSteps, errWork, errSize, errDeep} {
		if errors.Is(err, each) {
			return each
		}
	}
	return nil
}

// stepName is the function that every block of a template calls first.
const stepName = "aura_step"

// meter counts the cost of one rendering.
type meter struct {
	steps, work int
	out         []byte
}

// Write appends to the output.
func (m *meter) Write(p []byte) (int, error) {
	if len(m.out)+len(p) > limit.Prompt {
		return 0, errSize
	}
	m.out = append(m.out, p...)
	return len(p), nil
}

// step implements stepName. It prints nothing.
func (m *meter) step() (string, error) { return "", m.spend(1) }

func (m *meter) spend(steps int) error {
	if m.steps += steps; m.steps > limit.PromptSteps {
		return errSteps
	}
	return nil
}

// make counts size bytes of created values.
func (m *meter) make(size int) error {
	if size < 0 || size > limit.PromptWork-m.work {
		return errWork
	}
	m.work += size
	return nil
}

// bound makes every block of a template count itself. It must be called last, because the nodes that it adds are not part of
// the prompt.
func bound(t *template.Template) {
	for _, part := range t.Templates() {
		if part.Tree != nil {
			boundList(part.Root)
		}
	}
}

func boundList(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.IfNode:
			boundBranch(n.BranchNode)
		case *parse.WithNode:
			boundBranch(n.BranchNode)
		case *parse.RangeNode:
			boundBranch(n.BranchNode)
		}
	}
	list.Nodes = append([]parse.Node{stepNode(list.Pos)}, list.Nodes...)
}

func boundBranch(b parse.BranchNode) {
	boundList(b.List)
	boundList(b.ElseList)
}

func stepNode(pos parse.Pos) parse.Node {
	command := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{parse.NewIdentifier(stepName).SetPos(pos)}}
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: pos, Pipe: &parse.PipeNode{
		NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{command},
	}}
}

// metered wraps a function and counts what it reads and creates. It fails with a panic, which the template library reports as
// an error, because not every function returns an error.
func (m *meter) metered(name string, fn any) any {
	v := reflect.ValueOf(fn)
	cost := max(costs[name], 1)
	return reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
		taken := 0
		for _, arg := range args {
			taken += sizeOf(arg, 0)
		}
		// Reading a value is cheaper than creating one, except for a search with a regular expression.
		if !strings.Contains(strings.ToLower(name), "regex") {
			taken /= 8
		}
		check(m.spend(cost), m.make(taken), m.foresee(name, args))
		call := v.Call
		if v.Type().IsVariadic() {
			call = v.CallSlice
		}
		out := call(args)
		check(m.make(sizeOf(out[0], 0)))
		return out
	}).Interface()
}

func check(errs ...error) {
	for _, err := range errs {
		if err != nil {
			panic(err)
		}
	}
}
