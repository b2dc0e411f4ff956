//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// faulty is an extension with a tool that has the given body, and with a tool that answers. A body that begins with inLoop is asynchronous.
func faulty(body string) string {
	body, async := strings.CutPrefix(body, inLoop)
	def := "def"
	if async {
		def = "async def"
	}
	return `
import asyncio, ctypes, os, signal, socket, subprocess, sys, threading, time
from agent.extensions.api import BlockResult

def register(api):
    @api.tool("fault", "", {"type": "object"})
    ` + def + ` fault(ctx):
        ` + body + `

    @api.tool("alive", "", {"type": "object"})
    def alive():
        return "alive"
`
}

const inLoop = "async: "

// TestGuestFatal runs tools that end the interpreter. The child must end too, and print the reason.
func TestGuestFatal(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		want []string
		code int
	}{
		"os._exit":              {`sys.stderr.write("last words\n"); os._exit(3)`, []string{"last words\n"}, 3},
		"os._exit in a thread":  {`threading.Thread(target=lambda: os._exit(0)).start(); time.sleep(1000)`, nil, 0},
		"os._exit with a child": {`os.fork() or (os.closerange(0, 3), time.sleep(1000)); os._exit(6)`, nil, 6},
		"killed":                {`os.kill(os.getpid(), signal.SIGKILL); time.sleep(1000)`, []string{" was killed by SIGKILL\n"}, exitFailure},
		"segmentation fault":    {`ctypes.string_at(0)`, []string{" was killed by SIGSEGV\n"}, exitFailure},
		"os.execv":              {`os.execv("/bin/sh", ["sh", "-c", "echo instead; exit 4"])`, []string{"instead\n"}, 4},
		"closing the frames":    {`[os.close(fd) for fd in range(64, 80) if _pipe(fd)]; time.sleep(1000)`, []string{"closed the descriptor on which it answers\n"}, exitFailure},
		"garbage in the frames": {`[os.write(fd, b"\0\0\0\3abc") for fd in range(64, 80) if _pipe(fd)]; time.sleep(1000)`, []string{"was ended: reading a frame of the guest: invalid character 'a'"}, exitFailure},
		"a huge frame":          {`[os.write(fd, b"\xff\xff\xff\xff") for fd in range(64, 80) if _pipe(fd)]; time.sleep(1000)`, []string{"was ended: reading a frame of the guest: a frame has more than the limit of 64 MiB: 4294967295 bytes"}, exitFailure},
		"an answer to no call":  {`[os.write(fd, b"\0\0\0\x0b{\"id\":9999}") for fd in range(64, 80) if _pipe(fd)]; time.sleep(1000)`, []string{"it answers call 9999, which nobody made"}, exitFailure},
		"a strange request":     {`[os.write(fd, b"\0\0\0\x0c{\"ask\":\"me\"}") for fd in range(64, 80) if _pipe(fd)]; time.sleep(1000)`, []string{`"me" is nothing that a guest can ask`}, exitFailure},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := extension(t, faulty(tt.body)+`
import fcntl
def _pipe(fd):
    try:
        return fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY
    except OSError:
        return False
`)
			if got, err := p.Execute(t.Context(), shared.ToolCall{Tool: "fault"}); err == nil {
				t.Errorf("the call returned %q", got)
			} else if _, failed := errors.AsType[*shared.Failure](err); failed {
				t.Errorf("the call failed with less than the end of the process: %v", err)
			}
			last := p.dies(t)
			for _, want := range tt.want {
				if !strings.Contains(last, want) {
					t.Errorf("got  %s\nwant %s", last, want)
				}
			}
			if got := p.cmd.ProcessState.ExitCode(); got != tt.code {
				t.Errorf("exit code %d, want %d", got, tt.code)
			}
		})
	}
}

// TestGuestHarmless runs tools that misbehave without ending the interpreter. The next call must be answered.
func TestGuestHarmless(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body, want, log string
	}{
		"exception":              {`raise ValueError("no such fish")`, "error: ValueError: no such fish (ext.py:8)", "Traceback"},
		"exception without text": {`raise KeyError`, "error: KeyError (ext.py:8)", "Traceback"},
		"sys.exit":               {`sys.exit(5)`, "error: the extension called sys.exit(5), which aura does not permit", ""},
		"KeyboardInterrupt":      {`raise KeyboardInterrupt`, "error: the extension called KeyboardInterrupt, which aura does not permit", ""},
		"endless recursion":      {`fault = lambda: fault(); fault()`, "error: RecursionError: maximum recursion depth exceeded (ext.py:8)", ""},
		"print":                  {`print("on standard output")`, "", "on standard output\n"},
		"bytes on descriptor 1":  {`os.write(1, b"by number\n")`, "", "by number\n"},
		"closing descriptors":    {`[os.close(fd) for fd in (0, 1, 3, 4)]`, "", ""},
		"a thread without end":   {`threading.Thread(target=lambda: time.sleep(1000)).start(); return "started"`, "started", ""},
		"sys.exit in a thread":   {`threading.Thread(target=lambda: sys.exit(3)).start()`, "", ""},
		"sys.exit in a task":     {inLoop + `asyncio.get_running_loop().call_soon(sys.exit, 3)`, "", "SystemExit: 3"},
		"fork":                   {`return "child" if os.fork() == 0 else "parent"`, "parent", ""},
		"a group of errors":      {`raise BaseExceptionGroup("both", [SystemExit(1), ValueError("x")])`, "error: BaseExceptionGroup: both (2 sub-exceptions) (ext.py:8)", ""},
		"no module": {
			`import no_such_module.inner`,
			"error: ModuleNotFoundError: No module named 'no_such_module' (ext.py:8); PYTHON has no module 'no_such_module': install it with " +
				"`PYTHON -m pip install no_such_module`, if the package has the same name, or add the extension with `aura plugins add`, " +
				"which installs the dependencies that the extension declares", "",
		},
		"the insides of Aar": {
			`from agent.memory.session_store import SessionStore`,
			"error: ModuleNotFoundError: No module named 'agent.memory' (ext.py:8); agent.memory is a part of Aar that aura does not provide", "",
		},
		"a huge answer":       {`return "x" * (65 << 20)`, "error: the answer has 68157", ""},
		"text with surrogate": {`return "\udcff|\ud800"`, "error: ", ""},
		"stopping the loop":   {inLoop + `asyncio.get_running_loop().stop(); return "stopped"`, "stopped", ""},
		"a wrong type":        {`return 12`, "12", ""},
		"another type":        {`return {"a": None}`, "{'a': None}", ""},
		"signals ignored":     {inLoop + `signal.signal(signal.SIGTERM, signal.SIG_IGN)`, "", ""},
		"a child with pipes":  {`return subprocess.run("ls /proc/self/fd | tr '\\n' ' '", shell=True, capture_output=True, text=True, close_fds=False).stdout`, "0 1 2 3 ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "a child with pipes" {
				if _, err := os.Stat("/proc/self/fd"); err != nil {
					testneed.Missing(t, testneed.Linux, err)
				}
			}
			p, _ := extension(t, faulty(tt.body))
			program, _ := interpreter()
			got := strings.ReplaceAll(p.tool(t, "fault", nil), program, "PYTHON")
			if name == "a huge answer" || name == "text with surrogate" {
				got = got[:min(len(got), len(tt.want))]
			}
			if name != "text with surrogate" {
				want(t, got, tt.want)
			}
			want(t, p.tool(t, "alive", nil), "alive")
			p.stderr.await(t, tt.log)
			if strings.Count(p.handshake.String(), "\n") != 1 {
				t.Errorf("standard output was %q", p.handshake)
			}
		})
	}
}

// TestGuestHandlers checks that a handler that fails does not keep the next one from running, and what the call returns then.
func TestGuestHandlers(t *testing.T) {
	t.Parallel()
	p, _ := extension(t, `
import sys

def register(api):
    @api.on("tool_call")
    def first(event, ctx):
        if event.tool_name == "exit":
            sys.exit(1)
        raise RuntimeError("first is broken")

    @api.on("tool_call")
    def second(event, ctx):
        print("second saw", event.tool_name)
        return api.block("no") if event.tool_name == "bad" else None

    @api.on("tool_call")
    def third(event, ctx):
        print("third saw", event.tool_name)

    @api.on("before_turn")
    def turn(event, ctx):
        raise RuntimeError("turn is broken")
`)
	want(t, p.guard(t, "bad", nil), "no")
	want(t, p.guard(t, "good", nil), "error: RuntimeError: first is broken (ext.py:9)")
	want(t, p.guard(t, "exit", nil), "error: the extension called sys.exit(1), which aura does not permit")
	p.stderr.await(t, "second saw good\nthird saw good\n")
	if text := p.stderr.String(); strings.Contains(text, "third saw bad") || !strings.Contains(text, "[error] a handler of tool_call failed\n    Traceback") {
		t.Errorf("the log is %s", text)
	}
	messages := []sdk.Message{{ID: "m0001", Role: "system", Content: "s"}, {ID: "m0002", Role: "user", Content: "u"}}
	out, err := p.Hook(t.Context(), shared.HookCall{Point: "TransformMessages", Context: sdk.TransformContext{Messages: messages}})
	if got := fmt.Sprint(out); err != nil || got != fmt.Sprint(messages) {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestGuestLoad runs extensions that cannot be loaded. The reason is the answer to every call.
func TestGuestLoad(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ source, want string }{
		"no register":        {"x = 1\n", "ext.py has no function register(api): it is not an extension, or not a complete one"},
		"register is a text": {"register = 'x'\n", "ext.py has no function register(api): it is not an extension, or not a complete one"},
		"syntax":             {"def register(api:\n", "SyntaxError: '(' was never closed (ext.py, line 1)"},
		"exception":          {"def register(api):\n    raise OSError('full')\n", "OSError: full (ext.py:2)"},
		"asynchronous":       {"async def register(api):\n    raise OSError('full')\n", "OSError: full (ext.py:2)"},
		"sys.exit":           {"import sys\nsys.exit(0)\n", "the extension called sys.exit(0), which aura does not permit"},
		"module":             {"import httpx_of_nowhere\n", "ModuleNotFoundError: No module named 'httpx_of_nowhere' (ext.py:1); "},
		"insides of Aar":     {"from agent.extensions.mcp import bridge\n", "ImportError: aura does not provide agent.extensions.mcp: aura connects MCP servers itself; list them in config/mcp/*.yaml (ext.py:1)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := python(t, filepath.Join(unpack(t, "-- ext.py --\n"+tt.source), "ext.py"), nil)
			_, err1 := p.Load(t.Context())
			_, err2 := p.Execute(t.Context(), shared.ToolCall{Tool: "t"})
			for _, err := range []error{err1, err2} {
				failure, ok := errors.AsType[*shared.Failure](err)
				if !ok || failure.Kind != shared.FailureLoad || !strings.HasPrefix(failure.Message, tt.want) {
					t.Errorf("got  %v\nwant %s", err, tt.want)
				}
			}
		})
	}
}

// TestGuestMissing checks what a child reports that cannot start its guest.
func TestGuestMissing(t *testing.T) {
	t.Parallel()
	p := start(t, shared.LaunchSpec{Name: "mine", Dir: t.TempDir(), Guest: &shared.Guest{Program: "/nowhere/python3"}})
	_, err := p.Load(t.Context())
	failure, ok := errors.AsType[*shared.Failure](err)
	if !ok || failure.Kind != shared.FailureLoad || !strings.Contains(failure.Message, "starting /nowhere/python3: ") {
		t.Errorf("got %v", err)
	}
}

// TestGuestDeadline checks what a call returns at its deadline: an error if its handler never ends, and the answer of a handler that
// notices the cancellation.
func TestGuestDeadline(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		// want is the answer; empty for a call that is never answered.
		want string
	}{
		"busy":               {"def fault(ctx):\n        while True: pass", ""},
		"sleeping":           {"def fault(ctx):\n        import time; time.sleep(1000)", ""},
		"asleep in the loop": {"async def fault(ctx):\n        await asyncio.sleep(1000)", "error: the call was cancelled"},
		"waiting":            {"async def fault(ctx):\n        await ctx.signal.wait(); return 'in time'", "in time"},
		"looking":            {"def fault(ctx):\n        import time\n        while not ctx.signal.is_set(): time.sleep(.001)\n        return 'in time'", "in time"},
		"refusing":           {"async def fault(ctx):\n        try: await asyncio.sleep(1000)\n        except asyncio.CancelledError: return 'cleaned up'", "cleaned up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := extension(t, "import asyncio\n\ndef register(api):\n    @api.tool('fault', '', {'type': 'object'})\n    "+tt.body+"\n")
			ctx, cancel := context.WithTimeout(t.Context(), shared.Grace+100*time.Millisecond)
			defer cancel()
			got, err := p.Execute(ctx, shared.ToolCall{Tool: "fault"})
			if tt.want == "" {
				if status.Code(err) != codes.DeadlineExceeded {
					t.Errorf("got %q, %v", got, err)
				}
				// The call is still running, so aura will kill the child.
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
				defer cancel()
				if err := p.Quiesce(ctx); err == nil {
					t.Error("the call ended")
				}
				return
			}
			if err != nil {
				got = "error: " + err.Error()
			}
			want(t, got, tt.want)
		})
	}
}

// TestGuestCancel cancels one of several calls that wait.
func TestGuestCancel(t *testing.T) {
	t.Parallel()
	p, _ := extension(t, `
import asyncio

def register(api):
    @api.tool("wait", "", {"type": "object"})
    async def wait(name, ctx):
        print("waits:", name)
        await ctx.signal.wait()
        print("ends:", name)
        return name
`)
	one, cancelOne := context.WithCancel(t.Context())
	two, cancelTwo := context.WithCancel(t.Context())
	defer cancelTwo()
	ended := make(chan error, 2)
	for name, ctx := range map[string]context.Context{"one": one, "two": two} {
		go func() {
			_, err := p.Execute(ctx, shared.ToolCall{Tool: "wait", Args: map[string]any{"name": name}})
			ended <- err
		}()
	}
	p.stderr.await(t, "waits: one\n")
	p.stderr.await(t, "waits: two\n")
	cancelOne()
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("got %v", err)
	}
	p.stderr.await(t, "ends: one\n")
	if strings.Contains(p.stderr.String(), "ends: two") {
		t.Error("another call was cancelled")
	}
	cancelTwo()
	<-ended
	if err := p.Quiesce(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestGuestLifeline checks that the guest ends when aura is gone.
func TestGuestLifeline(t *testing.T) {
	t.Parallel()
	p, _ := extension(t, faulty(`os.fork() or time.sleep(1000); signal.pause()`))
	go func() { _, _ = p.Execute(context.Background(), shared.ToolCall{Tool: "fault"}) }()
	_ = p.lifeline.Close()
	p.dies(t)
	// The output ends when the last process that could write is gone.
}
