//go:build linux && !race

package sandbox_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

const stageExchange = "__exchange"

func init() {
	stages[stageExchange] = exchange
}

// exchange exchanges two directories until it is killed. It writes a byte after the first exchange.
func exchange() int {
	for n := 0; ; n++ {
		err := unix.Renameat2(unix.AT_FDCWD, os.Args[2], unix.AT_FDCWD, os.Args[3], unix.RENAME_EXCHANGE)
		if n == 0 {
			if err != nil {
				return 1
			}
			if _, err := os.Stdout.WriteString("x"); err != nil {
				return 1
			}
		}
	}
}

// exchanging starts a process that exchanges two directories until the returned function ends it.
func exchanging(t *testing.T, a, b string) (end func()) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, stageExchange, a, b)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = out.Read(make([]byte, 1))
	if err != nil {
		t.Errorf("nothing was exchanged: %v", err)
	}
	return func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		if _, killed := errors.AsType[*exec.ExitError](cmd.Wait()); !killed {
			t.Error("the process that exchanges the directories ended by itself")
		}
	}
}

// TestGrantsRaced exchanges a granted directory and another one again and again, while processes confine themselves and write.
// Nothing is ever written to the other directory. As a control, a policy that was not opened lets a process write there.
func TestGrantsRaced(t *testing.T) {
	t.Parallel()
	for _, opened := range []bool{true, false} {
		t.Run("opened "+strconv.FormatBool(opened), func(t *testing.T) {
			t.Parallel()
			var base string
			c, granted := swapped(t, opened, func(dir string) error { base = dir; return nil })
			home := filepath.Join(base, "home")
			// The other directory, wherever it is.
			other, err := os.OpenRoot(home)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = other.Close() }()
			defer exchanging(t, granted, home)()
			hit := false
			runs := testneed.Times(30, 150)
			if !opened {
				runs = controlRuns
			}
			for i := 0; i < runs && !hit; i++ {
				// The directory may be refused, or be elsewhere when the process writes.
				_, _ = sandbox.Run(t.Context(), c)
				_, err := other.Stat("x")
				hit = err == nil
			}
			if hit == opened {
				t.Errorf("written to the other directory: %t", hit)
			}
		})
	}
}

// controlRuns is how many processes try without the protection at most. They try until one writes to the other directory, which depends on
// how the system schedules them.
const controlRuns = 4000
