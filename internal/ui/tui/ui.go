// Package tui is the interactive screen. It prints finished text once, into the scrollback of the terminal, and redraws only a small
// live area below it: the answer in progress, running tools, the queue, the input and the status line.
package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/keymap"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/ui/filefind"
	"github.com/idelchi/aura/internal/ui/inputhistory"
	"github.com/idelchi/aura/internal/ui/lineedit"
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

const (
	// frameTime is the shortest time between two frames.
	frameTime = time.Second / 60
	// keyTime is the shortest time between a frame and one that shows a key.
	keyTime = 8 * time.Millisecond
	// beat is the time between two frames of the spinner.
	beat = 100 * time.Millisecond
	// quitTime is how soon a second Ctrl-C must follow the first to quit.
	quitTime = 2 * time.Second
	// patience is how long a frame waits for an answer of the terminal.
	patience = 150 * time.Millisecond
)

// errInterrupted is the cause of a turn that the user interrupted.
var errInterrupted = errors.New("the user stopped it")

// UI is the screen of one session. Event, Ask and ShowThinking may be called from any goroutine. All other state belongs to the
// goroutine of the program.
type UI struct {
	o       Options
	look    terminal.Look
	program *tea.Program
	inbox   *inbox
	worker  *worker
	keys    keymap.Map

	screen        *terminal.Inline
	columns, rows int
	// dirty is set if the next frame differs from the last. drawn is when the last frame was drawn. ticking is set while a timer
	// for the next frame runs.
	dirty   bool
	drawn   time.Time
	ticking bool
	// settleBy is until when the next frame waits for an answer of the terminal; zero if it does not wait.
	settleBy time.Time
	// beating is set while the timer of the spinner runs.
	beating bool
	// away is set while another program has the terminal. Nothing is drawn then. outsiders are the goroutines that wait for it.
	away      bool
	outsiders sync.WaitGroup
	// released is set while the terminal has its usual modes, for another program.
	released bool
	// whenAnswered is called when the terminal has answered all probes.
	whenAnswered []func()
	// failed is why the screen cannot go on.
	failed error
	// lightBackground is what the terminal answered.
	lightBackground bool
	// cooked holds the modes of the terminal before the screen.
	cooked *term.State

	session frontend.Session
	show    *show
	input   input
	queue   []string
	// current is the line that is being worked on; empty if the session is idle.
	current string
	busy    bool
	// sendNow is set if the next line of the queue is sent although the turn was interrupted.
	sendNow  bool
	question *question
	overlay  overlay
	status   status
	// quitting is set when the screen should end: nothing is drawn any more. quit is set when it can end, because the terminal has
	// answered; a late answer would be input of the user's shell.
	quitting, quit bool
	// quitAt is until when another Ctrl-C quits.
	quitAt time.Time
	// hint is a short remark below the input, until the next key.
	hint string
}

// New returns a screen.
func New(o Options) *UI {
	u := &UI{o: o, inbox: newInbox(), keys: keymap.New(o.Settings.Keys)}
	u.look = terminal.NewLook(true, o.Environ, func() int { return u.columns })
	u.applyTheme()
	u.screen = terminal.NewInline(o.Out, u.size)
	u.screen.Reflows = reflows(o.Environ)
	u.show = newShow(&u.look, o.Debug)
	u.input = input{editor: &lineedit.Editor{}, history: o.History, files: filefind.New(o.Workdir)}
	u.worker = newWorker(u)
	u.status.command = o.Settings.Status
	return u
}

// size returns the size of the terminal.
func (u *UI) size() (columns, rows int) {
	columns, rows, err := term.GetSize(int(u.o.Out.Fd()))
	if err != nil || columns <= 0 || rows <= 0 {
		return max(u.columns, 1), max(u.rows, 1)
	}
	return columns, rows
}

// The modes of the terminal that the screen sets, and how they are reset: bracketed paste, and keys with modifiers.
const (
	setModes   = "\x1b[?2004h\x1b[>1u\x1b[>4;1m"
	resetModes = "\x1b[>4;0m\x1b[<u\x1b[?2004l\x1b[?25h"
	// askTerminal asks for the name of the terminal and for its background.
	askTerminal = "\x1b[>q\x1b]11;?\x1b\\"
)

// Run shows the session until the user ends it, ctx ends, or the terminal is gone.
func (u *UI) Run(ctx context.Context) error {
	state, err := term.MakeRaw(int(u.o.In.Fd()))
	if err != nil {
		return fmt.Errorf("preparing the terminal: %w", err)
	}
	u.cooked = state
	restore := func() error { return term.Restore(int(u.o.In.Fd()), state) }
	interruptible := u.o.Uninterrupted()
	u.columns, u.rows = u.size()
	// With the usual rate of frames the library would wake up 60 times a second to draw nothing.
	u.program = tea.NewProgram(u, tea.WithInput(u.o.In), tea.WithOutput(nowhere{}), tea.WithEnvironment(u.o.Environ),
		tea.WithoutRenderer(), tea.WithFPS(1), tea.WithoutSignalHandler())
	_, err = u.o.Out.WriteString(setModes + askTerminal)
	if err == nil {
		stop := u.watchSize()
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
	u.input.saving.Wait()
	u.input.files.Close()
	gone := u.leave()
	err = errors.Join(u.failed, ended(ctx, err))
	if gone == nil {
		gone = restore()
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
	if u.overlay != nil {
		u.closeOverlay()
	}
	u.takeEvents()
	u.print(u.show.end())
	if err := u.screen.Clear(); err != nil || u.released { // another program had the terminal in its usual modes
		return err
	}
	_, err := u.o.Out.WriteString(resetModes)
	return err
}

// close closes the session. What happens meanwhile is printed as it comes.
func (u *UI) close(ctx context.Context, err error) error {
	s, opened := u.worker.opened()
	if s == nil {
		return opened
	}
	err = u.o.Close(ctx, s, err)
	for _, e := range u.inbox.take() {
		u.print(u.show.event(e))
	}
	return errors.Join(err, u.screen.Clear())
}

// nowhere discards what the library would write; the screen writes everything itself.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }

// The messages of the program beside those of the library.
type (
	// arrived says that events are in the inbox.
	arrived struct{}
	// nextFrame draws the next frame.
	nextFrame struct{}
	// nextBeat moves the spinner.
	nextBeat struct{}
	// resized says that the size of the terminal may have changed.
	resized struct{}
	// call runs a function in the goroutine of the program.
	call func()
)

// Init implements tea.Model.
func (u *UI) Init() tea.Cmd {
	u.queue = append(u.queue, u.o.Prompts...)
	u.status.refresh(u)
	u.dirty = true
	u.draw()
	return nil
}

// View implements tea.Model. The screen draws itself.
func (u *UI) View() tea.View { return tea.View{} }

// Update implements tea.Model.
func (u *UI) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	u.handle(msg)
	if u.failed != nil {
		return u, tea.Quit
	}
	if u.worker.quit && !u.quitting {
		u.quitting = true
		u.answered(func() { u.quit = true })
	}
	if u.quit {
		return u, tea.Quit
	}
	switch _, key := msg.(tea.KeyPressMsg); {
	case u.dirty && key && time.Since(u.drawn) >= keyTime:
		u.draw()
	case u.dirty:
		u.soon()
	}
	return u, nil
}

func (u *UI) handle(msg tea.Msg) {
	u.dirty = true
	switch msg := msg.(type) {
	case arrived:
		u.takeEvents()
	case nextFrame:
		u.ticking = false
		u.draw()
	case nextBeat:
		u.beating = false
		u.keepBeating()
	case resized:
		u.columns, u.rows = u.size()
	case tea.CursorPositionMsg:
		if err := u.screen.Confirm(msg.X + 1); err != nil {
			u.failed = err
		}
		u.dirty = u.question.confirmed(u)
		if u.screen.Answered() {
			u.probesAnswered()
		}
		if !u.settleBy.IsZero() && u.screen.Settled() {
			u.draw()
		}
	case tea.TerminalVersionMsg:
		u.screen.Reflows = u.screen.Reflows || reflowsByName(msg.Name)
		u.screen.BacksUp = strings.HasPrefix(msg.Name, "tmux ")
		u.dirty = false
	case tea.BackgroundColorMsg:
		u.lightBackground = !msg.IsDark()
		u.applyTheme()
	case tea.KeyPressMsg:
		u.pressed(msg)
	case tea.PasteMsg:
		u.pasted(msg.Content)
	case call:
		msg()
	default:
		u.dirty = false
	}
}

// do runs a function in the goroutine of the program.
func (u *UI) do(f func()) { u.program.Send(call(f)) }

// soon draws a frame, at once or when the next frame is due.
func (u *UI) soon() {
	if u.ticking {
		return
	}
	if wait := frameTime - time.Since(u.drawn); wait > 0 {
		u.ticking = true
		time.AfterFunc(wait, func() { u.program.Send(nextFrame{}) })
		return
	}
	u.draw()
}

// draw draws a frame.
func (u *UI) draw() {
	if u.away || u.quitting {
		return
	}
	if columns, rows := u.size(); columns != u.columns || rows != u.rows {
		u.columns, u.rows = columns, rows
	}
	if u.overlay == nil && u.unsettled() {
		return
	}
	u.drawn, u.dirty = time.Now(), false
	var err error
	if u.overlay != nil {
		err = u.drawOverlay()
	} else {
		rows, row, column := u.layout()
		err = u.screen.Draw(rows, row, column)
	}
	if err != nil {
		u.failed = err
	}
	u.keepBeating()
}

// unsettled reports whether the frame must wait for an answer of the terminal. It then comes with the answer, or without one if the
// terminal does not answer in time.
func (u *UI) unsettled() bool {
	ready, err := u.screen.Settle()
	if err != nil {
		u.failed = err
	}
	if ready || err != nil || !u.settleBy.IsZero() && time.Now().After(u.settleBy) {
		u.settleBy = time.Time{}
		return false
	}
	if u.settleBy.IsZero() {
		u.settleBy = time.Now().Add(patience)
	}
	u.ticking = true
	time.AfterFunc(time.Until(u.settleBy), func() { u.program.Send(nextFrame{}) })
	return true
}

// keepBeating moves the spinner as long as something is being waited for.
func (u *UI) keepBeating() {
	if u.beating || !u.show.waiting() && u.session != nil && !u.busy {
		return
	}
	u.beating = true
	time.AfterFunc(beat, func() { u.program.Send(nextBeat{}) })
}

// takeEvents shows the events that have arrived.
func (u *UI) takeEvents() {
	for _, e := range u.inbox.take() {
		u.print(u.show.event(e))
		u.status.after(u, e)
	}
}

// print prints finished text above the live area.
func (u *UI) print(text terminal.Styled) {
	if text != "" {
		u.screen.Print(text)
	}
}

// say prints a line of aura's own.
func (u *UI) say(style terminal.Style, text string) { u.print(u.show.line(style, text)) }

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

// reflows reports whether the environment names a terminal that breaks long rows again when it becomes narrower.
func reflows(environ []string) bool {
	for _, name := range []string{"TMUX", "KITTY_WINDOW_ID", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION", "ALACRITTY_WINDOW_ID", "WEZTERM_PANE"} {
		if lookup(environ, name) != "" {
			return true
		}
	}
	return reflowsByName(lookup(environ, "TERM_PROGRAM"))
}

func reflowsByName(name string) bool {
	name = strings.ToLower(name)
	for _, known := range []string{"tmux", "kitty", "wezterm", "iterm", "ghostty", "foot", "vte", "konsole", "alacritty", "apple_terminal", "vscode", "windows terminal", "contour", "rio"} {
		if strings.Contains(name, known) {
			return true
		}
	}
	return false
}
