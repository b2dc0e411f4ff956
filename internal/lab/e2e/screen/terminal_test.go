//go:build linux

package screen

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// evil is a name or a text, in YAML syntax, that colours the screen, renames the window, fills the clipboard, and reverses and
// hides the text after it. Only EVIL may be shown.
const evil = `"EVIL\e[45m\e]0;owned\a\e]52;c;b3duZWQ=\e\\\x9b2J\u202e\u200b\b\r"`

// evilBytes is evil as raw bytes for a terminal.
const evilBytes = "EVIL\x1b[45m\x1b]0;owned\a\x1b]52;c;b3duZWQ=\x1b\\\u009b2J\u202e\u200b\b\r"

// onTerminal runs a command on a terminal and returns everything that the terminal received.
func onTerminal(p *harness.Project, cmd *exec.Cmd) []byte {
	p.T.Helper()
	screen, tty, err := pty.Open()
	p.Check(err)
	defer func() { _ = screen.Close() }()
	p.Check(pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: 40}))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	if cmd.SysProcAttr != nil {
		cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
	}
	p.Check(cmd.Start())
	p.Check(tty.Close())
	var shown bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		// Reading ends with an error when the last process has closed the terminal.
		_, _ = shown.ReadFrom(screen)
	}()
	a := p.Running(cmd)
	a.Wait()
	<-read
	return shown.Bytes()
}

// ownSequences matches the escape sequences that aura writes: styles, and erasing its last line. evil contains none of them.
var ownSequences = regexp.MustCompile(`\x1b\[(?:(?:[0-49]|3[1-6])(?:;(?:[0-49]|3[1-6]))*m|J|A)`)

// obeyed returns the first character of a text that a terminal would interpret, or that hides or reorders other text. It
// ignores aura's own sequences.
func obeyed(text []byte) (rune, bool) {
	for _, r := range string(ownSequences.ReplaceAll(text, nil)) {
		if unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) || unicode.Is(unicode.Cf, r) {
			return r, true
		}
	}
	return 0, false
}

// TestTerminal puts control sequences into every name and text that others choose, and runs all commands that show it, completion
// included.
func TestTerminal(t *testing.T) {
	t.Parallel()
	listing := [][]string{{"show"}, {"show", "--json"}, {"tools", "list"}, {"plugins", "list"}, {"sessions", "list"}, {"run", "--without-plugins", "hi"}}
	complete := func(args ...string) []string { return append([]string{"__complete"}, args...) }
	talk := func(turn string) map[string]string {
		return map[string]string{".aura/config/talk.yaml": "turns:\n  - " + turn + "\n  - text: Done.\n"}
	}
	markdown := func(more string) string {
		return "---\nname: " + evil + "\ndescription: " + evil + "\n" + more + "---\nBody " + evilBytes + "\n"
	}
	for name, row := range map[string]struct {
		files map[string]string
		args  [][]string
	}{
		"agent":          {map[string]string{".aura/config/agents/a.md": markdown("")}, append(listing, []string{"show", "agents"}, complete("run", "--agent", ""))},
		"mode":           {map[string]string{".aura/config/modes/a.md": markdown("")}, append(listing, []string{"show", "modes"}, []string{"run", "--without-plugins", "/mode"}, complete("run", "--mode", ""))},
		"prompt":         {map[string]string{".aura/config/prompts/a.md": "---\nname: " + evil + "\n---\nx\n"}, append(listing, complete("run", "--system", ""))},
		"command":        {map[string]string{".aura/config/commands/a.md": markdown("")}, append(listing, []string{"run", "--without-plugins", "/help"}, complete("run", "/"))},
		"skill":          {map[string]string{".aura/skills/a.md": markdown("")}, append(listing, []string{"run", "--without-plugins", "/skills"})},
		"task":           {map[string]string{".aura/config/tasks/a.yaml": evil + ": {description: " + evil + ", commands: [hi]}\n"}, append(listing, []string{"tasks"}, complete("tasks", "run", ""))},
		"provider":       {map[string]string{".aura/config/providers/a.yaml": evil + ": {type: script, file: none.yaml}\n"}, append(listing, []string{"models"}, complete("run", "--provider", ""))},
		"server":         {map[string]string{".aura/config/mcp/a.yaml": evil + ": {type: stdio, command: none-such, args: [" + evil + "]}\n"}, append(listing, []string{"mcp"})},
		"hook":           {map[string]string{".aura/config/hooks/a.yaml": evil + ": {event: pre, command: 'true'}\n"}, append(listing, []string{"hooks", "list"})},
		"unknown key":    {map[string]string{".aura/config/features/a.yaml": evil + ": 1\n"}, listing},
		"file":           {map[string]string{".aura/config/agents/EVIL\x1b[31m\u202e.md": "---\nname: x\n---\nx\n"}, listing},
		"broken file":    {map[string]string{".aura/config/agents/EVIL\x1b[31m\u202e.md": "---\nnam: x\n---\nx\n"}, listing},
		"plugin":         {map[string]string{".aura/plugins/witness/plugin.yaml": "description: " + evil + "\n"}, append(listing, []string{"plugins", "show", "witness"}, complete("plugins", "show", ""))},
		"plugin's name":  {map[string]string{".aura/plugins/witness/plugin.yaml": "name: " + evil + "\n"}, append(listing, complete("plugins", "show", ""))},
		"plugin's place": {map[string]string{".aura/plugins/EVIL\x1b[31m\u202e/plugin.yaml": "description: x\n"}, append(listing, complete("plugins", "show", ""))},
		"text":           {talk("text: " + evil), listing},
		"text in colour": {talk("text: " + evil), [][]string{{"run", "--without-plugins", "hi"}}},
		"entities":       {talk(`text: "# EVIL&#27;[45m&#x9b;2J&#x202e;\n\n| a&#7; |\n|---|\n| [x](y&#27;]0;owned) |\n"`), [][]string{{"run", "--without-plugins", "hi"}}},
		"diff":           {talk(`tool_calls: [{name: Write, arguments: {path: "EVIL\e[45m\u202e", content: ` + evil + `}}]`), [][]string{{"run", "--without-plugins", "hi"}}},
		"thinking":       {talk("{text: hi, thinking: " + evil + "}"), [][]string{{"run", "--without-plugins", "/verbose", "hi"}}},
		"tool":           {talk("tool_calls: [{name: " + evil + ", arguments: {path: " + evil + "}}]"), append(listing, []string{"run", "--debug", "--without-plugins", "hi"})},
		"arguments":      {talk("tool_calls: [{name: Ls, arguments: {path: " + evil + "}}]"), listing},
		"output":         {talk("tool_calls: [{name: Bash, arguments: {command: 'printf \"\\033[31mEVIL\\033]0;owned\\a\"'}}]"), listing},
		"error":          {talk("error: {type: auth, message: " + evil + "}"), listing},
		"usage":          {nil, [][]string{{"plugins", evilBytes}, {"run", "--agent", evilBytes, "hi"}, {"show", evilBytes}, {"sessions", "show", evilBytes}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			for file, text := range row.files {
				p.Write(file, text)
			}
			var all []byte
			for i, args := range row.args {
				cmd := p.Command(args...)
				if i%2 == 0 {
					cmd.Env = append(cmd.Env, "TERM=xterm-256color")
				}
				shown := onTerminal(p, cmd)
				all = append(all, shown...)
				if r, found := obeyed(shown); found {
					t.Errorf("aura %q lets %U through:\n%q", args, r, shown)
				}
			}
			if !bytes.Contains(all, []byte("EVIL")) {
				t.Errorf("nothing of it is shown, so nothing was tested:\n%s", all)
			}
		})
	}
}

// TestTerminalSessions puts control sequences into a session: into its title, prompts and answers. It shows and exports the session.
func TestTerminalSessions(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write(".aura/config/talk.yaml", "turns:\n  - text: "+evil+"\n")
	p.Plugin("talker", "description: Talks\n", "package talker\n\nimport \"fmt\"\n\nfunc init() { fmt.Print(\"\\x1b[31mEV\\x1b]0;owned\\aIL\\n\") }\n")
	p.Run("run", evilBytes, "/name "+evilBytes)
	id := sessionID(p)
	for _, args := range [][]string{
		{"sessions", "list"},
		{"sessions", "list", "--json"},
		{"sessions", "list", "--all"},
		{"sessions", "search", "EV"},
		{"sessions", "search", "EV", "--json"},
		{"sessions", "prune", "--older", "0h", "--dry-run"},
		{"sessions", "show", id},
		{"sessions", "show", id, "--json"},
		{"sessions", "export", id},
		{"sessions", "export", id, "--format", "json"},
		{"__complete", "sessions", "show", ""},
		{"plugins", "logs", "talker"},
		{"plugins", "logs", "talker", "--json"},
		{"run", "--continue", "/export"},
		{"run", "--continue", "/resume"},
		{"run", "--continue", "/info"},
	} {
		shown := onTerminal(p, p.Command(args...))
		if r, found := obeyed(shown); found {
			t.Errorf("aura %q lets %U through:\n%q", args, r, shown)
		}
	}
	// In a file, the text is unchanged except for characters that a terminal would interpret.
	p.Run("sessions", "export", id, "--output", "talk.md")
	p.Run("run", "--without-plugins", "--continue", "/export more.md")
	for _, name := range []string{"talk.md", "more.md"} {
		text := p.Read(name)
		if !bytes.Contains(text, []byte("EVIL\u202e\u200b")) || bytes.ContainsAny(text, "\x1b\a\b\u009b") {
			t.Errorf("%s is %q", name, text)
		}
	}
}

// sessionID returns the ID of the only saved session.
func sessionID(p *harness.Project) string {
	p.T.Helper()
	file := p.Find("*.jsonl")[0]
	return strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".jsonl")
}

// TestTerminalControl prints control sequences and checks that the terminal of these tests finds them.
func TestTerminalControl(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write("evil.txt", evilBytes)
	if _, found := obeyed(onTerminal(p, exec.Command("cat", p.Path("evil.txt")))); !found {
		t.Error("what steers a terminal was not found on it")
	}
	if _, err := os.Stat(p.Path("evil.txt")); err != nil {
		t.Error(err)
	}
}
