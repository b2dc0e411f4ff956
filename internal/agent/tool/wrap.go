package tool

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

// Wrapper is a tool that wraps another tool. To find an optional interface of a tool, use As, which also searches the wrapped
// tools.
type Wrapper interface {
	Tool
	// Unwrap returns the wrapped tool.
	Unwrap() Tool
}

// As returns the outermost of t and the tools that it wraps that implements the interface T, such as Pather.
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

// WithDefinition returns the tool with another definition. The result is a Pather if the tool is one, and a Wrapper.
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

// Unwrap returns the wrapped tool.
func (d described) Unwrap() Tool { return d.Tool }

type describedPather struct {
	described

	pather Pather
}

func (d describedPather) Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error) {
	return d.pather.Paths(ctx, args)
}

// Redefinition changes the definition of a tool. Nil fields leave the definition unchanged.
type Redefinition struct {
	Description *string
	Usage       *string
	Examples    *string
	Parallel    *bool
	// Override sets whether the tool may replace another tool of the same name.
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
