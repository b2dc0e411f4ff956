package tui

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/keymap"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// worker opens the session and gives it lines, one at a time. It has a goroutine of its own, because the session returns only when a
// line is done.
type worker struct {
	u     *UI
	lines chan frontend.Line
	done  chan struct{}

	// cancel ends the opening of the session.
	cancel context.CancelFunc
	// quit is set when the screen should end.
	quit bool

	mu      sync.Mutex
	session frontend.Session
	failed  error
	// stopped is set when nobody waits for the session any more. Then it is no failure if it does not open.
	stopped bool
}

func newWorker(u *UI) *worker {
	return &worker{u: u, lines: make(chan frontend.Line, 1), done: make(chan struct{})}
}

// start opens the session and then works until stop.
func (w *worker) start(ctx context.Context) {
	ctx, w.cancel = context.WithCancel(ctx)
	go func() {
		defer close(w.done)
		s, err := w.u.o.Open(ctx, w.u)
		w.mu.Lock()
		if w.session = s; !w.stopped {
			w.failed = err
		}
		w.mu.Unlock()
		if err != nil {
			w.u.do(func() { w.quit = true })
			return
		}
		w.u.do(func() { w.u.opened(s) })
		for line := range w.lines {
			done := runLine(ctx, s, line)
			w.u.do(func() { w.u.finished(done) })
		}
	}()
}

// opened returns the session, or why it could not be opened.
func (w *worker) opened() (frontend.Session, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.session, w.failed
}

// workDone is how the work on a line ended.
type workDone struct {
	exit bool
	err  error
	// resumed is the conversation if the line resumed another session.
	resumed []llm.Message
}

// runLine gives a line to a session.
func runLine(ctx context.Context, s frontend.Session, line frontend.Line) (done workDone) {
	var before string
	name, _, own := ownCommand(line.Text, s.Commands())
	resumes := own && name == "resume"
	if resumes {
		before = s.Status().SessionID
	}
	done.exit, done.err = s.RunLine(ctx, line)
	if resumes && s.Status().SessionID != before {
		done.resumed = s.History()
	}
	return done
}

// stop ends the work and waits until the session is idle.
func (w *worker) stop() {
	if w.cancel == nil {
		return
	}
	w.mu.Lock()
	w.stopped = true
	w.mu.Unlock()
	close(w.lines)
	w.cancel()
	<-w.done
}

// opened takes over the session.
func (u *UI) opened(s frontend.Session) {
	u.session = s
	u.show.stopWaiting()
	u.recall(s.History())
	u.status.refresh(u)
	u.next()
}

// recall shows that the session continues an earlier one, and its last answer.
func (u *UI) recall(history []llm.Message) {
	if len(history) == 0 {
		return
	}
	u.say(terminal.Quiet, fmt.Sprintf("= continues a session of %d messages; %s shows them", len(history), u.keys.Keys(keymap.Transcript)))
	for _, m := range slices.Backward(history) {
		if m.Role == llm.RoleAssistant && m.Content != "" {
			u.frame.print(u.show.answer(m.Content))
			return
		}
	}
}

// finished is called when a line is done.
func (u *UI) finished(done workDone) {
	u.showEvents()
	u.frame.print(u.show.end())
	u.show.stopWaiting()
	u.recall(done.resumed)
	holds := u.queue.finish(done.err != nil)
	if done.exit {
		u.worker.quit = true
		return
	}
	if holds {
		u.queue.hold()
	}
	if u.queue.held > 0 {
		u.prompt.remark("the queue waits: " + u.keys.Keys(keymap.Send) + " sends its first line")
	}
	u.status.refresh(u)
	if u.next(); !u.queue.busy {
		u.frame.fail(u.notify.end(time.Now()))
	}
}

// next gives the session the next line of the queue if the session is idle.
func (u *UI) next() {
	if u.session == nil || u.frame.lent() || u.worker.quit {
		return
	}
	line, ok := u.queue.next()
	if !ok {
		return
	}
	if name, ok := pickerOf(line, u.commands()); ok {
		u.openPicker(name)
		return
	}
	if frontend.IsCommand(line) {
		u.frame.print(u.show.prompt(line))
	}
	u.queue.busy = true
	u.notify.begin(time.Now())
	if _, ok := frontend.ShellCommand(line); !ok {
		u.show.begin()
	}
	u.worker.lines <- frontend.Line{Text: line, Attached: u.prompt.attachments(line)} // it has room: the session is idle
}
