package terminal

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/idelchi/aura/internal/plaintext"
)

// Screen is what is behind the two outputs of aura, of which each may be a terminal. It owns the live line: a line at the end of the
// output that is drawn again and again, and taken away before anything else is written. Several goroutines may use it.
type Screen struct {
	out, err io.Writer
	// outLook and errLook are what the outputs can show.
	outLook, errLook Look

	mu sync.Mutex
	// raw is the terminal on which the live line is drawn.
	raw io.Writer
	// broken is set while the last line on the terminal has not ended: there is no room for another one.
	broken bool
	// drawn is the width of the live line, 0 if it is not there.
	drawn int
	live  live
}

// NewScreen looks at what is behind the outputs. The environment is that of the process.
func NewScreen(out, err io.Writer, environ []string) *Screen {
	s := &Screen{raw: err}
	s.out, s.outLook = s.pane(out, environ)
	s.err, s.errLook = s.pane(err, environ)
	return s
}

// pane is an output of the screen. What is no terminal is written to as it is: programs read it.
func (s *Screen) pane(w io.Writer, environ []string) (io.Writer, Look) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return w, NewLook(false, environ, nil)
	}
	width := func() int {
		columns, _, err := term.GetSize(int(file.Fd()))
		if err != nil {
			return 0
		}
		return columns
	}
	return &Pane{screen: s, to: file, clean: plaintext.Cleaner{Visible: true, Returns: true}}, NewLook(true, environ, width)
}

// Out and Err are the outputs.
func (s *Screen) Out() io.Writer { return s.out }

// Err is standard error.
func (s *Screen) Err() io.Writer { return s.err }

// OutLook and ErrLook say what the outputs can show.
func (s *Screen) OutLook() Look { return s.outLook }

// ErrLook is that of standard error.
func (s *Screen) ErrLook() Look { return s.errLook }

// Pane is an output that is a terminal. It is the last fence: whatever a command forgot to clean is cleaned here.
type Pane struct {
	screen *Screen
	to     io.Writer
	clean  plaintext.Cleaner
}

// IsTerminal is true: other outputs are no panes.
func (p *Pane) IsTerminal() bool { return true }

// Write implements io.Writer. aura's own carriage returns pass, by which progress is shown.
func (p *Pane) Write(b []byte) (int, error) {
	p.screen.mu.Lock()
	defer p.screen.mu.Unlock()
	if err := p.put(p.clean.Next(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Print writes what has been cleaned and styled.
func (p *Pane) Print(text Styled) error {
	p.screen.mu.Lock()
	defer p.screen.mu.Unlock()
	return p.put(p.clean.End() + string(text))
}

// put writes after the live line is taken away. The caller holds the lock.
func (p *Pane) put(text string) error {
	if text == "" {
		return nil
	}
	p.screen.erase()
	p.screen.broken = !strings.HasSuffix(text, "\n")
	_, err := io.WriteString(p.to, text)
	return err
}

// Printer is an output that takes styled text.
type Printer interface {
	Print(text Styled) error
}

// Print writes styled text to an output, which need not be a terminal if colours are forced.
func Print(w io.Writer, text Styled) error {
	if text == "" {
		return nil
	}
	if p, ok := w.(Printer); ok {
		return p.Print(text)
	}
	_, err := io.WriteString(w, string(text))
	return err
}

// Answered says that the user has ended a line by typing, after a question.
func (s *Screen) Answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = false
}

const (
	// quiet is how long something is waited for before the live line appears.
	quiet = 200 * time.Millisecond
	// beat is the time between two drawings.
	beat = 100 * time.Millisecond
)

// live is the state of the live line.
type live struct {
	on    bool
	what  Activity
	since time.Time
	frame int
	timer *time.Timer
	// paused is set while the process is stopped.
	paused bool
}

// Wait shows what is being waited for from now on. The seconds are counted from the first call with a certain What and Name.
func (s *Screen) Wait(a Activity) {
	if !s.errLook.Live {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live.on || !s.live.what.same(a) {
		s.live.since = time.Now()
	}
	s.live.on, s.live.what = true, a
	if s.live.timer == nil {
		s.live.timer = time.AfterFunc(quiet, s.tick)
	}
}

// Idle says that nothing is being waited for.
func (s *Screen) Idle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	s.live.on = false
	if s.live.timer != nil {
		s.live.timer.Stop()
		s.live.timer = nil
	}
}

// tick draws the live line, and again after a while.
func (s *Screen) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live.on || s.live.timer == nil {
		return
	}
	s.draw()
	s.live.timer.Reset(beat)
}

// frames are the pictures of the spinner.
var frames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// draw draws the live line where there is room for it. The caller holds the lock.
func (s *Screen) draw() {
	elapsed := time.Since(s.live.since)
	if s.broken || s.live.paused || elapsed < quiet {
		return
	}
	columns := s.errLook.columns()
	text := s.live.what.line(elapsed, columns-3)
	if text == "" {
		return
	}
	s.erase()
	s.live.frame = (s.live.frame + 1) % len(frames)
	// What cannot be drawn is not missed.
	_, _ = io.WriteString(s.raw, string(s.errLook.Paint(Accent, frames[s.live.frame])+" "+s.errLook.Paint(Quiet, text)))
	s.drawn = 2 + Width(text)
}

// erase takes the live line away. A terminal that has become narrower since shows it on several lines. The caller holds the lock.
func (s *Screen) erase() {
	if s.drawn == 0 {
		return
	}
	columns := max(s.errLook.columns(), 1)
	up := (s.drawn - 1) / columns
	s.drawn = 0
	_, _ = io.WriteString(s.raw, "\r"+strings.Repeat("\x1b[A", up)+"\x1b[J")
}

// pause takes the live line away until resume: the process is about to be stopped.
func (s *Screen) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	s.live.paused = true
}

func (s *Screen) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live.paused = false
}
