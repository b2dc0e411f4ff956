package sandbox_test

import (
	"testing"

	"github.com/idelchi/aura/internal/sandbox"
)

// TestEscapes runs every attack without a sandbox, where it must have success, and then in one: with namespaces, and without
// them, as on a system that allows none.
func TestEscapes(t *testing.T) {
	t.Parallel()
	requireSupport(t)
	for _, u := range users() {
		for name, w := range attacks {
			t.Run(u.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				control := scene{Attack: name, Base: u.layout(t), Isolate: w.isolatedControl}
				if !w.root || u.id == 0 {
					if o := u.play(t, control); o.Err != "" {
						t.Fatalf("the control had no success, so this proves nothing: %s", o.Err)
					}
				}
				for _, isolate := range []bool{true, false} {
					if w.mounts && !isolate {
						continue
					}
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
					if isolate != o.Report.Mounts || isolate != o.Report.Proc || !o.Report.Confined {
						t.Errorf("isolate = %t: report %+v", isolate, o.Report)
					}
					t.Logf("isolate = %t: %s", isolate, o.Err)
				}
			})
		}
	}
}

func requireSupport(t *testing.T) {
	t.Helper()
	if s := sandbox.Support(); !s.Enabled {
		t.Skip(s.Reason())
	}
}
