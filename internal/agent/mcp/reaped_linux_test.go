package mcp

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// reaped starts a shell line as a server below a reaper.
func reaped(t *testing.T, line string) *serverProcess {
	t.Helper()
	o := Options{Workdir: t.TempDir(), Environ: []string{"PATH=" + os.Getenv("PATH")}, Executable: reaper(t)}
	p, err := startProcess(t.Context(), Server{Command: "sh", Args: []string{"-c", line}}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.stop(nil, 0) })
	return p
}

// TestReapedStreams closes streams of a server that goes on. The reaper must not hold them open.
func TestReapedStreams(t *testing.T) {
	t.Parallel()
	p := reaped(t, "echo hello; exec >&-; read -r _")
	if text, err := io.ReadAll(p.stdout); err != nil || string(text) != "hello\n" {
		t.Errorf("read %q, %v", text, err)
	}
	select {
	case <-p.Exited():
		t.Error("the server has ended")
	default:
	}
	p = reaped(t, "exec <&-; echo closed; exec sleep 1000")
	if _, err := p.stdout.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	// The reaper releases its streams right after it has started the server.
	eventually(t, "nobody reads the server's input", func() bool {
		_, err := p.stdin.WriteString("x")
		return errors.Is(err, syscall.EPIPE)
	})
}

// TestReapedEnds checks how the end of a server is described.
func TestReapedEnds(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"exit 0":         "exit status 0",
		"exit 3":         "exit status 3",
		"kill -9 $$":     "exit status 137 (killed)",
		"kill -SEGV $$":  "exit status 139 (segmentation fault)",
		"exec ./no/such": "exit status 127",
	} {
		p := reaped(t, line)
		<-p.Exited()
		if got := p.story(); !strings.Contains(got, "it ended: "+want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	// The kernel does not execute such a file.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "odd"), []byte{0x7f, 'E', 'L', 'F', 0, 0}, 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	p, err := startProcess(t.Context(), Server{Command: filepath.Join(dir, "odd")}, Options{Workdir: dir, Executable: reaper(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop(nil, 0)
	<-p.Exited()
	if got := p.story(); !strings.Contains(got, "exit status 126") || !strings.Contains(got, "exec format error") {
		t.Errorf("the server could not start: %s", got)
	}
}

// TestReapedOrphans leaves processes that end while the server runs. The reaper adopts and reaps them.
func TestReapedOrphans(t *testing.T) {
	t.Parallel()
	p := reaped(t, "for i in 1 2 3 4 5 6 7 8 9; do (sh -c : &); done; echo left; read -r _")
	if _, err := p.stdout.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server is the only child of the reaper", func() bool {
		lists, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(p.Pid()), "task/*/children"))
		var all []string
		for _, list := range lists {
			text, _ := os.ReadFile(list)
			all = append(all, strings.Fields(string(text))...)
		}
		return len(all) == 1
	})
}
