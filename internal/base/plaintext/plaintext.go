// Package plaintext makes untrusted text safe for a terminal. Plugins, models, servers and the files of a project choose names
// and texts. These must neither control the terminal nor look like something else.
package plaintext

import (
	"strings"
	"unicode/utf8"
)

// Show returns text for users. It removes control sequences and control characters except newline and tab, and replaces each
// character that is invisible or changes the order of others by its name. It replaces invalid UTF-8.
func Show(text string) string { return whole(text, true) }

// Strip returns text for other programs. It removes control sequences and control characters except newline, tab and a carriage
// return before a newline. It keeps everything else, because it may be intended.
func Strip(text string) string { return whole(text, false) }

// Line is like Show, but returns a single line.
func Line(text string) string { return strings.Join(strings.Fields(Show(text)), " ") }

// IsPlain reports whether a text is a single line that Show does not change.
func IsPlain(text string) bool { return !strings.ContainsAny(text, "\n\t") && Show(text) == text }

func whole(text string, visible bool) string {
	if harmless(text) {
		return text
	}
	c := Cleaner{Visible: visible}
	return c.Next(text) + c.End()
}

// harmless reports whether a text consists of plain ASCII. It is a fast check that is true for most texts.
func harmless(text string) bool {
	for i := range len(text) {
		if b := text[i]; b >= utf8.RuneSelf || b < ' ' && b != '\n' && b != '\t' || b == 0x7f {
			return false
		}
	}
	return true
}

// Cleaner is Show or Strip for text that arrives in pieces. A control sequence or a character may begin in one piece and end in
// another. The zero value is a Cleaner for Strip.
type Cleaner struct {
	// Visible selects Show.
	Visible bool
	// Returns keeps carriage returns.
	Returns bool

	state state
	// rest holds the first bytes of an incomplete character, at most three.
	rest string
	// last is the last character that was output.
	last rune
	// held is set if a carriage return waits for the next character.
	held bool
}

// Next returns the cleaned text of the next piece.
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
		c.cleanRune(&out, r)
	}
	return out.String()
}

// End returns the cleaned text of an incomplete character, if there is one. The Cleaner can be used again.
func (c *Cleaner) End() string {
	out := ""
	if c.rest != "" && c.state == ground {
		out = string(utf8.RuneError)
	}
	*c = Cleaner{Visible: c.Visible, Returns: c.Returns}
	return out
}

// cleanRune writes what stays of one character.
func (c *Cleaner) cleanRune(out *strings.Builder, r rune) {
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
