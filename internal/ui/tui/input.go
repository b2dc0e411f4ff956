package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/keymap"
	"github.com/idelchi/aura/internal/ui/filefind"
	"github.com/idelchi/aura/internal/ui/inputhistory"
	"github.com/idelchi/aura/internal/ui/lineedit"
)

// ruleWidth is how wide the line above the input is at most. A terminal that becomes narrower may break it into two rows before aura
// knows, which would confuse the next frame. So it is no wider than the narrowest terminal that aura is made for.
const ruleWidth = 40

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

// actions are the actions of the screen. The others change the text of the input; see edits.
var actions = map[keymap.Action]func(*UI){
	keymap.Send:       func(u *UI) { u.enter(false) },
	keymap.SendNow:    func(u *UI) { u.enter(true) },
	keymap.Interrupt:  (*UI).escape,
	keymap.Cancel:     (*UI).cancel,
	keymap.Quit:       (*UI).quitOrDelete,
	keymap.NextAgent:  (*UI).acceptOrNextAgent,
	keymap.NextMode:   func(u *UI) { u.cycle("mode") },
	keymap.Transcript: (*UI).openTranscript,
	keymap.Editor:     (*UI).editOutside,
	keymap.Search:     (*UI).beginSearch,
	keymap.Expand:     (*UI).expand,
	keymap.Thinking:   (*UI).toggleThinking,
	keymap.Redraw:     (*UI).redraw,
	keymap.Suspend:    (*UI).suspend,
	keymap.Up:         (*UI).up,
	keymap.Down:       (*UI).down,
	keymap.Right:      (*UI).rightOrAccept,
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

// act performs an action.
func (u *UI) act(a keymap.Action) {
	if do := actions[a]; do != nil {
		do(u)
		return
	}
	if edit := edits[a]; edit != nil {
		edit(u.input.editor)
		u.typed()
	}
}

func (u *UI) quitOrDelete() {
	if u.input.editor.Empty() {
		u.worker.quit = true
		return
	}
	u.input.editor.Delete()
	u.typed()
}

func (u *UI) acceptOrNextAgent() {
	if !u.accept() {
		u.cycle("agent")
	}
}

// cycle switches to the next agent or mode. If there is no other one, a hint says so: the scrollback is for what happened.
func (u *UI) cycle(kind string) {
	if u.session != nil {
		if choices, err := u.session.Choices(context.Background(), kind); err == nil && !slices.ContainsFunc(choices, func(c frontend.Choice) bool { return c.Cycled && !c.Current }) {
			u.hint = "there is no other " + kind + "; configure one in .aura/config/" + kind + "s"
			return
		}
	}
	u.command("/" + kind + " --next")
}

func (u *UI) rightOrAccept() {
	e := u.input.editor
	if e.Cursor() == len(e.Value()) && u.accept() {
		return
	}
	e.Right()
	u.typed()
}

func (u *UI) expand() {
	if !u.input.editor.Expand() {
		u.hint = "there is no paste at the cursor"
		return
	}
	u.typed()
}

func (u *UI) toggleThinking() {
	u.show.verbose = !u.show.verbose
	u.hint = map[bool]string{true: "thinking is shown", false: "thinking is folded"}[u.show.verbose]
}

func (u *UI) redraw() {
	if err := u.screen.Clear(); err != nil {
		u.failed = err
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
		if err := h.Add(u.o.Hide(text)); err != nil {
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
