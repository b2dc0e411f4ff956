//go:build unix

package audit

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fullVariable makes this test program write to a file that can hold only a part of the lines.
const fullVariable = "AUDIT_TEST_FULL"

// TestFullDisk writes to a file that has no place for a second line, and again when it has.
func TestFullDisk(t *testing.T) {
	path := os.Getenv(fullVariable)
	if path == "" {
		t.Parallel()
		path = filepath.Join(t.TempDir(), "audit.jsonl")
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$")
		child.Env = append(os.Environ(), fullVariable+"="+path)
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		lines := strings.Split(readFile(t, path), "\n")
		if len(lines) != 5 || !strings.Contains(lines[0], `"seq":1`) || strings.Contains(lines[1], "}") ||
			!strings.Contains(lines[2], `"seq":2`) || !strings.Contains(lines[3], `"seq":3`) {
			t.Errorf("got %q", lines)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	l := newLog(Options{}, &file{path: path})
	go l.run()
	_ = l.Record(Fact{Kind: Load, Text: strings.Repeat("x", 500)})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	small := syscall.Rlimit{Cur: 1000, Max: before.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	l.closing, l.ended = make(chan struct{}), make(chan struct{})
	go l.run()
	l.stop = func(err error) {
		if !strings.Contains(err.Error(), "too large") && !strings.Contains(err.Error(), "no space") {
			t.Error(err)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}
	_ = l.Record(Fact{Kind: Load, Text: strings.Repeat("y", 500)})
	if !l.failed {
		t.Error("the line fitted")
	}
	_ = l.Record(Fact{Kind: Load})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
