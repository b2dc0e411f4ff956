//go:build unix

package process_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
)

// parentVariable makes this test binary a caller that starts a process and can be killed; see TestEndsWithTheCaller.
const parentVariable = "AURA_TEST_PARENT"

func TestMain(m *testing.M) {
	switch how := os.Getenv(parentVariable); how {
	case "":
		os.Exit(m.Run())
	default:
		s := line(holder)
		s.Dir, s.Guard = os.Getenv("PWD"), how == "guard"
		p, err := process.Start(s)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("started")
		_ = p.Wait()
	}
}

// line returns the specification of a process that runs a shell command.
func line(command string) process.Spec {
	return process.Spec{Path: "/bin/sh", Args: []string{"sh", "-c", command}, Env: []string{"PATH=" + os.Getenv("PATH")}}
}

// holder is a command whose child holds the fifo "life" open as long as the child lives.
const holder = `sh -c 'echo $$ >pid; echo up; exec sleep 1000' >life & wait`

// fifo creates the fifo "life" in a directory.
func fifo(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "life")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// alive returns when a process holds the fifo. The returned reader ends when no process holds the fifo any more.
func alive(t *testing.T, path string) io.Reader {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	r := bufio.NewReader(f)
	if text, err := r.ReadString('\n'); err != nil || text != "up\n" {
		t.Fatalf("got %q, %v", text, err)
	}
	return r
}

func gone(t *testing.T, r io.Reader) {
	t.Helper()
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("got %q, %v", rest, err)
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		command string
		change  func(*process.Spec)
		stdout  string
		stderr  string
		end     string
	}{
		"output":            {command: "echo a; echo b >&2", stdout: "a\n", stderr: "b\n"},
		"no input":          {command: "cat; echo done", stdout: "done\n"},
		"input":             {command: "cat", change: func(s *process.Spec) { s.Stdin = strings.NewReader("in") }, stdout: "in"},
		"input not read":    {command: "exit 3", change: func(s *process.Spec) { s.Stdin = bytes.NewReader(make([]byte, 1<<20)) }, end: "exit status 3"},
		"no environment":    {command: "echo $HOME$VALUE", change: func(s *process.Spec) { s.Env = nil }, stdout: "\n"},
		"environment":       {command: "echo $VALUE", change: func(s *process.Spec) { s.Env = []string{"VALUE=1"} }, stdout: "1\n"},
		"directory":         {command: "pwd", change: func(s *process.Spec) { s.Dir = "/" }, stdout: "/\n"},
		"one stream":        {command: "echo a; echo b >&2; echo c", change: func(s *process.Spec) { s.Stderr = s.Stdout }, stdout: "a\nb\nc\n"},
		"status":            {command: "exit 7", end: "exit status 7"},
		"signal":            {command: "kill -TERM $$", end: "signal: terminated"},
		"lifeline":          {command: "(: <&3) && echo open", change: func(s *process.Spec) { s.Lifeline = true }, stdout: "open\n"},
		"guard":             {command: "(: <&3) 2>/dev/null || echo closed; echo $0", change: func(s *process.Spec) { s.Guard = true }, stdout: "closed\nsh\n"},
		"quick descendants": {command: "(sleep 0.01; echo late) &", change: func(s *process.Spec) { s.Linger = time.Hour }, stdout: "late\n"},
		"slow descendants":  {command: "sleep 1000 &", change: func(s *process.Spec) { s.Linger = time.Millisecond }},
		"held output":       {command: "sleep 1000 &"},
		"mark":              {command: "test -n \"$AURA_TEST\" && echo marked", change: func(s *process.Spec) { s.Mark = "AURA_TEST" }, stdout: "marked\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			s := line(tt.command)
			s.Stdout, s.Stderr = &stdout, &stderr
			if tt.change != nil {
				tt.change(&s)
			}
			end := ""
			if err := process.Run(t.Context(), s); err != nil {
				end = err.Error()
			}
			if stdout.String() != tt.stdout || stderr.String() != tt.stderr || end != tt.end {
				t.Errorf("got %q, %q, %q", stdout.String(), stderr.String(), end)
			}
		})
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	s := line("")
	s.Path, s.Stdout = filepath.Join(t.TempDir(), "none"), io.Discard
	if _, err := process.Start(s); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	s = line("exec sleep 1000")
	failed := errors.New("not now")
	s.Around = func(start func() error) error { return errors.Join(start(), failed) }
	if _, err := process.Start(s); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

func TestKillEndsTheGroup(t *testing.T) {
	t.Parallel()
	s := line(holder)
	s.Dir = t.TempDir()
	life := fifo(t, s.Dir)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- process.Run(ctx, s) }()
	r := alive(t, life)
	cancel()
	if _, exited := process.ExitCode(<-done); exited {
		t.Error("it ended by itself")
	}
	gone(t, r)
}

func TestStop(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		command string
		grace   time.Duration
		want    string
	}{
		"at the end of its input":  {"echo up >life; cat; exit 3", time.Hour, "exit status 3"},
		"when it is asked to":      {"trap 'exit 4' TERM; echo up >life; while :; do sleep 0.01; done", time.Millisecond, "exit status 4"},
		"when it is killed":        {"trap '' TERM; echo up >life; while :; do sleep 0.01; done", time.Millisecond, "signal: killed"},
		"when it is stopped":       {"echo up >life; kill -STOP $$", time.Millisecond, "signal: killed"},
		"before anybody asks":      {"echo up >life; exit 5", time.Hour, "exit status 5"},
		"with its descendants too": {"trap '' TERM; " + holder, time.Millisecond, "signal: killed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdin, feed, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			s := line(tt.command)
			s.Dir, s.Stdin = t.TempDir(), stdin
			life := fifo(t, s.Dir)
			p, err := process.Start(s)
			_ = stdin.Close()
			if err != nil {
				t.Fatal(err)
			}
			r := alive(t, life)
			grace := tt.grace
			terminate := p.Terminate
			if name == "when it is asked to" {
				// The shell ends as soon as it handles the signal, which may take a while.
				terminate = func() { p.Terminate(); <-p.Exited() }
			}
			p.Stop(grace, func() { _ = feed.Close() }, terminate)
			if err := p.Wait(); err == nil || err.Error() != tt.want {
				t.Errorf("got %v", err)
			}
			gone(t, r)
		})
	}
}

// TestEndsWithTheCaller kills the caller. With a guard, the process group ends too. Without a guard, the descendants survive.
func TestEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"guard", "none"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			life := fifo(t, dir)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			parent := exec.Command(self)
			parent.Dir, parent.Env = dir, []string{parentVariable + "=" + how, "PWD=" + dir, "PATH=" + os.Getenv("PATH")}
			out, err := parent.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			r := alive(t, life)
			if text, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				t.Errorf("got %q, %v", text, err)
			}
			if err := parent.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = parent.Wait()
			if how == "none" {
				survivor(t, dir)
			}
			gone(t, r)
		})
	}
}

// survivor kills the process that holds the fifo. It fails if that process does not exist.
func survivor(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Errorf("killing the survivor: %v", err)
	}
}

func TestKept(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		writes     []string
		head, tail string
		dropped    int64
	}{
		"nothing":       {},
		"less":          {[]string{"ab"}, "ab", "ab", 0},
		"just enough":   {[]string{"ab", "cd"}, "abcd", "abcd", 0},
		"more":          {[]string{"abc", "def"}, "abcd", "cdef", 2},
		"more at once":  {[]string{"a", "bcdefgh"}, "abcd", "efgh", 4},
		"long after it": {[]string{"abcd", "e", "f", "g"}, "abcd", "defg", 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			head, tail := &process.Head{Max: 4}, &process.Tail{Max: 4}
			for _, w := range tt.writes {
				_, _ = io.MultiWriter(head, tail).Write([]byte(w))
			}
			kept, dropped := head.Kept()
			if string(kept) != tt.head || tail.String() != tt.tail || dropped != tt.dropped {
				t.Errorf("got %q, %q, %d", kept, tail.String(), dropped)
			}
		})
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	const size = 64 << 10
	kept := process.Tail{Max: size}
	for i := range 300 {
		chunk := bytes.Repeat([]byte{byte('a' + i%26)}, 1+i*7)
		all.Write(chunk)
		if n, err := kept.Write(chunk); n != len(chunk) || err != nil {
			t.Fatalf("wrote %d of %d: %v", n, len(chunk), err)
		}
		want := all.Bytes()
		want = want[max(0, len(want)-size):]
		if kept.String() != string(want) {
			t.Fatalf("after %d writes the tail is not the end of what was written", i+1)
		}
	}
	huge := bytes.Repeat([]byte("0123456789"), size)
	_, _ = kept.Write(huge)
	if kept.String() != string(huge[len(huge)-size:]) {
		t.Error("a write longer than the tail is not cut to its end")
	}
}

// TestLeftover checks that a slow reader gets what a process wrote before it ended, and that a descendant which keeps the pipe open does
// not delay it. It runs alone, because a program that another test is starting may hold the pipe open for a moment.
//
//nolint:paralleltest,tparallel // see above
func TestLeftover(t *testing.T) {
	for name, held := range map[string]bool{"closed": false, "held open": true} {
		t.Run(name, func(t *testing.T) {
			from, to, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = errors.Join(from.Close(), to.Close()) }()
			s := line("echo answer >&3")
			s.Files, s.ReadEnds = []*os.File{to}, []*os.File{from}
			p, err := process.Start(s)
			if err != nil {
				t.Fatal(err)
			}
			<-p.Exited()
			if !held {
				_ = to.Close()
			}
			if err := from.SetReadDeadline(time.Unix(1, 0)); err != nil { // the reader was slower
				t.Fatal(err)
			}
			want := io.EOF
			if held {
				want = os.ErrDeadlineExceeded
			}
			r := process.Leftover(from)
			buf := make([]byte, 100)
			n, err := r.Read(buf)
			if _, end := r.Read(buf[n:]); string(buf[:n]) != "answer\n" || err != nil || !errors.Is(end, want) {
				t.Errorf("got %q, %v, then %v, want %v", buf[:n], err, end, want)
			}
		})
	}
}
