//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// TestLateRegistration checks that an extension learns of what it registers too late.
func TestLateRegistration(t *testing.T) {
	t.Parallel()
	p, _ := extension(t, `
def register(api):
    @api.on("session_start")
    def begin(event, ctx):
        api.on("session_start")(lambda event, ctx: print("in time"))
        api.on("tool_call")(print)
        api.tool("late", "", {})(print)
        api.command("late")(print)
`)
	p.hook(t, "SessionStart", sdk.SessionStartContext{})
	p.hook(t, "SessionStart", sdk.SessionStartContext{})
	for _, what := range []string{"the handler of tool_call", "the tool late", "the command late"} {
		p.stderr.await(t, "[warn] "+what+" is never called: register it in register()\n")
	}
	p.stderr.await(t, "in time\n")
}

// TestThreads checks that a thread of an extension can send messages and read the session.
func TestThreads(t *testing.T) {
	t.Parallel()
	s := newServices()
	p, _ := loaded(t, python(t, filepath.Join(unpack(t, `
-- ext.py --
import asyncio, threading

def register(api):
    heard = asyncio.Event()

    @api.events.on("thread:done")
    async def done(payload):
        assert threading.current_thread() is threading.main_thread()
        heard.set()

    @api.tool("work", "", {"type": "object"})
    async def work(ctx):
        def run():
            api.events.emit("thread:done", len(ctx.session.messages))
        threading.Thread(target=run).start()
        await heard.wait()
        return "heard"
`), "ext.py"), nil), s)
	out, err := p.Execute(t.Context(), shared.ToolCall{Tool: "work", Context: called()})
	if err != nil || out != "heard" {
		t.Errorf("got %q, %v", out, err)
	}
	s.await(t, func() bool { return len(s.emitted) == 1 })
	want(t, s.emitted[0], "thread:done 2")
}

// TestSynchronous checks that synchronous functions of an extension run in threads: they run side by side, may run a loop of their own, and
// events reach the extension while a tool blocks.
func TestSynchronous(t *testing.T) {
	t.Parallel()
	p, exports := extension(t, `
import asyncio, threading

def register(api):
    four, heard = threading.Barrier(4), threading.Event()

    @api.tool("together", "", {"type": "object"})
    def together():
        four.wait(50)
        return "together"

    @api.tool("listen", "", {"type": "object"})
    def listen():
        print("listens")
        return str(heard.wait(50))

    @api.events.on("other:news")
    def news(payload):
        heard.set()

    @api.events.on("own:news")
    def inline(payload):
        payload.append(threading.current_thread() is threading.main_thread())

    @api.tool("emit", "", {"type": "object"})
    def emit():
        seen = []
        api.events.emit("own:news", seen)
        return str(seen)

    @api.on("tool_call")
    def guard(event, ctx):
        async def reason():
            return "from a loop of its own"
        return api.block(asyncio.run(reason()))

    @api.command("loop")
    def loop(args, ctx):
        async def log():
            ctx.logger.info("logged %s", args)
        asyncio.run(log())
`)
	if slices.ContainsFunc(exports.Tools, func(t shared.ToolExport) bool { return !t.Parallel }) {
		t.Errorf("tools do not run side by side: %+v", exports.Tools)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { want(t, p.tool(t, "together", nil), "together") })
	}
	group.Go(func() { want(t, p.tool(t, "listen", nil), "True") })
	p.stderr.await(t, "listens\n")
	payload, err := shared.EncodePayload(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Event(t.Context(), shared.EventCall{Name: "other:news", Payload: payload}); err != nil {
		t.Error(err)
	}
	group.Wait()
	// Handlers of the own bus run before emit returns, in the thread that emits.
	want(t, p.tool(t, "emit", nil), "[False]")
	want(t, p.guard(t, "bash", nil), "from a loop of its own")
	out, err := p.Command(t.Context(), shared.CommandCall{Name: "loop", Args: "this"})
	if err != nil || out.Output != "logged this" {
		t.Errorf("got %+v, %v", out, err)
	}
}

// TestGuestOnce runs a tool of an extension in children that are started for one call each. aura keeps what the tool writes to the
// metadata of the session, and passes its events on.
func TestGuestOnce(t *testing.T) {
	t.Parallel()
	s := newServices()
	spec := pythonSpec(t, filepath.Join(unpack(t, `
-- ext.py --
def register(api):
    @api.tool("count", "", {"type": "object"})
    def count(step, ctx):
        n = ctx.session.metadata.get("n", 0) + step
        ctx.session.metadata["n"] = n
        api.events.emit("count:done", n)
        return f"counted {n}"
`), "ext.py"))
	spec.Once = true
	for _, text := range []string{"counted 3", "counted 6"} {
		input, err := shared.OnceCall{Tool: "count", Context: called(), Args: map[string]any{"step": 3}, Timeout: time.Minute}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		answers := once(t, spec, input, s)
		for _, text := range []string{"", text} {
			got, err := answers.Next(t.Context())
			if err != nil || got.Err() != nil || got.Output != text {
				t.Fatalf("got %+v, %v, want %q", got, err, text)
			}
		}
	}
	want(t, strings.Join(s.emitted, ", "), "count:done 3, count:done 6")
}

// once starts a child for one call and returns what it answers. Its requests are served.
func once(t *testing.T, spec shared.LaunchSpec, input []byte, s shared.Services) *shared.OnceAnswers {
	t.Helper()
	launchR, launchW, err1 := os.Pipe()
	lifelineR, lifelineW, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary)
	cmd.ExtraFiles = []*os.File{lifelineR, launchR}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err1 := cmd.StdoutPipe()
	in, err2 := cmd.StdinPipe()
	err := errors.Join(err1, err2)
	if err == nil {
		err = cmd.Start()
	}
	if err = errors.Join(err, launchR.Close(), lifelineR.Close(), spec.Encode(launchW), launchW.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = lifelineW.Close()
		_ = cmd.Wait()
	})
	if _, err := in.Write(input); err != nil {
		t.Fatal(err)
	}
	answers := shared.NewOnceAnswers(out)
	answers.Serve(s, in)
	return answers
}

// TestTaskVariables checks that the variables of a call are in the environment.
func TestTaskVariables(t *testing.T) {
	t.Parallel()
	p, _ := extension(t, "import os\n\ndef register(api):\n    @api.tool('env', '', {'type': 'object'})\n    def env():\n        return os.environ.get('TASK')\n")
	out, err := p.Execute(t.Context(), shared.ToolCall{Tool: "env", Env: map[string]string{"TASK": "build"}})
	if err != nil || out != "build" {
		t.Errorf("got %q, %v", out, err)
	}
}
