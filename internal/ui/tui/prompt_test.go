package tui

import (
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/keymap"
	"github.com/idelchi/aura/internal/ui/inputhistory"
)

func testCommands() []frontend.CommandInfo {
	return []frontend.CommandInfo{{Name: "agent", Hints: []string{"<name>"}}, {Name: "agents"}}
}

// TestPrompt changes a prompt and compares the text, the number of completions and the hint.
func TestPrompt(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		do    func(p *prompt)
		text  string
		items int
		hint  string
	}{
		"a command is completed":         {func(p *prompt) { p.insert("/ag") }, "/ag", 2, ""},
		"a word later is no command":     {func(p *prompt) { p.insert("x /ag") }, "x /ag", 0, ""},
		"an argument is not completed":   {func(p *prompt) { p.insert("/agent x") }, "/agent x", 0, ""},
		"right at the end accepts":       {func(p *prompt) { p.insert("/ag"); p.right() }, "/agent ", 0, ""},
		"up in a menu goes round":        {func(p *prompt) { p.insert("/ag"); p.up(80); p.accept() }, "/agents ", 0, ""},
		"down in a menu goes round":      {func(p *prompt) { p.insert("/ag"); p.down(80); p.down(80); p.accept() }, "/agent ", 0, ""},
		"a closed menu stays closed":     {func(p *prompt) { p.insert("/a"); p.closeMenu(); p.insert("g") }, "/ag", 0, ""},
		"another text opens it again":    {func(p *prompt) { p.insert("/a"); p.closeMenu(); p.replace("/"); p.insert("ag") }, "/ag", 2, ""},
		"an earlier text opens no menu":  {func(p *prompt) { p.restore("/ag") }, "/ag", 0, ""},
		"a paste has plain line breaks":  {func(p *prompt) { p.paste("a\r\nb\rc") }, "a\nb\nc", 0, ""},
		"a paste can be too long":        {func(p *prompt) { p.insert("x"); p.paste(strings.Repeat("y", pasteLimit+1)) }, "x", 0, "the paste has"},
		"there is no paste to expand":    {func(p *prompt) { p.insert("x"); p.expand() }, "x", 0, "there is no paste"},
		"an edit changes the text":       {func(p *prompt) { p.insert("ab"); p.edit(keymap.Backspace) }, "a", 0, ""},
		"another action changes nothing": {func(p *prompt) { p.insert("ab"); p.edit(keymap.Send) }, "ab", 0, ""},
		"no history, no search":          {func(p *prompt) { p.beginSearch() }, "", 0, "no history is kept"},
		"no history, nothing older":      {func(p *prompt) { p.insert("x"); p.older() }, "x", 0, ""},
	} {
		p := newPrompt(nil, nil, testCommands)
		row.do(p)
		if p.text() != row.text || len(p.menu.items) != row.items || !strings.HasPrefix(p.hint, row.hint) || row.hint == "" && p.hint != "" {
			t.Errorf("%s: text %q, %d completions, hint %q", name, p.text(), len(p.menu.items), p.hint)
		}
	}
}

// TestSubmit presses the key that sends a prompt, and compares what is sent and what is left.
func TestSubmit(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		typed string
		now   bool
		text  string
		sends bool
		left  string
	}{
		"a text, without blanks after it":      {typed: "a b \n", text: "a b", sends: true, left: "a b \n"},
		"blanks are nothing":                   {typed: " \n ", sends: true, left: " \n "},
		"a backslash breaks the line":          {typed: `a\`, left: "a\n"},
		"a backslash is sent at once":          {typed: `a\`, now: true, text: `a\`, sends: true, left: `a\`},
		"a completion is accepted first":       {typed: "/ag", left: "/agent "},
		"a whole command needs no completion":  {typed: "/agent", text: "/agent", sends: true, left: "/agent"},
		"a completion is not accepted at once": {typed: "/ag", now: true, text: "/ag", sends: true, left: "/ag"},
	} {
		p := newPrompt(nil, nil, testCommands)
		p.insert(row.typed)
		if text, sends := p.submit(row.now); text != row.text || sends != row.sends || p.text() != row.left {
			t.Errorf("%s: sent %q (%v), left %q", name, text, sends, p.text())
		}
	}
}

// TestGhost checks when the labels of arguments are shown.
func TestGhost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"/agent ": "<name>", "/agent": "", "/agent x": "", "/agents ": "", "/other ": "", "agent ": ""} {
		p := newPrompt(nil, nil, testCommands)
		p.insert(text)
		if got := p.ghost(); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestPromptHistory goes through earlier prompts and searches them.
func TestPromptHistory(t *testing.T) {
	t.Parallel()
	h, err := inputhistory.Open(filepath.Join(t.TempDir(), "history"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"build it", "test it", "ship it"} {
		if err := h.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	letters := func(p *prompt, text string) {
		for _, r := range text {
			p.searching(tea.KeyPressMsg{Text: string(r), Code: r}, "")
		}
	}
	for _, row := range []struct {
		name string
		do   func(p *prompt)
		text string
		open bool
	}{
		{"the last prompt", func(p *prompt) { p.older() }, "ship it", false},
		{"the one before", func(p *prompt) { p.older(); p.older() }, "test it", false},
		{"back to the draft", func(p *prompt) { p.insert("draft"); p.older(); p.down(80) }, "draft", false},
		{"a change begins anew", func(p *prompt) { p.older(); p.older(); p.replace(""); p.older() }, "ship it", false},
		{"a search finds the last match", func(p *prompt) { p.beginSearch(); letters(p, "it") }, "ship it", true},
		{"the same key finds an earlier one", func(p *prompt) {
			p.beginSearch()
			letters(p, "it")
			p.searching(tea.KeyPressMsg{}, keymap.Search)
		}, "test it", true},
		{"backspace searches for less", func(p *prompt) {
			p.beginSearch()
			letters(p, "bx")
			p.searching(tea.KeyPressMsg{}, keymap.Backspace)
		}, "build it", true},
		{"escape brings the draft back", func(p *prompt) {
			p.insert("draft")
			p.beginSearch()
			letters(p, "it")
			p.searching(tea.KeyPressMsg{}, keymap.Interrupt)
		}, "draft", false},
		{"enter keeps what was found", func(p *prompt) {
			p.beginSearch()
			letters(p, "build")
			p.searching(tea.KeyPressMsg{}, keymap.Send)
		}, "build it", false},
	} {
		p := newPrompt(h, nil, testCommands)
		h.Reset("")
		row.do(p)
		if p.text() != row.text || (p.search != nil) != row.open {
			t.Errorf("%s: text %q, searching %v", row.name, p.text(), p.search != nil)
		}
	}
}

// TestQueue checks which line the session gets next.
func TestQueue(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		do   func(q *queue)
		line string
	}{
		"the first line":                                        {func(*queue) {}, "a"},
		"a line that goes before the others":                    {func(q *queue) { q.addFirst("x") }, "x"},
		"none while the session works":                          {func(q *queue) { q.busy = true }, ""},
		"the next after a success":                              {func(q *queue) { q.busy = true; q.finish(false) }, "a"},
		"none while the user decides":                           {func(q *queue) { q.hold() }, ""},
		"the first again":                                       {func(q *queue) { q.hold(); q.release() }, "a"},
		"a command while the user decides":                      {func(q *queue) { q.hold(); q.addFirst("x") }, "x"},
		"nothing after that command":                            {func(q *queue) { q.hold(); q.addFirst("x"); q.first() }, ""},
		"one that is queued behind another that was taken back": {func(q *queue) { q.hold(); q.last(); q.last(); q.add("c") }, "c"},
		"a line that was taken back is gone":                    {func(q *queue) { q.last(); q.first() }, ""},
	} {
		q := &queue{lines: []string{"a", "b"}}
		row.do(q)
		if line, ok := q.next(); line != row.line || ok != (row.line != "") {
			t.Errorf("%s: got %q", name, line)
		}
	}
	for name, row := range map[string]struct{ failed, sendNow, holds bool }{
		"a success": {}, "a failure": {failed: true, holds: true}, "an interrupt for the next line": {failed: true, sendNow: true},
	} {
		q := &queue{busy: true, sendNow: row.sendNow}
		if holds := q.finish(row.failed); holds != row.holds || q.busy || q.sendNow {
			t.Errorf("%s: holds %v, queue %+v", name, holds, q)
		}
	}
}
