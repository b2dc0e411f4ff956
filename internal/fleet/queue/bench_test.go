package queue_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/fleet/server"
)

// benchWorkers is how many workers take tasks at once.
const benchWorkers = 16

// BenchmarkTasks measures how many tasks a queue carries if nothing else takes time: each task is taken, claimed, has one checkpoint and
// one piece of log, and is finished. Run it with -benchtime 2000x.
func BenchmarkTasks(b *testing.B) {
	for _, servers := range []int{1, 3} {
		b.Run(fmt.Sprintf("servers=%d", servers), func(b *testing.B) {
			o := cluster(b, servers)
			submitter, err := queue.Open(b.Context(), o)
			if err != nil {
				b.Fatal(err)
			}
			defer submitter.Close()
			if _, err := submitter.Submit(b.Context(), "b", fleet.Limits{}, tasks("b", b.N)); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			var wg sync.WaitGroup
			for i := range benchWorkers {
				wg.Go(func() {
					if err := benchWork(b.Context(), o, fmt.Sprintf("w%d", i)); err != nil {
						b.Error(err)
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}

// cluster starts servers and returns how to reach them.
func cluster(b *testing.B, n int) queue.Options {
	b.Helper()
	var routes []string
	for range n {
		listener, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		routes = append(routes, listener.Addr().String())
		_ = listener.Close()
	}
	out := queue.Options{User: "aura", Token: token}
	var all []*server.Server
	identity := filepath.Join(b.TempDir(), "server.pem")
	for i := range n {
		o := server.Options{Listen: "127.0.0.1:0", Dir: b.TempDir(), Identity: identity, User: "aura", Token: token, Shape: queue.Shape{Replicas: n}}
		if n > 1 {
			o.Name, o.ClusterListen, o.Routes = fmt.Sprintf("s%d", i), routes[i], routes
		}
		s, err := server.Start(o)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(s.Stop)
		all = append(all, s)
		out.URL, out.Pins = out.URL+","+s.URL(), []string{s.Pin()}
	}
	out.URL = out.URL[1:]
	for _, s := range all {
		if err := s.Prepare(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	return out
}

// benchWork takes tasks until there are none.
func benchWork(ctx context.Context, o queue.Options, name string) error {
	q, err := queue.Open(ctx, o)
	if err != nil {
		return err
	}
	defer q.Close()
	for {
		offer, err := q.Next(ctx, 500*time.Millisecond)
		if err != nil || offer == nil {
			return err
		}
		batch, settled, err := offer.Settled(ctx)
		if err != nil || settled {
			return err
		}
		claim, err := offer.Claim(ctx, name, batch)
		if err != nil {
			return err
		}
		journal, err := q.PutBlob(ctx, "journal", make([]byte, 4<<10))
		if err != nil {
			return err
		}
		if err := claim.Checkpoint(ctx, fleet.Checkpoint{Journal: journal}); err != nil {
			return err
		}
		q.Publish(claim.Key(), make([]byte, 2<<10))
		if err := claim.Finish(ctx, fleet.Result{Status: fleet.StatusDone, Journal: journal}); err != nil {
			return err
		}
	}
}
