package shell_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/shell"
)

// escapee starts a process in its own session whose parents are gone. The process holds the fifo as long as it lives.
const escapee = `setsid sh -c 'setsid sh -c "echo up; exec sleep 1000" > life & exit' & `

func needSetsid(t *testing.T) {
	t.Helper()

	testneed.Program(t, "setsid")
}

func TestEscapedProcessEndsWithTheLine(t *testing.T) {
	t.Parallel()
	needSetsid(t)

	c := command(t, escapee+`read x < go; echo done`)
	life, release := fifo(t, c.Dir, "life"), fifo(t, c.Dir, "go")

	done := make(chan error, 1)

	go func() {
		got, err := shell.Run(t.Context(), c)
		if string(got.Stdout) != "done\n" || got.ExitCode != 0 {
			t.Errorf("got %+v", got)
		}

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

func TestEscapedProcessEndsWithTheContext(t *testing.T) {
	t.Parallel()
	needSetsid(t)

	for _, wait := range []string{"sleep 1000", "while :; do :; done"} {
		t.Run(wait, func(t *testing.T) {
			t.Parallel()

			c := command(t, escapee+wait)
			life := fifo(t, c.Dir, "life")

			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()

			done := make(chan error, 1)

			go func() {
				_, err := shell.Run(ctx, c)
				done <- err
			}()

			r := alive(t, life)

			cancel()

			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}

			gone(t, r)
		})
	}
}

// No process may survive the end of the interpreter itself, whether it is killed or runs out of memory.
func TestEscapedProcessEndsWithTheInterpreter(t *testing.T) {
	t.Parallel()
	needSetsid(t)

	for _, end := range []string{"kill -9 $$", "x=x; while :; do x=$x$x; done"} {
		if raceDetector && end != "kill -9 $$" {
			continue
		}

		t.Run(end, func(t *testing.T) {
			t.Parallel()

			c := command(t, escapee+`read x < go; `+end)
			c.MemoryBytes = 128 << 20
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

			if err := <-done; err == nil {
				t.Error("the shell did not die")
			}

			gone(t, r)
		})
	}
}

func TestEscapedProcessEndsWithTheParent(t *testing.T) {
	t.Parallel()
	needSetsid(t)

	dir := t.TempDir()
	life := fifo(t, dir, "life")

	parent := exec.Command(executable(t), "run", escapee+"sleep 1000")
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

// A background part of the line may be starting a program at the moment at which the line ends. That is rare, so the test runs
// many lines.
func TestProgramStartedAtTheEnd(t *testing.T) {
	t.Parallel()
	needSetsid(t)

	c := command(t, `setsid sleep 1000 > life & for i in 1 2 3 4 5 6 7 8; do :; done`)
	life := fifo(t, c.Dir, "life")

	for range 40 {
		// Without this reader the line would wait for one. O_NONBLOCK keeps this open from waiting for a writer.
		r, err := os.OpenFile(life, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}

		if _, err := shell.Run(t.Context(), c); err != nil {
			t.Error(err)
		}

		gone(t, r)

		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
