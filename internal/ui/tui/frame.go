package tui

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/ui/terminal"
)

const (
	// frameTime is the shortest time between two frames.
	frameTime = time.Second / 60
	// keyTime is the shortest time between a frame and one that shows a key.
	keyTime = 8 * time.Millisecond
	// beat is the time between two frames of the spinner.
	beat = 100 * time.Millisecond
	// patience is how long a frame waits for an answer of the terminal.
	patience = 150 * time.Millisecond
)

// content is what frames show.
type content interface {
	// covered reports whether a view covers the whole screen.
	covered() bool
	// compose returns the next picture.
	compose() picture
	// waiting reports whether something is being waited for, so that the spinner moves.
	waiting() bool
}

// picture is what one frame shows: rows, and the position of the cursor. A negative row hides the cursor.
type picture struct {
	rows        []terminal.Styled
	row, column int
}

// frame draws on the terminal: finished text once, and the live area or a covering view again and again.
type frame struct {
	out     io.Writer
	content content
	// terminalSize asks the terminal for its size. after runs a function in the goroutine of the program after a while.
	terminalSize func() (columns, rows int, err error)
	after        func(d time.Duration, f func())

	look  terminal.Look
	theme theme

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
	// away is set while another program has the terminal, and ended when the screen ends. Nothing is drawn then.
	away, ended bool
	// whenAnswered is called when the terminal has answered all probes.
	whenAnswered []func()
	// failed is why the screen cannot go on.
	failed error
}

// newFrame returns a frame for a terminal. The caller sets terminalSize and after.
func newFrame(out io.Writer, environ []string, name string, c content) *frame {
	f := &frame{out: out, content: c, theme: theme{name: name, colour: terminal.NewLook(true, environ, nil).Colour}}
	f.look = terminal.NewLook(true, environ, f.width)
	f.applyTheme()
	f.screen = terminal.NewInline(out, f.size)
	f.screen.Reflows = reflows(environ)
	return f
}

// size returns the size of the terminal.
func (f *frame) size() (columns, rows int) {
	columns, rows, err := f.terminalSize()
	if err != nil || columns <= 0 || rows <= 0 {
		return max(f.columns, 1), max(f.rows, 1)
	}
	return columns, rows
}

// measure adapts the next frame to the size of the terminal.
func (f *frame) measure() { f.columns, f.rows = f.size() }

// width and height are the size that the next frame is made for.
func (f *frame) width() int  { return f.columns }
func (f *frame) height() int { return f.rows }

// colours returns how text is painted. It follows the theme.
func (f *frame) colours() *terminal.Look { return &f.look }

// fail ends the screen, unless err is nil.
func (f *frame) fail(err error) {
	if err != nil {
		f.failed = err
	}
}

// failure returns why the screen cannot go on.
func (f *frame) failure() error { return f.failed }

// end stops the drawing.
func (f *frame) end() { f.ended = true }

// print prints finished text above the live area.
func (f *frame) print(text terminal.Styled) {
	if text != "" {
		f.screen.Print(text)
	}
}

// clear erases the live area. Waiting text is printed.
func (f *frame) clear() error { return f.screen.Clear() }

// expectChange is called before a message is handled, which usually changes what is shown.
func (f *frame) expectChange() { f.dirty = true }

// drawSoon draws a frame if the handled message changed what is shown and no frame was drawn since: at once or when the next frame is
// due. A key is shown sooner than other changes.
func (f *frame) drawSoon(changed, key bool) {
	f.dirty = f.dirty && changed
	switch {
	case !f.dirty:
	case key && time.Since(f.drawn) >= keyTime:
		f.draw()
	case !f.ticking:
		if wait := frameTime - time.Since(f.drawn); wait > 0 {
			f.drawAfter(wait)
			return
		}
		f.draw()
	}
}

// drawAfter draws a frame after a while.
func (f *frame) drawAfter(wait time.Duration) {
	f.ticking = true
	f.after(wait, func() {
		f.ticking = false
		f.draw()
	})
}

// draw draws a frame.
func (f *frame) draw() {
	if f.away || f.ended {
		return
	}
	f.measure()
	covered := f.content.covered()
	if !covered && f.unsettled() {
		return
	}
	f.drawn, f.dirty = time.Now(), false
	p := f.content.compose()
	if covered {
		f.fail(f.drawWhole(p))
	} else {
		f.fail(f.screen.Draw(p.rows, p.row, p.column))
	}
	f.keepBeating()
}

// unsettled reports whether the frame must wait for an answer of the terminal. It then comes with the answer, or without one if the
// terminal does not answer in time.
func (f *frame) unsettled() bool {
	ready, err := f.screen.Settle()
	f.fail(err)
	if ready || err != nil || !f.settleBy.IsZero() && time.Now().After(f.settleBy) {
		f.settleBy = time.Time{}
		return false
	}
	if f.settleBy.IsZero() {
		f.settleBy = time.Now().Add(patience)
	}
	f.drawAfter(time.Until(f.settleBy))
	return true
}

// keepBeating moves the spinner as long as something is being waited for.
func (f *frame) keepBeating() {
	if f.beating || !f.content.waiting() {
		return
	}
	f.beating = true
	f.after(beat, func() {
		f.beating = false
		f.keepBeating()
	})
}

// confirm handles the answer of the terminal to a probe, and reports whether what is shown changed. confirmed is called as soon as the
// answer is known, and reports the same.
func (f *frame) confirm(columns int, confirmed func() bool) (changed bool) {
	f.fail(f.screen.Confirm(columns))
	changed = confirmed()
	if f.screen.Answered() {
		waiting := f.whenAnswered
		f.whenAnswered = nil
		for _, then := range waiting {
			then()
		}
	}
	if !f.settleBy.IsZero() && f.screen.Settled() {
		f.draw()
	}
	return changed
}

// visible reports whether the terminal has drawn the last frame. silent reports whether it has answered all probes.
func (f *frame) visible() bool { return f.screen.Confirmed() }
func (f *frame) silent() bool  { return f.screen.Answered() }

// probe asks the terminal for an answer, which comes after all keys that were pressed before.
func (f *frame) probe() { f.fail(f.screen.Probe()) }

// answered calls then when the terminal has answered all probes, or does not answer in time.
func (f *frame) answered(then func()) {
	if f.silent() {
		then()
		return
	}
	then = sync.OnceFunc(then)
	f.whenAnswered = append(f.whenAnswered, then)
	f.after(patience, then)
}

// giveAway stops drawing, and calls give when the terminal has answered all probes: a late answer would be input of another program.
func (f *frame) giveAway(give func()) {
	f.away = true
	f.answered(func() {
		if err := f.clear(); err != nil {
			f.failed = err
			return
		}
		give()
	})
}

// takeBack draws again after another program had the terminal. err is why the terminal cannot be used any more.
func (f *frame) takeBack(err error) { f.away, f.failed = false, err }

// lent reports whether another program has the terminal.
func (f *frame) lent() bool { return f.away }

// named adapts the drawing to what is known of a terminal with a name.
func (f *frame) named(name string) {
	f.screen.Reflows = f.screen.Reflows || reflowsByName(name)
	f.screen.BacksUp = strings.HasPrefix(name, "tmux ")
}

const (
	enterAlternate = "\x1b[?1049h"
	leaveAlternate = "\x1b[?1049l"
)

// cover changes to the alternate screen of the terminal, for a view that takes the whole screen. uncover changes back.
func (f *frame) cover() {
	err := f.clear()
	if err == nil {
		_, err = io.WriteString(f.out, enterAlternate)
	}
	f.fail(err)
}

func (f *frame) uncover() {
	_, err := io.WriteString(f.out, leaveAlternate+"\x1b[?25h")
	f.fail(err)
}

// drawWhole draws a picture that takes the whole screen.
func (f *frame) drawWhole(p picture) error {
	var b strings.Builder
	b.WriteString("\x1b[?2026h\x1b[?25l\x1b[?7l\x1b[H")
	for i := range f.rows {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString("\x1b[2K")
		if i < len(p.rows) {
			b.WriteString(string(p.rows[i]))
		}
	}
	b.WriteString("\x1b[?7h")
	if p.row >= 0 {
		fmt.Fprintf(&b, "\x1b[%d;%dH\x1b[?25h", p.row+1, p.column+1)
	}
	b.WriteString("\x1b[?2026l")
	if _, err := io.WriteString(f.out, b.String()); err != nil {
		return fmt.Errorf("drawing on the terminal: %w", err)
	}
	return nil
}

// theme is what decides about the colours.
type theme struct {
	name string
	// colour is set if the environment allows colours. light is set if the terminal answered that its background is light.
	colour, light bool
}

// setBackground adapts the colours to what the terminal answered.
func (f *frame) setBackground(light bool) {
	f.theme.light = light
	f.applyTheme()
}

func (f *frame) applyTheme() {
	f.look.Colour = f.theme.colour && f.theme.name != config.ThemePlain
	switch f.theme.name {
	case config.ThemeLight:
		f.look.Light = true
	case config.ThemeDark:
		f.look.Light = false
	case config.ThemeAuto:
		f.look.Light = f.theme.light
	}
}
