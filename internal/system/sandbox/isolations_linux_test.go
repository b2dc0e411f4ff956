package sandbox_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// isolations returns the values of scene.Isolate that the attack is tried with.
func isolations(t *testing.T, w weapon) []bool {
	t.Helper()
	var out []bool
	if canIsolate() {
		out = append(out, true)
	}
	if !w.mounts {
		out = append(out, false)
	}
	if len(out) == 0 {
		testneed.Missing(t, testneed.Namespaces, "the system allows no namespaces with a /proc")
	}
	return out
}

// canIsolate reports whether the system allows namespaces with a /proc. Some containers do not.
var canIsolate = sync.OnceValue(func() bool {
	exe, err1 := os.Executable()
	dir, err2 := os.Getwd()
	if errors.Join(err1, err2) != nil {
		return false
	}
	r, err := sandbox.Run(context.Background(), sandbox.Command{Executable: exe, Dir: dir, Call: sandbox.Call{Tool: "nothing"}})
	return err == nil && r.Report.Mounts && r.Report.Proc
})

func requireSupport(t *testing.T) {
	t.Helper()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
}
