package pipeline

import (
	"context"
	"reflect"

	"github.com/idelchi/aura/sdk"
)

// chain calls the handlers one after the other. Each is given what the one before left; a handler that fails leaves what it was
// given.
func (r runner) chain(ctx context.Context, in any) []Verdict {
	verdicts := make([]Verdict, 0, len(r.handlers))
	for _, h := range r.handlers {
		v, ok := r.verdict(ctx, h.Name(), r.call(ctx, h, own(in)))
		if !ok {
			continue
		}
		in, v = handOn(in, v)
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// own returns the input for one handler, which may change its arguments without the others seeing it.
func own(in any) any {
	if tool, ok := in.(sdk.BeforeToolContext); ok {
		tool.Arguments = copyMap(tool.Arguments)
		return tool
	}
	return in
}

// handOn returns the input for the next handler, and the verdict with a note of whether that differs from the last input.
func handOn(in any, v Verdict) (any, Verdict) {
	switch c := in.(type) {
	case sdk.BeforeToolContext:
		if v.Arguments == nil {
			return in, v
		}
		v.Arguments = copyMap(v.Arguments)
		v.Changed = !reflect.DeepEqual(c.Arguments, v.Arguments)
		c.Arguments = v.Arguments
		return c, v
	case sdk.AfterToolContext:
		v.Changed = replace(&c.ToolResult, v.Output)
		return c, v
	case sdk.AfterResponseContext:
		if v.Response != nil {
			v.Changed = replace(&c.Response, v.Response.Content) || v.Response.Skip
		}
		return c, v
	default:
		return in, v
	}
}

// replace puts a text in the place of another if it is not nil, and reports whether the two differ.
func replace(text, by *string) bool {
	if by == nil || *by == *text {
		return false
	}
	*text = *by
	return true
}
