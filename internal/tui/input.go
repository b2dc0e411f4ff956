package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/filefind"
	"github.com/idelchi/aura/internal/frontend"
	"github.com/idelchi/aura/internal/inputhistory"
	"github.com/idelchi/aura/internal/keymap"
	"github.com/idelchi/aura/internal/lineedit"
	"github.com/idelchi/aura/internal/plaintext"
	"github.com/idelchi/aura/internal/terminal"
)

// ruleWidth is how wide the line above the input is at most. A terminal that becomes narrower may break it into two rows before aura
// knows, which would confuse the next frame. So it is no wider than the narrowest terminal that aura is made for.
const ruleWidth = 40

// menuRows is how many completions are shown at once.
const menuRows = 8

// pasteLimit is the largest text that a paste inserts, in bytes.
const pasteLimit = 1 << 20

// input is the text that the user types, and what helps to type it.
type input struct {
	editor  *lineedit.Editor
	history *inputhistory.History
	files   *filefind.Finder
	menu    menu
	// browsing is set while the arrows go through the history.
	browsing bool
	search   *search
	// held is set if the queue waits for the user.
	held bool
	// attached holds pasted files by their placeholders. count numbers the placeholders.
	attached map[string]frontend.Attachment
	count    int
	// saving counts the prompts that are being saved.
	saving sync.WaitGroup
}

// menu holds the completions of the word before the cursor.
type menu struct {
	// from is where the word begins, in bytes of the editor's value.
	from  int
	items []completion
	at    int
	// closed is the text for which the user closed the menu.
	closed string
}

type completion struct{ text, about string }

// search is a search in the history.
type search struct {
	query string
	skip  int
	found string
	ok    bool
	// before is what the input held.
	before string
}

// pressed handles a key.
func (u *UI) pressed(key tea.KeyPressMsg) {
	name := key.String()
	action := u.keys[name]
	if action != keymap.Cancel {
		u.quitAt = time.Time{}
	}
	u.hint = ""
	switch {
	case u.overlay != nil:
		if u.overlay.press(u, key) {
			u.closeOverlay()
		}
		return
	case u.question.takes(u, key):
		return
	case u.input.search != nil && u.searching(key, action):
		return
	}
	u.input.held = false
	if action == "" {
		if key.Text != "" {
			u.input.editor.Insert(key.Text)
			u.typed()
		}
		return
	}
	u.act(action)
}

// act performs an action.
func (u *UI) act(a keymap.Action) {
	e := u.input.editor
	switch a {
	case keymap.Send:
		u.enter(false)
		return
	case keymap.SendNow:
		u.enter(true)
		return
	case keymap.Interrupt:
		u.escape()
		return
	case keymap.Cancel:
		u.cancel()
		return
	case keymap.Quit:
		if e.Empty() {
			u.worker.quit = true
			return
		}
		e.Delete()
	case keymap.NextAgent:
		if u.accept() {
			return
		}
		u.command("/agent --next")
		return
	case keymap.NextMode:
		u.command("/mode --next")
		return
	case keymap.Transcript:
		u.openTranscript()
		return
	case keymap.Editor:
		u.editOutside()
		return
	case keymap.Search:
		u.beginSearch()
		return
	case keymap.Thinking:
		u.show.verbose = !u.show.verbose
		u.hint = map[bool]string{true: "thinking is shown", false: "thinking is folded"}[u.show.verbose]
		return
	case keymap.Redraw:
		if err := u.screen.Clear(); err != nil {
			u.failed = err
		}
		return
	case keymap.Suspend:
		u.suspend()
		return
	case keymap.Up:
		u.up()
		return
	case keymap.Down:
		u.down()
		return
	default:
		u.edit(a)
	}
	u.typed()
}

// edit changes the text or moves in it.
func (u *UI) edit(a keymap.Action) {
	e := u.input.editor
	switch a {
	case keymap.Newline:
		e.Insert("\n")
	case keymap.Expand:
		if !e.Expand() {
			u.hint = "there is no paste at the cursor"
		}
	case keymap.Left:
		e.Left()
	case keymap.Right:
		if e.Cursor() == len(e.Value()) && len(u.input.menu.items) > 0 {
			u.accept()
			return
		}
		e.Right()
	case keymap.WordLeft:
		e.WordLeft()
	case keymap.WordRight:
		e.WordRight()
	case keymap.LineStart:
		e.LineStart()
	case keymap.LineEnd:
		e.LineEnd()
	case keymap.Backspace:
		e.Backspace()
	case keymap.Delete:
		e.Delete()
	case keymap.KillWord:
		e.KillWordLeft()
	case keymap.KillNextWord:
		e.KillWordRight()
	case keymap.KillStart:
		e.KillToLineStart()
	case keymap.KillEnd:
		e.KillToLineEnd()
	case keymap.Yank:
		e.Yank()
	case keymap.Undo:
		e.Undo()
	case keymap.Transpose:
		e.Transpose()
	}
}

// pasted takes text that was pasted.
func (u *UI) pasted(text string) {
	u.hint = ""
	if u.overlay != nil || u.question.pastes(u, text) {
		return
	}
	if u.attach(text) {
		return
	}
	if len(text) > pasteLimit {
		u.hint = fmt.Sprintf("the paste has %d bytes, and a prompt takes at most %d: write it to a file and name the file with @", len(text), pasteLimit)
		return
	}
	u.input.editor.Paste(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
	u.typed()
}

// typed is called after the text has changed.
func (u *UI) typed() {
	u.input.browsing = false
	if u.input.history != nil {
		u.input.history.Reset(u.input.editor.Value())
	}
	u.complete()
}

// enter accepts a completion, or sends the text.
func (u *UI) enter(now bool) {
	e := u.input.editor
	if m := u.input.menu; len(m.items) > 0 && !now && !u.exact() {
		u.accept()
		return
	}
	if before := e.Before(); !now && strings.HasSuffix(before, "\\") && e.Cursor() == len(e.Value()) {
		e.Backspace()
		e.Insert("\n")
		u.typed()
		return
	}
	text := strings.TrimRight(e.Text(), " \n")
	if strings.TrimSpace(text) == "" {
		if now && u.busy && len(u.queue) > 0 {
			u.interruptFor()
		}
		return
	}
	u.remember(text)
	e.Set("")
	u.typed()
	if now {
		u.queue = append([]string{text}, u.queue...)
		u.interruptFor()
		return
	}
	u.queue = append(u.queue, text)
	u.next()
}

// exact reports whether the word before the cursor is one of the completions already.
func (u *UI) exact() bool {
	e := u.input.editor
	word := e.Before()[u.input.menu.from:]
	for _, item := range u.input.menu.items {
		if strings.TrimSpace(item.text) == word && strings.HasPrefix(word, "/") {
			return true
		}
	}
	return false
}

// interruptFor interrupts the turn, so that the first line of the queue is sent.
func (u *UI) interruptFor() {
	if !u.busy {
		u.next()
		return
	}
	u.sendNow = true
	u.session.Cancel(errInterrupted)
}

// remember keeps a line for later sessions.
func (u *UI) remember(text string) {
	h := u.input.history
	if h == nil {
		return
	}
	// Saving waits for the disk and for other sessions.
	u.input.saving.Go(func() {
		if err := h.Add(text); err != nil {
			u.Tell(err.Error())
		}
	})
}

// command runs a command as if it were typed. It keeps the text of the input.
func (u *UI) command(line string) {
	if u.busy {
		u.hint = "the session is busy: " + line + " waits in the queue"
	}
	u.queue = append(u.queue, line)
	u.next()
}

// escape closes a menu, or interrupts the turn.
func (u *UI) escape() {
	switch {
	case len(u.input.menu.items) > 0:
		u.input.menu = menu{closed: u.input.editor.Before()}
	case u.busy && u.session != nil:
		u.session.Cancel(errInterrupted)
	}
}

// cancel interrupts the turn, clears the input, or quits if it is pressed twice.
func (u *UI) cancel() {
	if time.Now().Before(u.quitAt) {
		u.worker.quit = true
		return
	}
	u.quitAt = time.Now().Add(quitTime)
	switch {
	case u.busy && u.session != nil:
		u.session.Cancel(errInterrupted)
	case !u.input.editor.Empty():
		u.input.editor.Set("")
		u.typed()
	}
	u.hint = "press Ctrl-C again to quit"
}

// up moves up in the text or the menu, or goes to an earlier prompt.
func (u *UI) up() {
	in := &u.input
	if len(in.menu.items) > 0 {
		in.menu.at = (in.menu.at + len(in.menu.items) - 1) % len(in.menu.items)
		return
	}
	if !in.browsing && in.editor.Up(u.inputWidth()) {
		return
	}
	if len(u.queue) > 0 && in.editor.Empty() {
		last := len(u.queue) - 1
		in.editor.Set(u.queue[last])
		u.queue = u.queue[:last]
		u.hint = "taken back from the queue"
		return
	}
	if in.history == nil {
		return
	}
	if !in.browsing {
		in.history.Reset(in.editor.Value())
	}
	if text, ok := in.history.Older(""); ok {
		in.browsing = true
		in.editor.Set(text)
	}
}

// down moves down in the text or the menu, or goes to a later prompt.
func (u *UI) down() {
	in := &u.input
	if len(in.menu.items) > 0 {
		in.menu.at = (in.menu.at + 1) % len(in.menu.items)
		return
	}
	if !in.browsing && in.editor.Down(u.inputWidth()) {
		return
	}
	if in.history == nil || !in.browsing {
		return
	}
	text, _ := in.history.Newer()
	in.editor.Set(text)
}

// complete updates the menu.
func (u *UI) complete() {
	in := &u.input
	before := in.editor.Before()
	closed := in.menu.closed
	in.menu = menu{}
	if closed != "" && strings.HasPrefix(before, closed) {
		in.menu.closed = closed
		return
	}
	if word, ok := strings.CutPrefix(before, "/"); ok && !strings.ContainsAny(word, " \n") {
		in.menu.items = u.commandMenu(word)
		return
	}
	at := strings.LastIndexAny(before, " \n\t") + 1
	query, ok := strings.CutPrefix(before[at:], "@")
	if !ok || in.files == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), frameTime)
	defer cancel()
	found, err := in.files.Find(ctx, query, menuRows)
	if err != nil {
		return // the walk is still going on: the next key asks again
	}
	in.menu.from = at
	for _, m := range found {
		text := "@" + m.Path
		if m.Dir {
			text += "/"
		}
		in.menu.items = append(in.menu.items, completion{text: text})
	}
}

// commandMenu returns the commands that match a word.
func (u *UI) commandMenu(word string) []completion {
	if u.session == nil {
		return nil
	}
	all := u.session.Commands()
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	var out []completion
	for _, i := range filefind.Rank(word, names, menuRows) {
		about := all[i].Description
		if all[i].Source == command.SourcePlugin {
			about += " (plugin " + all[i].Origin + ")"
		}
		out = append(out, completion{text: "/" + names[i], about: about})
	}
	return out
}

// accept replaces the word before the cursor by the chosen completion. It reports whether there was one.
func (u *UI) accept() bool {
	m := u.input.menu
	if len(m.items) == 0 {
		return false
	}
	text := m.items[m.at].text
	if !strings.HasSuffix(text, "/") || strings.HasPrefix(text, "/") {
		text += " "
	}
	u.input.editor.Replace(m.from, text)
	u.typed()
	return true
}

// ghost returns the labels of the arguments of the command in the input, if none is typed yet.
func (u *UI) ghost() string {
	value := u.input.editor.Value()
	name, args, ok := command.Parse(value)
	if !ok || strings.TrimSpace(args) != "" || !strings.HasSuffix(value, " ") || u.session == nil {
		return ""
	}
	for _, c := range u.session.Commands() {
		if c.Name == name {
			return plaintext.Line(strings.Join(c.Hints, " "))
		}
	}
	return ""
}

// beginSearch searches the history.
func (u *UI) beginSearch() {
	if u.input.history == nil {
		u.hint = "no history is kept"
		return
	}
	u.input.search = &search{before: u.input.editor.Value()}
}

// searching handles a key during a search. It returns false if the key ends the search and does something else too.
func (u *UI) searching(key tea.KeyPressMsg, action keymap.Action) bool {
	s := u.input.search
	switch action {
	case keymap.Search:
		s.skip++
	case keymap.Interrupt, keymap.Cancel:
		u.input.search = nil
		u.input.editor.Set(s.before)
		return true
	case keymap.Backspace:
		runes := []rune(s.query)
		s.query, s.skip = string(runes[:max(0, len(runes)-1)]), 0
	case "":
		if key.Text == "" {
			return true
		}
		s.query, s.skip = s.query+key.Text, 0
	default:
		u.input.search = nil
		return action == keymap.Send // the found text can be changed before it is sent
	}
	text, ok := u.input.history.Search(s.query, s.skip)
	if !ok && s.skip > 0 {
		s.skip--
		u.hint = "no earlier prompt matches"
		return true
	}
	s.found, s.ok = text, ok
	if ok && s.query != "" {
		u.input.editor.Set(text)
	}
	return true
}

// inputWidth is how wide the text of the input can be.
func (u *UI) inputWidth() int { return max(u.columns-3, 1) }

// layout returns the rows of the live area and the position of the cursor.
func (u *UI) layout() (rows []terminal.Styled, row, column int) {
	height := max(u.rows-1, 1)
	below := u.belowRows()
	view := u.input.editor.View(u.inputWidth())
	mark := "> "
	if u.question.active() {
		below, view, mark = nil, u.question.view(u.inputWidth()), u.question.mark()
	}
	asked := u.question.rows(u)
	typedRows, typedRow := window(view.Rows, view.Row, max(height-len(below)-len(asked)-1, 1))
	var above []terminal.Styled
	u.show.asking = u.question != nil
	above = append(above, u.show.live(u.columns, min(max(height/2, 1), liveRows), time.Now())...)
	above = append(above, u.queueRows()...)
	above = append(above, asked...)
	above = append(above, u.look.Paint(terminal.Quiet, strings.Repeat("─", min(u.columns, ruleWidth))))
	if most := max(height-len(below)-len(typedRows), 0); len(above) > most {
		above = above[len(above)-most:]
	}
	rows = above
	for i, text := range typedRows {
		lead := u.look.Paint(terminal.Accent, "  ")
		if i == 0 {
			lead = u.look.Paint(terminal.Accent, mark)
		}
		text := lead + u.look.Paint(terminal.Plain, text)
		if i == typedRow && i == len(typedRows)-1 && !u.question.active() {
			text = terminal.CutRow(text+u.look.Paint(terminal.Quiet, u.ghost()), u.columns)
		}
		rows = append(rows, text)
	}
	return append(rows, below...), len(above) + typedRow, view.Column + 2
}

// window returns at most height rows around the row of the cursor.
func window(rows []string, row, height int) ([]string, int) {
	if len(rows) <= height {
		return rows, row
	}
	first := min(max(row-height+1, 0), len(rows)-height)
	return rows[first : first+height], row - first
}

// belowRows returns the rows below the input: the menu, a hint or the search, and the status line.
func (u *UI) belowRows() []terminal.Styled {
	var out []terminal.Styled
	m := u.input.menu
	first := max(0, m.at-menuRows+1)
	for i, item := range m.items[first:min(len(m.items), first+menuRows)] {
		style, lead := terminal.Plain, "  "
		if first+i == m.at {
			style, lead = terminal.Accent, "› "
		}
		text := u.look.Paint(style, lead+plaintext.Line(item.text))
		if item.about != "" {
			text += u.look.Paint(terminal.Quiet, "  "+plaintext.Line(item.about))
		}
		out = append(out, terminal.CutRow(text, u.columns))
	}
	if s := u.input.search; s != nil {
		text := "search: " + s.query
		if s.query != "" && !s.ok {
			text += " (not found)"
		}
		out = append(out, terminal.CutRow(u.look.Paint(terminal.Accent, text), u.columns))
	}
	if u.hint != "" {
		out = append(out, terminal.CutRow(u.look.Paint(terminal.Warning, u.hint), u.columns))
	}
	return append(out, terminal.CutRow(u.status.row(u), u.columns))
}

// queueRows returns the lines that wait.
func (u *UI) queueRows() []terminal.Styled {
	var out []terminal.Styled
	const most = 5
	for i, line := range u.queue {
		if i == most {
			out = append(out, u.look.Paint(terminal.Quiet, fmt.Sprintf("  … %d more queued", len(u.queue)-most)))
			break
		}
		out = append(out, terminal.CutRow(u.look.Paint(terminal.Quiet, "queued: "+plaintext.Line(line)), u.columns))
	}
	return out
}

// pickers lists the commands whose argument the user can choose from a list.
var pickers = []string{"agent", "mode", "model", "resume"}

// intercept handles lines that the screen answers itself: commands with a picker. It reports whether it did.
func (u *UI) intercept(line string) bool {
	name, args, ok := command.Parse(line)
	if !ok || strings.TrimSpace(args) != "" || !slices.Contains(pickers, name) {
		return false
	}
	u.openPicker(name)
	return true
}
