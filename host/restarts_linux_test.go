package host

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/idelchi/aura/sdk"
)

// TestRestarts restarts a plugin many times, every second time after its process was killed. Neither goroutines nor descriptors of aura
// become more. `make soak` restarts it thousands of times in a session. It is not parallel, because it counts those of the process.
func TestRestarts(t *testing.T) {
	const restarts, slack = 40, 10
	g := newGround(t, "mirror", mirror)
	fleet, err := Start(t.Context(), Options{Fixed: Fixed{Binary: g.binary, Session: g.session, Workdir: filepath.Join(g.base, "work")}}, []Spec{{Plugin: g.plugin}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fleet.Close)
	p := fleet.Plugins()[0]
	restart := func(n int) {
		t.Helper()
		if n%2 == 0 {
			_ = syscall.Kill(p.Health().Pid, syscall.SIGKILL) // it may be restarting
		}
		if err := p.sup.restart(); err != nil {
			t.Fatal(err)
		}
		if got, err := p.Execute(t.Context(), toolOf(p), sdk.Context{}, map[string]any{"do": "count"}); err != nil || got != "1" {
			t.Fatalf("after restart %d: %q, %v", n, got, err)
		}
	}
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	for n := range 10 {
		restart(n)
	}
	routines, descriptors := runtime.NumGoroutine(), open()
	for n := range restarts {
		restart(n)
	}
	// What the last child leaves behind ends soon. If each restart, or each killed child, leaves something, that exceeds the slack.
	for deadline := time.Now().Add(2 * time.Minute); ; runtime.Gosched() {
		now, files := runtime.NumGoroutine(), open()
		if now <= routines+slack && files <= descriptors+slack {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d restarts: goroutines %d → %d, descriptors %d → %d", restarts, routines, now, descriptors, files)
		}
	}
}
