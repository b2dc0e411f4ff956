package tui

import (
	"fmt"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/keymap"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/filefind"
	"github.com/idelchi/aura/internal/ui/inputhistory"
	"github.com/idelchi/aura/internal/ui/lineedit"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// pasteLimit is the largest text that a paste inserts, in bytes.
const pasteLimit = 1 << 20

// prompt is the text that the user types, and what helps to type it.
type prompt struct {
	editor *lineedit.Editor
	// history holds earlier prompts; nil if none are kept.
	history *inputhistory.History
	files   *filefind.Finder
	// commands returns the slash commands.
	commands func() []frontend.CommandInfo
	// ask asks the session for completions of the text before the cursor; offer receives them. It may be nil.
	ask  func(before string)
	menu menu
	// browsing is set while the arrows go through the history.
	browsing bool
	search   *search
	// attached holds pasted files by their placeholders. count numbers the placeholders.
	attached map[string]frontend.Attachment
	count    int
	// saving counts the prompts that are being saved.
	saving sync.WaitGroup
	// hint is a short remark below the text, until the next key.
	hint string
}

func newPrompt(history *inputhistory.History, files *filefind.Finder, commands func() []frontend.CommandInfo) *prompt {
	return &prompt{editor: &lineedit.Editor{}, history: history, files: files, commands: commands}
}

// close waits until all prompts are saved, and ends the search for files.
func (p *prompt) close() {
	p.saving.Wait()
	p.files.Close()
}

// empty reports whether nothing is typed. text returns what is typed.
func (p *prompt) empty() bool  { return p.editor.Empty() }
func (p *prompt) text() string { return p.editor.Text() }

// view returns the rows of the text.
func (p *prompt) view(width int) lineedit.View { return p.editor.View(width) }

// remark shows a hint below the text until the next key. An empty hint removes it.
func (p *prompt) remark(hint string) { p.hint = hint }

// insert inserts what was typed.
func (p *prompt) insert(text string) {
	p.editor.Insert(text)
	p.changed()
}

// paste inserts what was pasted.
func (p *prompt) paste(text string) {
	if len(text) > pasteLimit {
		p.hint = fmt.Sprintf("the paste has %d bytes, and a prompt takes at most %d: write it to a file and name the file with @", len(text), pasteLimit)
		return
	}
	p.pasteRaw(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
}

// pasteRaw inserts what was pasted, as it is.
func (p *prompt) pasteRaw(text string) {
	p.editor.Paste(text)
	p.changed()
}

// replace replaces the text as if it were typed.
func (p *prompt) replace(text string) {
	p.editor.Set(text)
	p.changed()
}

// restore replaces the text by an earlier one, for which nothing is completed.
func (p *prompt) restore(text string) { p.editor.Set(text) }

// changed is called after the text has changed.
func (p *prompt) changed() {
	p.browsing = false
	if p.history != nil {
		p.history.Reset(p.editor.Value())
	}
	p.complete()
}

// edits are the actions that change a text or move in it.
var edits = map[keymap.Action]func(*lineedit.Editor){
	keymap.Newline:      func(e *lineedit.Editor) { e.Insert("\n") },
	keymap.Left:         (*lineedit.Editor).Left,
	keymap.Right:        (*lineedit.Editor).Right,
	keymap.WordLeft:     (*lineedit.Editor).WordLeft,
	keymap.WordRight:    (*lineedit.Editor).WordRight,
	keymap.LineStart:    (*lineedit.Editor).LineStart,
	keymap.LineEnd:      (*lineedit.Editor).LineEnd,
	keymap.Backspace:    (*lineedit.Editor).Backspace,
	keymap.Delete:       (*lineedit.Editor).Delete,
	keymap.KillWord:     (*lineedit.Editor).KillWordLeft,
	keymap.KillNextWord: (*lineedit.Editor).KillWordRight,
	keymap.KillStart:    (*lineedit.Editor).KillToLineStart,
	keymap.KillEnd:      (*lineedit.Editor).KillToLineEnd,
	keymap.Yank:         (*lineedit.Editor).Yank,
	keymap.Undo:         func(e *lineedit.Editor) { e.Undo() },
	keymap.Transpose:    (*lineedit.Editor).Transpose,
}

// edit performs an action that changes the text or moves in it.
func (p *prompt) edit(a keymap.Action) {
	if edit := edits[a]; edit != nil {
		edit(p.editor)
		p.changed()
	}
}

// right accepts a completion at the end of the text, or moves to the right.
func (p *prompt) right() {
	if p.editor.Cursor() == len(p.editor.Value()) && p.accept() {
		return
	}
	p.edit(keymap.Right)
}

// expand shows the text of the paste at the cursor.
func (p *prompt) expand() {
	if !p.editor.Expand() {
		p.hint = "there is no paste at the cursor"
		return
	}
	p.changed()
}

// submit returns the text that the user sends. It is empty if only blanks are typed. sends is false if the key accepted a completion
// or broke the line; with now it does neither.
func (p *prompt) submit(now bool) (text string, sends bool) {
	e := p.editor
	if len(p.menu.items) > 0 && !now && !p.menu.loose && !p.exact() {
		p.accept()
		return "", false
	}
	if before := e.Before(); !now && strings.HasSuffix(before, "\\") && e.Cursor() == len(e.Value()) {
		e.Backspace()
		p.insert("\n")
		return "", false
	}
	text = strings.TrimRight(e.Text(), " \n")
	if strings.TrimSpace(text) == "" {
		return "", true
	}
	return text, true
}

// save keeps a sent text for later sessions. hide removes secrets; report gets the failure.
func (p *prompt) save(text string, hide func(string) string, report func(string)) {
	if p.history == nil {
		return
	}
	// Saving waits for the disk and for other sessions.
	p.saving.Go(func() {
		if err := p.history.Add(hide(text)); err != nil {
			report(err.Error())
		}
	})
}

// up moves up in the menu or in the text. It reports whether it did.
func (p *prompt) up(width int) bool {
	if n := len(p.menu.items); n > 0 {
		p.menu.at = (p.menu.at + n - 1) % n
		return true
	}
	return !p.browsing && p.editor.Up(width)
}

// older goes to an earlier prompt.
func (p *prompt) older() {
	if p.history == nil {
		return
	}
	if !p.browsing {
		p.history.Reset(p.editor.Value())
	}
	if text, ok := p.history.Older(""); ok {
		p.browsing = true
		p.editor.Set(text)
	}
}

// down moves down in the menu or in the text, or goes to a later prompt. It reports whether it did.
func (p *prompt) down(width int) bool {
	if n := len(p.menu.items); n > 0 {
		p.menu.at = (p.menu.at + 1) % n
		return true
	}
	if !p.browsing && p.editor.Down(width) {
		return true
	}
	if p.history == nil || !p.browsing {
		return false
	}
	text, _ := p.history.Newer()
	p.editor.Set(text)
	return true
}

// below returns the rows below the text: the menu, the search and the hint.
func (p *prompt) below(look *terminal.Look, columns int) []terminal.Styled {
	var out []terminal.Styled
	m := p.menu
	first := max(0, m.at-menuRows+1)
	for i, item := range m.items[first:min(len(m.items), first+menuRows)] {
		style, lead := terminal.Plain, "  "
		if first+i == m.at {
			style, lead = terminal.Accent, "› "
		}
		text := look.Paint(style, lead+plaintext.Line(item.text))
		if item.about != "" {
			text += look.Paint(terminal.Quiet, "  "+plaintext.Line(item.about))
		}
		out = append(out, terminal.CutRow(text, columns))
	}
	if s := p.search; s != nil {
		text := "search: " + s.query
		if s.query != "" && !s.ok {
			text += " (not found)"
		}
		out = append(out, terminal.CutRow(look.Paint(terminal.Accent, text), columns))
	}
	if p.hint != "" {
		out = append(out, terminal.CutRow(look.Paint(terminal.Warning, p.hint), columns))
	}
	return out
}
