//go:build linux

package screen

import (
	"strings"
	"testing"
)

// TestInteractiveHistory finds a prompt of an earlier run.
func TestInteractiveHistory(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "history")
	p := newStory(t, "  - text: Hello.\n")
	s := interactive(p).ready()
	s.send("explain the parser" + enter)
	s.shows(`^Hello`)
	s.ready()
	s.send("write a test" + enter)
	s.shows(`> write a test\n\nHello`)
	s.ready()
	s.send(ctrlD)
	s.end()
	s = interactive(p).ready()
	s.send(up)
	g.looks(s, "up", `> write a test$`)
	s.send(up)
	s.shows(`> explain the parser$`)
	s.send(down + down)
	s.hides(`explain|write`)
	s.send(ctrlR + "pars")
	g.looks(s, "search", `search: pars`, `> explain the parser$`)
	s.send("x")
	g.looks(s, "not found", `not found`)
	s.send(deleted + enter)
	g.looks(s, "chosen", `> explain the parser$`)
	s.send(enter)
	s.shows(`> explain the parser\n\nHello`)
	s.ready()
	s.send(ctrlD)
	s.end()
}

// TestInteractivePaste pastes 200 lines, which become a placeholder, and sends them.
func TestInteractivePaste(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "paste")
	p := newStory(t, "  - text: Hello.\n")
	s := interactive(p).ready()
	text := strings.Repeat("a pasted line\n", 199) + "the last line"
	s.send("Look: " + pasteStart + text + pasteEnd)
	g.looks(s, "placeholder", `> Look: \[`)
	s.send(ctrlX)
	g.looks(s, "expanded", `the last line`)
	s.send(enter)
	s.shows(`^Hello`)
	s.ready()
	s.send(pasteStart + "short\nlines" + pasteEnd)
	g.looks(s, "short", `lines$`)
	s.send(ctrlC + ctrlC)
	s.end()
	if got := p.Saved().Messages[0].Content; got != "Look: "+text {
		t.Errorf("sent %q", got)
	}
}

// TestInteractiveEditor edits the prompt in an editor.
func TestInteractiveEditor(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "editor")
	p := newStory(t, "  - text: Hello.\n")
	p.Write("edit.sh", "echo editing; cat \"$2\"; read key; printf 'edited\\nprompt\\n' >\"$2\"\n")
	s := startScreen(p, p.Command(), 80, 24, "EDITOR=sh "+p.Path("edit.sh")+" --wait").ready()
	s.send("draft")
	s.shows(`> draft`)
	s.send(ctrlG)
	g.looks(s, "editor", `^editing\ndraft`)
	s.send("\n")
	g.looks(s, "edited", `> edited\n  prompt$`)
	s.send(enter)
	g.looks(s, "sent", `^Hello`)
	s.send(ctrlD)
	s.end()
	if got := p.Saved().Messages[0].Content; got != "edited\nprompt" {
		t.Errorf("sent %q", got)
	}
	p.NoTrace()
}

// TestInteractiveShell runs commands in the user's shell, with the terminal.
func TestInteractiveShell(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "shell")
	p := newStory(t, "  - text: Hello.\n")
	s := startScreen(p, p.Command(), 80, 24, "SHELL=/bin/sh").ready()
	s.send("!echo out; read word; echo got $word; exit 3" + enter)
	s.shows(`^out$`)
	s.send("typed\n")
	g.looks(s, "ran", `exit status 3`)
	s.send("!kill -INT $$" + enter)
	g.looks(s, "killed", `kill -INT[\s\S]*talker`)
	s.send("Hello" + enter)
	g.looks(s, "goes on", `^Hello\.`)
	s.send(ctrlD)
	s.end()
}
