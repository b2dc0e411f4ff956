package app

import (
	"context"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/settings/setup"
)

// maxMoments is how many moments wait for shell hooks.
const maxMoments = 64

// moments passes what happens beside the conversation to shell hooks, in order and without slowing down what happens: changes of plugins'
// states, and questions about connections. It passes nothing on until begin, but keeps what happens before.
type moments struct {
	secrets *redact.Current
	waiting chan moment
	end     context.CancelFunc
	ended   chan struct{}
}

// moment runs the shell hooks of one moment.
type moment func(ctx context.Context, talk *conversation.Conversation)

func newMoments(secrets *redact.Current) *moments {
	return &moments{secrets: secrets, waiting: make(chan moment, maxMoments)}
}

// add adds a moment. If too many wait, it is dropped.
func (m *moments) add(one moment) {
	select {
	case m.waiting <- one:
	default:
	}
}

// changed adds that the state of a plugin changed.
func (m *moments) changed(c host.StateChange) {
	m.add(func(ctx context.Context, talk *conversation.Conversation) {
		fields := map[string]any{"plugin": c.Plugin, "previous": string(c.From), "state": string(c.To)}
		if reason := reasonText(c.Reason, m.secrets.Get()); reason != "" {
			fields["reason"] = reason
		}
		talk.Observed(ctx, hookpoint.MomentPluginState, c.Plugin, fields)
	})
}

// asking returns a function that asks the user, and adds that the user is asked about a connection. A connection of a hook is left out,
// because the hook would be run again for it.
func (m *moments) asking(ask func(context.Context, policy.Question) (policy.Answer, error)) func(context.Context, policy.Question) (policy.Answer, error) {
	return func(ctx context.Context, q policy.Question) (policy.Answer, error) {
		if q.Access != nil && !strings.HasPrefix(q.About.Source, setup.HookProgram) {
			m.add(func(ctx context.Context, talk *conversation.Conversation) {
				about := m.secrets.Get().String("aura asks whether to " + q.Access.What + " for " + q.By)
				talk.Observed(ctx, hookpoint.MomentNotification, "approval", map[string]any{"kind": "approval", "message": about, "tool": q.Tool})
			})
		}
		if len(q.Options) > 0 {
			m.add(func(ctx context.Context, talk *conversation.Conversation) {
				talk.Observed(ctx, hookpoint.MomentNotification, "approval", map[string]any{"kind": "approval", "message": "aura asks whether to accept a plan", "tool": q.Tool})
			})
		}
		return ask(ctx, q)
	}
}

// begin runs the hooks for each moment, one after the other, until close.
func (m *moments) begin(talk *conversation.Conversation) {
	ctx, end := context.WithCancel(context.Background())
	m.end, m.ended = end, make(chan struct{})
	go func() {
		defer close(m.ended)
		for {
			select {
			case <-ctx.Done():
				return
			case one := <-m.waiting:
				one(ctx, talk)
			}
		}
	}()
}

// close ends the hooks that run and waits for them.
func (m *moments) close() {
	if m.end != nil {
		m.end()
		<-m.ended
	}
}
