package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
)

const stageRun = "__run"

func init() {
	stages[sandbox.Argument] = func() int { return sandbox.Main(testTool) }
	stages[stageRun] = runAndHang
	stages[sandbox.GateArgument] = func() int {
		if hasOwnNetwork() {
			return sandbox.GateMain(netgate.Internet())
		}
		return sandbox.GateMain(smallInternet())
	}
}

// testTool is the Tool that the confined children of these tests run.
func testTool(ctx context.Context, call sandbox.Call, progress func([]byte)) (json.RawMessage, error) {
	switch call.Tool {
	case "echo":
		return json.Marshal([]any{call.Args, call.Options, call.Context})
	case "nothing":
		return nil, nil
	case "fail":
		return nil, errors.New("it did not work")
	case "panic":
		panic("oh no")
	case "exit":
		_, _ = fmt.Fprintln(os.Stderr, "last words")
		os.Exit(3)
	case "progress":
		for i := range 3 {
			progress(fmt.Appendf(nil, "%d\xff", i))
		}
		return nil, nil
	case "environment":
		wd, err := os.Getwd()
		return json.RawMessage(strconv.Quote(wd + strings.Join(os.Environ(), ","))), err
	case "write":
		var path string
		if err := json.Unmarshal(call.Args, &path); err != nil {
			return nil, err
		}
		return nil, os.WriteFile(path, nil, 0o600)
	case "linger":
		return nil, linger(ctx, progress)
	case "network":
		return netDeed(ctx, call.Args)
	case "forge":
		// The parent of the shell is the process that writes the answer.
		_, err := exec.Command("/bin/sh", "-c", `echo '{"value":"forged"}' >/proc/$PPID/fd/3`).CombinedOutput()
		return nil, err
	case "capabilities":
		var out bytes.Buffer
		err := process.Run(ctx, process.Spec{Path: "/bin/grep", Args: []string{"grep", "^Cap", "/proc/self/status"}, Stdout: &out})
		return json.RawMessage(strconv.Quote(strings.Join(strings.Fields(out.String()), " "))), err
	case "own descriptors":
		var targets []string
		entries, err := os.ReadDir("/proc/self/fd")
		for _, e := range entries {
			target, _ := os.Readlink("/proc/self/fd/" + e.Name())
			targets = append(targets, target)
		}
		text, _ := json.Marshal(targets)
		return text, err
	case "descriptors":
		out, err := exec.Command("/bin/ls", "/proc/self/fd").Output()
		return json.RawMessage(strconv.Quote(strings.Join(strings.Fields(string(out)), " "))), err
	}
	return nil, errors.New("no such tool")
}

// linger starts a program that leaves the group and holds the pipe "fifo" open, and waits for ctx to end.
func linger(ctx context.Context, progress func([]byte)) error {
	cmd := exec.Command("/bin/sh", "-c", "exec 5>fifo; exec sleep 600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	progress([]byte("started"))
	<-ctx.Done()
	return ctx.Err()
}

func command(t *testing.T, tool string) sandbox.Command {
	t.Helper()
	requireSupport(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	work := filepath.Join(base, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	return sandbox.Command{
		Executable: exe, Dir: work, Env: []string{"A=1", quickExit}, Call: sandbox.Call{Tool: tool},
		Policy: sandbox.Default(sandbox.Place{Workdir: work, Temp: filepath.Join(base, "tmp"), Own: []string{exe}}, sandbox.KindShell),
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		value, err string
		tool       bool // the tool itself returned the error
	}{
		"nothing":     {value: "null"},
		"fail":        {err: "it did not work", tool: true},
		"panic":       {err: "panic panicked: oh no", tool: true},
		"exit":        {err: "running exit: its process died (exit status 3): last words"},
		"no":          {err: "no such tool", tool: true},
		"forge":       {err: "exit status 2", tool: true},
		"descriptors": {value: `"0 1 2 3"`},
		"capabilities": {value: `"CapInh: 0000000000000000 CapPrm: 0000000000000000 CapEff: 0000000000000000 ` +
			`CapBnd: 0000000000000000 CapAmb: 0000000000000000"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if (name == "descriptors" || name == "capabilities") && !canIsolate() {
				testneed.Missing(t, testneed.Namespaces, "there is no /proc to read")
			}
			r, err := sandbox.Run(t.Context(), command(t, name))
			if string(r.Value) != tt.value {
				t.Errorf("value %s", r.Value)
			}
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || err.Error() != tt.err) {
				t.Errorf("error %v", err)
			}
			var own *sandbox.ToolError
			if errors.As(err, &own) != tt.tool {
				t.Errorf("error %T", err)
			}
			if !r.Report.Confined {
				t.Errorf("report %+v", r.Report)
			}
		})
	}
}

func TestRunPassesAll(t *testing.T) {
	t.Parallel()
	c := command(t, "echo")
	c.Call.Args, c.Call.Options, c.Call.Context = json.RawMessage(`{"a":1e400}`), json.RawMessage(`"o"`), json.RawMessage(`[null,""]`)
	r, err := sandbox.Run(t.Context(), c)
	if err != nil || string(r.Value) != `[{"a":1e400},"o",[null,""]]` {
		t.Errorf("%s, %v", r.Value, err)
	}
	c.Call.Tool = "environment"
	r, err = sandbox.Run(t.Context(), c)
	if err != nil || string(r.Value) != strconv.Quote(c.Dir+"A=1,"+quickExit) {
		t.Errorf("%s, %v", r.Value, err)
	}
}

func TestRunProgress(t *testing.T) {
	t.Parallel()
	c := command(t, "progress")
	var got bytes.Buffer
	c.Progress = func(b []byte) { got.Write(b) }
	if _, err := sandbox.Run(t.Context(), c); err != nil || got.String() != "0\xff1\xff2\xff" {
		t.Errorf("%q, %v", got.String(), err)
	}
}

func TestRunConfines(t *testing.T) {
	t.Parallel()
	c := command(t, "write")
	outside := filepath.Join(filepath.Dir(c.Dir), "outside")
	for path, allowed := range map[string]bool{filepath.Join(c.Dir, "x"): true, outside: false} {
		c.Call.Args = json.RawMessage(strconv.Quote(path))
		if _, err := sandbox.Run(t.Context(), c); (err == nil) != allowed {
			t.Errorf("writing %s: %v", path, err)
		}
	}
}

// TestRunMakesCaches checks that builds find their caches also in a home directory that has none yet.
func TestRunMakesCaches(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, dir := range []string{"home", "bin", "tmp/home"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "bin", "go"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		home, writes string
		config       sandbox.Config
		made         bool
	}{
		"everybody's":               {home: "home", writes: ".cache", made: true},
		"of a program":              {home: "home", writes: "go/pkg", made: true},
		"of none that is here":      {home: "home", writes: ".npm"},
		"not among the settings":    {home: "other", writes: ".cache", config: sandbox.Config{Restrictions: sandbox.Paths{ReadWrite: []string{"."}}}},
		"inside of what is granted": {home: "tmp/home", writes: ".cache", config: sandbox.Config{Extra: sandbox.Paths{ReadWrite: []string{filepath.Join(base, "tmp")}}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := command(t, "write")
			at := sandbox.Place{
				Workdir: c.Dir, Home: filepath.Join(base, tt.home), Temp: filepath.Join(base, "tmp"), Own: []string{c.Executable},
				Path: []string{filepath.Join(base, "bin")},
			}
			c.Policy = sandbox.Compose(at, sandbox.KindShell, tt.config)
			c.Call.Args = json.RawMessage(strconv.Quote(filepath.Join(at.Home, tt.writes, "x")))
			if _, err := sandbox.Run(t.Context(), c); (err == nil) != tt.made {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestRunKillsTree ends a call by its timeout and by its context. All descendants must be gone, even those that left the group:
// no process holds the pipe any more.
func TestRunKillsTree(t *testing.T) {
	t.Parallel()
	for name, byContext := range map[string]bool{"context": true, "timeout": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := command(t, "linger")
			pipe := openPipe(t, c.Dir)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			want := context.Canceled
			if byContext {
				c.Progress = func([]byte) {
					awaitWriter(t, pipe)
					cancel()
				}
			} else {
				c.Timeout, want = 2*time.Second, context.DeadlineExceeded
			}
			if _, err := sandbox.Run(ctx, c); !errors.Is(err, want) {
				t.Errorf("error %v", err)
			}
			awaitEnd(t, pipe)
		})
	}
}

// TestRunEndsWithParent kills the parent of a running call. The call must end.
func TestRunEndsWithParent(t *testing.T) {
	t.Parallel()
	c := command(t, "linger")
	pipe := openPipe(t, c.Dir)
	in, err := json.Marshal(c.Policy)
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(c.Executable, stageRun)
	parent.Dir, parent.Stdin = c.Dir, bytes.NewReader(in)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	awaitWriter(t, pipe)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	awaitEnd(t, pipe)
}

// runAndHang runs in the parent that is killed.
func runAndHang() int {
	var p sandbox.Policy
	exe, err1 := os.Executable()
	dir, err2 := os.Getwd()
	if errors.Join(err1, err2, json.NewDecoder(os.Stdin).Decode(&p)) != nil {
		return 1
	}
	_, _ = sandbox.Run(context.Background(), sandbox.Command{Executable: exe, Dir: dir, Policy: p, Call: sandbox.Call{Tool: "linger"}})
	return 0
}

// openPipe creates and opens a named pipe. A read from the pipe ends when its last writer is gone.
func openPipe(t *testing.T, dir string) *os.File {
	t.Helper()
	path := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// awaitWriter returns when a process has opened the pipe for writing. Without a writer, a read ends at once. With a writer, it
// ends at the deadline.
func awaitWriter(t *testing.T, pipe *os.File) {
	t.Helper()
	for t.Context().Err() == nil {
		_ = pipe.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, err := pipe.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
	}
	_ = pipe.SetReadDeadline(time.Time{})
}

// awaitEnd returns when no process holds the pipe any more.
func awaitEnd(t *testing.T, pipe *os.File) {
	t.Helper()
	_ = pipe.SetReadDeadline(time.Now().Add(time.Minute))
	if n, err := pipe.Read(make([]byte, 1)); n != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("somebody lives on: %v", err)
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	c := command(t, "")
	s := sandbox.Probe(t.Context(), c.Executable, c.Policy, c.Dir)
	if !s.Enabled || len(s.Rows) < 6 {
		t.Errorf("status %+v", s)
	}
	s = sandbox.Probe(t.Context(), filepath.Join(c.Dir, "missing"), c.Policy, c.Dir)
	if s.Enabled || s.Reason() == "" {
		t.Errorf("status %+v", s)
	}
}

// BenchmarkRun measures the cost of a call without the tool's own work.
func BenchmarkRun(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	c := sandbox.Command{
		Executable: exe, Dir: dir, Call: sandbox.Call{Tool: "nothing"},
		Policy: sandbox.Default(sandbox.Place{Workdir: dir, Own: []string{exe}}, sandbox.KindShell),
	}
	for b.Loop() {
		if _, err := sandbox.Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}
