//go:build unix

package native_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/runtime/native"
	"github.com/idelchi/aura/internal/runtime/native/gocmd"
)

// drained is a process that runs the builds of a queue, played by a goroutine of the test.
type drained struct {
	builder native.Builder
	run     native.Runner
	ended   chan struct{}
	err     error
}

// start returns a function that Ahead starts a process with.
func (d *drained) start(ctx context.Context) func() (<-chan struct{}, error) {
	return func() (<-chan struct{}, error) {
		d.ended = make(chan struct{})
		go func() {
			defer close(d.ended)
			d.err = d.builder.Drain(ctx, func(bool) native.Runner { return d.run })
		}()
		return d.ended, nil
	}
}

// ready plays the go command: it writes the program.
func ready(_ context.Context, c gocmd.Command) (string, error) {
	for i, arg := range c.Args {
		if arg == "-o" {
			return "", os.WriteFile(c.Args[i+1], []byte("program"), 0o700)
		}
	}
	return "", errors.New("no -o")
}

// TestAhead checks that a build goes on when the process that asked for it ends, and that others see it meanwhile.
func TestAhead(t *testing.T) {
	t.Parallel()
	b := native.Builder{Dir: t.TempDir(), Toolchain: find(t), Version: "test", Run: ready}
	p := program(t, b, plugin(t, map[string]string{"a.go": plain}))
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	d := &drained{builder: native.Builder{Dir: b.Dir, Version: b.Version}, run: func(ctx context.Context, c gocmd.Command) (string, error) {
		cancel()
		<-release
		return ready(ctx, c)
	}}
	if err := p.Ahead(ctx, d.start(t.Context())); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	if !p.Building() || p.Ready() {
		t.Errorf("building %t, ready %t", p.Building(), p.Ready())
	}
	// A second process finds the first one at work and ends.
	second := native.Builder{Dir: b.Dir, Version: b.Version}
	if err := second.Drain(t.Context(), func(bool) native.Runner { return ready }); err != nil || p.Ready() {
		t.Errorf("got %v, ready %t", err, p.Ready())
	}
	close(release)
	<-d.ended
	if d.err != nil || p.Building() || !p.Ready() {
		t.Errorf("got %v, building %t, ready %t", d.err, p.Building(), p.Ready())
	}
}

// TestAheadEnds checks what a process hears whose build another process does not finish.
func TestAheadEnds(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		// version is that of the process that builds, if it is another one.
		version string
		run     native.Runner
		// killed ends the process that builds.
		killed bool
		want   string
		left   bool
	}{
		"a source that does not compile": {run: func(context.Context, gocmd.Command) (string, error) { return "", &gocmd.FailedError{Reason: "wrong"} }, want: "go build failed: wrong"},
		"a machine that does not work":   {run: func(context.Context, gocmd.Command) (string, error) { return "", errors.New("full") }, want: "here"},
		"another version of aura":        {version: "newer", run: ready, want: "here"},
		"a killed process":               {killed: true, run: func(ctx context.Context, _ gocmd.Command) (string, error) { <-ctx.Done(); return "", ctx.Err() }, want: "ended before the program was there", left: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			here := func(context.Context, gocmd.Command) (string, error) { return "", errors.New("here") }
			b := native.Builder{Dir: t.TempDir(), Toolchain: find(t), Version: "test", Run: here}
			p := program(t, b, plugin(t, map[string]string{"a.go": plain}))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if row.killed {
				cancel()
			}
			d := &drained{builder: native.Builder{Dir: b.Dir, Version: b.Version + row.version}, run: row.run}
			if err := p.Ahead(t.Context(), d.start(ctx)); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
			<-d.ended
			left, err := filepath.Glob(filepath.Join(b.Dir, "queue", "*"))
			if err != nil || len(left) > 0 != row.left {
				t.Errorf("left in the queue: %q, %v", left, err)
			}
		})
	}
}

// TestDrainDrops checks which builds are not run: those that waited too long, and files that are none.
func TestDrainDrops(t *testing.T) {
	t.Parallel()
	b := native.Builder{Dir: t.TempDir(), Version: "test"}
	queue := filepath.Join(b.Dir, "queue")
	if err := os.Mkdir(queue, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{strings.Repeat("a", 32): "no JSON", strings.Repeat("b", 32): `{"Version":"test"}`, "other": ""} {
		if err := os.WriteFile(filepath.Join(queue, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Join(queue, strings.Repeat("b", 32)), old, old); err != nil {
		t.Fatal(err)
	}
	run := func(bool) native.Runner {
		return func(context.Context, gocmd.Command) (string, error) { t.Error("a build runs"); return "", nil }
	}
	if err := b.Drain(t.Context(), run); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(queue)
	if err != nil || len(left) != 1 || left[0].Name() != "other" {
		t.Errorf("left: %v, %v", left, err)
	}
}
