package terminal

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// blockLimit is the size of a block or a line, in bytes, above which its beginning is shown before it ends.
const blockLimit = 16 << 10

// Markdown renders text block by block while it streams in. The results of Next and End are shown once and never redrawn. They
// depend only on the text, not on how the text was split into pieces. The lines of a code block are shown as they arrive.
type Markdown struct {
	look  Look
	clean plaintext.Cleaner
	// line is an unfinished line. block holds the lines of an unfinished block.
	line  string
	block []string
	size  int
	// blanks is set if blank lines follow the block. The next line then decides whether the block has ended.
	blanks bool
	// fence is the marker that ends the code block that is being shown. inner is the marker that ends a code block inside block.
	// Both are empty if there is no such code block.
	fence, inner string
	// code styles the lines of the code block that is being shown.
	code highlighter
	// begun is set after the first block was shown.
	begun bool
}

// NewMarkdown returns a Markdown for a single text.
func NewMarkdown(look Look) *Markdown {
	return &Markdown{look: look, clean: plaintext.Cleaner{Visible: true}}
}

// Rendered returns a whole text.
func Rendered(look Look, text string) Styled {
	m := NewMarkdown(look)
	return m.Next(text) + m.End()
}

// Next returns the text that can be shown after the next piece.
func (m *Markdown) Next(piece string) Styled {
	text := m.line + m.clean.Next(piece)
	var out strings.Builder
	for {
		line, rest, ended := strings.Cut(text, "\n")
		if len(line) > blockLimit {
			line, ended = beginning(line, blockLimit), true
			rest = text[len(line):]
		}
		if !ended {
			break
		}
		out.WriteString(string(m.addLine(line)))
		text = rest
	}
	m.line = text
	return Styled(out.String())
}

// End returns the remaining text. The Markdown can then be used for another text.
func (m *Markdown) End() Styled {
	var out strings.Builder
	if m.line += m.clean.End(); m.line != "" {
		out.WriteString(string(m.addLine(m.line)))
	}
	out.WriteString(string(m.flush()))
	*m = *NewMarkdown(m.look)
	return Styled(out.String())
}

// Preview returns the text that was received and is not shown yet, rendered as if the text ended here. It changes nothing.
func (m *Markdown) Preview() Styled {
	if m.line == "" && len(m.block) == 0 {
		return ""
	}
	copied := *m
	copied.block = slices.Clone(m.block)
	return copied.End()
}

// Tail returns the last line that was received and is not shown yet, as it was written.
func (m *Markdown) Tail() string {
	if m.line == "" && len(m.block) > 0 {
		return m.block[len(m.block)-1]
	}
	return m.line
}

// beginning returns at most the first size bytes of a text, without splitting a character.
func beginning(text string, size int) string {
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

var patterns = sync.OnceValue(func() (p struct{ fence, listed, header *regexp.Regexp }) {
	p.fence = regexp.MustCompile("^ *(`{3,}[^`]*|~{3,}.*)$")
	// A code block may begin directly after a list marker.
	p.listed = regexp.MustCompile("^ *(?:[-*+]|[0-9]{1,9}[.)]) +(`{3,}[^`]*|~{3,}.*)$")
	p.header = regexp.MustCompile("^ {0,3}#{1,6}(?:[ \t]|$)")
	return p
})

// addLine handles a line and returns the text that the line completes.
func (m *Markdown) addLine(line string) Styled {
	switch {
	case m.fence != "":
		return m.coded(line)
	case m.inner != "":
		if closes(line, m.inner) {
			m.inner = ""
		}
		return m.appendToBlock(line)
	case strings.TrimSpace(line) == "":
		m.blanks = len(m.block) > 0
		return ""
	}
	p := patterns()
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	var out Styled
	if m.blanks && indent == 0 {
		out = m.flush()
	}
	if mark := marker(p.fence, line); mark != "" && (indent <= 1 || len(m.block) == 0 && indent <= 3) {
		m.fence, m.code = mark, newHighlighter(strings.TrimLeft(strings.TrimSpace(line), mark[:1]))
		return out + m.flush() + m.apart()
	}
	if p.header.MatchString(line) {
		out += m.flush() + m.appendToBlock(line)
		return out + m.flush()
	}
	if m.inner = marker(p.fence, line); m.inner == "" || len(m.block) == 0 {
		m.inner = marker(p.listed, line)
	}
	return out + m.appendToBlock(line)
}

// appendToBlock adds a line to the open block.
func (m *Markdown) appendToBlock(line string) Styled {
	if m.blanks {
		m.block = append(m.block, "")
		m.blanks = false
	}
	m.block = append(m.block, line)
	if m.size += len(line) + 1; m.size > blockLimit {
		m.inner = ""
		return m.flush()
	}
	return ""
}

// coded shows a line of a code block. Its fences are not shown.
func (m *Markdown) coded(line string) Styled {
	if closes(line, m.fence) {
		m.fence = ""
		return ""
	}
	return m.code.line(m.look, line) + "\n"
}

// flush shows the open block.
func (m *Markdown) flush() Styled {
	source := strings.Join(m.block, "\n")
	m.block, m.size, m.blanks = nil, 0, false
	if source == "" {
		return ""
	}
	lines := m.look.document(source)
	if len(lines) == 0 {
		return ""
	}
	return m.apart() + joinLines(lines) + "\n"
}

// apart returns the blank line between blocks.
func (m *Markdown) apart() Styled {
	if m.begun {
		return "\n"
	}
	m.begun = true
	return ""
}

// marker returns the marker that ends the code block that a line begins. It is empty if the line does not begin a code block.
func marker(pattern *regexp.Regexp, line string) string {
	found := pattern.FindStringSubmatch(line)
	if found == nil {
		return ""
	}
	text := found[1]
	return text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
}

// closes reports whether a line ends a code block.
func closes(line, mark string) bool {
	text := strings.TrimSpace(line)
	return strings.HasPrefix(text, mark) && strings.Trim(text, mark[:1]) == ""
}

func joinLines(lines []Styled) Styled {
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = string(line)
	}
	return Styled(strings.Join(texts, "\n"))
}
