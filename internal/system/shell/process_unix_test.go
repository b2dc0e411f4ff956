//go:build unix

package shell_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/shell"
)

// fifo creates a named pipe. Its reader sees the end when all processes that hold the write end are gone.
func fifo(t *testing.T, dir, name string) string {
	t.Helper()

	path := filepath.Join(dir, name)
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}

	return path
}

// alive opens the fifo, waits for the first line and returns the rest.
func alive(t *testing.T, path string) io.Reader {
	t.Helper()

	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = f.Close() })

	r := bufio.NewReader(f)
	if line, err := r.ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("got %q, %v", line, err)
	}

	return r
}

// gone returns when no process holds the fifo any more.
func gone(t *testing.T, r io.Reader) {
	t.Helper()

	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("got %q, %v", rest, err)
	}
}

const holder = `sh -c 'echo up; exec sleep 1000' > life`

func TestCancelKillsTheGroup(t *testing.T) {
	t.Parallel()

	c := command(t, "echo before; "+holder)
	life := fifo(t, c.Dir, "life")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	done := make(chan error, 1)

	go func() {
		got, err := shell.Run(ctx, c)
		if string(got.Stdout) != "before\n" || got.ExitCode != -1 || got.TimedOut {
			t.Errorf("got %+v", got)
		}

		done <- err
	}()

	r := alive(t, life)

	cancel()

	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}

	gone(t, r)
}

func TestBackgroundJobsEndWithTheLine(t *testing.T) {
	t.Parallel()

	c := command(t, holder+` & read x < go`)
	life, release := fifo(t, c.Dir, "life"), fifo(t, c.Dir, "go")

	done := make(chan error, 1)

	go func() {
		_, err := shell.Run(t.Context(), c)
		done <- err
	}()

	r := alive(t, life)

	if err := os.WriteFile(release, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	if err := <-done; err != nil {
		t.Error(err)
	}

	gone(t, r)
}

// A process that leaves the group and holds both output streams must not keep Run from returning.
func TestEscapedHolderOfOutput(t *testing.T) {
	t.Parallel()

	testneed.Program(t, "setsid")

	c := command(t, `setsid sh -c 'echo up > ready; exec cat hold' & read x < ready; echo done; echo $x >&2`)
	fifo(t, c.Dir, "ready")

	hold, err := os.OpenFile(fifo(t, c.Dir, "hold"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}

	// The escaped process ends when the last writer of its input ends.
	defer func() { _ = hold.Close() }()

	got, err := shell.Run(t.Context(), c)
	if err != nil || got.ExitCode != 0 || string(got.Stdout) != "done\n" || string(got.Stderr) != "up\n" {
		t.Errorf("got %d, %q, %q, %v", got.ExitCode, got.Stdout, got.Stderr, err)
	}
}

// The caller of Run may be killed without warning. The line must die with the caller.
func TestParentKilled(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	life := fifo(t, dir, "life")

	parent := exec.Command(executable(t), "run", holder)
	parent.Dir = dir

	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}

	r := alive(t, life)

	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}

	if err := parent.Wait(); err == nil {
		t.Error("the parent ended well")
	}

	gone(t, r)
}
