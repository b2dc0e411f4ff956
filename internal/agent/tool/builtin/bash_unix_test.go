//go:build unix

package builtin_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/lab/testneed"
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
	if _, err := os.Stat("/bin/bash"); err == nil {
		tests = append(tests, struct{ name, command, want, fails string }{
			"bash", `a=({1..3}); [[ ${#a[@]} == 3 ]] && cat <<<"${a[@]}" && echo $0`, "1 2 3\n/bin/bash\n", "",
		})
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

func TestBashTruncates(t *testing.T) {
	t.Parallel()
	count := func(n int) string {
		return fmt.Sprintf(`i=1; while [ $i -le %d ]; do echo $i; i=$((i+1)); done`, n)
	}
	tests := []struct {
		name, command string
		bounds        builtin.Truncation
		// want contains FILE instead of the name of the file. full is the content of that file.
		want, full string
	}{
		{name: "as many lines as allowed", command: count(4), bounds: builtin.Truncation{MaxLines: 4, HeadLines: 1, TailLines: 1}, want: "1\n2\n3\n4\n"},
		{name: "the last line open", command: count(3) + "; printf 4", bounds: builtin.Truncation{MaxLines: 4, HeadLines: 1, TailLines: 1}, want: "1\n2\n3\n4"},
		{
			name: "too many lines", command: count(5), bounds: builtin.Truncation{MaxLines: 4, HeadLines: 1, TailLines: 2},
			want: "1\n[... 2 lines (4 bytes) left out; the full output is in FILE ...]\n4\n5\n", full: "1\n2\n3\n4\n5\n",
		},
		{
			name: "no head", command: count(5), bounds: builtin.Truncation{MaxLines: 4, TailLines: 2},
			want: "[... 3 lines (6 bytes) left out; the full output is in FILE ...]\n4\n5\n", full: "1\n2\n3\n4\n5\n",
		},
		{
			name: "no tail", command: count(5), bounds: builtin.Truncation{MaxLines: 4, HeadLines: 2},
			want: "1\n2\n[... 3 lines (6 bytes) left out; the full output is in FILE ...]\n", full: "1\n2\n3\n4\n5\n",
		},
		{name: "head and tail make up all", command: count(5), bounds: builtin.Truncation{MaxLines: 4, HeadLines: 3, TailLines: 2}, want: "1\n2\n3\n4\n5\n"},
		{
			name: "too many bytes in one line", command: "printf 0123456789abcdef", bounds: builtin.Truncation{MaxOutputBytes: 8},
			want: "0123\n[... 8 bytes left out; the full output is in FILE ...]\ncdef", full: "0123456789abcdef",
		},
		{
			name: "too many bytes in few lines", command: "echo 01234567; echo abcdefgh", bounds: builtin.Truncation{MaxOutputBytes: 8, MaxLines: 100, HeadLines: 50, TailLines: 50},
			want: "0123\n[... 1 lines (10 bytes) left out; the full output is in FILE ...]\nfgh\n", full: "01234567\nabcdefgh\n",
		},
		{
			name: "of a failed command", command: count(5) + "; exit 3", bounds: builtin.Truncation{MaxLines: 1, HeadLines: 1, TailLines: 1},
			want: "1\n[... 3 lines (6 bytes) left out; the full output is in FILE ...]\n5\n", full: "1\n2\n3\n4\n5\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "made")
			x := one(t, builtin.Options{Workdir: t.TempDir(), Truncation: tt.bounds, OutputDir: out}, "Bash")
			got, err := x.Execute(t.Context(), tool.Call{Args: map[string]any{"command": tt.command}})
			if failed := strings.Contains(tt.command, "exit 3"); failed != (err != nil) {
				t.Error(err)
			}
			files, _ := filepath.Glob(filepath.Join(out, "*"))
			if tt.full == "" {
				if got != tt.want || len(files) != 0 {
					t.Errorf("got %q, files %q", got, files)
				}
				return
			}
			if len(files) != 1 || got != strings.ReplaceAll(tt.want, "FILE", files[0]) {
				t.Fatalf("got %q, files %q", got, files)
			}
			full, err := os.ReadFile(files[0])
			info, _ := os.Stat(files[0])
			if err != nil || string(full) != tt.full || info.Mode().Perm() != 0o600 {
				t.Errorf("the file holds %q, %v, %v", full, err, info)
			}
		})
	}
}

func TestBashWithoutAPlaceForItsOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "")
	x := one(t, builtin.Options{Workdir: dir, OutputDir: filepath.Join(dir, "file"), Truncation: builtin.Truncation{MaxOutputBytes: 4}}, "Bash")
	got, err := x.Execute(t.Context(), tool.Call{Args: map[string]any{"command": "echo 0123456789"}})
	if err != nil || !strings.HasPrefix(got, "01\n[... ") || !strings.Contains(got, "could not be kept: ") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestBashShowsProgress(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "go-on")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	var once sync.Once
	progress := func(text string) {
		shown.WriteString(text)
		// The command ends only if its first line was shown while it ran.
		once.Do(func() {
			if err := os.WriteFile(pipe, []byte("x\n"), 0o600); err != nil {
				t.Error(err)
			}
		})
	}
	command := `echo begin; read -r _ <` + pipe + `; printf '\303'; printf '\251 \351'`
	got, err := find(t, t.TempDir(), "Bash").Execute(t.Context(), tool.Call{Args: map[string]any{"command": command}, Progress: progress})
	if want := "begin\né \uFFFD"; err != nil || got != want || shown.String() != want {
		t.Errorf("got %q, shown %q, %v", got, shown.String(), err)
	}
}

// fifo returns the path of a pipe, and a channel that is closed once all writers have closed the pipe.
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

// TestBashFindsThoseThatLeave tests processes that left the process group and were orphaned.
func TestBashFindsThoseThatLeave(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		testneed.Missing(t, testneed.Linux, "they are found on Linux only")
	}
	testneed.Program(t, "setsid")
	const leaves = "mkfifo ready; (START setsid sh -c 'exec 3>FIFO; : >ready; sleep 300; true' >/dev/null 2>&1 &); read -r _ <ready; echo hi"
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ rest, start, reaper string }{
		"at the end":                        {},
		"when cancelled":                    {rest: "; sleep 300"},
		"at the end, by a reaper":           {reaper: self},
		"when cancelled, by a reaper":       {rest: "; sleep 300", reaper: self},
		"at the end, empty environment":     {start: "env -i", reaper: self},
		"when cancelled, empty environment": {rest: "; sleep 300", start: "env -i", reaper: self},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, gone := fifo(t)
			rest := row.rest
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			call := tool.Call{Args: map[string]any{"command": strings.NewReplacer("FIFO", path, "START", row.start).Replace(leaves) + rest}}
			if rest != "" {
				call.Progress = func(string) { cancel() }
			}
			o := builtin.Options{Workdir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, Reaper: row.reaper}
			got, err := one(t, o, "Bash").Execute(ctx, call)
			if got != "hi\n" || (err != nil) != (rest != "") {
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

// TestVictim is not a test. TestBashDiesWithAura runs it as a process to kill.
func TestVictim(t *testing.T) {
	testneed.OnlyIn(t, "TestBashDiesWithAura", "AURA_TEST_VICTIM")
	command := os.Getenv("AURA_TEST_VICTIM")
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
		"Read": {"path": "fifo"}, "Write": {"path": "fifo", "content": "x"}, "Edit": {"path": "fifo", "old": "a", "new": "b"},
		"Rg": {"path": "fifo", "pattern": "x"}, "Patch": {"patch": "*** Begin Patch\n*** Delete File: fifo\n*** End Patch"},
	} {
		if _, err := find(t, dir, name).Execute(t.Context(), tool.Call{Args: args}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestRgCountsWhatItCannotRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		testneed.Missing(t, testneed.OrdinaryUser, "root reads everything")
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a"), "x")
	put(t, filepath.Join(dir, "b"), "x")
	if err := os.Chmod(filepath.Join(dir, "a"), 0); err != nil {
		t.Fatal(err)
	}
	got, err := find(t, dir, "Rg").Execute(t.Context(), tool.Call{Args: map[string]any{"pattern": "x"}})
	if want := "b:1:x\n[... 1 file could not be read ...]"; err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
}
