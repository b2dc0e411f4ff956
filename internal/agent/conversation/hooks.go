package conversation

import (
	"context"
	"errors"
	"sync"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// injection is a plugin's message that is not yet in the history, or a message with the files of a tool's result, which has parts.
type injection struct {
	pipeline.Injection
	point hookpoint.Name
	parts []llm.Part
}

// hooks runs the hook points. It reports what plugins did, and passes on which tools they disable.
type hooks struct {
	emit func(event.Event)
	// configured holds the plugins of a persona that has none of its own.
	configured pipeline.Source
	personas   *personas
	offer      *offer
	// state returns the state of the conversation that plugins receive.
	state func() sdk.Context
	// unsigned holds the plugins of which the user knows that they change signed thinking.
	unsigned sync.Map
	// faults holds the last fault in the results of each plugin at each point, which the user knows. One entry for each bounds its size.
	faults sync.Map
}

// run runs a hook point, emits events for its notices and for the plugins that changed something, and withholds the tools that
// it disables from the next model call. At a point within a model call, the caller withholds these tools. The caller also
// handles the rest of the outcome. Once ctx is done, no plugin is called. The input is created only if a plugin takes part,
// because creating it counts tokens.
func (h *hooks) run(ctx context.Context, point hookpoint.Name, in func(sdk.Context) any) pipeline.Outcome {
	return h.runOf(ctx, h.plugins(), point, nil, in)
}

// plugins returns the source of the plugins: the current persona's own, or else the one of the configuration.
func (h *hooks) plugins() pipeline.Source {
	if own := h.personas.current().Hooks; own != nil {
		return own
	}
	return h.configured
}

// runOf is run with the plugins of a source. after, if not nil, receives the report of each call before its failures become events.
func (h *hooks) runOf(
	ctx context.Context, src pipeline.Source, point hookpoint.Name, after pipeline.Observer, in func(sdk.Context) any,
) pipeline.Outcome {
	if ctx.Err() != nil || !pipeline.Has(src, point) {
		return pipeline.Outcome{}
	}
	out := pipeline.Run(ctx, src, point, in(h.state()), func(r pipeline.Report) {
		if after != nil {
			after(r)
		}
		h.reporter(point)(r)
	})
	for _, n := range out.Notices {
		h.emit(event.Notice{Plugin: n.Handler, Text: n.Text})
	}
	for _, name := range out.Changes {
		h.emit(event.PluginChange{Plugin: name, Point: string(point)})
	}
	if told := h.personas.current().Disabled; told != nil {
		for _, pattern := range out.DisableTools {
			told(out.DisabledBy[pattern], pattern)
		}
	}
	if !hookpoint.Of(point).InModelCall {
		h.offer.disable(out.DisableTools)
	}
	return out
}

// moment runs the shell hooks of the current persona at a moment, as run does with plugins. fill adds what is specific to the moment.
func (h *hooks) moment(ctx context.Context, point hookpoint.Name, fill func(m *hookpoint.Moment)) pipeline.Outcome {
	return h.runOf(ctx, h.personas.current().Moments, point, nil, func(state sdk.Context) any {
		m := hookpoint.Moment{Context: state}
		fill(&m)
		return m
	})
}

// asked runs the shell hooks about a prompt. It returns what they make of it, or an error if they block it.
func (h *hooks) asked(ctx context.Context, prompt string, subagent bool) (string, []injection, error) {
	point := hookpoint.MomentPrompt
	if subagent {
		point = hookpoint.MomentSubagentStart
	}
	out := h.moment(ctx, point, func(m *hookpoint.Moment) {
		m.Text = prompt
		if subagent {
			m.Subject, m.Fields = m.Agent, map[string]any{"agent": m.Agent}
		}
	})
	if out.Block != nil {
		return prompt, nil, errors.New(blockText(out))
	}
	if out.Prompt != nil {
		prompt = *out.Prompt
	}
	return prompt, queue(point, out), nil
}

// blockText says which shell hook blocks, and why.
func blockText(out pipeline.Outcome) string {
	by := out.Decision()
	text := "blocked by " + by.By
	if by.Reason != "" {
		text += ": " + by.Reason
	}
	return text
}

// reporter returns a function that emits an event for each failure of a plugin.
func (h *hooks) reporter(point hookpoint.Name) pipeline.Observer {
	return func(r pipeline.Report) {
		for _, err := range r.Errs {
			failed := event.PluginError{Plugin: r.Handler, Point: string(point), Error: err.Error()}
			// The caller of the plugin knows whether the hook itself returned the error, and what the user knows already.
			if e, ok := errors.AsType[interface {
				error
				Returned() bool
				Reported() bool
			}](err); ok {
				failed.Returned, failed.Reported = e.Returned(), e.Reported()
			} else if _, ok := errors.AsType[*pipeline.ResultError](err); ok {
				last, _ := h.faults.Swap([2]string{r.Handler, string(point)}, failed.Error)
				failed.Reported = last == failed.Error
			}
			h.emit(failed)
		}
	}
}

// queue returns the messages of an outcome, to be injected once the history permits it.
func queue(point hookpoint.Name, out pipeline.Outcome) []injection {
	queued := make([]injection, 0, len(out.Injections))
	for _, in := range out.Injections {
		queued = append(queued, injection{Injection: in, point: point})
	}
	return queued
}
