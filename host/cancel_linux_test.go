package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/idelchi/aura/sdk"
)

const waiter = `package waiter

import (
	"context"
	"os"

	"github.com/idelchi/aura/sdk"
)

func Tools() []sdk.Tool {
	return []sdk.Tool{{Name: "Polite", Execute: polite}, {Name: "Stubborn", Execute: stubborn}}
}

func polite(ctx context.Context, _ sdk.Context, _ map[string]any) (string, error) {
	if err := os.WriteFile("called", nil, 0o600); err != nil {
		return "", err
	}
	<-ctx.Done()
	return "", os.Rename("called", "cancelled")
}

func stubborn(context.Context, sdk.Context, map[string]any) (string, error) {
	if err := os.WriteFile("called", nil, 0o600); err != nil {
		return "", err
	}
	select {}
}
`

// TestCancelledCalls cancels calls: the plugin's context ends, and a plugin that goes on nevertheless is killed and restarted.
func TestCancelledCalls(t *testing.T) {
	t.Parallel()
	g := newGround(t, "waiter", waiter)
	p := g.startFleet(t, Spec{}).Plugins()[0]
	if err := p.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(g.base, "work")
	await := func(what string, ok func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("waited for %s", what)
			}
		}
	}
	exists := func(name string) func() bool {
		return func() bool {
			_, err := os.Stat(filepath.Join(work, name))
			return err == nil
		}
	}
	first := p.Health().Pid
	cancelled := func(tool string) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := p.Execute(ctx, tool, sdk.Context{}, nil)
			done <- err
		}()
		await("the call", exists("called"))
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", tool, err)
		}
	}
	cancelled("Polite")
	await("the plugin to notice", exists("cancelled"))
	if got := p.Health(); got.Pid != first || got.Restarts != 0 {
		t.Errorf("a plugin that ended its call was replaced: %+v", got)
	}
	cancelled("Stubborn")
	await("the restart", func() bool { h := p.Health(); return h.Restarts == 1 && h.Pid != 0 && h.Pid != first })
	if got := p.Health().LastExit; got != "a cancelled call did not end, so the plugin's process was killed" {
		t.Errorf("the last exit is %q", got)
	}
}
