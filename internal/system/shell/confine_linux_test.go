package shell_test

import (
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/shell"
)

func TestMemory(t *testing.T) {
	t.Parallel()

	for _, line := range []string{
		"echo before; x=abcdefgh; while :; do x=$x$x; done",
		"echo before; f() { f; }; f",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()

			c := command(t, line)
			c.MemoryBytes = 128 << 20

			got, err := shell.Run(t.Context(), c)
			if raceDetector {
				if got.ExitCode == 0 || string(got.Stdout) != "before\n" {
					t.Errorf("got %d, %q, %v", got.ExitCode, got.Stdout, err)
				}

				return
			}

			if err == nil || !strings.Contains(err.Error(), "the shell died (signal: aborted), probably for lack of memory or by endless recursion") {
				t.Errorf("got %v", err)
			}

			if got.ExitCode != -1 || string(got.Stdout) != "before\n" || len(got.Stderr) > 0 {
				t.Errorf("got %d, %q, %.200q", got.ExitCode, got.Stdout, got.Stderr)
			}
		})
	}
}

func TestProgramsHaveTheirOwnMemory(t *testing.T) {
	t.Parallel()

	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &own); err != nil {
		t.Fatal(err)
	}

	want := "unlimited"
	if own.Cur != unix.RLIM_INFINITY {
		want = strconv.FormatUint(own.Cur/1024, 10)
	}

	c := command(t, "sh -c 'ulimit -d' | cat")
	c.MemoryBytes = 100 << 20

	got, err := shell.Run(t.Context(), c)
	if err != nil || strings.TrimSpace(string(got.Stdout)) != want {
		t.Errorf("got %q, %q, %v, want %s", got.Stdout, got.Stderr, err, want)
	}
}

// One thread waits for each program, and the stack of that thread counts as memory.
func TestManyProgramsAtATime(t *testing.T) {
	t.Parallel()

	c := command(t, "for i in {1..100}; do sleep 1 & done; wait; echo all")
	c.MemoryBytes = 128 << 20

	got, err := shell.Run(t.Context(), c)
	if err != nil || string(got.Stdout) != "all\n" || len(got.Stderr) > 0 {
		t.Errorf("got %q, %q, %v", got.Stdout, got.Stderr, err)
	}
}
