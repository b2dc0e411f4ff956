// Package plaintext makes text from outside harmless for a terminal. Plugins, models, servers and the files of a project
// choose names and texts; what they choose must neither steer the terminal nor look like something else.
package plaintext

import (
	"strings"
	"unicode/utf8"
)

// Show is text for people: without control sequences and control characters but newline and tab, and with a name in the place
// of each character that is invisible or changes the order of others. Invalid UTF-8 is replaced.
func Show(text string) string { return whole(text, true) }

// Strip is text for other programs: without control sequences and control characters but newline, tab and the carriage return
// before a newline. All else stays, because it may be meant so.
func Strip(text string) string { return whole(text, false) }

// Line is Show on one line.
func Line(text string) string { return strings.Join(strings.Fields(Show(text)), " ") }

// IsPlain reports whether Show leaves a text on one line as it is.
func IsPlain(text string) bool { return !strings.ContainsAny(text, "\n\t") && Show(text) == text }

func whole(text string, visible bool) string {
	if harmless(text) {
		return text
	}
	c := Cleaner{Visible: visible}
	return c.Next(text) + c.End()
}

// harmless is true for most texts, without looking closely at any.
func harmless(text string) bool {
	for i := range len(text) {
		if b := text[i]; b >= utf8.RuneSelf || b < ' ' && b != '\n' && b != '\t' || b == 0x7f {
			return false
		}
	}
	return true
}

// Cleaner is Show or Strip for text that comes in pieces. A control sequence or a character may begin in one piece and end in
// another. The zero Cleaner strips.
type Cleaner struct {
	// Visible makes it Show.
	Visible bool
	// Returns lets carriage returns pass.
	Returns bool

	state state
	// rest is the beginning of a character, at most three bytes.
	rest string
	// last is the last character that was passed on.
	last rune
	// held is set if a carriage return waits for what follows.
	held bool
}

// Next returns what can be shown of the next piece.
func (c *Cleaner) Next(piece string) string {
	var out strings.Builder
	out.Grow(len(piece))
	text := c.rest + piece
	c.rest = ""
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 && !utf8.FullRuneInString(text) {
			c.rest = text
			break
		}
		text = text[size:]
		c.take(&out, r)
	}
	return out.String()
}

// End returns what was still waited for. The Cleaner can be used again.
func (c *Cleaner) End() string {
	out := ""
	if c.rest != "" && c.state == ground {
		out = string(utf8.RuneError)
	}
	*c = Cleaner{Visible: c.Visible, Returns: c.Returns}
	return out
}

// take handles one character.
func (c *Cleaner) take(out *strings.Builder, r rune) {
	if c.state = c.state.next(r); c.state != pass {
		return
	}
	c.state = ground
	if c.held && r == '\n' {
		out.WriteByte('\r')
	}
	c.held = r == '\r' && !c.Visible
	switch {
	case r == '\r' && c.Returns:
		out.WriteByte('\r')
	case isControl(r):
		return
	case c.Visible && hides(r, c.last):
		out.WriteString(named(r))
	default:
		out.WriteRune(r)
	}
	c.last = r
}
