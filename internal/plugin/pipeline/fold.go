package pipeline

import (
	"slices"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Fold combines the verdicts of one hook point, in handler order, into one outcome. It does not modify its arguments.
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
			if slices.Contains(out.DisableTools, pattern) {
				continue
			}
			if out.DisabledBy == nil {
				out.DisabledBy = map[string]string{}
			}
			out.DisableTools, out.DisabledBy[pattern] = append(out.DisableTools, pattern), v.Handler
		}
		if v.Changed {
			out.Changes = append(out.Changes, v.Handler)
		}
		point.Fold(&out, v)
	}
	if out.Block != nil {
		out.Injections, out.Block.Message = nil, blockMessage(verdicts)
	}
	return out
}

// injection returns the message of a verdict. A notice replaces the message.
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

// blockMessage returns the first message of any handler, which explains a block.
func blockMessage(verdicts []Verdict) string {
	for _, v := range verdicts {
		if in, ok := injection(v); ok {
			return in.Content
		}
	}
	return ""
}
