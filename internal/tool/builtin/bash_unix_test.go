//go:build unix

package builtin_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/tool"
)

func bash(ctx context.Context, t *testing.T, dir string, args map[string]any) (string, error) {
	t.Helper()
	return find(t, dir, "Bash").Execute(ctx, tool.Call{Args: args})
}

func TestBash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	physical, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, command string
		want, fails   string
	}{
		{"output", "echo hi", "hi\n", ""},
		{"both streams in order", "echo a; echo b >&2; echo c", "a\nb\nc\n", ""},
		{"working directory", "pwd -P", physical + "\n", ""},
		{"the environment given and no other", "echo $GREETING $HOME", "hello\n", ""},
		{"no input", "cat; echo done", "done\n", ""},
		{"exit status", "echo out; exit 3", "out\n", "exit status 3"},
		{"death by signal", "kill -TERM $$", "", "signal: terminated"},
		{"quotes", `echo "$(printf '%s' 'a b')" "it's"`, "a b it's\n", ""},
		{"wait sees only the command's own children", "true & wait; echo waited", "waited\n", ""},
		{"no descriptor is left behind", "(: <&3) 2>/dev/null || echo closed", "closed\n", ""},
		{"syntax error", "if", "", "exit status 2"},
		{"invalid UTF-8", `printf 'caf\351'`, "caf\uFFFD", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := bash(t.Context(), t, dir, map[string]any{"command": tt.command})
			if tt.fails == "" && err != nil || tt.fails != "" && (err == nil || err.Error() != tt.fails) {
				t.Errorf("got error %v, want %q", err, tt.fails)
			}
			if got != tt.want && tt.name != "syntax error" {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBashCutsLongOutputInTheMiddle(t *testing.T) {
	t.Parallel()
	got, err := bash(t.Context(), t, t.TempDir(), map[string]any{
		"command": `echo begin; i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done; echo end`,
	})
	if err != nil {
		t.Fatal(err)
	}
	const total = 6 + 20000*11 + 4
	if !strings.HasPrefix(got, "begin\n") || !strings.HasSuffix(got, "end\n") || !strings.Contains(got, "[... 154474 bytes left out ...]") {
		t.Errorf("got %d of %d bytes: %.30q … %q", len(got), total, got, got[len(got)-30:])
	}
}

// fifo returns the path of a pipe and a channel that is closed once whoever opened it for writing is gone.
func fifo(t *testing.T) (path string, gone <-chan struct{}) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if f, err := os.Open(path); err == nil {
			_, _ = io.Copy(io.Discard, f)
			_ = f.Close()
		}
	}()
	return path, done
}

func TestBashLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, command string
		timeout       float64
		want, fails   string
	}{
		{"background child that holds the output", "{ sleep 300 & } 3>FIFO; echo hi", 100, "hi\n", ""},
		{"background child of a failing command", "{ sleep 300 & } 3>FIFO; exit 1", 100, "", "exit status 1"},
		{"timeout", "{ sleep 300 & } 3>FIFO; echo hi; sleep 300 | sleep 300", 0.2, "hi\n", "killed after 200ms"},
		{"timeout of one that ignores signals", "trap '' TERM INT HUP; { sleep 300 & } 3>FIFO; sleep 300", 0.2, "", "killed after 200ms"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path, gone := fifo(t)
			got, err := bash(t.Context(), t, t.TempDir(), map[string]any{
				"command": strings.ReplaceAll(tt.command, "FIFO", path), "timeout": tt.timeout,
			})
			if got != tt.want || tt.fails == "" && err != nil || tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)) {
				t.Errorf("got %q, %v", got, err)
			}
			<-gone
		})
	}
}

func TestBashIsCancelled(t *testing.T) {
	t.Parallel()
	path, gone := fifo(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	started := filepath.Join(t.TempDir(), "started")
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		if f, err := os.Open(started); err == nil {
			_ = f.Close()
		}
		cancel(enough)
	}()
	_, err := bash(ctx, t, t.TempDir(), map[string]any{"command": "exec 4>" + path + "; : >" + started + "; sleep 300"})
	if !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	<-gone
}

// TestVictim is no test: TestBashDiesWithAura runs it as a process to kill.
func TestVictim(t *testing.T) {
	command := os.Getenv("AURA_TEST_VICTIM")
	if command == "" {
		t.Skip("runs as a child of TestBashDiesWithAura")
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	_, err = bash(t.Context(), t, dir, map[string]any{"command": command})
	t.Error("outlived its killer", err)
}

func TestBashDiesWithAura(t *testing.T) {
	t.Parallel()
	path, gone := fifo(t)
	ready := filepath.Join(t.TempDir(), "ready")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	victim := exec.Command(os.Args[0], "-test.run=^TestVictim$")
	victim.Env = append(os.Environ(), "AURA_TEST_VICTIM=exec 4>"+path+"; sleep 300 | sleep 300 & echo ready >"+ready+"; sleep 300")
	victim.Dir = t.TempDir()
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(ready)
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(f).ReadString('\n'); err != nil || line != "ready\n" {
		t.Errorf("got %q, %v", line, err)
	}
	_ = f.Close()
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait()
	<-gone
}

func TestToolsRefuseWhatBlocks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string]map[string]any{
		"Read": {"path": "fifo"}, "Write": {"path": "fifo", "content": "x"},
	} {
		if _, err := find(t, dir, name).Execute(t.Context(), tool.Call{Args: args}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
