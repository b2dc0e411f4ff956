//go:build linux

package e2e

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/agent/session"
)

// devSource is a plugin that is developed. The placeholder is what differs between its versions.
const devSource = `package greeter

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

func BeforeChat(ctx context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	sdk.Log.Info("version %[1]s", "turn", c.Iteration)
	return sdk.Result{Message: "greetings of %[1]s"}, nil
}
`

// developed returns a project with the plugin greeter in version one.
func developed(t *testing.T) *project {
	t.Helper()
	p := newProject(t)
	p.plugin("greeter", "description: Greets\n", fmt.Sprintf(devSource, "one"))
	return p
}

// save saves another version of the plugin as many editors do: a new file takes the place of the old one.
func (p *project) save(source string) {
	p.t.Helper()
	const file = ".aura/plugins/greeter/main.go"
	p.write(file+".new", source)
	p.check(os.Rename(p.path(file+".new"), p.path(file)))
}

// interrupted ends aura plugins dev by Ctrl-C.
func (a *aura) interrupted() {
	a.t.Helper()
	a.signal(syscall.SIGINT)
	if code := a.wait(); code != 0 {
		a.t.Errorf("exit code %d\n%s", code, a.stderr())
	}
	a.noTrace()
}

// TestDevConversation saves a plugin while a conversation runs against it: a good save is reloaded, a broken one is reported with
// its place and the old version continues.
func TestDevConversation(t *testing.T) {
	t.Parallel()
	p := developed(t)
	in, typed, err := os.Pipe()
	p.check(err)
	t.Cleanup(func() { _ = typed.Close() })
	say := func(line string) {
		_, err := typed.WriteString(line + "\n")
		p.check(err)
	}
	cmd := p.command("plugins", "dev", "greeter", "hello")
	cmd.Stdin = in
	a := p.startCommand(cmd)
	p.check(in.Close())
	p.await("stdout.txt", `(?m)^health ready: 4 calls, 0 errors`)
	// What the plugin logs comes on a way of its own.
	p.await("stdout.txt", `(?m)^log    info: version one turn=1$`)
	p.wants(p.stdout(), `(?m)^state  ready, pid \d+$`, `(?m)^call   BeforeChat: injected \(\S+\)$`, `(?m)^All done\.$`)

	p.save(strings.ReplaceAll(fmt.Sprintf(devSource, "broken"), "c.Iteration)", "c.Iteration"))
	p.await("stdout.txt", `(?m)^check  main\.go:10:\d+: error: .* \[syntax\]$`)
	p.wants(p.stdout(), `(?m)^saved  main\.go$`)
	say("again")
	p.await("stdout.txt", `(?m)^health ready: 5 calls`)
	p.until("five lines of the old version", func() bool { return strings.Count(string(p.stdout()), "version one") == 5 })
	if text := string(p.stdout()); strings.Contains(text, "reloaded") {
		t.Errorf("the old version does not continue:\n%s", text)
	}

	p.save(fmt.Sprintf(devSource, "two"))
	p.await("stdout.txt", `(?m)^reload reloaded: plugins 2 replaced \(greeter, witness\), \S+ after the save$`)
	say("again")
	p.await("stdout.txt", `(?m)^log    info: version two turn=1$`)
	p.await("stderr.txt", `(?m)^~ greeter: greetings of two$`)
	a.interrupted()
	if s := p.saved(); s.End == nil || s.End.Reason != session.ReasonInterrupted {
		t.Errorf("the session ended with %+v", s.End)
	}
}

// TestDevExit checks that the end of the input does not end the command, and that /exit does.
func TestDevExit(t *testing.T) {
	t.Parallel()
	p := developed(t)
	a := p.start("plugins", "dev", "greeter", "--json", "hello")
	p.await("stdout.txt", `"type":"plugin_health"`)
	p.save(fmt.Sprintf(devSource, "two"))
	p.await("stdout.txt", `"type":"plugin_saved",.*"plugin":"greeter","files":\["main.go"\]`)
	p.await("stdout.txt", `"type":"command",.*"name":"reload"`)
	p.save("package greeter\n\nfunc (")
	p.await("stdout.txt", `"type":"plugin_finding",.*"file":".*main.go","line":3,.*"rule":"syntax"`)
	a.interrupted()
	if code := p.start("plugins", "dev", "greeter", "/exit").wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.stderr())
	}
}

// TestDevScript checks that the prompts are sent again after each save, and that the script begins again.
func TestDevScript(t *testing.T) {
	t.Parallel()
	p := developed(t)
	p.write("talk.yaml", "turns: [{text: the first answer}, {text: the second answer}]\n")
	a := p.start("plugins", "dev", "greeter", "--script", "talk.yaml", "hello", "again")
	p.await("stdout.txt", `(?s)the first answer.*the second answer.*health ready: 2 calls`)
	p.save(fmt.Sprintf(devSource, "two"))
	p.await("stdout.txt", `(?s)saved  main\.go.*the first answer.*the second answer.*health ready: 2 calls`)
	p.await("stdout.txt", `version two turn=1`)
	a.interrupted()
}

// TestDevRecording replays a recording after each save: at first the same results, then differences.
func TestDevRecording(t *testing.T) {
	t.Parallel()
	p := developed(t)
	p.run("run", "--record", "hello")
	a := p.start("plugins", "dev", "greeter", "--recording", "hello")
	p.await("stdout.txt", `(?m)^replay 4 calls: 4 with the same result, 0 with another, 0 not repeated$`)
	p.wants(p.stdout(), `(?m)^replay call \d+, turn 1: BeforeChat: same$`)
	p.await("stdout.txt", `(?m)^log    info: version one turn=1$`)
	p.save("package greeter\n\nfunc (")
	p.await("stdout.txt", `(?m)^check  main\.go:3:`)
	p.save(fmt.Sprintf(devSource, "two"))
	p.await("stdout.txt", `(?m)^replay 4 calls: 0 with the same result, 4 with another, 0 not repeated$`)
	p.wants(p.stdout(), `(?m)^replay call \d+, turn 1: BeforeChat differs\n +Message: "?greetings of one"? → "?greetings of two"?$`)
	a.interrupted()
}

// TestDevPinned checks that a save needs consent if the user agreed to the files as they were, and that aura says what to do.
func TestDevPinned(t *testing.T) {
	t.Parallel()
	p := developed(t)
	p.run("trust", "--pinned")
	cmd := p.command("plugins", "dev", "greeter", "hello")
	cmd.Env = append(cmd.Env, "AURA_TRUST=")
	a := p.startCommand(cmd)
	p.await("stdout.txt", `(?m)^health ready: 4 calls`)
	p.save(fmt.Sprintf(devSource, "two"))
	p.await("stderr.txt", `everything stays as it was: .* is not trusted: files that you agreed to are different now: .*main\.go`)
	p.await("stderr.txt", `--trust +trust it for this run`)
	p.await("stderr.txt", `aura trust +trust this directory from now on`)
	a.interrupted()
	if strings.Contains(string(p.stdout()), "reloaded") {
		t.Errorf("the plugin was reloaded:\n%s", p.stdout())
	}
}

// TestDevTerminal develops a plugin on a terminal: a question is answered there, then a line is typed, and Ctrl-C ends the command.
func TestDevTerminal(t *testing.T) {
	t.Parallel()
	p := developed(t)
	p.write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: ['Bash:touch *']}}\n")
	p.write(".aura/config/talk.yaml", "turns:\n  - tool_calls: [{name: Bash, arguments: {command: touch made}}]\n  - text: The first.\n  - text: The second.\n")
	d := p.talk("", "xterm", "plugins", "dev", "greeter")
	d.answer(`state  ready, pid \d+`, "hello\n")
	d.answer(asks, "y\n")
	d.answer(`The first\.[\s\S]*health ready: 2 calls`, "again\n")
	d.answer(`The second\.[\s\S]*health ready: 3 calls`, "\x03")
	d.end(`state  stopped`)
	if !p.has("made") {
		t.Error("the approved call did not run")
	}
}
