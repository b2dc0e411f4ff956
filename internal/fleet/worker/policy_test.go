//go:build unix

package worker_test

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/idelchi/aura/internal/fleet/worker"
)

// TestPolicyReport checks that a policy whose address does not answer delays no report, and that reports have its hash once it is read.
func TestPolicyReport(t *testing.T) {
	t.Parallel()
	q, answer := open(t), make(chan string)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- worker.Run(ctx, worker.Options{
			Queue: q, ID: "worker", Slots: 1, LocalGit: true, Dir: t.TempDir(), Aura: "/bin/false", Environ: os.Environ(),
			Tell: func(string) {}, Trust: func(string, string) error { return nil },
			Policy: func() string {
				select {
				case hash := <-answer:
					return hash
				case <-ctx.Done():
					return ""
				}
			},
		})
	}()
	reported := func(want string) {
		t.Helper()
		for t.Context().Err() == nil {
			list, err := q.Workers(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(list) == 1 && list[0].Policy == want {
				return
			}
			runtime.Gosched()
		}
	}
	reported(worker.PolicyUnread)
	answer <- "first"
	reported("first")
	answer <- "second"
	reported("second")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
