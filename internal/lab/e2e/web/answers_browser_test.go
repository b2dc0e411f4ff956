//go:build linux

package web

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// keyboard is a terminal with a user. A file records what it shows.
type keyboard struct {
	*harness.Project

	screen *os.File
	record string
	// seen is how much of the record was read, in bytes.
	seen int
}

// onTerminal lets a command use a new terminal for its input and error output.
func onTerminal(p *harness.Project, cmd *exec.Cmd, record string) *keyboard {
	p.T.Helper()
	screen, tty, err := pty.Open()
	p.Check(err)
	p.T.Cleanup(func() { _ = screen.Close(); _ = tty.Close() })
	p.Check(pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: 200}))
	file, err := os.Create(p.Path(record))
	p.Check(err)
	p.T.Cleanup(func() { _ = file.Close() })
	go func() { _, _ = file.ReadFrom(screen) }()
	cmd.Stdin, cmd.Stderr = tty, tty
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
	return &keyboard{Project: p, screen: screen, record: record}
}

// shows waits until the terminal shows a pattern after what was read before.
func (k *keyboard) shows(pattern string) {
	k.T.Helper()
	k.Until(pattern+" in "+k.record, func() bool {
		at := regexp.MustCompile(pattern).FindIndex(k.Read(k.record)[k.seen:])
		if at != nil {
			k.seen += at[1]
		}
		return at != nil
	})
}

func (k *keyboard) types(keys string) {
	k.T.Helper()
	_, err := k.screen.WriteString(keys)
	k.Check(err)
}

// TestWebAnswers answers the questions of a session from its page while its own terminal asks them too: an approval by the page first, one by the
// terminal first, and a connection, whose program sees no socket of the session while the question waits.
func TestWebAnswers(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	b := browse(p)
	p.Check(os.RemoveAll(p.Path(".aura/plugins")))
	confined := !harness.Bare()
	connect := "echo no socket"
	if confined {
		p.Write(".aura/config/sandbox/sandbox.yaml", "sandbox: {unix_sockets: true, network: {ask: true}}\n")
		connect = "{ exec 3<>/dev/tcp/ask.invalid/80; cat <&3; } 2>/dev/null & until [ -e asked ]; do sleep 0.1; done; ls $(cat runtime.txt)/aura/s-*/control || echo no socket; wait"
	}
	p.Write("runtime.txt", p.Runtime)
	p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: ['Bash:touch *']}}\n")
	call := func(command string) string {
		return "  - tool_calls: [{name: Bash, arguments: {command: '" + command + "'}}]\n"
	}
	p.Script(call("touch first") + call("touch second") + call("touch third") + call(connect) + "  - text: That is all.\n")
	run := p.Command("run", "go")
	session := onTerminal(p, run, "stderr.txt")
	out, err := os.Create(p.Path("stdout.txt"))
	p.Check(err)
	run.Stdout = out
	p.Check(run.Start())
	p.Check(out.Close())
	running := p.Running(run)
	cmd := p.Command("web", "--control")
	control := onTerminal(p, cmd, "terminal.txt")
	s := serving(p, cmd)

	press := func(answer string) {
		t.Helper()
		b.eval(`document.querySelector('button[name=answer][value=` + answer + `]').click()`)
	}
	waits := func(about string) { t.Helper(); b.shows(text("#questions") + ".includes('" + about + "')") }
	answered := func(what string) { t.Helper(); b.shows(text("#answered") + ".includes('" + what + "')") }
	b.do(chromedp.Navigate("http://" + s.addr + "/#" + s.token))
	b.shows(text("#sessions") + ".includes('Bash touch first')")
	b.eval("document.querySelector('#sessions a').click()")
	waits("Bash touch first")
	if axe, err := os.ReadFile(axeFile); err == nil {
		b.looks("question-control", string(axe))
	}
	// The page is first. A key that was pressed before the question counts for nothing.
	session.shows(`\? Bash touch first[\s\S]*run it\? [^\n]*: `)
	control.types("y")
	press("once")
	control.shows(`\? A page asks to answer a question of session[\s\S]*Bash touch first[\s\S]*The answer is: once\r?\n  y does it, every other key refuses: `)
	if there(p, "first") {
		t.Error("the call ran before the key")
	}
	control.types("y")
	answered("answered (once)")
	session.shows(`the question was answered by aura web: once`)
	// The terminal is first, with the reader of the question that was withdrawn.
	session.shows(`\? Bash touch second[\s\S]*run it\? [^\n]*: `)
	waits("Bash touch second")
	press("no")
	control.shows(`Bash touch second[\s\S]*The answer is: no\r?\n  y does it, every other key refuses: `)
	session.types("y\n")
	session.shows(`\? Bash touch third[\s\S]*run it\? [^\n]*: `)
	control.shows(`no longer asked`)
	answered("the question is no longer open")
	// A no of the terminal refuses the request, and the question stays.
	waits("Bash touch third")
	press("always")
	control.shows(`The answer is: always\r?\n  It approves: Bash:touch third \(this exact command\)\r?\n  y does it, every other key refuses: `)
	control.types("n")
	answered("refused in the terminal")
	press("no")
	control.shows(`The answer is: no\r?\n  y does it, every other key refuses: `)
	control.types("y")
	answered("answered (no)")
	session.shows(`the question was answered by aura web: no`)
	if confined {
		session.shows(`\? connect to ask\.invalid:80[\s\S]*allow it\? [^\n]*: `)
		waits("connect to ask.invalid:80")
		p.Write("asked", "") // the program looks for the socket now, and its output is shown when the question ends
		press("no")
		control.shows(`connect to ask\.invalid:80[\s\S]*The answer is: no\r?\n  y does it, every other key refuses: `)
		control.types("y")
		answered("answered (no)")
		session.shows(`no socket[\s\S]*the question was answered by aura web: no`)
	}
	if code := running.Wait(); code != 0 || !strings.Contains(string(p.Read("stdout.txt")), "That is all.") {
		t.Errorf("the session ended with exit code %d: %s", code, p.Stderr())
	}
	for name, want := range map[string]bool{"first": true, "second": true, "third": false} {
		if there(p, name) != want {
			t.Errorf("%s is there: %v", name, !want)
		}
	}
	b.shows("!document.querySelector('#questions article')")
	b.faultsOnly("40") // the browser reports the refusals as failed requests
}

// there reports whether a project has a file.
func there(p *harness.Project, name string) bool {
	_, err := os.Stat(p.Path(name))
	return err == nil
}
