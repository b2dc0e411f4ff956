package setup

import (
	"context"
	"net"
	"strconv"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/system/netgate"
)

// askHost decides about a host that no rule of the network names: the user approved it before, or is asked.
func (s Source) askHost(ctx context.Context, p caller, q netgate.Question) netgate.Answer {
	s.Traffic.asking.Lock()
	defer s.Traffic.asking.Unlock()
	about := policy.Call{
		Tool: policy.HostTool, Source: p.source, Rule: policy.HostRule, Workdir: s.ApprovalDir(),
		Host: net.JoinHostPort(q.Host, strconv.Itoa(int(q.Port))),
	}
	switch {
	case ctx.Err() != nil:
		return netgate.Answer{Rule: q.Rule + ", and the process ended before there was an answer"}
	case s.approved(about):
		return netgate.Answer{Allowed: true, Rule: "approved by the user"}
	case s.Confirm == nil:
		return netgate.Answer{Rule: q.Rule + ", and nobody can be asked here"}
	}
	asked := policy.Question{
		Tool: policy.HostTool, Args: map[string]any{"host": about.Host, "for": p.label()}, Rule: about.Rule, By: p.label(),
		Pattern: about.Pattern(), Covers: "this host and port", About: about,
	}
	answer, err := s.Confirm(ctx, asked)
	if err != nil {
		return netgate.Answer{Rule: q.Rule + ", and nobody answered: " + err.Error()}
	}
	if err := s.applyAnswer(asked, answer); err != nil {
		return netgate.Answer{Rule: err.Error()}
	}
	return netgate.Answer{Allowed: true, Rule: "the user said yes"}
}

// label says who uses the network, and what for.
func (p caller) label() string {
	if p.doing == "" {
		return p.who
	}
	return p.who + ": " + p.doing
}
