package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/app/frontend"
)

// foreign returns the first thing in the output of a screen that is not the screen's own: another control sequence or character, or a
// character that reorders or hides others. It is empty if there is none.
func foreign(output []byte) string {
	if !utf8.Valid(output) {
		return "invalid UTF-8"
	}
	found := ""
	other := func(format string, args ...any) {
		if found == "" {
			found = fmt.Sprintf(format, args...)
		}
	}
	parser := ansi.NewParser()
	parser.SetHandler(ansi.Handler{
		Print: func(r rune) {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r >= 0xE0000 && r <= 0xE007F || r == '\u200b' {
				other("character %U", r)
			}
		},
		Execute: func(b byte) {
			if !slices.Contains([]byte("\r\n\t"), b) {
				other("control character %#x", b)
			}
		},
		HandleCsi: func(cmd ansi.Cmd, params ansi.Params) {
			if !own(cmd, params) {
				other("CSI %q %c %v", cmd.Prefix(), cmd.Final(), params)
			}
		},
		HandleEsc: func(cmd ansi.Cmd) { other("ESC %c", cmd.Final()) },
		HandleDcs: func(ansi.Cmd, ansi.Params, []byte) { other("DCS") },
		HandleOsc: func(cmd int, _ []byte) { other("OSC %d", cmd) },
		HandlePm:  func([]byte) { other("PM") },
		HandleApc: func([]byte) { other("APC") },
		HandleSos: func([]byte) { other("SOS") },
	})
	for _, b := range output {
		parser.Advance(b)
	}
	return found
}

// own reports whether the screen itself uses a control sequence: frames, wrapping, the cursor, the alternate screen, erasing, moving,
// the question for the cursor, and styles.
func own(cmd ansi.Cmd, params ansi.Params) bool {
	numbers := []int{}
	params.ForEach(0, func(_, number int, _ bool) { numbers = append(numbers, number) })
	only := func(allowed ...int) bool {
		return !slices.ContainsFunc(numbers, func(n int) bool { return !slices.Contains(allowed, n) })
	}
	if cmd.Intermediate() != 0 {
		return false
	}
	switch {
	case cmd.Prefix() == '?':
		return (cmd.Final() == 'h' || cmd.Final() == 'l') && len(numbers) == 1 && only(7, 25, 1049, 2026)
	case cmd.Prefix() != 0:
		return false
	}
	switch cmd.Final() {
	case 'm':
		return only(0, 1, 2, 3, 4, 9, 31, 32, 33, 34, 35, 36)
	case 'K':
		return len(numbers) == 1 && only(2)
	case 'J':
		return only(0)
	case 'n':
		return len(numbers) == 1 && only(6)
	case 'A', 'C':
		return len(numbers) <= 1
	case 'H':
		return len(numbers) == 0 || len(numbers) == 2
	}
	return false
}

// FuzzScreen shows random text wherever text from outside can appear: in the model's answers and thinking, in the names, arguments,
// output and changes of tools, in what plugins and commands report, in names of files, in the status line, in questions, in the
// transcript and in pickers. The terminal gets only the screen's own control sequences.
func FuzzScreen(f *testing.F) {
	for _, text := range []string{
		"plain", "\x1b[45mred\x1b[2J", "\x1b]0;owned\a", "\x1b]52;c;b3duZWQ=\x1b\\", "\u009b2J", "\x9b2J", "a\u202eb\u2066c", "\x1bP1$q\x1b\\", "\x1b_x\x1b\\",
		"# T\n\n```\n\x1b[H\n```\n\n- \x1b[A\n\n| a\x1b[31m | b |\n| --- | --- |\n| \u202e | c |\n", "[l\x1b](\x1b[m)", "\r\b\v\f\x00\x7f", "a\x1b", "[31m", "\xf0\x9f", "\u200bx\U000e0041",
		"--- a\n+++ b\n@@ -1 +1 @@\n-\x1b[1m\n+\u202d\n", "\x1b[200~y\x1b[201~",
	} {
		f.Add(text, "na\x1b[1mme", uint8(40))
	}
	f.Fuzz(func(t *testing.T, text, name string, width uint8) {
		file, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		u := New(Options{Out: file, Environ: []string{"TERM=xterm-256color"}, Workdir: t.TempDir()})
		u.frame.columns, u.frame.rows = 10+int(width), 24
		u.showEverything(t, text, name)
		output, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if found := foreign(output); found != "" {
			t.Errorf("the terminal got %s in %q", found, output)
		}
	})
}

// showEverything shows a text wherever text from outside can appear.
func (u *UI) showEverything(t *testing.T, text, name string) {
	t.Helper()
	frame := func() {
		t.Helper()
		p := u.compose()
		if err := u.frame.screen.Draw(p.rows, p.row, p.column); err != nil {
			t.Fatal(err)
		}
	}
	arguments, err := json.Marshal(map[string]any{"command": text, name: text})
	if err != nil {
		t.Fatal(err)
	}
	for _, verbose := range []bool{false, true} {
		u.show.verbose, u.show.debug = verbose, verbose
		for _, e := range []event.Event{
			event.Delta{Thinking: text},
			event.Delta{Text: text},
			event.Delta{Text: "\n\n" + text},
			event.Message{Role: "user", Content: text},
			event.ToolCall{ID: "1", Name: name, Arguments: arguments},
			event.Progress{ID: "1", Tool: name, Text: text + "\n" + text},
			event.Progress{ID: "2", Tool: name, Text: text},
			event.ToolResult{ID: "1", Name: name, Content: text, Note: text, Ran: true},
			event.ToolResult{ID: "3", Name: name, Error: text},
			event.ToolResult{ID: "4", Name: name, Diff: text},
			event.ToolCall{ID: "5", Name: name, Arguments: json.RawMessage(text)},
			event.Command{Output: text},
			event.Notice{Plugin: name, Text: text},
			event.Injection{Plugin: name, Content: text},
			event.PluginError{Plugin: name, Error: text},
			event.Error{Message: text},
			event.Waiting{For: event.ForServers, Name: name},
			event.Done{},
		} {
			u.frame.print(u.show.event(e))
			frame()
		}
	}
	u.status.now = frontend.Status{Agent: name, Mode: text, Model: text, Sandbox: name, Trust: frontend.Trust(text)}
	u.status.branch = text
	u.status.plugins, u.status.ready = pluginsText([]host.PluginHealth{{Name: name, Health: host.Health{State: host.StateQuarantined}}})
	u.queue.lines = []string{text, name}
	u.prompt.hint = text
	u.prompt.editor.Paste(text)
	u.prompt.menu.items = []completion{{text: text, about: name}}
	frame()
	u.status.command, u.status.text = "x", text
	u.prompt.search = &search{query: text}
	frame()
	about, by, choices, err := approval(policy.Question{Tool: name, Args: map[string]any{name: text, "command": text}, Rule: text, By: name, Pattern: text})
	if err != nil {
		t.Fatal(err)
	}
	u.frame.print(asked(u.frame.colours(), about, by, text)())
	u.dialog.question = &question{title: name, choices: choices, asking: -1}
	frame()
	u.dialog.question.field, u.dialog.question.fault = &u.dialog.question.choices[1], text
	u.dialog.question.editor.Set(text)
	frame()
	history := []llm.Message{
		{Role: llm.RoleUser, Content: text},
		{Role: llm.RoleAssistant, Thinking: text, Content: text, ToolCalls: []llm.ToolCall{{Name: name, Arguments: arguments}, {Name: name, Arguments: json.RawMessage(text)}}},
	}
	pages := newPager(name, transcript(history, u.frame.columns), u.frame.look)
	pages.note = text
	choose := &picker{title: "/" + name, all: []frontend.Choice{{Value: text, Title: name, Detail: text}}}
	choose.filter()
	choose.query.Insert(text)
	for _, o := range []overlay{pages, choose} {
		u.dialog.open(o)
		if err := u.frame.drawWhole(u.compose()); err != nil {
			t.Fatal(err)
		}
		u.dialog.question = nil // closing would wait for the question in the loop of the program
		u.dialog.close()
	}
	if u.frame.failed != nil {
		t.Fatal(u.frame.failed)
	}
}

// TestForeign checks that foreign finds what is not the screen's own, and nothing else.
func TestForeign(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"\x1b[45m", "\x1b[2J", "\x1b[?1h", "\x1b[>1u", "\x1b]0;x\a", "\x1bP1$q\x1b\\", "\x1b_x\x1b\\", "\x1bc", "\x1b[1@", "\u009b2J", "\x9b", "\u202e", "\a", "\x7f", "\u200b", "\x1b[6;6n"} {
		if foreign([]byte("a"+text+"b")) == "" {
			t.Errorf("%q was not found", text)
		}
	}
	if found := foreign([]byte("a\x1b[1;31mb\x1b[0m\r\n\x1b[2K\x1b[J\x1b[6n\x1b[3A\x1b[?2026h\x1b[?25l ─ 宽 👩‍👩‍👧 ה")); found != "" {
		t.Errorf("found %s", found)
	}
}
