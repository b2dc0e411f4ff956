package setup

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
)

// askHooks lets shell hooks answer the question about a call. by names the hook that answered; it is empty if the user has to.
func (g guard) askHooks(ctx context.Context, call tool.Call, t tool.Tool, q policy.Question) (answer policy.Answer, by string) {
	out := g.moment(ctx, hookpoint.MomentApproval, func() hookpoint.Moment {
		made := g.hookCall(ctx, call, t)
		return hookpoint.Moment{Context: call.Context, Tool: made.Tool, Input: made.Input, Paths: made.Paths, Fields: map[string]any{"rule": q.Rule}}
	})
	decided := out.Decision()
	switch {
	case out.Block != nil:
		return policy.Answer{Reason: explained(decided)}, decided.By
	case decided.Allow:
		if err := g.source.Config.Machine.ApprovalRules(); err != nil {
			g.source.notice("", fmt.Sprintf("%s does not count: %v", explained(decided), err))
			return policy.Answer{}, ""
		}
		return policy.Answer{Decision: policy.Once, Reason: explained(decided)}, decided.By
	default:
		return policy.Answer{}, ""
	}
}

// explained says which hook decided, and why.
func explained(decided hookpoint.MomentOutcome) string {
	text := "decided by " + decided.By
	if decided.Reason != "" {
		text += ": " + decided.Reason
	}
	return text
}

// notify runs the shell hooks that observe that the user is asked, beside the question. The channel is closed once they have ended.
func (g guard) notify(ctx context.Context, call tool.Call, q policy.Question) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.moment(ctx, hookpoint.MomentNotification, func() hookpoint.Moment {
			return hookpoint.Moment{
				Context: call.Context, Subject: "approval",
				Fields: map[string]any{"kind": "approval", "message": "aura asks whether " + q.Tool + " may run", "tool": q.Tool},
			}
		})
	}()
	return done
}

// moment runs the shell hooks of a moment and shows what they have for the user.
func (g guard) moment(ctx context.Context, point hookpoint.Name, in func() hookpoint.Moment) pipeline.Outcome {
	if ctx.Err() != nil || !pipeline.Has(g.hooks, point) {
		return pipeline.Outcome{}
	}
	out := pipeline.Run(ctx, g.hooks, point, in(), func(r pipeline.Report) {
		for _, err := range r.Errs {
			g.source.notice(r.Handler, err.Error())
		}
	})
	for _, n := range out.Notices {
		g.source.notice(n.Handler, n.Text)
	}
	return out
}
