package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// running reports whether a process exists and has not ended. A zombie has ended.
func running(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "good", "good"))
	server, child := must(t, set, "mcp__good__pid", nil), must(t, set, "mcp__good__spawn", nil)
	for _, pid := range []string{server, child} {
		if !running(pid) {
			t.Fatalf("process %s is not running", pid)
		}
	}
	set.Close()
	if running(server) {
		t.Errorf("server %s is still running", server)
	}
	// The child was killed, but this process cannot wait for it.
	eventually(t, "the server's child is gone", func() bool { return !running(child) })
}

func TestChildrenOfDeadServer(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "good", "good"))
	child := must(t, set, "mcp__good__spawn", nil)
	kill(t, must(t, set, "mcp__good__pid", nil))
	eventually(t, "the server's child is gone too", func() bool { return !running(child) })
}

func TestCloseWhileConnecting(t *testing.T) {
	t.Parallel()
	s := stdio(t, "slow", "stubborn")
	s.Deferred = true
	set := opened(t, Options{}, s)
	done := make(chan error, 1)
	go func() {
		_, err := set.Load(t.Context(), "slow")
		done <- err
	}()
	eventually(t, "someone connects", func() bool { return len(set.servers[0].dialing) == 1 })
	set.Close()
	if err := <-done; err == nil {
		t.Error("no error")
	}
}

// TestInterrupted connects to a server that does not end by itself. The grace period is very long unless the Set is hurried.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	s := stdio(t, "slow", "stubborn")
	s.Deferred = true
	patient := hurried()
	patient.grace, patient.haste = time.Hour, time.Millisecond
	set := open(t.Context(), Options{Workdir: t.TempDir()}, patient, []Server{s})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := set.Load(ctx, "slow")
		done <- err
	}()
	eventually(t, "someone connects", func() bool { return len(set.servers[0].dialing) == 1 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := set.shared.grace(); got != time.Hour {
		t.Errorf("each step takes %s", got)
	}
	set.Hurry()
	if got := set.shared.grace(); got != time.Millisecond {
		t.Errorf("in a hurry each step takes %s", got)
	}
	set.Close()
}

func TestDiesWithAura(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = []string{mode + "=parent"}
	cmd.Dir = t.TempDir()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	eventually(t, "the server is gone with its parent", func() bool { return !running(strings.TrimSpace(line)) })
}

func init() { others["parent"] = parent }

// parent starts a server that ends neither when its input is closed nor on a signal, prints its process id and waits.
func parent() int {
	self, err := os.Executable()
	if err != nil {
		return 1
	}
	p, err := startProcess(context.Background(), Server{Command: self, Env: map[string]string{mode: "stubborn"}}, Options{})
	if err != nil {
		return 1
	}
	fmt.Println(p.Pid())
	<-p.Exited()
	return 0
}

func TestOrderlyEnd(t *testing.T) {
	t.Parallel()
	s := stdio(t, "good", "good")
	p, err := startProcess(t.Context(), s, Options{Workdir: t.TempDir(), Executable: reaper(t)})
	if err != nil {
		t.Fatal(err)
	}
	p.stop(nil, time.Minute)
	if err := p.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
