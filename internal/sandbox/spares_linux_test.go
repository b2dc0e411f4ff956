package sandbox_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/sandbox"
)

// TestSpares checks that a process started in advance does what a new one would, whatever the previous call was.
func TestSpares(t *testing.T) {
	t.Parallel()
	var s sandbox.Spares
	defer s.Close()
	one := command(t, "nothing")
	for _, tool := range []string{"nothing", "fail", "exit", "panic", "nothing"} {
		one.Call.Tool = tool
		r, err := s.Run(t.Context(), one)
		if (err == nil) != (tool == "nothing") || !r.Report.Confined {
			t.Errorf("%s: %+v, %v", tool, r, err)
		}
	}
	// Another environment needs another process.
	one.Call.Tool, one.Env = "environment", append(one.Env, "B=2")
	r, err := s.Run(t.Context(), one)
	if err != nil || !strings.Contains(string(r.Value), "B=2") {
		t.Errorf("got %s, %v", r.Value, err)
	}
	// At most one of several concurrent calls gets the same spare process.
	one.Call.Tool = "nothing"
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if r, err := s.Run(t.Context(), one); err != nil || string(r.Value) != "null" {
				t.Errorf("side by side: %s, %v", r.Value, err)
			}
		})
	}
	group.Wait()
	s.Close()
	if _, err := s.Run(t.Context(), one); err != nil {
		t.Errorf("after Close a call has a process of its own: %v", err)
	}
	one.Call.Tool = "fail"
	var own *sandbox.ToolError
	if _, err := s.Run(t.Context(), one); !errors.As(err, &own) {
		t.Errorf("got %v", err)
	}
}
