package stray_test

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/stray"
)

// sleeper starts a process with an entry in its environment. How it ended comes from the channel; it does not outlive the test.
func sleeper(t *testing.T, entry string) (*exec.Cmd, <-chan error) {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	cmd.Env = []string{entry, "LAST=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Skip("no sleep here:", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, ended
}

func TestKill(t *testing.T) {
	t.Parallel()
	mark := stray.Mark("AURA_TEST")
	if mark == stray.Mark("AURA_TEST") {
		t.Fatal("two marks are the same")
	}
	_, first := sleeper(t, mark)
	_, second := sleeper(t, mark)
	longer, _ := sleeper(t, mark+"X")
	within, _ := sleeper(t, "OTHER_"+mark)

	stray.Kill(mark)
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
