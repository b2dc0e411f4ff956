package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestDescendants checks that nothing that the plugin started outlives it, not even a process that left its session.
func TestDescendants(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "setsid")
	p := ready(t, source("\"os/exec\"\n", `
	out, err := exec.Command("/bin/sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!; setsid -f sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1'").Output()
	return string(out), err`), unsafeMode)
	out, err := p.execute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var started []descendant
	for field := range strings.FieldsSeq(out) {
		started = append(started, openDescendant(t, field))
	}
	if len(started) != 2 {
		t.Fatalf("got %q", out)
	}
	_ = p.lifeline.Close()
	p.dies(t)
	for _, d := range started {
		d.ends(t)
	}
}

// descendant is a process that a plugin started. It is killed when the test ends.
type descendant struct {
	pid, fd int
}

// openDescendant opens a process by its number.
func openDescendant(t *testing.T, number string) descendant {
	t.Helper()
	pid, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		_ = unix.Close(fd)
	})
	return descendant{pid: pid, fd: fd}
}

// ends waits for the process to end.
func (d descendant) ends(t *testing.T) {
	t.Helper()
	const second = 1000
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(d.fd), Events: unix.POLLIN}}, 10*second); err != nil || n == 0 { //nolint:gosec // a descriptor
		t.Errorf("process %d lives on: %v", d.pid, err)
	}
}

// TestLimits reads the limits that the kernel enforces.
func TestLimits(t *testing.T) {
	t.Parallel()
	p := ready(t, source("\"os\"\n", `
	limits, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		return "", err
	}
	status, err := os.ReadFile("/proc/thread-self/status")
	return string(limits) + string(status), err`))
	out, err := p.execute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out = strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"Max core file size 1 1 bytes", "NoNewPrivs: 1"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	// The memory that the runtime held before is added to the plugin's limit.
	_, data, _ := strings.Cut(out, "Max data size ")
	var soft, hard int64
	if _, err := fmt.Sscan(data, &soft, &hard); err != nil || soft != hard || soft < 256<<20 || soft > 512<<20 {
		t.Errorf("the memory is limited to %d and %d, %v", soft, hard, err)
	}
}

// TestInherited checks that a program started by the plugin gets none of aura's descriptors.
func TestInherited(t *testing.T) {
	t.Parallel()
	p := ready(t, source("\"os/exec\"\n", `
	out, err := exec.Command("/bin/ls", "/proc/self/fd").CombinedOutput()
	return string(out), err`), unsafeMode)
	out, err := p.execute(t.Context())
	// The fourth descriptor is the directory that ls reads.
	if got := strings.Join(strings.Fields(out), " "); err != nil || got != "0 1 2 3" {
		t.Errorf("got %q, %v", got, err)
	}
}
