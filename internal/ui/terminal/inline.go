package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// The control sequences of the live area.
const (
	beginFrame = "\x1b[?2026h\x1b[?25l"
	endFrame   = "\x1b[?25h\x1b[?2026l"
	noWrap     = "\x1b[?7l"
	wrapAgain  = "\x1b[?7h"
	eraseLine  = "\x1b[2K"
	// eraseBelow erases the row of the cursor and all rows below it. The cursor is not in the first column while it erases: tmux would
	// take that, in the first row, for the clearing of a whole screen, and would keep the erased rows in its history.
	eraseBelow = eraseLine + "\r\x1b[C\x1b[J\r"
	// probe asks the terminal for the position of the cursor at the end of the line, and thereby for its width.
	probe = "\x1b[999C\x1b[6n"
)

// Inline draws a live area below the output on a terminal. Finished text is printed once, above the live area, and belongs to the
// scrollback of the terminal from then on. Only the rows of the live area are drawn again. An Inline is used by one goroutine.
type Inline struct {
	out io.Writer
	// size returns the current size of the terminal.
	size func() (columns, rows int)
	// Reflows is set if the terminal breaks long rows again when it becomes narrower.
	Reflows bool
	// BacksUp is set if a backspace in the first column moves the cursor to the row above, provided that the terminal broke a row there.
	// The beginning of the live area is then found without knowing the width of the terminal.
	BacksUp bool
	// finished is printed with the next frame.
	finished strings.Builder
	drawn    frame
	// asked is set while the terminal has not answered a probe. open is how many probes it has not answered.
	asked bool
	open  int
	// width is what the terminal answered last. It holds for the next frame if settling is settled.
	width    int
	settling settling
}

// settling is how far the terminal is with the question for its width before a frame.
type settling int

const (
	unsettled settling = iota
	// needsProbe waits for the answer to an earlier probe, before which no other is sent.
	needsProbe
	// probing waits for the answer.
	probing
	settled
)

// frame is a drawn live area.
type frame struct {
	text string
	// widths are the widths of the rows from the first to that of the cursor.
	widths      []int
	row, column int
	// columns is the width of the terminal for which the frame was drawn. confirmed is its width when the terminal drew the frame,
	// or 0 if the terminal has not answered yet.
	columns, confirmed int
	// probed is set if the last probe was sent with this frame or after it.
	probed bool
}

// NewInline returns an Inline. size returns the current size of the terminal.
func NewInline(out io.Writer, size func() (columns, rows int)) *Inline {
	return &Inline{out: out, size: size}
}

// Print prints text above the live area with the next frame. The text should end with a line break.
func (i *Inline) Print(text Styled) { i.finished.WriteString(string(text)) }

// Waiting reports whether text is waiting for the next frame.
func (i *Inline) Waiting() bool { return i.finished.Len() > 0 }

// Settle reports whether the next frame can be drawn. A terminal that breaks rows again may have changed its width, and thereby the
// number of rows that must be erased, before it reports the change. If the live area has rows above the input, Settle asks the terminal
// for its width, and the frame should be drawn as soon as the terminal has answered. Otherwise rows may stay in the scrollback.
func (i *Inline) Settle() (bool, error) {
	if !i.Reflows || i.BacksUp || i.drawn.row <= 1 || i.settling == settled {
		return true, nil
	}
	if i.settling != unsettled {
		return false, nil
	}
	if i.settling = needsProbe; i.asked {
		return false, nil
	}
	i.settling = probing
	return false, i.Probe()
}

// Settled reports whether the terminal has answered Settle. The next frame should then be drawn at once.
func (i *Inline) Settled() bool { return i.settling == settled }

// Confirmed reports whether the terminal has drawn the last frame.
func (i *Inline) Confirmed() bool { return i.drawn.confirmed != 0 }

// Answered reports whether the terminal has answered all probes.
func (i *Inline) Answered() bool { return i.open == 0 }

// Probe asks the terminal for an answer. The answer comes after all keys that were pressed before.
func (i *Inline) Probe() error {
	i.asked, i.drawn.probed = true, true
	i.open++
	return i.write(probe + i.place())
}

// Confirm records the answer to a probe.
func (i *Inline) Confirm(columns int) error {
	i.asked, i.width, i.open = false, columns, max(i.open-1, 0)
	if i.drawn.probed && i.drawn.confirmed == 0 {
		i.drawn.confirmed = columns
	}
	switch {
	case i.settling == probing:
		i.settling = settled
	case i.settling == needsProbe:
		i.settling = probing
		return i.Probe()
	case !i.drawn.probed && i.drawn.text != "":
		return i.Probe()
	}
	return nil
}

// Draw prints the waiting text and draws the live area with the cursor at a row and a column of it.
func (i *Inline) Draw(rows []Styled, row, column int) error {
	columns, height := i.size()
	if cut := len(rows) - max(height-1, 1); cut > 0 { // a live area that is higher than the screen could not be erased
		rows, row = rows[cut:], max(row-cut, 0)
	}
	next := frame{row: min(row, max(len(rows)-1, 0)), column: min(column, max(columns-1, 0)), columns: columns}
	texts := make([]string, len(rows))
	for n, text := range rows {
		texts[n] = string(text)
		if n <= next.row {
			next.widths = append(next.widths, min(StyledWidth(text), columns))
		}
	}
	// What is below the last row is erased before that row is written: afterwards the cursor may be on the last character of the row.
	last := max(len(texts)-1, 0)
	next.text = eraseLine + strings.Join(texts[:last], "\r\n"+eraseLine)
	if last > 0 {
		next.text += "\r\n"
	}
	next.text += eraseBelow + strings.Join(texts[last:], "")
	if !i.Waiting() && next.text == i.drawn.text && next.row == i.drawn.row && next.column == i.drawn.column && columns == i.drawn.columns {
		return nil
	}
	var b strings.Builder
	b.WriteString(beginFrame)
	if i.Waiting() || len(i.drawn.widths) != len(next.widths) || columns != i.drawn.columns {
		b.WriteString(i.erased())
	} else {
		b.WriteString(i.top())
	}
	b.WriteString(strings.ReplaceAll(i.finished.String(), "\n", "\r\n"))
	i.finished.Reset()
	b.WriteString(noWrap + next.text)
	if !i.asked {
		b.WriteString(probe)
		i.asked, next.probed = true, true
		i.open++
	}
	if up := len(rows) - 1 - next.row; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	i.drawn, i.settling = next, unsettled
	b.WriteString(i.place() + wrapAgain + endFrame)
	return i.write(b.String())
}

// place moves the cursor to its column within its row.
func (i *Inline) place() string {
	if i.drawn.column > 0 {
		return fmt.Sprintf("\r\x1b[%dC", i.drawn.column)
	}
	return "\r"
}

// Clear erases the live area and prints the waiting text. Another program can then write to the terminal.
func (i *Inline) Clear() error {
	text := i.erased() + strings.ReplaceAll(i.finished.String(), "\n", "\r\n")
	i.finished.Reset()
	i.drawn, i.settling = frame{}, unsettled
	return i.write(text)
}

// erased moves the cursor to the beginning of the live area and erases everything from there on.
func (i *Inline) erased() string { return i.top() + eraseBelow }

// top moves the cursor to the beginning of the live area. A terminal that has become narrower since then may have broken its rows.
// A row too many would erase finished text, so rows are counted as broken only if the terminal is known to do that and has confirmed
// how wide it was when it drew the frame.
func (i *Inline) top() string {
	d, up := i.drawn, i.drawn.row
	if i.BacksUp {
		return d.back()
	}
	columns, _ := i.size()
	if i.settling == settled {
		columns = i.width
	} else if d.confirmed != d.columns {
		columns = 0
	}
	if i.Reflows && columns > 0 && columns < d.confirmed {
		up = min(d.column, d.confirmed-1) / columns
		for n, width := range d.widths {
			if n < d.row {
				up += max((min(width, d.confirmed)+columns-1)/columns, 1)
			}
		}
	}
	if up == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", up)
}

// fewestColumns is the width of the narrowest terminal in which back finds the beginning of the live area.
const fewestColumns = 10

// back moves the cursor to the beginning of the frame, row by row. The terminal may have broken each row into several.
func (f frame) back() string {
	var b strings.Builder
	b.WriteByte('\r')
	for n, width := range slices.Backward(f.widths) {
		b.WriteString(strings.Repeat("\b\r", width/fewestColumns))
		if n > 0 {
			b.WriteString("\x1b[A")
		}
	}
	return b.String()
}

func (i *Inline) write(text string) error {
	if _, err := io.WriteString(i.out, text); err != nil {
		return fmt.Errorf("drawing on the terminal: %w", err)
	}
	return nil
}

// StyledWidth returns how many columns styled text takes.
func StyledWidth(text Styled) int {
	plain := string(text)
	if !strings.Contains(plain, "\x1b") {
		return Width(plain)
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(plain, "\x1b[")
		b.WriteString(before)
		if !found {
			return Width(b.String())
		}
		end := strings.IndexByte(rest, 'm') // aura's own styles are the only sequences in styled text
		plain = rest[end+1:]
	}
}
