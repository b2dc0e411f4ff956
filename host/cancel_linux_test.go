package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

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
	return "", os.WriteFile("cancelled", nil, 0o600)
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
	p := g.start(t, Spec{})
	if err := p.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	restarting := make(chan struct{}, 1)
	p.sup.life.mu.Lock()
	p.sup.opts.Observer.OnState = func(c StateChange) {
		if c.To == StateRestarting {
			restarting <- struct{}{}
		}
	}
	p.sup.life.mu.Unlock()
	// A plugin that writes to a named pipe waits for the reader, and the reader for the plugin.
	await := func(name string) {
		t.Helper()
		if _, err := os.ReadFile(filepath.Join(g.base, "work", name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"called", "cancelled"} {
		if err := syscall.Mkfifo(filepath.Join(g.base, "work", name), 0o600); err != nil {
			t.Fatal(err)
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
		await("called")
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", tool, err)
		}
	}
	cancelled("Polite")
	await("cancelled")
	if got := p.Health(); got.Pid != first || got.Restarts != 0 {
		t.Errorf("a plugin that ended its call was replaced: %+v", got)
	}
	cancelled("Stubborn")
	<-restarting
	if err := p.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := p.Health(); got.Restarts != 1 || got.Pid == first {
		t.Errorf("a plugin that did not end its call was not replaced: %+v", got)
	}
	if got := p.Health().LastExit; got != "a cancelled call did not end, so the plugin's process was killed" {
		t.Errorf("the last exit is %q", got)
	}
}
