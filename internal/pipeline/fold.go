package pipeline

import (
	"slices"

	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Fold turns the verdicts on one hook point, in the order of the handlers, into one outcome. It changes nothing that it is
// given.
func Fold(point hookpoint.Point, verdicts []Verdict) Outcome {
	var out Outcome
	for _, v := range verdicts {
		if v.Notice != "" {
			out.Notices = append(out.Notices, Notice{Handler: v.Handler, Text: v.Notice})
		}
		if point.ReadOnly {
			continue
		}
		if in, ok := injection(v); ok {
			out.Injections = append(out.Injections, in)
		}
		for _, pattern := range v.DisableTools {
			if !slices.Contains(out.DisableTools, pattern) {
				out.DisableTools = append(out.DisableTools, pattern)
			}
		}
		if v.Changed {
			out.Changes = append(out.Changes, v.Handler)
		}
		out.modify(point.Name, v)
	}
	if out.Block != nil {
		out.Injections, out.Block.Message = nil, blockMessage(verdicts)
	}
	return out
}

// injection returns the message of a verdict. A notice takes its place.
func injection(v Verdict) (Injection, bool) {
	if v.Message == "" || v.Notice != "" {
		return Injection{}, false
	}
	role := sdk.RoleAssistant
	if v.Role == sdk.RoleUser {
		role = sdk.RoleUser
	}
	return Injection{Handler: v.Handler, Role: role, Content: v.Prefix + v.Message, Eject: v.Eject}, true
}

// modify folds the one modification that the point knows.
func (o *Outcome) modify(point hookpoint.Name, v Verdict) {
	switch point {
	case hookpoint.BeforeChat:
		o.request(v.Request)
	case hookpoint.AfterResponse:
		if m := v.Response; m != nil {
			o.Response.Skip = o.Response.Skip || m.Skip
			o.Response.Content = last(o.Response.Content, m.Content)
		}
	case hookpoint.BeforeToolExecution:
		o.guard(v)
	case hookpoint.AfterToolExecution:
		o.Output = last(o.Output, v.Output)
	case hookpoint.OnError:
		if m := v.Error; m != nil {
			o.Error.Retry = o.Error.Retry || m.Retry
			o.Error.Skip = o.Error.Skip || m.Skip
		}
	case hookpoint.BeforeCompaction:
		o.Compaction.Skip = o.Compaction.Skip || (v.Compaction != nil && v.Compaction.Skip)
	default:
	}
}

func (o *Outcome) request(m *sdk.RequestModification) {
	if m == nil {
		return
	}
	o.Request.Skip = o.Request.Skip || m.Skip
	if m.AppendSystem == nil || *m.AppendSystem == "" {
		return
	}
	text := *m.AppendSystem
	if o.Request.AppendSystem != nil {
		text = *o.Request.AppendSystem + "\n\n" + text
	}
	o.Request.AppendSystem = &text
}

func (o *Outcome) guard(v Verdict) {
	if v.Arguments != nil {
		o.Arguments, o.ChangedBy = v.Arguments, v.Handler
	}
	if v.Block {
		if o.Block == nil {
			o.Block = &Block{}
		}
		o.Block.By = append(o.Block.By, v.Handler)
	}
}

// blockMessage returns the first message, whoever it is from: it explains a block.
func blockMessage(verdicts []Verdict) string {
	for _, v := range verdicts {
		if in, ok := injection(v); ok {
			return in.Content
		}
	}
	return ""
}

func last(before, after *string) *string {
	if after != nil {
		return after
	}
	return before
}
