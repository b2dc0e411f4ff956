// Package tui is the interactive screen. It prints finished text once, into the scrollback of the terminal, and redraws only a small
// live area below it: the answer in progress, running tools, the queue, the input and the status line.
package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/keymap"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/ui/filefind"
	"github.com/idelchi/aura/internal/ui/inputhistory"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// Options describes a screen.
type Options struct {
	In, Out *os.File
	Environ []string
	// SafeDir is a directory that confined code cannot write to, and SafeEnviron an environment whose PATH has no directory that it can
	// write to. Programs that the user did not type run there: the status command and the editor.
	SafeDir     string
	SafeEnviron []string
	// Workdir is where the files of @path and the programs of the user are found.
	Workdir string
	// Drafts is the directory of prompts that are open in an editor. Confined code must not be able to write there. It is created if it
	// is missing. If it is empty, no editor is started.
	Drafts string
	// Prompts are sent first, one after the other.
	Prompts []string
	// Open opens the session that the screen shows.
	Open func(ctx context.Context, front frontend.FrontEnd) (frontend.Session, error)
	// Close closes the session after the screen has ended. err is why it ended; nil if the user asked for it.
	Close func(ctx context.Context, s frontend.Session, err error) error
	// History holds earlier prompts; nil keeps none.
	History *inputhistory.History
	// Hide removes known secrets from a prompt before it is kept.
	Hide func(text string) string
	// Settings are the user's choices.
	Settings config.Screen
	// Uninterrupted makes aura ignore interrupts until the returned function is called. While the screen has the terminal, Ctrl-C is
	// a key; while a program of the user has it, the interrupt is for that program. One that arrives late must not end aura either.
	Uninterrupted func() (end func())
	// Debug shows every event.
	Debug bool
}

// quitTime is how soon a second Ctrl-C must follow the first to quit.
const quitTime = 2 * time.Second

// errInterrupted is the cause of a turn that the user interrupted.
var errInterrupted = errors.New("the user stopped it")

// UI is the screen of one session. Event, Ask and ShowThinking may be called from any goroutine. All other state belongs to the
// goroutine of the program.
type UI struct {
	o       Options
	program *tea.Program
	inbox   *inbox
	worker  *worker
	keys    keymap.Map

	frame  *frame
	prompt *prompt
	dialog *dialog
	loan   *loan
	show   *show
	status status
	notify notifier

	session frontend.Session
	queue   queue
	// shared is what /share sends. It belongs to the goroutine of the session.
	shared shared
	// quitting is set when the screen should end: nothing is drawn any more. quit is set when it can end, because the terminal has
	// answered; a late answer would be input of the user's shell.
	quitting, quit bool
	// quitAt is until when another Ctrl-C quits.
	quitAt time.Time
	// rewindAt is until when another Esc opens the list of prompts to return to.
	rewindAt time.Time
}

// New returns a screen.
func New(o Options) *UI {
	u := &UI{o: o, inbox: newInbox(), keys: keymap.New(o.Settings.Keys)}
	u.frame = newFrame(o.Out, o.Environ, o.Settings.Theme, u)
	u.frame.after = u.after
	u.frame.terminalSize = func() (int, int, error) { return term.GetSize(int(o.Out.Fd())) }
	u.show = newShow(u.frame.colours(), o.Debug)
	u.prompt = newPrompt(o.History, filefind.New(o.Workdir), u.commands)
	u.prompt.ask = u.askSession
	u.dialog = &dialog{keys: u.keys, frame: u.frame, after: u.after, say: u.say}
	u.loan = &loan{in: o.In, out: o.Out, frame: u.frame, do: u.do, ended: u.inbox.ended}
	u.worker = newWorker(u)
	u.status.command = o.Settings.Status
	u.notify = notifier{out: o.Out, how: o.Settings.Notify, after: o.Settings.NotifyAfter}
	return u
}

// commands returns the slash commands; none while the session is starting.
func (u *UI) commands() []frontend.CommandInfo {
	if u.session == nil {
		return nil
	}
	return u.session.Commands()
}

// Run shows the session until the user ends it, ctx ends, or the terminal is gone.
func (u *UI) Run(ctx context.Context) error {
	if err := u.loan.begin(); err != nil {
		return err
	}
	interruptible := u.o.Uninterrupted()
	u.frame.measure()
	// With the usual rate of frames the library would wake up 60 times a second to draw nothing.
	u.program = tea.NewProgram(u, tea.WithInput(u.o.In), tea.WithOutput(nowhere{}), tea.WithEnvironment(u.o.Environ),
		tea.WithoutRenderer(), tea.WithFPS(1), tea.WithoutSignalHandler())
	u.loan.program = u.program
	_, err := u.o.Out.WriteString(screenModes + askTerminal)
	if err == nil {
		stop := watchSize(u.program)
		u.inbox.wake = func() { u.program.Send(arrived{}) }
		u.inbox.start()
		u.worker.start(ctx)
		// The program is asked to quit. A program that is killed does not wait until its input is no longer read.
		proceed := context.AfterFunc(ctx, u.program.Quit)
		_, err = u.program.Run()
		proceed()
		stop()
	}
	u.inbox.stop()
	u.loan.outside.Wait()
	u.prompt.close()
	gone := u.leave()
	err = errors.Join(u.frame.failure(), ended(ctx, err))
	if gone == nil {
		gone = u.loan.end()
	}
	interruptible()
	u.worker.stop()
	u.status.readers.Wait() // nothing may be asked of a session that is closed
	closed := u.close(ctx, err)
	if err == nil && gone != nil {
		err = fmt.Errorf("restoring the terminal: %w", gone)
	}
	return errors.Join(err, closed)
}

// ended returns why the program ended; nil if the user asked for it.
func ended(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("reading the terminal: %w", err)
	}
	return nil
}

// leave gives the terminal back: without the live area, with its modes as before.
func (u *UI) leave() error {
	u.dialog.close()
	u.showEvents()
	u.frame.print(u.show.end())
	if err := u.frame.clear(); err != nil {
		return err
	}
	return u.loan.resetModes()
}

// close closes the session. What happens meanwhile is printed as it comes.
func (u *UI) close(ctx context.Context, err error) error {
	s, opened := u.worker.opened()
	if s == nil {
		return opened
	}
	err = u.o.Close(ctx, s, err)
	for _, e := range u.inbox.drain() {
		u.frame.print(u.show.event(e))
	}
	return errors.Join(err, u.frame.clear())
}

// nowhere discards what the library would write; the screen writes everything itself.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }

// The messages of the program beside those of the library.
type (
	// arrived says that events are in the inbox.
	arrived struct{}
	// resized says that the size of the terminal may have changed.
	resized struct{}
	// call runs a function in the goroutine of the program.
	call func()
)

// Init implements tea.Model.
func (u *UI) Init() tea.Cmd {
	u.queue.add(u.o.Prompts...)
	u.status.refresh(u)
	u.frame.draw()
	return nil
}

// View implements tea.Model. The screen draws itself.
func (u *UI) View() tea.View { return tea.View{} }

// Update implements tea.Model.
func (u *UI) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	u.frame.expectChange()
	changed := u.handle(msg)
	if u.frame.failure() != nil {
		return u, tea.Quit
	}
	if u.worker.quit && !u.quitting {
		u.quitting = true
		u.frame.end()
		u.frame.answered(func() { u.quit = true })
	}
	if u.quit {
		return u, tea.Quit
	}
	_, key := msg.(tea.KeyPressMsg)
	u.frame.drawSoon(changed, key)
	return u, nil
}

// handle handles a message and reports whether the next frame may differ from the last.
func (u *UI) handle(msg tea.Msg) (changed bool) {
	switch msg := msg.(type) {
	case arrived:
		u.showEvents()
	case resized:
		u.frame.measure()
	case tea.CursorPositionMsg:
		return u.frame.confirm(msg.X+1, u.dialog.confirmed)
	case tea.TerminalVersionMsg:
		u.frame.named(msg.Name)
		return false
	case tea.BackgroundColorMsg:
		u.frame.setBackground(!msg.IsDark())
	case tea.KeyPressMsg:
		u.pressed(msg)
	case tea.PasteMsg:
		u.pasted(msg.Content)
	case call:
		msg()
	case tea.FocusMsg:
		u.notify.away = false
		return false
	case tea.BlurMsg:
		u.notify.away = true
		return false
	default:
		return false
	}
	return true
}

// do runs a function in the goroutine of the program.
func (u *UI) do(f func()) { u.program.Send(call(f)) }

// after runs a function in the goroutine of the program after a while.
func (u *UI) after(d time.Duration, f func()) { time.AfterFunc(d, func() { u.do(f) }) }

// waiting reports whether something is being waited for.
func (u *UI) waiting() bool { return u.show.waiting() || u.session == nil || u.queue.busy }

// covered reports whether a view covers the whole screen.
func (u *UI) covered() bool { return u.dialog.covers() }

// showEvents shows the events that have arrived.
func (u *UI) showEvents() {
	for _, e := range u.inbox.drain() {
		u.frame.print(u.show.event(e))
		u.status.after(u, e)
	}
}

// say prints a line of aura's own.
func (u *UI) say(style terminal.Style, text string) { u.frame.print(u.show.line(style, text)) }

// Event implements frontend.FrontEnd.
func (u *UI) Event(e event.Event) { u.inbox.put(e) }

// ShowThinking implements frontend.ThinkingViewer.
func (u *UI) ShowThinking(on bool) { u.do(func() { u.show.verbose = on }) }

// environ returns a variable of the environment.
func (u *UI) environ(name string) string { return lookup(u.o.Environ, name) }

func lookup(environ []string, name string) string {
	for _, entry := range environ {
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value
		}
	}
	return ""
}
