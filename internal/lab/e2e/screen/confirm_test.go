//go:build linux

package screen

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// dialogue is an aura that runs on a terminal, with a user who waits for questions and answers them.
type dialogue struct {
	*harness.Aura
	screen *os.File
	// seen is how much of what the terminal showed the user has read, in bytes.
	seen int
}

// talk starts aura on a terminal. The keys ahead are typed before aura starts.
func talk(p *harness.Project, ahead, term string, args ...string) *dialogue {
	p.T.Helper()
	screen, tty, err := pty.Open()
	p.Check(err)
	p.T.Cleanup(func() { _ = screen.Close(); _ = tty.Close() })
	p.Check(pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: 200}))
	cmd := p.Command(args...)
	if term != "" {
		cmd.Env = append(cmd.Env, "TERM="+term)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
	record, err := os.Create(p.Path("stderr.txt"))
	p.Check(err)
	p.T.Cleanup(func() { _ = record.Close() })
	go func() { _, _ = record.ReadFrom(screen) }()
	_, err = screen.WriteString(ahead)
	p.Check(err)
	p.Await("stderr.txt", strings.ReplaceAll(ahead, "\n", "\r\n"))
	p.Check(cmd.Start())
	return &dialogue{Aura: p.Running(cmd), screen: screen}
}

// expect waits until the terminal shows a pattern that the user has not read yet.
func (d *dialogue) expect(pattern string) {
	d.T.Helper()
	re := regexp.MustCompile(pattern)
	d.Until(pattern+" on the terminal", func() bool {
		at := re.FindIndex(d.Read("stderr.txt")[d.seen:])
		if at != nil {
			d.seen += at[1]
		}
		return at != nil
	})
}

// answer waits for a question and types an answer.
func (d *dialogue) answer(question, typed string) {
	d.T.Helper()
	d.expect(question)
	_, err := d.screen.WriteString(typed)
	d.Check(err)
}

// end waits until aura has ended, and everything that it wrote is read.
func (d *dialogue) end(last string) {
	d.T.Helper()
	if code := d.Wait(); code != 0 {
		d.T.Errorf("exit code %d", code)
	}
	d.expect(last)
	d.NoTrace()
}

// has reports whether a file exists.
func has(p *harness.Project, name string) bool {
	_, err := os.Stat(p.Path(name))
	return err == nil
}

// asks is the end of the question whether a tool call may run.
const asks = `run it\? \[y\]es, \[N\]o, n REASON, \[s\]ession, \[a\]lways, \[e\]dit the pattern(?:, \[o\]utside)?: `

// TestConfirmSession approves calls for the session. aura does not ask for the same command again; it asks for another command, and
// shows its control characters by name.
func TestConfirmSession(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: ['Bash:touch *'], deny: ['Bash:touch denied*']}}\n")
	p.Write(".aura/config/talk.yaml", "turns:\n  - tool_calls:\n"+
		"      - {name: Bash, arguments: {command: touch made}}\n      - {name: Bash, arguments: {command: rm made}}\n"+
		"      - {name: Bash, arguments: {command: touch made}}\n      - {name: Bash, arguments: {command: touch denied}}\n"+
		"      - {name: Bash, arguments: {command: \"touch made\\e[2K\\rtouch harmless\"}}\n"+
		"  - text: That is all.\n")
	d := talk(p, "", "xterm", "run", "--without-plugins", "go")
	d.answer(`\? Bash touch made\x1b[\s\S]*`+asks, "session\n")
	d.answer(`\? Bash touch made<U\+001B>\[2K<U\+000D>touch harmless\x1b[\s\S]*always: Bash:touch made\[U\+001B\]\[2K\[U\+000D\]touch harmless \(this[\s\S]*`+asks, "n\n")
	d.end(`That is all`)
	if asked := bytes.Count(p.Stderr(), []byte("run it?")); asked != 2 {
		t.Errorf("asked %d times:\n%s", asked, p.Stderr())
	}
	if !has(p, "made") || has(p, "denied") {
		t.Error("the wrong calls ran")
	}
}

// TestConfirmAlways approves calls of a project for good, with a pattern that the user edits. Later sessions do not ask, even without
// a terminal, until the approval is removed.
func TestConfirmAlways(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: ['Bash:touch *']}}\n")
	p.Write(".aura/config/talk.yaml", "turns:\n  - tool_calls:\n"+
		"      - {name: Bash, arguments: {command: touch made}}\n      - {name: Bash, arguments: {command: touch too}}\n"+
		"  - text: That is all.\n")
	d := talk(p, "", "", "run", "--without-plugins", "go")
	d.answer(`always: Bash:touch made \(this exact command\)\r\n  `+asks, "e\n")
	d.answer(`  pattern: `, "Bash:rm *\n")
	d.answer(`! Bash:rm \*: the pattern does not cover this call[\s\S]*always: Bash:touch made \(this exact command\)\r\n  `+asks, "e Bash:touch *\n")
	d.answer(`always: Bash:touch \*\r\n  `+asks, "always\n")
	d.end(`That is all`)
	for i, row := range []struct {
		args []string
		want string
		runs bool
	}{
		{[]string{"run", "go", "/policy"}, `(?m)^  1  Bash:touch \*  \(lifts rule Bash:touch \*, since \d{4}-\d\d-\d\d\)$`, true},
		{[]string{"approvals"}, `(?m)^1 +Bash:touch \* +Bash:touch \* +built-in +/.* +\d{4}-`, false},
		{[]string{"approvals", "list", "--json"}, `"tool": "Bash",\s+"source": "built-in",\s+"rule": "Bash:touch \*",\s+"dir": ".*",\s+"pattern": "Bash:touch \*",\s+"given"`, false},
		{[]string{"approvals", "rm", "1"}, `^removed the approval of Bash:touch \*\n$`, false},
		{[]string{"run", "go", "/policy"}, `confirm means deny\n$`, false},
		{[]string{"approvals"}, `^no tool calls or hosts are approved for good in this project\n$`, false},
	} {
		p.Check(os.RemoveAll(p.Path("made")))
		out, err := p.Command(row.args...).Output()
		p.Check(err)
		p.Wants(out, row.want)
		if has(p, "made") != row.runs {
			t.Errorf("session %d ran the call: %v", i+1, !row.runs)
		}
	}
	if err := p.Command("approvals", "rm", "1").Run(); err == nil {
		t.Error("an approval was removed that does not exist")
	}
}

// TestConfirmDiff asks about an edit. The question shows the change as a diff, with control characters by name.
func TestConfirmDiff(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write("a.txt", "one\ntwo\n")
	p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: [Write]}}\n")
	p.Write(".aura/config/talk.yaml", "turns:\n  - tool_calls: [{name: Write, arguments: {path: a.txt, content: \"one\\n2\\e[2K\\n\"}}]\n  - text: That is all.\n")
	d := talk(p, "", "", "run", "--without-plugins", "go")
	d.answer(`\? Write a\.txt\r\n  --- a/a\.txt\r\n  \+\+\+ b/a\.txt\r\n  @@ -1,2 \+1,2 @@\r\n   one\r\n  -two\r\n  \+2<U\+001B>\[2K\r\n`+
		`  rule "Write" of features [\s\S]*always: Write:\./ \(Write of files in \./\)[\s\S]*`+asks, "no keep it\n")
	d.end(`the user said no: keep it[\s\S]*That is all`)
	if text := p.Read("a.txt"); string(text) != "one\ntwo\n" {
		t.Errorf("the file is now %q", text)
	}
}

// TestConfirmJSON answers a question of aura run --json. The answer is an event.
func TestConfirmJSON(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: [Bash]}}\n")
	p.Write(".aura/config/talk.yaml", "turns:\n  - tool_calls: [{name: Bash, arguments: {command: touch made}}, {name: Bash, arguments: {command: touch too}}]\n  - text: That is all.\n")
	d := talk(p, "", "", "run", "--json", "--without-plugins", "go")
	d.answer(asks, "e Bash:touch m*\n")
	d.answer(asks, "s\n")
	d.expect(`"type":"approval".*"name":"Bash","arguments":\{"command":"touch made"\},"rule":"Bash","by":"features \(.*\)","decision":"session","pattern":"Bash:touch m\*"\}`)
	d.answer(asks, "n use make\n")
	d.expect(`"type":"approval".*"arguments":\{"command":"touch too"\},"rule":"Bash","by":"features \(.*\)","decision":"no","reason":"use make"\}`)
	d.end(`That is all`)
	if !has(p, "made") || has(p, "too") {
		t.Error("the wrong calls ran")
	}
}

// TestConfirm answers, on a terminal, the question whether a tool call may run.
func TestConfirm(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, ahead, typed string
		runs               bool
		told               string
	}{
		{"yes", "", "y\n", true, ""},
		{"in full", "", "Yes\n", true, ""},
		{"this session", "", "s\n", true, ""},
		{"always", "", "a\n", true, ""},
		{"no", "", "n\n", false, "the user said no"},
		{"no with a reason", "", "n use make\n", false, "the user said no: use make"},
		{"nothing", "", "\n", false, "the user said no"},
		{"something else", "", "yeah, why not\n", false, "the user said no"},
		{"yes and more", "", "y but not today\n", false, "the user said no"},
		{"end of input", "", "\x04", false, "the user said no"},
		{"yes before the question", "y\n", "n\n", false, "the user said no"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: ['Bash:touch *']}}\n")
			p.Write(".aura/config/talk.yaml", "turns:\n"+
				"  - tool_calls: [{name: Bash, arguments: {command: 'echo \"a  b\" > made; touch made'}}, {name: Bash, arguments: {command: touch too}}]\n"+
				"  - text: That is all.\n")
			d := talk(p, row.ahead, "", "run", "--without-plugins", "go")
			d.answer(`\? Bash echo "a  b" > made; touch made\r\n  rule "Bash:touch \*" of features \(\.aura/config/features/tools\.yaml\) requires confirmation\r\n`+
				`  approve for the session or always: Bash:echo "a  b" > made; touch made \(this exact command\)\r\n  `+asks, row.typed)
			// aura asks about the second call separately.
			d.answer(`\? Bash touch too\r\n[\s\S]*`+asks, "n\n")
			d.end(`That is all`)
			if has(p, "made") != row.runs {
				t.Errorf("the call ran: %v", !row.runs)
			}
			if has(p, "too") {
				t.Error("the second call ran though the answer was no")
			}
			p.Wants(p.Stderr(), row.told+`\r\n`)
		})
	}
}

// TestConfirmHost edits the pattern in the question about a connection, and types keys before it. TestHostAnswers gives the other answers.
func TestConfirmHost(t *testing.T) {
	t.Parallel()
	if harness.Bare() {
		testneed.Missing(t, testneed.Namespaces, "rules for the network need them")
	}
	for _, row := range []struct {
		name, ahead, typed string
		// verdict and rule are those of the log, and kept the approvals that are listed.
		verdict, rule, kept string
	}{
		{"edited", "", "e sandbox.network:*.invalid:*\na\n", "failed", "looking up ask.invalid", `"sandbox.network:*.invalid:*"`},
		{"wrongly edited", "", "e sandbox.network:other.invalid\nn\n", "refused", "the user said no", ""},
		{"keys typed ahead", strings.Repeat("y\na\n", 500), "n\n", "refused", "the user said no", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			p.Write(".aura/config/sandbox/sandbox.yaml", "sandbox: {network: {ask: true}}\n")
			p.Write(".aura/config/talk.yaml", "turns:\n"+
				"  - tool_calls: [{name: Bash, arguments: {command: 'exec 3<>/dev/tcp/ask.invalid/80; cat <&3; exec 4<>/dev/tcp/ask.invalid/80; cat <&4'}}]\n"+
				"  - tool_calls: [{name: Bash, arguments: {command: 'exec 3<>/dev/tcp/ask.invalid/80; cat <&3'}}]\n"+
				"  - text: That is all.\n")
			d := talk(p, row.ahead, "", "run", "--without-plugins", "go")
			question := `\? connect to ask\.invalid:80\r\n  for Bash: exec 3<>[^\n]*\r\n[\s\S]*?allow it\? \[y\]es, \[N\]o, n REASON, \[s\]ession, \[a\]lways, \[e\]dit the pattern(?:, \[o\]utside)?: `
			for i, line := range strings.SplitAfter(strings.TrimSuffix(row.typed, "\n"), "\n") {
				if i > 0 {
					question = `allow it\? [^\n]*: `
				}
				d.answer(question, strings.TrimSuffix(line, "\n")+"\n")
			}
			d.end(`That is all`)
			log := said(p, "sandbox", "log", "--json")
			if n := strings.Count(log, `"verdict"`); n != 3 {
				t.Errorf("%d connections in the log, want 3: %s", n, log)
			}
			p.Wants([]byte(log), `"verdict": "`+row.verdict+`",\n +"rule": "`+row.rule)
			if n := strings.Count(string(p.Stderr()), "? connect to"); n != 1 {
				t.Errorf("%d questions, want one: what was refused, or allowed for the session, is not asked about again", n)
			}
			approvals := said(p, "approvals", "--json")
			if row.kept == "" && strings.Contains(approvals, "ask.invalid") || !strings.Contains(approvals, row.kept) {
				t.Errorf("approvals %s", approvals)
			}
			if row.kept != "" {
				p.Wants([]byte(said(p, "approvals", "rm", "1")), "removed the approval of sandbox.network:")
			}
		})
	}
}

// TestConfirmPlan gives aura run a plan on a terminal: it is refused with a reason first, and then accepted.
func TestConfirmPlan(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	call := "  - tool_calls: [{name: Plan, arguments: {plan: \"1. Write **made**.\"}}]\n"
	p.Write(".aura/config/talk.yaml", "turns:\n"+call+call+"  - tool_calls: [{name: Write, arguments: {path: made, content: x}}]\n  - text: That is all.\n")
	d := talk(p, "", "xterm", "run", "--without-plugins", "--mode", "plan", "go")
	const accepts = `accept it\? \[1\] yes, mode ask, \[2\] yes, mode edit, \[3\] yes, mode auto, \[N\]o, n REASON: `
	d.answer(`\? Plan[\s\S]*Write [\s\S]*`+accepts, "n too short\n")
	d.answer(`the user said no: too short[\s\S]*`+accepts, "2\n")
	d.end(`That is all`)
	if !has(p, "made") {
		t.Error("the accepted plan was not carried out")
	}
}
