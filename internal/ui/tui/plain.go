package tui

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/ui/relay"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// Plain is the screen for terminals and people that need strictly linear output: lines with labels, numbered choices, and nothing
// that is drawn again.
type Plain struct {
	o   Options
	out io.Writer

	// mu is held while something is written.
	mu sync.Mutex
	// streaming is what was written of the answer and of running tools. verbose writes the thinking too, as part of the answer.
	streaming terminal.Streaming
	verbose   bool
	// patient fires when the model has not answered for a while.
	patient *time.Timer

	worker *plainWorker
	// session is the open session. shared is what /share sends; it belongs to the goroutine of the session.
	session frontend.Session
	shared  shared
}

// NewPlain returns a plain screen. Its output goes to out, which cleans what it writes to a terminal.
func NewPlain(o Options, out io.Writer) *Plain {
	return &Plain{o: o, out: out}
}

// plainWorker is what happens around the session: typed lines, interrupts, the session's own work.
type plainWorker struct {
	typed chan typedText
	// asked receives a question; the loop answers it. withdrawn receives a question that is no longer asked.
	asked, withdrawn chan *plainQuestion
	done             chan workDone
	stop             chan struct{}
}

type typedText struct {
	text string
	err  error
}

// errQuit is the cause of a turn that ends because the user quits.
var errQuit = errors.New("quit")

// Run shows the session until the user ends it or ctx ends. interrupts receives Ctrl-C.
func (p *Plain) Run(ctx context.Context, interrupts <-chan struct{}) error {
	w := &plainWorker{typed: make(chan typedText), asked: make(chan *plainQuestion), withdrawn: make(chan *plainQuestion), done: make(chan workDone, 1), stop: make(chan struct{})}
	p.worker = w
	defer close(w.stop)
	opening, cancel := context.WithCancel(ctx)
	defer cancel()
	go w.read(p.o.In)
	opened := make(chan error, 1)
	go func() {
		var err error
		p.session, err = p.o.Open(opening, p)
		opened <- err
	}()
	loop := &plainLoop{p: p, w: w, queue: p.o.Prompts, started: func() frontend.Session { return p.session }}
	err := loop.run(ctx, interrupts, opened, cancel)
	if !loop.open && !loop.failed { // the session may still open: it must be closed then
		cancel()
		<-opened
	}
	if p.session != nil {
		err = errors.Join(err, p.o.Close(ctx, p.session, err))
	}
	p.stopPatience()
	p.endLine()
	return err
}

// read passes on what is typed. In the usual mode of the terminal each piece is a line.
func (w *plainWorker) read(in io.Reader) {
	piece := make([]byte, 4<<10)
	for {
		n, err := in.Read(piece)
		select {
		case w.typed <- typedText{string(piece[:n]), err}:
		case <-w.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// plainLoop is the state of a running plain screen.
type plainLoop struct {
	p       *Plain
	w       *plainWorker
	started func() frontend.Session
	// open is set when the session is open, and failed if it did not open. busy is set while it works.
	open, failed, busy bool
	// end ends the line that the session works on, also if the session has not begun with it.
	end      context.CancelCauseFunc
	queue    []string
	rest     string
	ended    bool
	question *plainQuestion
	quitAt   time.Time
	// silent fires after a part of the silence; calm counts the parts that have passed.
	silent <-chan time.Time
	calm   int
}

func (l *plainLoop) run(ctx context.Context, interrupts <-chan struct{}, opened <-chan error, cancel func()) error {
	for {
		select {
		case err := <-opened:
			if err != nil {
				l.failed = true
				return err
			}
			l.open = true
			l.p.recall(l.started().History())
			l.next(ctx)
		case d := <-l.w.done:
			l.busy = false
			l.end(nil)
			l.answer(reply{}) // a question whose turn was interrupted has no answer
			if d.exit || errors.Is(d.err, errQuit) {
				return nil
			}
			l.p.recall(d.resumed)
			l.next(ctx)
		case t := <-l.w.typed:
			if l.readTyped(ctx, t) {
				cancel()
				return l.quit()
			}
		case q := <-l.w.asked:
			l.ask(q)
		case q := <-l.w.withdrawn:
			l.withdraw(q)
		case <-l.silent:
			l.listen()
		case <-interrupts:
			if l.interrupted() {
				cancel()
				return l.quit()
			}
		case <-ctx.Done():
			l.answer(reply{})
			if l.busy {
				<-l.w.done
			}
			return context.Cause(ctx)
		}
		if l.ended && l.open && !l.busy && len(l.queue) == 0 {
			return nil
		}
	}
}

// interrupted handles Ctrl-C and reports whether the user quits.
func (l *plainLoop) interrupted() (quits bool) {
	if time.Now().Before(l.quitAt) {
		return true
	}
	l.quitAt = time.Now().Add(quitTime)
	l.p.label("", "press Ctrl-C again to quit")
	if l.busy {
		l.started().Cancel(errInterrupted)
	} else {
		l.prompt()
	}
	return false
}

// quit ends what runs.
func (l *plainLoop) quit() error {
	l.answer(reply{})
	if l.busy {
		l.end(errQuit)
		<-l.w.done
	}
	return nil
}

// readTyped handles what was typed. It reports whether the user asked to quit.
func (l *plainLoop) readTyped(ctx context.Context, t typedText) (quits bool) {
	l.rest += t.text
	if q := l.question; q != nil && !q.ready {
		l.quiet() // the silence begins anew
	}
	for {
		line, rest, ok := strings.Cut(l.rest, "\n")
		if !ok {
			break
		}
		l.rest = rest
		l.line(strings.TrimRight(line, "\r"))
	}
	if t.err != nil {
		l.ended = true
		l.answer(reply{})
		return !l.open
	}
	l.next(ctx)
	return false
}

// line handles a typed line: an answer, or a line for the session.
func (l *plainLoop) line(line string) {
	if q := l.question; q != nil && q.ready {
		l.reply(strings.TrimSpace(line))
		return
	}
	if strings.TrimSpace(line) == "" {
		if l.open && !l.busy {
			l.prompt()
		}
		return
	}
	if h := l.p.o.History; h != nil {
		if err := h.Add(l.p.o.Hide(line)); err != nil {
			l.p.label("Warning", err.Error())
		}
	}
	l.queue = append(l.queue, line)
	if l.busy {
		l.p.label("Queued", plaintext.Line(line))
	}
}

// next gives the session the next line, or asks for one.
func (l *plainLoop) next(ctx context.Context) {
	if !l.open || l.busy {
		return
	}
	if len(l.queue) == 0 {
		if !l.ended {
			l.prompt()
		}
		return
	}
	line := l.queue[0]
	l.queue = l.queue[1:]
	l.busy = true
	ctx, l.end = context.WithCancelCause(ctx)
	go func() {
		l.w.done <- runLine(ctx, l.started(), frontend.Line{Text: line})
	}()
}

// Commands implements frontend.Commander.
func (p *Plain) Commands() []command.Command {
	return []command.Command{shareCommand(func() shared { return p.shared })}
}

// RunShell implements frontend.ShellRunner. The command has no input, because the typed lines belong to the session.
func (p *Plain) RunShell(ctx context.Context, line string) {
	path, args := userShell(func(name string) string { return lookup(p.o.Environ, name) }, line)
	shown, kept := &pane{p: p}, &relay.Output{}
	out := io.MultiWriter(shown, kept)
	err := process.Run(ctx, process.Spec{
		Path: path, Args: args, Dir: p.o.Workdir, Env: p.o.Environ, Stdout: out, Stderr: out, SameGroup: true,
	})
	shown.end()
	if err != nil {
		p.label("Error", err.Error())
	}
	p.shared = newShared(line, kept, err, p.o.Hide)
	if offer := p.shared.offer(p.session.Commands()); offer != "" {
		p.label("Note", offer)
	}
}

// prompt asks for the next line.
func (l *plainLoop) prompt() {
	l.p.endLine()
	l.p.write("You: ")
}
