package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/system/sandbox"
)

const (
	floodConnections = 10_000
	floodQuestions   = 100_000
	floodHellos      = 200
	helloBytes       = 1_000_000
	// floodWorkers is more than the gate serves of a process at a time.
	floodWorkers = 200
	// floodTime ends a flood that hangs.
	floodTime = 1 * time.Minute
	// gateFiles bounds the open files of the gate: those of 128 connections, each with two sockets and the pipes through which the kernel copies,
	// and those of the other processes.
	gateFiles = 128*6 + 200
	// gatePeak bounds the memory of the gate, in KiB.
	gatePeak = 192 << 10
)

func init() {
	flood := func(times int, do func(ctx context.Context, at string) bool) func(context.Context, string) (string, error) {
		return func(_ context.Context, at string) (string, error) {
			ctx, cancel := context.WithTimeout(context.Background(), floodTime)
			defer cancel()
			var all sync.WaitGroup
			var next, good atomic.Int64
			for range floodWorkers {
				all.Go(func() {
					for next.Add(1) <= int64(times) {
						if do(ctx, at) {
							good.Add(1)
						}
					}
				})
			}
			all.Wait()
			return fmt.Sprint(good.Load()), ctx.Err()
		}
	}
	networkDeeds["flood of connections"] = flood(floodConnections, func(ctx context.Context, at string) bool {
		got, err := deed{"read", at}.do(ctx)
		return err == nil && got == "hello"
	})
	networkDeeds["flood of hellos"] = flood(floodHellos, func(ctx context.Context, at string) bool {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", at)
		if err != nil {
			return false
		}
		defer func() { _ = conn.Close() }()
		half := append([]byte{22, 3, 1, 0x40, 0, 1, 0, 0x7f, 0xfc}, make([]byte, helloBytes)...)
		// The gate ends the connection.
		_, _ = conn.Write(half)
		_, _ = io.Copy(io.Discard, conn)
		return ctx.Err() == nil
	})
	networkDeeds["flood of questions"] = func(_ context.Context, _ string) (string, error) {
		conn, err := net.Dial("udp", "127.0.0.53:53")
		if err != nil {
			return "", err
		}
		defer func() { _ = conn.Close() }()
		head := []byte{7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 8}
		for i := range floodQuestions {
			question := append(append(slices.Clip(head), fmt.Sprintf("n%07d\x07example", i)...), 0, 0, 1, 0, 1)
			_, _ = conn.Write(question)
		}
		return fmt.Sprint(floodQuestions), nil
	}
}

// TestNetworkFloods floods the gate from one process. Its memory and its open files stay bounded, and other processes are served meanwhile.
func TestNetworkFloods(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		at   string
		want string
	}{
		"flood of connections": {"p%d.example:80", `"10000"`},
		"flood of hellos":      {"p%d.example:443", `"200"`},
		"flood of questions":   {"%d", `"100000"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, port := netScene(t)
			other := c
			other.Call.Args, _ = json.Marshal(deed{"read", fmt.Sprintf("p%d.example:80", greeter(t))})
			if _, err := sandbox.Run(t.Context(), other); err != nil {
				t.Fatal(err)
			}
			gate := c.Policy.Gate()
			c.Call.Args, _ = json.Marshal(deed{name, fmt.Sprintf(tt.at, port)})
			ended := make(chan string, 1)
			began := time.Now()
			go func() {
				r, err := sandbox.Run(t.Context(), c)
				ended <- fmt.Sprintf("%s %v, refused %v", r.Value, err, r.Refused)
			}()
			most, served, slowest := 0, 0, time.Duration(0)
			for {
				before := time.Now()
				if r, err := sandbox.Run(t.Context(), other); err != nil || string(r.Value) != `"hello"` {
					t.Fatalf("another call got %s, %v", r.Value, err)
				}
				slowest = max(slowest, time.Since(before))
				served++
				most = max(most, openFiles(t, gate))
				select {
				case got := <-ended:
					if !strings.HasPrefix(got, tt.want+" <nil>") {
						t.Errorf("the flood got %.300s", got)
					}
				default:
					continue
				}
				break
			}
			peak := peakMemory(t, gate)
			t.Logf("%s: %d other calls, the slowest in %s; %d open files and %d KiB at most", time.Since(began).Round(time.Millisecond), served, slowest.Round(time.Millisecond), most, peak)
			if most > gateFiles || peak > gatePeak {
				t.Errorf("the gate had %d open files and %d KiB", most, peak)
			}
			if now := c.Policy.Gate(); now != gate {
				t.Errorf("the gate has died: %d, %d", gate, now)
			}
		})
	}
}

func openFiles(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// peakMemory returns the most memory that a process had, in KiB.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var peak int
	if _, err := fmt.Sscan(rest, &peak); err != nil {
		t.Fatal(err)
	}
	return peak
}
