package sandbox_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestEscapes runs every attack without a sandbox, where it must succeed, and then in a sandbox: with namespaces, and without
// them, as on a system that allows none.
func TestEscapes(t *testing.T) {
	t.Parallel()
	requireSupport(t)
	for _, u := range users() {
		for name, w := range attacks {
			t.Run(u.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				// The kernel refuses some attacks to ordinary users anyway. Then the control runs as root and proves that the attack
				// works. Without root, the test would prove nothing.
				by := u
				if w.root {
					by = users()[0]
				}
				if w.root && by.id != 0 {
					testneed.Missing(t, testneed.Root, "only root succeeds in this attack without a sandbox")
				}
				control := scene{Attack: name, Base: by.layout(t), Isolate: w.isolatedControl}
				if o := by.play(t, control); o.Err != "" {
					t.Fatalf("the control had no success, so this proves nothing: %s", o.Err)
				}
				for _, isolate := range isolations(t, w) {
					s := scene{Attack: name, Base: u.layout(t), Isolate: isolate}
					s.Policy = s.policy(sandbox.KindPlugin)
					s.Policy.Limits.Processes = 310
					if w.change != nil {
						w.change(s.Policy)
					}
					o := u.play(t, s)
					if o.Err == "" {
						t.Errorf("isolate = %t: the attack had success; report %+v", isolate, o.Report)
					}
					if strings.HasPrefix(o.Err, "killed") {
						continue // a killed process cannot report anything
					}
					if isolate != o.Report.Mounts || isolate != o.Report.Proc || !o.Report.Confined {
						t.Errorf("isolate = %t: report %+v", isolate, o.Report)
					}
					t.Logf("isolate = %t: %s", isolate, o.Err)
				}
			})
		}
	}
}

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
