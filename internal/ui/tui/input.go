package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/keymap"
)

// pressed handles a key.
func (u *UI) pressed(key tea.KeyPressMsg) {
	action := u.keys[key.String()]
	if action != keymap.Cancel {
		u.quitAt = time.Time{}
	}
	if action != keymap.Interrupt {
		u.rewindAt = time.Time{}
	}
	u.prompt.remark("")
	if u.dialog.press(key) || u.prompt.searching(key, action) {
		return
	}
	do := actions[action]
	switch {
	case action == "" && key.Text != "":
		u.prompt.insert(key.Text)
	case do != nil:
		do(u)
	default:
		u.prompt.edit(action)
	}
}

// actions are the actions of the screen. The others change the text of the input; see edits.
var actions = map[keymap.Action]func(*UI){
	keymap.Send:      func(u *UI) { u.enter(false) },
	keymap.SendNow:   func(u *UI) { u.enter(true) },
	keymap.Interrupt: (*UI).escape,
	keymap.Cancel:    (*UI).cancel,
	keymap.Quit: func(u *UI) { // or delete, as in a shell
		if u.prompt.empty() {
			u.worker.quit = true
			return
		}
		u.prompt.edit(keymap.Delete)
	},
	keymap.NextAgent: func(u *UI) {
		if !u.prompt.accept() {
			u.cycle("agent")
		}
	},
	keymap.NextMode:   func(u *UI) { u.cycle("mode") },
	keymap.Transcript: (*UI).openTranscript,
	keymap.Editor:     (*UI).editOutside,
	keymap.Search:     func(u *UI) { u.prompt.beginSearch() },
	keymap.Expand:     func(u *UI) { u.prompt.expand() },
	keymap.PasteImage: (*UI).pasteClipboard,
	keymap.Thinking: func(u *UI) {
		u.show.verbose = !u.show.verbose
		u.prompt.remark(map[bool]string{true: "thinking is shown", false: "thinking is folded"}[u.show.verbose])
	},
	keymap.Redraw:  func(u *UI) { u.frame.fail(u.frame.clear()) },
	keymap.Suspend: (*UI).suspend,
	keymap.Up:      (*UI).up,
	keymap.Down:    (*UI).down,
	keymap.Right:   func(u *UI) { u.prompt.right() },
}

// cycle switches to the next agent or mode. If there is no other one, a hint says so: the scrollback is for what happened.
func (u *UI) cycle(kind string) {
	if u.session != nil {
		if choices, err := u.session.Choices(context.Background(), kind); err == nil && !slices.ContainsFunc(choices, func(c frontend.Choice) bool { return c.Cycled && !c.Current }) {
			u.prompt.remark("there is no other " + kind + "; configure one in .aura/config/" + kind + "s")
			return
		}
	}
	u.enqueue("/" + frontend.OwnCommand(u.commands(), kind) + " --next")
}

// pasted handles text that was pasted.
func (u *UI) pasted(text string) {
	u.prompt.remark("")
	if u.dialog.paste(text) || u.attach(text) {
		return
	}
	u.prompt.paste(text)
}

// enter accepts a completion, or sends the text.
func (u *UI) enter(now bool) {
	text, sends := u.prompt.submit(now)
	switch {
	case !sends:
	case text == "":
		if now && u.queue.busy && len(u.queue.lines) > 0 {
			u.interruptFor()
		}
		u.queue.release()
		u.next()
	default:
		u.prompt.save(text, u.o.Hide, u.Tell)
		u.prompt.replace("")
		u.queue.release()
		if now {
			u.queue.addFirst(text)
			u.interruptFor()
			return
		}
		u.queue.add(text)
		u.next()
	}
}

// interruptFor interrupts the turn, so that the first line of the queue is sent.
func (u *UI) interruptFor() {
	if !u.queue.busy {
		u.next()
		return
	}
	u.queue.sendNow = true
	u.session.Cancel(errInterrupted)
}

// enqueue runs a command as if it were typed. The text of the input stays. While the queue waits for the user, the command does not wait with
// the queue.
func (u *UI) enqueue(line string) {
	switch {
	case u.queue.busy:
		u.prompt.remark("the session is busy: " + line + " waits in the queue")
		u.queue.add(line)
	case u.queue.held > 0:
		u.queue.addFirst(line)
	default:
		u.queue.add(line)
	}
	u.next()
}

// escape closes a menu, or interrupts the turn. Pressed twice on an empty input, it lets the user choose a prompt to return to.
func (u *UI) escape() {
	twice := time.Now().Before(u.rewindAt)
	u.rewindAt = time.Time{}
	switch {
	case u.prompt.closeMenu():
	case u.show.chosen != "" && u.session != nil:
		u.session.EndCall(u.show.chosen)
	case u.queue.busy && u.session != nil:
		u.session.Cancel(errInterrupted)
	case !u.prompt.empty() || u.session == nil:
	case twice:
		u.enqueue("/" + frontend.OwnCommand(u.commands(), "rewind"))
	default:
		u.rewindAt = time.Now().Add(quitTime)
		u.prompt.remark("press Esc again to return to an earlier prompt")
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
	case u.queue.busy && u.session != nil:
		u.session.Cancel(errInterrupted)
	case !u.prompt.empty():
		u.prompt.replace("")
	}
	u.prompt.remark("press Ctrl-C again to quit")
}

// up moves up in the text or the menu, takes back the last queued line, or goes to an earlier prompt.
func (u *UI) up() {
	if u.prompt.up(u.frame.inputWidth()) {
		return
	}
	if u.prompt.empty() {
		if line, ok := u.queue.last(); ok {
			u.prompt.restore(line)
			u.prompt.remark("taken back from the queue")
			return
		}
	}
	u.prompt.older()
}

// down moves down in the text or the menu, goes to a later prompt, or chooses the next running call, which Esc ends then.
func (u *UI) down() {
	if u.prompt.down(u.frame.inputWidth()) || !u.prompt.empty() {
		return
	}
	if title := u.show.choose(); title != "" {
		u.prompt.remark(u.keys.Keys(keymap.Interrupt) + " ends this call only: " + title)
	}
}

// pickers lists the commands whose argument the user can choose from a list.
var pickers = []string{"agent", "mode", "model", "resume", "rewind"}

// pickerOf returns the command of a line that the screen answers itself, with a picker.
func pickerOf(line string, commands []frontend.CommandInfo) (name string, ok bool) {
	name, args, own := ownCommand(line, commands)
	return name, own && args == "" && slices.Contains(pickers, name)
}

// ownCommand returns the name of the command of aura's own that a line is, and its arguments.
func ownCommand(line string, commands []frontend.CommandInfo) (name, args string, ok bool) {
	typed, args, ok := command.Parse(line)
	name = strings.TrimPrefix(typed, command.OwnerAura+":")
	return name, strings.TrimSpace(args), ok && (typed != name || frontend.OwnCommand(commands, name) == name)
}
