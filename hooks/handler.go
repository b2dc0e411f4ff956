package hooks

import (
	"context"
	"fmt"
	"maps"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// Handlers returns the hooks of a moment as handlers of the pipeline, in the order in which they run. Moments are named like events.
func (r Runner) Handlers(point hookpoint.Name) []pipeline.Handler {
	var out []pipeline.Handler
	for i, e := range r.at(string(point)) {
		out = append(out, handler{runner: r, entry: e, rank: i})
	}
	return out
}

// handler is a hook that takes part in a moment.
type handler struct {
	runner Runner
	entry  Entry
	rank   int
}

func (h handler) Name() string { return "hook " + h.entry.Name }

// Rank keeps the hooks in the order of their dependencies.
func (h handler) Rank() int { return h.rank }

func (handler) Directory() string { return "" }

// Handle runs the hook, unless its matcher does not match.
func (h handler) Handle(ctx context.Context, point hookpoint.Name, in any) (any, error) {
	m, ok := in.(hookpoint.Moment)
	if !ok {
		return nil, fmt.Errorf("running hook %q at %s: got %T", h.entry.Name, point, in)
	}
	c := Call{Tool: m.Tool, Input: m.Input, Paths: m.Paths, Dir: h.runner.Dir, Session: m.SessionID, Subject: m.Subject, Fields: m.Fields}
	if m.Text != "" {
		c.Fields = withText(m.Fields, m.Text)
	}
	if h.entry.Skip(c) != "" {
		return nil, nil //nolint:nilnil // the pipeline's way to say that a handler did not take part
	}
	r := h.runner.runOne(ctx, string(point), h.entry, c)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("running hook %q: %w", h.entry.Name, context.Cause(ctx))
	}
	return r.result(), nil
}

// withText returns fields with the prompt as the hooks before left it.
func withText(fields map[string]any, text string) map[string]any {
	out := map[string]any{keyPrompt: text}
	maps.Copy(out, fields)
	return out
}

// result returns a report in the form of the pipeline. What a hook adds to the conversation is not written by the model.
func (r Report) result() hookpoint.MomentResult {
	out := hookpoint.MomentResult{
		Text: r.Prompt, Block: r.Blocked, Allow: r.Allow, Continue: r.Continue && r.Halt == "", Reason: r.Reason,
		Tell: r.Notice,
	}
	if r.Input != nil {
		out.Tell = join(out.Tell, "its change of the arguments has no effect here")
	}
	if !r.Blocked {
		out.Message, out.Role = r.Message, sdk.RoleUser
	}
	return out
}
