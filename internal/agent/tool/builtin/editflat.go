package builtin

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/base/limit"
)

// flat is a text in which all lines end in \n, and the original with its line ends.
type flat struct {
	text, original string
	// exact is set if line ends are not converted.
	exact bool
	// most is the line end of most lines.
	most string
}

func pristine(text string) flat { return flat{text: text, original: text, exact: true} }

func plain(text string) flat { return flat{text: unified(text), original: text, most: ending(text)} }

// unified returns a text with all line ends converted to \n.
func unified(text string) string { return strings.ReplaceAll(text, crlf, "\n") }

// overlapping returns where a text occurs. It counts occurrences that overlap, and stops after many.
func (f flat) overlapping(sought string) places {
	at := cursor{flat: f}
	var out places
	for out.count < occurrencesCounted {
		i := strings.Index(f.text[at.text:], sought)
		if i < 0 {
			break
		}
		at.advance(at.text + i)
		out.add(at.line + 1)
		at.advance(at.text + 1)
	}
	return out
}

// replaceAll returns the original with all occurrences of a text replaced, and where they were. It refuses to make a file that is too
// large to change again.
func (f flat) replaceAll(sought, with string) (string, places, error) {
	var out strings.Builder
	var found places
	at, copied := cursor{flat: f}, 0
	for {
		i := strings.Index(f.text[at.text:], sought)
		if i < 0 {
			break
		}
		at.advance(at.text + i)
		found.add(at.line + 1)
		from := at.original
		at.advance(at.text + len(sought))
		out.WriteString(f.original[copied:from])
		out.WriteString(f.fitted(f.original[from:at.original], with))
		if copied = at.original; out.Len() > limit.EditFile {
			return "", found, fmt.Errorf("the file would have more than the limit of %s; change it with a command", limit.Size(limit.EditFile))
		}
	}
	out.WriteString(f.original[copied:])
	return out.String(), found, nil
}

// cursor is a place in a text and in its original. It only moves forward, so that all moves together take linear time.
type cursor struct {
	flat
	text, original int
	// line counts the line ends before the place.
	line int
}

// advance moves to an offset in text.
func (c *cursor) advance(to int) {
	for ; c.text < to; c.text++ {
		newline := c.flat.text[c.text] == '\n'
		if newline {
			c.line++
		}
		if newline && !c.exact && c.flat.original[c.original] == '\r' {
			c.original++
		}
		c.original++
	}
}

// fitted converts the line ends of a text to those of the text that it replaces, or else to those of most of the file.
func (f flat) fitted(replaced, text string) string {
	if f.exact {
		return text
	}
	end := f.most
	if strings.Contains(replaced, "\n") {
		end = ending(replaced)
	}
	return strings.ReplaceAll(text, "\n", end)
}

// places holds the numbers of the first lines at which something is, and how often it is.
type places struct {
	first []int
	count int
}

func (p *places) add(line int) {
	if p.count++; len(p.first) < placesShown {
		p.first = append(p.first, line)
	}
}

// String returns the line numbers for a message.
func (p places) String() string {
	shown := make([]string, 0, placesShown)
	for _, line := range p.first {
		shown = append(shown, fmt.Sprint(line))
	}
	out := "line " + strings.Join(shown, ", ")
	if p.count > 1 {
		out = "lines " + strings.Join(shown, ", ")
	}
	if more := p.count - len(shown); more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}
