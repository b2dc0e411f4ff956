package app

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// liveOf returns what the session of a project reports to other processes.
func liveOf(t *testing.T, p *place) session.Live {
	t.Helper()
	c, err := config.Locate(p.o.Config)
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range host.Sessions(setup.RuntimeDirs(c)...) {
		var live session.Live
		if err := json.Unmarshal(raw, &live); err != nil {
			t.Fatal(err)
		}
		if live.Workdir == p.dir {
			return live
		}
	}
	t.Fatal("no session reports itself")
	return session.Live{}
}

// TestReportedState checks what a session without plugins reports to other processes while it waits for its model, for an approval, for a
// tool and for its user.
func TestReportedState(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		".aura/config/agents/a.md": "---\nname: a\ndefault: true\ntools: {policy: {confirm: [Bash]}}\n---\n",
		".aura/config/talk.yaml":   "turns:\n  - tool_calls: [{name: Bash, arguments: {command: echo hi}}]\n    usage: {input: 20, output: 5}\n  - text: Done.\n",
	})
	var s *Session
	seen := map[string]session.Live{}
	front := watcher{func(e event.Event) {
		switch e.(type) {
		case event.Request, event.ToolCall:
			seen[e.Type()] = s.report()
		}
	}, func(context.Context, policy.Question) (policy.Answer, error) {
		seen["approval"] = liveOf(t, p)
		return policy.Answer{Decision: policy.Once}, nil
	}}
	s, err := Open(t.Context(), p.o, front)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.RunLine(t.Context(), frontend.Line{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	seen["idle"] = liveOf(t, p)
	rows := map[string]struct {
		state session.Activity
		names []string
	}{
		"request": {session.ActivityModel, nil}, "approval": {session.ActivityApproval, []string{"Bash"}},
		"tool_call": {session.ActivityTool, []string{"Bash"}}, "idle": {session.ActivityIdle, nil},
	}
	for name, want := range rows {
		if got := seen[name]; got.State != want.state || !slices.Equal(got.For, want.names) || got.Since.IsZero() {
			t.Errorf("%s: %s %v since %s, want %s %v", name, got.State, got.For, got.Since, want.state, want.names)
		}
	}
	if got := seen["idle"]; got.Turn != 2 || got.TokensIn < 20 || got.ID != s.SessionID() || got.Model == "" {
		t.Errorf("at the end: %+v", got)
	}
	if err := s.Close(session.ReasonDone); err != nil {
		t.Error(err)
	}
	c, _ := config.Locate(p.o.Config)
	for _, raw := range host.Sessions(setup.RuntimeDirs(c)...) {
		var live session.Live
		if json.Unmarshal(raw, &live) == nil && live.Workdir == p.dir {
			t.Error("a closed session reports itself")
		}
	}
}

// TestCancelFromOutside cancels a turn through the socket of the session while a call waits for an answer. A turn that is over and a session
// that is not there are refused, and the session goes on.
func TestCancelFromOutside(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		".aura/config/agents/a.md": "---\nname: a\ndefault: true\ntools: {policy: {confirm: [Bash]}}\n---\n",
		".aura/config/talk.yaml":   "turns:\n  - tool_calls: [{name: Bash, arguments: {command: echo hi}}]\n  - text: Done.\n",
	})
	c, err := config.Locate(p.o.Config)
	if err != nil {
		t.Fatal(err)
	}
	cancel := func(id string, turn int) error {
		return host.CancelTurn(t.Context(), id, turn, setup.RuntimeDirs(c)...)
	}
	front := watcher{func(event.Event) {}, func(ctx context.Context, _ policy.Question) (policy.Answer, error) {
		live := liveOf(t, p)
		for name, err := range map[string]error{"an earlier turn": cancel(live.ID, live.Turn-1), "a later turn": cancel(live.ID, live.Turn+1), "another session": cancel("none", live.Turn)} {
			if err == nil || ctx.Err() != nil {
				t.Errorf("%s: error %v, context %v", name, err, ctx.Err())
			}
		}
		if err := cancel(live.ID, live.Turn); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		return policy.Answer{}, context.Cause(ctx)
	}}
	s, err := Open(t.Context(), p.o, front)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.RunLine(t.Context(), frontend.Line{Text: "go"}); !errors.Is(err, errCancelled) {
		t.Errorf("the turn ended with %v", err)
	}
	if err := cancel(s.SessionID(), 1); err == nil {
		t.Error("an idle session cancelled something")
	}
	if _, err := s.RunLine(t.Context(), frontend.Line{Text: "again"}); err != nil {
		t.Error(err)
	}
	if err := s.Close(session.ReasonDone); err != nil {
		t.Error(err)
	}
}

// watcher is a front end that consists of two functions.
type watcher struct {
	event func(event.Event)
	ask   func(context.Context, policy.Question) (policy.Answer, error)
}

func (w watcher) Event(e event.Event) { w.event(e) }

func (w watcher) Ask(ctx context.Context, q policy.Question) (policy.Answer, error) {
	return w.ask(ctx, q)
}
