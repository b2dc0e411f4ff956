//go:build linux && !race

package sandbox_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// These tests start a thousand processes, and each of them tries one thing. TestRun and others confine processes with the race detector.

// TestEscapes runs every attack without a sandbox, where it must succeed, and then in a sandbox: with namespaces, and without
// them, as on a system that allows none.
func TestEscapes(t *testing.T) {
	t.Parallel()
	requireSupport(t)
	for _, u := range users() {
		for name, w := range attacks {
			t.Run(u.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				if repeats(u, w) {
					testneed.Long(t)
				}
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

// repeats reports whether a scene shows the most with another user: root if only root can do that without a sandbox, and otherwise the
// ordinary user.
func repeats(u user, w weapon) bool { return len(users()) > 1 && (u.id == 0) != w.root }

// TestDeeds checks what must work, with namespaces and without.
func TestDeeds(t *testing.T) {
	t.Parallel()
	requireSupport(t)
	for _, u := range users() {
		for name, w := range deeds {
			t.Run(u.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				if repeats(u, w) {
					testneed.Long(t)
				}
				for _, isolate := range isolations(t, w) {
					s := scene{Attack: name, Base: u.layout(t), Isolate: isolate}
					s.Policy = s.policy(sandbox.KindPlugin)
					if w.change != nil {
						w.change(s.Policy)
					}
					if o := u.play(t, s); o.Err != "" {
						t.Errorf("isolate = %t: %s", isolate, o.Err)
					}
				}
			})
		}
	}
}
