//go:build unix

package scripts

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// commands holds the commands of scripts beside the standard ones.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"await":      await,
	"greet":      greet,
	"leavesnone": leavesNone,
	"signal":     sendSignal,
	"aurapid":    auraPid,
	"pluginpid":  pluginPid,
}

// until polls until ok returns true.
func until(ts *testscript.TestScript, what string, ok func() bool) {
	if !polled(ok) {
		ts.Fatalf("waited %s for %s", harness.Patience, what)
	}
}

// polled calls ok until it returns true. It returns false if that takes too long.
func polled(ok func() bool) bool {
	deadline := time.Now().Add(harness.Patience)
	for !ok() {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
	return true
}

// await FILE [REGEXP] waits until the file exists and its content matches.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: await FILE [REGEXP]")
	}
	pattern := regexp.MustCompile("")
	if len(args) == 2 {
		pattern = regexp.MustCompile("(?m)" + args[1])
	}
	path := ts.MkAbs(args[0])
	until(ts, args[0], func() bool {
		b, err := os.ReadFile(path)
		return err == nil && pattern.Match(b)
	})
}

// greet VARIABLE serves "hello" on a port of this machine until the script ends, and sets the variable to the port.
func greet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: greet VARIABLE")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("hello\n"))
			_ = conn.Close()
		}
	}()
	_, port, err := net.SplitHostPort(l.Addr().String())
	ts.Check(err)
	ts.Setenv(args[0], port)
}

// leavesnone waits until no process works in the script's directory except the script's background processes, and none in aura's state, such as
// one that compiles plugins. It checks that aura's runtime directory is empty. If a process does not exit, the wait times out and the test fails.
func leavesNone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: leavesnone")
	}
	until(ts, "the end of all processes", func() bool {
		return len(harness.Strays(ts.Getenv("WORK"))) == 0 && len(harness.Strays(ts.Getenv("XDG_STATE_HOME"))) == 0
	})
	left, err := filepath.Glob(filepath.Join(ts.Getenv("XDG_RUNTIME_DIR"), "aura", "s-*"))
	ts.Check(err)
	if len(left) > 0 {
		ts.Fatalf("left behind: %v", left)
	}
}

// signal SIGNAL PIDFILE sends a signal to the process whose ID is in the file. If the signal stops the process, the command
// returns after all threads of the process have stopped.
func sendSignal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: signal SIGNAL PIDFILE")
	}
	sig, ok := map[string]syscall.Signal{
		"KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP, "INT": syscall.SIGINT, "TERM": syscall.SIGTERM,
	}[args[0]]
	if !ok {
		ts.Fatalf("unknown signal %s", args[0])
	}
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[1])))
	ts.Check(err)
	if pid <= 1 {
		ts.Fatalf("%d is no process of this script: a confined process has another number inside than outside", pid)
	}
	ts.Check(syscall.Kill(pid, sig))
	if sig == syscall.SIGSTOP {
		until(ts, "the process to stop", func() bool { return harness.Stopped(pid) })
	}
}

// aurapid FILE writes the ID of the only aura process that works in the script's directory.
func auraPid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: aurapid FILE")
	}
	found := 0
	until(ts, "a running aura", func() bool {
		for _, pid := range harness.Strays(ts.Getenv("WORK")) {
			cmdline, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			// A confined process of aura has a hidden first argument.
			args := bytes.Split(cmdline, []byte{0})
			if err == nil && strings.HasSuffix(string(args[0]), "aura") && !bytes.HasPrefix(args[1], []byte("__")) {
				found = pid
				return true
			}
		}
		return false
	})
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strconv.Itoa(found)), 0o600))
}

// pluginpid NAME FILE writes the process ID of a plugin in the only session of this script.
func pluginPid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pluginpid NAME FILE")
	}
	ts.Check(ts.Exec("aura", "plugins", "show", args[0], "--json"))
	pid, err := harness.PIDIn([]byte(ts.ReadFile("stdout")))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strconv.Itoa(pid)), 0o600))
}
