package interp

import (
	"bufio"
	"context"
	"os"
	"testing"
	"time"

	"github.com/idelchi/aura/shared"
)

// TestHang calls functions that do not end by the deadline of their context. A line for each goroutine says where it is.
func TestHang(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ body, want string }{
		"busy loop":     {"for !released.Load() {\n}", "hang: stuck.wait, main.go:33 (running) < stuck.ExecuteCommand, main.go:26"},
		"empty loop":    {"for len(quit) == 0 {\n}", "hang: stuck.wait, main.go:33 (running) < stuck.ExecuteCommand, main.go:26"},
		"channel":       {"<-done", "hang: stuck.wait, main.go:33 (chan receive) < stuck.ExecuteCommand, main.go:26"},
		"mutex":         {"mu.Lock()\nmu.Lock()", "hang: stuck.wait, main.go:34 (sync.Mutex.Lock) < stuck.ExecuteCommand, main.go:26"},
		"select":        {"select {\ncase <-done:\n}", "hang: stuck.wait, main.go:33 (select) < stuck.ExecuteCommand, main.go:26"},
		"method":        {"new(keeper).keep()", "hang: stuck.(*keeper).keep, main.go:16 (chan receive) < stuck.wait, main.go:33 < stuck.ExecuteCommand, main.go:26"},
		"deferred call": {"defer func() {\nmu.Lock()\nmu.Lock()\n}()", "hang: stuck.wait.func1, main.go:35 (sync.Mutex.Lock) < stuck.wait, main.go:33 < stuck.ExecuteCommand, main.go:26"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := unpack(t, `-- go.mod --
module stuck
-- plugin.yaml --
description: test
-- main.go --
package stuck

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/idelchi/aura/sdk"
)

var mu sync.Mutex
var released atomic.Bool

type keeper struct{}

func (*keeper) keep() { <-done }

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "stuck"} }

func ExecuteCommand(_ context.Context, args string, _ sdk.Context) (sdk.CommandResult, error) {
	if args == "release" {
		released.Store(true); quit <- true; close(done); mu.TryLock(); mu.Unlock()
		return sdk.CommandResult{}, nil
	}

	wait()
	return sdk.CommandResult{}, nil
}

var done, quit = make(chan int), make(chan bool, 1)

func wait() {
`+row.body+`
}
`)
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer read.Close()
			defer write.Close()
			p, err := Load(Options{Name: "stuck", Dir: dir, Stdout: output(t), Stderr: write})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			go func() { _, _ = p.Command(ctx, shared.CommandCall{Name: "stuck"}) }()
			lines := bufio.NewScanner(read)
			for lines.Scan() && lines.Text() != row.want {
				t.Logf("another goroutine: %s", lines.Text())
			}
			if lines.Text() != row.want {
				t.Errorf("the report ended, want %q: %v", row.want, lines.Err())
			}
			if _, err := p.Command(t.Context(), shared.CommandCall{Name: "stuck", Args: "release"}); err != nil {
				t.Error(err)
			}
		})
	}
}
