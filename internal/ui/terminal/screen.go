package terminal

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// Screen manages the two outputs of aura, each of which may be a terminal. It owns the live line: a line at the end of the output
// that is redrawn repeatedly, and erased before anything else is written. A Screen is safe for concurrent use.
type Screen struct {
	out, err io.Writer
	// outLook and errLook describe what the outputs can show.
	outLook, errLook Look

	mu sync.Mutex
	// raw is the terminal on which the live line is drawn.
	raw io.Writer
	// broken is set while the last line on the terminal is unfinished. The live line cannot be drawn then.
	broken bool
	// drawn is the width of the live line in columns, or 0 if it is not drawn.
	drawn int
	live  live
}

// NewScreen returns a Screen for the two outputs. environ is the environment of the process.
func NewScreen(out, err io.Writer, environ []string) *Screen {
	s := &Screen{raw: err}
	s.out, s.outLook = s.pane(out, environ)
	s.err, s.errLook = s.pane(err, environ)
	return s
}

// pane wraps an output of the screen. An output that is not a terminal is returned unchanged, because programs read it.
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

// Out returns standard output.
func (s *Screen) Out() io.Writer { return s.out }

// Err returns standard error.
func (s *Screen) Err() io.Writer { return s.err }

// OutLook describes what standard output can show.
func (s *Screen) OutLook() Look { return s.outLook }

// ErrLook describes what standard error can show.
func (s *Screen) ErrLook() Look { return s.errLook }

// Pane is an output that is a terminal. It is the last line of defence: it cleans text that a command forgot to clean.
type Pane struct {
	screen *Screen
	to     io.Writer
	clean  plaintext.Cleaner
}

// IsTerminal returns true, because only terminals are panes.
func (p *Pane) IsTerminal() bool { return true }

// Write implements io.Writer. It passes on aura's own carriage returns, which progress displays use.
func (p *Pane) Write(b []byte) (int, error) {
	p.screen.mu.Lock()
	defer p.screen.mu.Unlock()
	if err := p.put(p.clean.Next(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Print writes text that was already cleaned and styled.
func (p *Pane) Print(text Styled) error {
	p.screen.mu.Lock()
	defer p.screen.mu.Unlock()
	return p.put(p.clean.End() + string(text))
}

// put erases the live line and writes the text. The caller holds the lock.
func (p *Pane) put(text string) error {
	if text == "" {
		return nil
	}
	p.screen.erase()
	p.screen.broken = !strings.HasSuffix(text, "\n")
	_, err := io.WriteString(p.to, text)
	return err
}

// Printer is an output that accepts styled text.
type Printer interface {
	Print(text Styled) error
}

// Print writes styled text to an output. The output need not be a terminal if colours are forced.
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

// Answered reports to the Screen that the user ended a line by typing the answer to a question.
func (s *Screen) Answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = false
}

const (
	// quiet is the delay before the live line appears.
	quiet = 200 * time.Millisecond
	// beat is the time between two redraws.
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

// Wait shows what aura is waiting for from now on. The seconds are counted from the first call with the same What and Name.
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

// Idle ends the live line because aura is no longer waiting.
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

// tick draws the live line and schedules the next redraw.
func (s *Screen) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live.on || s.live.timer == nil {
		return
	}
	s.draw()
	s.live.timer.Reset(beat)
}

// frames holds the frames of the spinner.
var frames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// draw draws the live line if the last line on the terminal has ended. The caller holds the lock.
func (s *Screen) draw() {
	elapsed := time.Since(s.live.since)
	if s.broken || s.live.paused || elapsed < quiet {
		return
	}
	columns := s.errLook.columns()
	text := s.live.what.Line(elapsed, columns-3)
	if text == "" {
		return
	}
	s.erase()
	s.live.frame = (s.live.frame + 1) % len(frames)
	// A failed write is ignored, because the live line is not essential.
	_, _ = io.WriteString(s.raw, string(s.errLook.Paint(Accent, frames[s.live.frame])+" "+s.errLook.Paint(Quiet, text)))
	s.drawn = 2 + Width(text)
}

// erase erases the live line. A terminal that has become narrower since then shows the live line on several lines. The caller
// holds the lock.
func (s *Screen) erase() {
	if s.drawn == 0 {
		return
	}
	columns := max(s.errLook.columns(), 1)
	up := (s.drawn - 1) / columns
	s.drawn = 0
	_, _ = io.WriteString(s.raw, "\r"+strings.Repeat("\x1b[A", up)+"\x1b[J")
}

// pause erases the live line until resume is called. It is called before the process is stopped.
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
