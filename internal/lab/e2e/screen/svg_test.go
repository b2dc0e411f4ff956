//go:build linux

package screen

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// glyph is what a cell of the emulator shows.
type glyph struct {
	text   string
	width  int
	fg, bg color.Color
	attrs  uint8
}

// The attributes of a cell, as the emulator numbers them.
const (
	attrBold, attrFaint, attrItalic = 1, 2, 4
	attrReverse                     = 32
)

func (g glyph) style() glyph {
	g.text, g.width = "", 0
	return g
}

// row is a row of the screen.
type row []glyph

func (r row) String() string {
	var text strings.Builder
	for _, g := range r {
		text.WriteString(g.text)
	}
	return text.String()
}

// replaced returns the row with another text in the place of each match. The text has the style of the match's first cell.
func (r row) replaced(pattern *regexp.Regexp, instead string) row {
	var out row
	text, at, end := r.String(), 0, 0
	matches := pattern.FindAllStringIndex(text, -1)
	for _, g := range r {
		if len(matches) > 0 && at == matches[0][0] {
			for _, c := range instead {
				out = append(out, glyph{string(c), 1, g.fg, g.bg, g.attrs})
			}
			end, matches = matches[0][1], matches[1:]
		}
		if at >= end {
			out = append(out, g)
		}
		at += len(g.text)
	}
	return out
}

// trimmed returns the row without blanks at its end.
func (r row) trimmed() row {
	for len(r) > 0 && strings.TrimSpace(r[len(r)-1].text) == "" && r[len(r)-1].bg == nil {
		r = r[:len(r)-1]
	}
	return r
}

func (r row) columns() int {
	n := 0
	for _, g := range r {
		n += g.width
	}
	return n
}

// palette has the colours of a terminal.
type palette struct {
	background, foreground, frame string
	basic                         [16]string
}

var (
	lightPalette = palette{"#ffffff", "#1f2328", "#d0d7de", [16]string{
		"#24292f", "#cf222e", "#116329", "#8a4600", "#0969da", "#8250df", "#1b7c83", "#6e7781",
		"#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#8c959f",
	}}
	darkPalette = palette{"#0d1117", "#e6edf3", "#30363d", [16]string{
		"#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
		"#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff",
	}}
)

// colour returns a colour of a cell, or otherwise if the cell has none.
func (p palette) colour(c color.Color, otherwise string) string {
	switch c := c.(type) {
	case nil:
		return otherwise
	case ansi.BasicColor:
		return p.basic[c%16]
	case ansi.IndexedColor:
		if c < 16 {
			return p.basic[c]
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// The grid of a picture, in pixels.
const (
	cellWidth, cellHeight = 8, 18
	margin, baseline      = 16, 13
	fontSize              = 13
)

// svg draws rows. Each text has the width of its cells, whatever the font of the reader.
func (p palette) svg(title string, rows []row) string {
	columns := 0
	for _, r := range rows {
		columns = max(columns, r.columns())
	}
	width, height := 2*margin+columns*cellWidth, 2*margin+len(rows)*cellHeight
	var out strings.Builder
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %[1]d %[2]d\" role=\"img\">\n<title>%s</title>\n", width, height, escaped(title))
	fmt.Fprintf(&out, "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\" stroke=\"%s\"/>\n", width-1, height-1, p.background, p.frame)
	fmt.Fprintf(&out, "<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"%d\" fill=\"%s\">\n", fontSize, p.foreground)
	for y, r := range rows {
		p.drawRow(&out, r, margin+y*cellHeight)
	}
	out.WriteString("</g>\n</svg>\n")
	return out.String()
}

// drawRow draws the texts of a row whose cells have the same style.
func (p palette) drawRow(out *strings.Builder, r row, top int) {
	x := margin
	for len(r) > 0 {
		n := 1
		for n < len(r) && r[n].style() == r[0].style() {
			n++
		}
		part := r[:n]
		width := part.columns() * cellWidth
		p.drawText(out, part, x, top, width)
		x, r = x+width, r[n:]
	}
}

func (p palette) drawText(out *strings.Builder, part row, x, top, width int) {
	style := part[0]
	fg, bg := p.colour(style.fg, ""), p.colour(style.bg, "")
	if style.attrs&attrReverse != 0 {
		fg, bg = p.colour(style.bg, p.background), p.colour(style.fg, p.foreground)
	}
	if bg != "" {
		fmt.Fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", x, top, width, cellHeight, bg)
	}
	if strings.TrimSpace(part.String()) == "" {
		return
	}
	attributes := ""
	if fg != "" {
		attributes += fmt.Sprintf(" fill=%q", fg)
	}
	for _, attribute := range []struct {
		bit  uint8
		text string
	}{{attrBold, ` font-weight="bold"`}, {attrFaint, ` fill-opacity="0.65"`}, {attrItalic, ` font-style="italic"`}} {
		if style.attrs&attribute.bit != 0 {
			attributes += attribute.text
		}
	}
	fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" xml:space=\"preserve\"%s>%s</text>\n", x, top+baseline, width, attributes, escaped(part.String()))
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text))
	return out.String()
}

// TestSVG draws cells with each attribute and kind of colour.
func TestSVG(t *testing.T) {
	t.Parallel()
	r := row{
		{"a", 1, nil, nil, 0},
		{"<", 1, ansi.Red, nil, attrBold},
		{"宽", 2, ansi.IndexedColor(3), ansi.IndexedColor(196), 0},
		{"b", 1, color.RGBA{1, 2, 3, 255}, nil, attrReverse},
		{" ", 1, nil, nil, 0},
	}.replaced(regexp.MustCompile("a"), "xy").trimmed()
	got := darkPalette.svg("t", []row{r})
	for _, want := range []string{
		`<text x="16" y="29" textLength="16" xml:space="preserve">xy</text>`,
		`<text x="32" y="29" textLength="8" xml:space="preserve" fill="#ff7b72" font-weight="bold">&lt;</text>`,
		`<rect x="40" y="16" width="16" height="18" fill="#ff0000"/>`,
		`<text x="40" y="29" textLength="16" xml:space="preserve" fill="#d29922">宽</text>`,
		`<rect x="56" y="16" width="8" height="18" fill="#010203"/>`,
		`<text x="56" y="29" textLength="8" xml:space="preserve" fill="#0d1117">b</text>`,
		`width="80" height="50"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture has no %s:\n%s", want, got)
		}
	}
}
