//go:build linux

package screen

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/lab/e2e/harness"
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
func developed(t *testing.T) *harness.Project {
	t.Helper()
	p := harness.NewProject(t)
	p.Plugin("greeter", "description: Greets\n", fmt.Sprintf(devSource, "one"))
	return p
}

// save saves another version of the plugin as many editors do: a new file takes the place of the old one.
func save(p *harness.Project, source string) {
	p.T.Helper()
	const file = ".aura/plugins/greeter/main.go"
	p.Write(file+".new", source)
	p.Check(os.Rename(p.Path(file+".new"), p.Path(file)))
}

// interrupted ends aura plugins dev by Ctrl-C.
func interrupted(a *harness.Aura) {
	a.T.Helper()
	a.Signal(syscall.SIGINT)
	if code := a.Wait(); code != 0 {
		a.T.Errorf("exit code %d\n%s", code, a.Stderr())
	}
	a.NoTrace()
}

// TestDevConversation saves a plugin while a conversation runs against it: a good save is reloaded, a broken one is reported with
// its place and the old version continues.
func TestDevConversation(t *testing.T) {
	t.Parallel()
	p := developed(t)
	in, typed, err := os.Pipe()
	p.Check(err)
	t.Cleanup(func() { _ = typed.Close() })
	say := func(line string) {
		_, err := typed.WriteString(line + "\n")
		p.Check(err)
	}
	cmd := p.Command("plugins", "dev", "greeter", "hello")
	cmd.Stdin = in
	a := p.StartCommand(cmd)
	p.Check(in.Close())
	p.Await("stdout.txt", `(?m)^health ready: 4 calls, 0 errors`)
	// What the plugin logs comes on a way of its own.
	p.Await("stdout.txt", `(?m)^log    info: version one turn=1$`)
	p.Wants(p.Stdout(), `(?m)^state  ready, pid \d+$`, `(?m)^call   BeforeChat: injected \(\S+\)$`, `(?m)^All done\.$`)

	save(p, strings.ReplaceAll(fmt.Sprintf(devSource, "broken"), "c.Iteration)", "c.Iteration"))
	p.Await("stdout.txt", `(?m)^check  main\.go:10:\d+: error: .* \[syntax\]$`)
	p.Wants(p.Stdout(), `(?m)^saved  main\.go$`)
	say("again")
	p.Await("stdout.txt", `(?m)^health ready: 5 calls`)
	p.Until("five lines of the old version", func() bool { return strings.Count(string(p.Stdout()), "version one") == 5 })
	if text := string(p.Stdout()); strings.Contains(text, "reloaded") {
		t.Errorf("the old version does not continue:\n%s", text)
	}

	save(p, fmt.Sprintf(devSource, "two"))
	p.Await("stdout.txt", `(?m)^reload reloaded: plugins 2 replaced \(greeter, witness\), \S+ after the save$`)
	say("again")
	p.Await("stdout.txt", `(?m)^log    info: version two turn=1$`)
	p.Await("stderr.txt", `(?m)^~ greeter: greetings of two$`)
	interrupted(a)
	if s := p.Saved(); s.End == nil || s.End.Reason != session.ReasonInterrupted {
		t.Errorf("the session ended with %+v", s.End)
	}
}

// TestDevExit checks that the end of the input does not end the command, and that /exit does.
func TestDevExit(t *testing.T) {
	t.Parallel()
	p := developed(t)
	a := p.Start("plugins", "dev", "greeter", "--json", "hello")
	p.Await("stdout.txt", `"type":"plugin_health"`)
	save(p, fmt.Sprintf(devSource, "two"))
	p.Await("stdout.txt", `"type":"plugin_saved",.*"plugin":"greeter","files":\["main.go"\]`)
	p.Await("stdout.txt", `"type":"command",.*"name":"reload"`)
	save(p, "package greeter\n\nfunc (")
	p.Await("stdout.txt", `"type":"plugin_finding",.*"file":".*main.go","line":3,.*"rule":"syntax"`)
	interrupted(a)
	if code := p.Start("plugins", "dev", "greeter", "/exit").Wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.Stderr())
	}
}

// TestDevScript checks that the prompts are sent again after each save, and that the script begins again.
func TestDevScript(t *testing.T) {
	t.Parallel()
	p := developed(t)
	p.Write("talk.yaml", "turns: [{text: the first answer}, {text: the second answer}]\n")
	a := p.Start("plugins", "dev", "greeter", "--script", "talk.yaml", "hello", "again")
	p.Await("stdout.txt", `(?s)the first answer.*the second answer.*health ready: 2 calls`)
	save(p, fmt.Sprintf(devSource, "two"))
	p.Await("stdout.txt", `(?s)saved  main\.go.*the first answer.*the second answer.*health ready: 2 calls`)
	p.Await("stdout.txt", `version two turn=1`)
	interrupted(a)
}

// TestDevRecording replays a recording after each save: at first the same results, then differences.
func TestDevRecording(t *testing.T) {
	t.Parallel()
	p := developed(t)
	p.Run("run", "--record", "hello")
	a := p.Start("plugins", "dev", "greeter", "--recording", "hello")
	p.Await("stdout.txt", `(?m)^replay 4 calls: 4 with the same result, 0 with another, 0 not repeated$`)
	p.Wants(p.Stdout(), `(?m)^replay call \d+, turn 1: BeforeChat: same$`)
	p.Await("stdout.txt", `(?m)^log    info: version one turn=1$`)
	save(p, "package greeter\n\nfunc (")
	p.Await("stdout.txt", `(?m)^check  main\.go:3:`)
	save(p, fmt.Sprintf(devSource, "two"))
	p.Await("stdout.txt", `(?m)^replay 4 calls: 0 with the same result, 4 with another, 0 not repeated$`)
	p.Wants(p.Stdout(), `(?m)^replay call \d+, turn 1: BeforeChat differs\n +Message: "?greetings of one"? → "?greetings of two"?$`)
	interrupted(a)
}

// TestDevPinned checks that a save needs consent if the user agreed to the files as they were, and that aura says what to do.
func TestDevPinned(t *testing.T) {
	t.Parallel()
	p := developed(t)
	p.Run("trust", "--pinned")
	cmd := p.Command("plugins", "dev", "greeter", "hello")
	cmd.Env = append(cmd.Env, "AURA_TRUST=")
	a := p.StartCommand(cmd)
	p.Await("stdout.txt", `(?m)^health ready: 4 calls`)
	save(p, fmt.Sprintf(devSource, "two"))
	p.Await("stderr.txt", `everything stays as it was: .* is not trusted: files that you agreed to are different now: .*main\.go`)
	p.Await("stderr.txt", `--trust +trust it for this run`)
	p.Await("stderr.txt", `aura trust +trust this directory from now on`)
	interrupted(a)
	if strings.Contains(string(p.Stdout()), "reloaded") {
		t.Errorf("the plugin was reloaded:\n%s", p.Stdout())
	}
}

// TestDevTerminal develops a plugin on a terminal: a question is answered there, then a line is typed, and Ctrl-C ends the command.
func TestDevTerminal(t *testing.T) {
	t.Parallel()
	p := developed(t)
	p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: ['Bash:touch *']}}\n")
	p.Write(".aura/config/talk.yaml", "turns:\n  - tool_calls: [{name: Bash, arguments: {command: touch made}}]\n  - text: The first.\n  - text: The second.\n")
	d := talk(p, "", "xterm", "plugins", "dev", "greeter")
	d.answer(`state  ready, pid \d+`, "hello\n")
	d.answer(asks, "y\n")
	d.answer(`The first\.[\s\S]*health ready: 2 calls`, "again\n")
	d.answer(`The second\.[\s\S]*health ready: 3 calls`, "\x03")
	d.end(`state  stopped`)
	if !has(p, "made") {
		t.Error("the approved call did not run")
	}
}
