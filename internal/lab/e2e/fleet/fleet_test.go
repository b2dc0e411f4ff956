//go:build linux

package fleet

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/fleetlab"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestFleet runs 100 tasks on one server and two workers, with every fault once: a worker and the server are killed, a network is cut
// and a disk is full. Each task has one result, and no process is left.
func TestFleet(t *testing.T) {
	t.Parallel()
	mounts, err := testneed.Has(testneed.Mounts, exec.Command("unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt").Run() == nil)
	if err != nil {
		t.Fatal(err)
	}
	// A worker's directory must be where no sandbox policy grants anything.
	dir, err := os.MkdirTemp(harness.OutsideRoot, "aura-fleet-") //nolint:usetesting // it lies where no policy grants anything
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	out, err := fleetlab.Run(ctx, fleetlab.Options{
		Bin: harness.QuickBin, Dir: filepath.Join(dir, "lab"), Servers: 1, Workers: 2, Slots: 2, Takeover: 5 * time.Second, Tasks: 100, Kills: 1, ServerKills: 1, Cut: true, FullDisk: mounts, Seed: 1,
		Out: testWriter{t},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range out.Bad {
		t.Error(bad)
	}
	t.Logf("%d results in %s, %d tasks were begun again, %d model calls", out.Results, out.Took, out.Repeated, out.Requests)
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(string(p))
	return len(p), nil
}
