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
)

// lookTalk is a conversation with a change of a file and an answer in Markdown.
const lookTalk = `turns:
  - tool_calls: [{name: Write, arguments: {path: a.txt, content: "one\ntwo\n"}}, {name: Bash, arguments: {command: 'echo "a  b" > x; cat x'}}]
  - text: "# Title\n\nsome **bold** text with more words than fit into forty columns\n\n- item\n"
`

// TestTerminalLook checks what terminals of several kinds show.
func TestTerminalLook(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		environ []string
		wants   []string
		refuses []string
	}{
		"colours": {
			[]string{"TERM=xterm-256color"},
			[]string{
				`\x1b\[1m> Bash echo "a  b" > x; cat x\x1b\[0m\r\n`, `\| a  b\r\n`, `\x1b\[36m@@ -0,0 \+1,2 @@\x1b\[0m\r\n\x1b\[32m\+one\x1b\[0m\r\n`,
				`\x1b\[1;35mTitle\x1b\[0m\r\n\r\nsome \x1b\[1mbold\x1b\[0m text with more words than fit\r\ninto forty columns\r\n\r\n\x1b\[36m• \x1b\[0mitem\r\n$`,
			},
			[]string{`\*\*bold`, `"command"`},
		},
		"no colours": {
			[]string{"TERM=xterm-256color", "NO_COLOR=1"},
			[]string{`\r\n@@ -0,0 \+1,2 @@\r\n\+one\r\n`, `\x1b\[1mTitle\x1b\[0m\r\n\r\nsome \x1b\[1mbold\x1b\[0m text`},
			[]string{`\x1b\[[0-9;]*3[0-9]`},
		},
		"dumb": {
			[]string{"TERM=dumb"},
			[]string{`> Bash \{"command":"echo \\"a  b\\" > x; cat x"\}\r\n`, `# Title\r\n\r\nsome \*\*bold\*\* text with more words than fit into forty columns\r\n`},
			[]string{`\x1b`, `\+one`},
		},
		"no name": {nil, []string{`# Title\r\n`}, []string{`\x1b`}},
		"JSON":    {[]string{"TERM=xterm-256color"}, []string{`"diff":"--- /dev/null`}, []string{`\x1b`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			p.Write(".aura/config/talk.yaml", lookTalk)
			args := []string{"run", "--without-plugins"}
			if name == "JSON" {
				args = append(args, "--json")
			}
			cmd := p.Command(append(args, "go")...)
			cmd.Env = append(cmd.Env, row.environ...)
			shown := settled(onTerminal(p, cmd))
			p.Wants(shown, row.wants...)
			for _, pattern := range row.refuses {
				if regexp.MustCompile(pattern).Match(shown) {
					t.Errorf("%q is in\n%q", pattern, shown)
				}
			}
		})
	}
}

// settled returns the output without the live line, which aura erases before it writes anything else.
func settled(shown []byte) []byte {
	for {
		before, after, found := bytes.Cut(shown, []byte("\r\x1b[J"))
		if !found {
			return shown
		}
		line := bytes.LastIndexByte(before, '\n') + 1
		shown = append(append([]byte{}, before[:line]...), after...)
	}
}

// TestTerminalWaiting waits on a terminal for a model that never answers, stops aura by Ctrl-Z, goes on, and ends it by
// Ctrl-C. The terminal is clean whenever aura does not run.
func TestTerminalWaiting(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write(".aura/config/talk.yaml", "turns:\n  - {text: Never., delay: 1h}\n")
	screen, tty, err := pty.Open()
	p.Check(err)
	t.Cleanup(func() { _ = screen.Close(); _ = tty.Close() })
	p.Check(pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: 80}))
	// A shell waits for aura, so that aura's process group is not orphaned: a key cannot stop an orphaned group.
	cmd := p.Command("run", "--without-plugins", "go")
	cmd.Args = append([]string{"/bin/sh", "-mc", `"$@"; echo "gone $?"; fg; echo "ended $?"`, "sh"}, cmd.Args...)
	cmd.Path = "/bin/sh"
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
	record, err := os.Create(p.Path("stderr.txt"))
	p.Check(err)
	t.Cleanup(func() { _ = record.Close() })
	go func() { _, _ = record.ReadFrom(screen) }()
	p.Check(cmd.Start())
	a := p.Running(cmd)
	const waits = `model, \d+ s`
	p.Await("stderr.txt", waits)
	_, err = screen.WriteString("\x1a")
	p.Check(err)
	p.Await("stderr.txt", `gone 1\d\d`)
	if text := settled(p.Stderr()); regexp.MustCompile(`model, \d`).Match(text) {
		t.Errorf("after Ctrl-Z the screen has %q", text)
	}
	p.Await("stderr.txt", `gone 1\d\d[\s\S]*`+waits)
	_, err = screen.WriteString("\x03")
	p.Check(err)
	p.Await("stderr.txt", `ended 130`)
	a.Wait()
	if text := string(settled(p.Stderr())); strings.Contains(text, "⠋") || regexp.MustCompile(`model, \d`).MatchString(text) || strings.Contains(text, "\x1b[?25l") {
		t.Errorf("in the end the screen has %q", text)
	}
	p.NoTrace()
}
