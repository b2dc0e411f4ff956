//go:build linux

package e2e

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestConfirmAlways answers "always" to the question whether a tool call may run. aura does not ask for the same command again;
// it asks for another command, and shows its control characters by name.
func TestConfirmAlways(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: ['Bash:touch *'], deny: ['Bash:touch denied*']}}\n")
	p.write(".aura/config/talk.yaml", "turns:\n  - tool_calls:\n"+
		"      - {name: Bash, arguments: {command: touch made}}\n      - {name: Bash, arguments: {command: rm made}}\n"+
		"      - {name: Bash, arguments: {command: touch made}}\n      - {name: Bash, arguments: {command: touch denied}}\n"+
		"      - {name: Bash, arguments: {command: \"touch made\\e[2K\\rtouch harmless\"}}\n"+
		"  - text: That is all.\n")
	screen, tty, err := pty.Open()
	p.check(err)
	t.Cleanup(func() { _ = screen.Close(); _ = tty.Close() })
	cmd := p.command("run", "--without-plugins", "go")
	cmd.Env = append(cmd.Env, "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
	record, err := os.Create(p.path("stderr.txt"))
	p.check(err)
	t.Cleanup(func() { _ = record.Close() })
	go func() { _, _ = record.ReadFrom(screen) }()
	p.check(cmd.Start())
	a := p.running(cmd)
	p.await("stderr.txt", `\? Bash touch made\x1b[\s\S]*\[a\]lways: `)
	_, err = screen.WriteString("always\n")
	p.check(err)
	p.await("stderr.txt", `\? Bash touch made<U\+001B>\[2K<U\+000D>touch harmless\x1b[\s\S]*\[a\]lways: `)
	_, err = screen.WriteString("n\n")
	p.check(err)
	if code := a.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.await("stderr.txt", `That is all`)
	if asked := bytes.Count(p.stderr(), []byte("run it?")); asked != 2 {
		t.Errorf("asked %d times:\n%s", asked, p.stderr())
	}
	if _, err := os.Stat(p.path("made")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(p.path("denied")); err == nil {
		t.Error("a denied call ran")
	}
	p.noTrace()
}

// TestConfirm answers, on a terminal, the question whether a tool call may run.
func TestConfirm(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, ahead, typed string
		runs               bool
	}{
		{"yes", "", "y\n", true},
		{"in full", "", "Yes\n", true},
		{"always", "", "a\n", true},
		{"no", "", "n\n", false},
		{"nothing", "", "\n", false},
		{"something else", "", "yeah, why not\n", false},
		{"end of input", "", "\x04", false},
		{"yes before the question", "y\n", "n\n", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: ['Bash:touch *']}}\n")
			p.write(".aura/config/talk.yaml", "turns:\n"+
				"  - tool_calls: [{name: Bash, arguments: {command: 'echo \"a  b\" > made; touch made'}}, {name: Bash, arguments: {command: touch too}}]\n"+
				"  - text: That is all.\n")
			screen, tty, err := pty.Open()
			p.check(err)
			t.Cleanup(func() { _ = screen.Close(); _ = tty.Close() })
			cmd := p.command("run", "--without-plugins", "go")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
			cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
			record, err := os.Create(p.path("stderr.txt"))
			p.check(err)
			t.Cleanup(func() { _ = record.Close() })
			go func() { _, _ = record.ReadFrom(screen) }()
			_, err = screen.WriteString(row.ahead)
			p.check(err)
			p.await("stderr.txt", strings.ReplaceAll(row.ahead, "\n", "\r\n"))
			p.check(cmd.Start())
			a := p.running(cmd)
			p.await("stderr.txt", `\? Bash echo "a  b" > made; touch made\r\n  rule "Bash:touch \*" requires confirmation; always means this exact command, until the session ends\r\n  run it\? \[y\]es, \[N\]o, \[a\]lways: `)
			_, err = screen.WriteString(row.typed)
			p.check(err)
			// aura asks about the second call separately.
			p.await("stderr.txt", `\? Bash touch too\r\n[\s\S]*run it\? \[y\]es`)
			_, err = screen.WriteString("n\n")
			p.check(err)
			if code := a.wait(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if _, err := os.Stat(p.path("made")); (err == nil) != row.runs {
				t.Errorf("the call ran: %v", err == nil)
			}
			if _, err := os.Stat(p.path("too")); err == nil {
				t.Error("the second call ran though the answer was no")
			}
			// Output of the terminal may not have reached the file yet.
			p.await("stderr.txt", `That is all`)
			p.wants(p.stderr(), "the user said no|asking for the confirmation")
			p.noTrace()
		})
	}
}
