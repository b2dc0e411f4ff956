package process_test

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/process"
)

// start starts a program with an entry in its environment. The channel receives the error of its end. The program does not
// outlive the test.
func start(t *testing.T, entry string, program ...string) (*exec.Cmd, <-chan error) {
	t.Helper()
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Env = []string{entry, "LAST=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		testneed.Missing(t, "setsid", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, ended
}

func TestKill(t *testing.T) {
	t.Parallel()
	mark := process.NewMark("AURA_TEST")
	if mark == process.NewMark("AURA_TEST") {
		t.Fatal("two marks are the same")
	}
	_, first := start(t, mark, "sleep", "1000")
	_, second := start(t, mark, "sleep", "1000")
	longer, _ := start(t, mark+"X", "sleep", "1000")
	within, _ := start(t, "OTHER_"+mark, "sleep", "1000")

	process.KillMarked(mark)
	for _, ended := range []<-chan error{first, second} {
		var exit *exec.ExitError
		if err := <-ended; !errors.As(err, &exit) || exit.Exited() {
			t.Errorf("got %v", err)
		}
	}
	for _, cmd := range []*exec.Cmd{longer, within} {
		if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
			t.Errorf("%v was killed too: %v", cmd.Env, err)
		}
	}
}

// A process has no environment for a moment while it executes another program. This process does nothing else.
func TestKillWhoBecomesAnother(t *testing.T) {
	t.Parallel()
	for range 50 {
		mark := process.NewMark("AURA_TEST")
		_, ended := start(t, mark, "/bin/sh", "-c", `again='exec /bin/sh -c "$again"'; export again; eval "$again"`)
		process.KillMarked(mark)
		if err := <-ended; err == nil {
			t.Error("it ended by itself")
		}
	}
}
