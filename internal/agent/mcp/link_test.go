package mcp

import (
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
)

func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	_, err := guarded(t.Context(), &link{shared: &shared{done: make(chan struct{})}}, func() (int, error) {
		var listed []int
		return listed[1], nil
	})
	if err == nil || !strings.Contains(err.Error(), "reading the server's answer: ") {
		t.Errorf("got %v", err)
	}
}

func TestOneConnectsForAll(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "good", "good"))
	kill(t, must(t, set, "mcp__good__pid", nil))
	eventually(t, "the death is noticed", func() bool { return status(t, set, "good").State == StateLost })
	echo := lookup(t, set, "mcp__good__echo")
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if got, err := echo.Execute(t.Context(), tool.Call{Args: map[string]any{"text": "x"}}); got != "x" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	calls.Wait()
	if got := status(t, set, "good").Reconnects; got != 1 {
		t.Errorf("%d reconnects", got)
	}
}
