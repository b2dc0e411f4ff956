package host

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"github.com/idelchi/aura/sdk"
)

// TestChange prepares a reload and aborts it, and then commits another. Children that do not take over must be gone.
func TestChange(t *testing.T) {
	t.Parallel()
	g := newGround(t, "mirror", mirror)
	fleet := g.startFleet(t, Spec{})
	p := fleet.Plugins()[0]
	if err := p.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, spec := p.Health().Pid, p.Spec()
	count := func() string {
		got, err := p.Execute(t.Context(), toolOf(p), sdk.Context{}, map[string]any{"do": "count"})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	count()

	same, err := fleet.Prepare(t.Context(), nil, []Spec{spec}, false)
	if err != nil || same.Plugins()[0].child != nil {
		t.Fatalf("a plugin that runs as before is started again: %v", err)
	}
	if done := same.Commit(); len(done.Replaced) > 0 || p.Health().Pid != first || count() != "2" {
		t.Errorf("replaced %v", done.Replaced)
	}

	refused, err := fleet.Prepare(t.Context(), nil, []Spec{spec}, true)
	if err != nil {
		t.Fatal(err)
	}
	second := refused.Plugins()[0].child.proc.pid()
	if second == first || syscall.Kill(second, 0) != nil {
		t.Fatalf("process %d is not a second one", second)
	}
	refused.Abort()
	if err := syscall.Kill(second, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process of a change that was taken back is still there: %v", err)
	}
	if p.Health().Pid != first || count() != "3" {
		t.Error("the old process did not go on")
	}

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fleet.Prepare(cancelled, nil, []Spec{spec}, true); !errors.Is(err, context.Canceled) || count() != "4" {
		t.Errorf("a change that was given up: %v", err)
	}

	change, err := fleet.Prepare(t.Context(), nil, []Spec{spec}, true)
	if err != nil {
		t.Fatal(err)
	}
	change.Commit()
	if err := syscall.Kill(first, 0); !errors.Is(err, syscall.ESRCH) || count() != "1" {
		t.Errorf("after the change: the old process: %v", err)
	}
}
