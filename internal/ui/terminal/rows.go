package terminal

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Rows splits styled text into its lines and breaks lines that are wider than width.
func Rows(text Styled, width int) []Styled {
	var out []Styled
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		out = append(out, breakLine(strings.ReplaceAll(line, "\t", "    "), max(width, 1))...)
	}
	return out
}

// CutRow returns the beginning of a styled line, in at most width columns.
func CutRow(text Styled, width int) Styled {
	if width <= 0 {
		return ""
	}
	rows := breakLine(strings.ReplaceAll(string(text), "\t", "    "), width)
	if len(rows) == 1 {
		return rows[0]
	}
	if width == 1 {
		return "…"
	}
	return breakLine(string(text), width-1)[0] + "…"
}

// breakLine breaks a styled line by its width. Each part begins with the style in which the part before it ended.
func breakLine(line string, width int) []Styled {
	if !strings.Contains(line, "\x1b") && len(line) <= width && isASCII(line) {
		return []Styled{Styled(line)}
	}
	var out []Styled
	var row strings.Builder
	style, used := "", 0
	for line != "" {
		if strings.HasPrefix(line, "\x1b[") {
			end := strings.IndexByte(line, 'm') + 1
			if style = line[:end]; style == off {
				style = ""
			}
			row.WriteString(line[:end])
			line = line[end:]
			continue
		}
		plain, _, _ := strings.Cut(line, "\x1b")
		characters := displaywidth.StringGraphemes(plain)
		for characters.Next() {
			columns := characters.Width()
			if used > 0 && used+columns > width {
				if style != "" {
					row.WriteString(off)
				}
				out = append(out, Styled(row.String()))
				row.Reset()
				row.WriteString(style)
				used = 0
			}
			row.WriteString(characters.Value())
			used += columns
		}
		line = line[len(plain):]
	}
	return append(out, Styled(row.String()))
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
