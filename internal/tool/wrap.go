package tool

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

// Wrapper is a tool around another one. Whoever looks for an optional interface of a tool uses As, which sees through it.
type Wrapper interface {
	Tool
	// Unwrap returns the tool inside.
	Unwrap() Tool
}

// As returns the outermost of a tool and those inside it that implements an interface, such as Pather.
func As[T any](t Tool) (T, bool) {
	for t != nil {
		if found, ok := t.(T); ok {
			return found, true
		}
		wrapper, ok := t.(Wrapper)
		if !ok {
			break
		}
		t = wrapper.Unwrap()
	}
	var none T
	return none, false
}

// WithDefinition returns the tool under another definition. It is a Pather if the tool is one, and has Unwrap.
func WithDefinition(t Tool, d Definition) Tool {
	w := described{Tool: t, definition: d}
	if p, ok := As[Pather](t); ok {
		return describedPather{described: w, pather: p}
	}
	return w
}

type described struct {
	Tool

	definition Definition
}

func (d described) Definition() Definition { return d.definition }

// Unwrap returns the tool inside.
func (d described) Unwrap() Tool { return d.Tool }

type describedPather struct {
	described

	pather Pather
}

func (d describedPather) Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error) {
	return d.pather.Paths(ctx, args)
}

// Redefinition changes how a tool is offered. What is nil stays as the tool has it.
type Redefinition struct {
	Description *string
	Usage       *string
	Examples    *string
	Parallel    *bool
	// Override lets the tool take the place of another of the same name, or forbids it.
	Override *bool
}

// Redefine returns the tool with parts of its definition changed.
func Redefine(t Tool, r Redefinition) Tool {
	if r == (Redefinition{}) {
		return t
	}
	d := t.Definition()
	replace(&d.Description, r.Description)
	replace(&d.Usage, r.Usage)
	replace(&d.Examples, r.Examples)
	replace(&d.Parallel, r.Parallel)
	replace(&d.Override, r.Override)
	return WithDefinition(t, d)
}

func replace[T any](place, value *T) {
	if value != nil {
		*place = *value
	}
}
