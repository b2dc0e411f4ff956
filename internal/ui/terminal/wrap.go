package terminal

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// span is a piece of a paragraph.
type span struct {
	style Style
	text  string
	// whole spans are not broken at their blanks.
	whole bool
	// ends marks the end of a line. Such a span has no text.
	ends bool
}

// word is a sequence of spans that is not broken if it fits into a line.
type word []span

// Width returns how many columns a text takes. The text must not contain control sequences.
func Width(text string) int { return displaywidth.String(text) }

func (w word) width() int {
	sum := 0
	for _, s := range w {
		sum += Width(s.text)
	}
	return sum
}

// wrap lays out a paragraph in lines of at most width columns.
func (l Look) wrap(spans []span, width int) []Styled {
	width = max(width, 1)
	var out []Styled
	var line []word
	used := 0
	end := func() {
		out = append(out, l.joined(line))
		line, used = nil, 0
	}
	for _, w := range words(spans) {
		if w == nil {
			end()
			continue
		}
		for _, part := range w.broken(width) {
			size := part.width()
			if used > 0 && used+1+size > width {
				end()
			}
			if used > 0 {
				used++
			}
			used += size
			line = append(line, part)
		}
	}
	if len(line) > 0 {
		end()
	}
	return out
}

// joined renders a line of words. Blanks between words of the same style also have that style, so that an underlined line has no
// gaps.
func (l Look) joined(line []word) Styled {
	var out strings.Builder
	var style Style
	pending := ""
	emit := func() {
		out.WriteString(string(l.Paint(style, pending)))
		pending = ""
	}
	for i, w := range line {
		for j, s := range w {
			blank := ""
			if i > 0 && j == 0 {
				blank = " "
			}
			if s.style != style {
				emit()
				out.WriteString(blank)
				blank = ""
				style = s.style
			}
			pending += blank + s.text
		}
	}
	emit()
	return Styled(out.String())
}

// words splits spans at their blanks. A nil word ends the line. The texts are cleaned, so that their widths are correct.
func words(spans []span) []word {
	var out []word
	var open word
	end := func() {
		if len(open) > 0 {
			out = append(out, open)
			open = nil
		}
	}
	for _, s := range spans {
		if s.ends {
			end()
			out = append(out, nil)
			continue
		}
		text := strings.ReplaceAll(strings.ReplaceAll(plaintext.Show(s.text), "\n", " "), "\t", " ")
		if s.whole {
			open = append(open, span{style: s.style, text: text})
			continue
		}
		for i, part := range strings.Split(text, " ") {
			if i > 0 {
				end()
			}
			if part != "" {
				open = append(open, span{style: s.style, text: part})
			}
		}
	}
	end()
	return out
}

// broken splits a word into pieces that each fit into a line. A character that is wider than the line gets its own line.
func (w word) broken(width int) []word {
	if w.width() <= width {
		return []word{w}
	}
	var out []word
	var open word
	used := 0
	for _, s := range w {
		start, at := 0, 0
		for characters := displaywidth.StringGraphemes(s.text); characters.Next(); at += len(characters.Value()) {
			columns := characters.Width()
			if used > 0 && used+columns > width {
				open = append(open, span{style: s.style, text: s.text[start:at]})
				out = append(out, open)
				open, used, start = nil, 0, at
			}
			used += columns
		}
		open = append(open, span{style: s.style, text: s.text[start:]})
	}
	return append(out, open)
}

// Fit returns the beginning of a text on one line, in at most width columns.
func Fit(text string, width int) string {
	if width <= 0 {
		return ""
	}
	return displaywidth.TruncateString(plaintext.OneLine(plaintext.Show(text)), width, "…")
}
