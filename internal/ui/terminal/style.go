package terminal

import (
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// Styled is text that can be written to a terminal as it is. Text from outside in it was cleaned, and its control sequences are
// aura's own. Only this package creates it.
type Styled string

// Style describes how a piece of text looks. With combines styles.
type Style struct {
	attributes uint8
	// colour is one of the 16 colours that every terminal has, by its SGR number, so that it fits light and dark terminals. 0
	// means no colour.
	colour uint8
}

const (
	bold uint8 = 1 << iota
	dim
	italic
	underline
	strike
)

// codes holds the SGR numbers of the attributes, in the order of their bits.
var codes = []string{"1", "2", "3", "4", "9"}

const (
	red     = 31
	green   = 32
	yellow  = 33
	blue    = 34
	magenta = 35
	cyan    = 36
)

// The styles of aura's own lines.
var (
	Plain   = Style{}
	Strong  = Style{attributes: bold}
	Quiet   = Style{attributes: dim}
	Warning = Style{colour: yellow}
	Failure = Style{colour: red}
	Accent  = Style{colour: cyan}
)

// The styles of diffs and Markdown.
var (
	added     = Style{colour: green}
	removed   = Style{colour: red}
	hunk      = Style{colour: cyan}
	heading   = Style{attributes: bold, colour: magenta}
	code      = Style{colour: cyan}
	emphasis  = Style{attributes: italic}
	struck    = Style{attributes: strike}
	reference = Style{attributes: underline}
)

// With combines both styles. The colour of t takes precedence.
func (s Style) With(t Style) Style {
	s.attributes |= t.attributes
	if t.colour != 0 {
		s.colour = t.colour
	}
	return s
}

// sgr returns the sequence that turns a style on. It is empty if the look supports no part of the style.
func (l Look) sgr(s Style) string {
	var numbers []string
	if l.Styled {
		for i, code := range codes {
			if s.attributes&(1<<i) != 0 {
				numbers = append(numbers, code)
			}
		}
	}
	if l.Colour && s.colour != 0 {
		numbers = append(numbers, strconv.Itoa(int(l.shade(s.colour))))
	}
	if len(numbers) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(numbers, ";") + "m"
}

// shade returns the colour that can be read on the background of the terminal.
func (l Look) shade(colour uint8) uint8 {
	if !l.Light {
		return colour
	}
	switch colour {
	case yellow:
		return magenta
	case cyan:
		return blue
	}
	return colour
}

// off turns all styles off.
const off = "\x1b[0m"

// Paint returns a text in a style, cleaned by plaintext.Show. No style extends beyond the end of a line.
func (l Look) Paint(s Style, text string) Styled { return l.paintClean(s, plaintext.Show(text)) }

// paintClean is Paint for a text that plaintext.Show has cleaned, possibly as a part of a longer text.
func (l Look) paintClean(s Style, text string) Styled {
	on := l.sgr(s)
	if on == "" || text == "" {
		return Styled(text)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = on + line + off
		}
	}
	return Styled(strings.Join(lines, "\n"))
}
