package terminal

import (
	"fmt"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// reader parses Markdown. It is created when the first text is shown.
var reader = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser()
})

// layout renders one document.
type layout struct {
	look   Look
	source []byte
}

// document renders Markdown to lines.
func (l Look) document(source string) []Styled {
	d := layout{look: l, source: []byte(source)}
	return d.blocks(reader().Parse(text.NewReader(d.source)), l.measure(), true)
}

// blocks renders the blocks inside a node. It separates them with blank lines if apart is true.
func (d layout) blocks(parent ast.Node, width int, apart bool) []Styled {
	var out []Styled
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		lines := d.block(n, width)
		if apart && len(out) > 0 && len(lines) > 0 {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

func (d layout) block(n ast.Node, width int) []Styled {
	switch n := n.(type) {
	case *ast.Heading:
		return d.look.wrap(d.inline(n, heading), width)
	case *ast.Blockquote:
		return prefixed(d.blocks(n, width-2, true), d.look.Paint(Quiet, "│ "), d.look.Paint(Quiet, "│ "))
	case *ast.List:
		return d.list(n, width)
	case *ast.FencedCodeBlock:
		h := newHighlighter(string(n.Language(d.source)))
		return d.raw(n, func(line string) Styled { return h.line(d.look, line) })
	case *ast.CodeBlock:
		return d.raw(n, func(line string) Styled { return d.look.Paint(code, line) })
	case *ast.ThematicBreak:
		return []Styled{d.look.Paint(Quiet, strings.Repeat("─", min(width, usualWidth)))}
	case *ast.HTMLBlock:
		return append(d.raw(n, func(line string) Styled { return d.look.Paint(Quiet, line) }), d.closure(n)...)
	case *table.Table:
		return d.table(n, width)
	default:
		return d.look.wrap(d.inline(n, Plain), width)
	}
}

// closure returns the line that ends a block of HTML. This line is not among the block's lines.
func (d layout) closure(n *ast.HTMLBlock) []Styled {
	if !n.HasClosure() {
		return nil
	}
	return []Styled{d.look.Paint(Quiet, strings.TrimRight(string(n.ClosureLine.Value(d.source)), "\n"))}
}

// raw returns the lines of a block as they were written.
func (d layout) raw(n ast.Node, paint func(line string) Styled) []Styled {
	var out []Styled
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		out = append(out, paint(strings.TrimRight(string(line.Value(d.source)), "\r\n")))
	}
	return out
}

func (d layout) list(n *ast.List, width int) []Styled {
	var out []Styled
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		if !n.IsTight && len(out) > 0 {
			out = append(out, "")
		}
		space := Width(mark)
		lines := d.blocks(item, width-space, !n.IsTight)
		if len(lines) == 0 {
			lines = []Styled{""}
		}
		out = append(out, prefixed(lines, d.look.Paint(Accent, mark), Styled(strings.Repeat(" ", space)))...)
	}
	return out
}

// prefixed adds one prefix to the first line and another to the other lines.
func prefixed(lines []Styled, first, others Styled) []Styled {
	for i, line := range lines {
		if i == 0 {
			lines[i] = first + line
		} else if line != "" || strings.TrimSpace(string(others)) != "" {
			lines[i] = others + line
		}
	}
	return lines
}

// inline returns the spans inside a node.
func (d layout) inline(parent ast.Node, s Style) []span {
	var out []span
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		out = append(out, d.spans(n, s)...)
	}
	return out
}

func (d layout) spans(n ast.Node, s Style) []span {
	switch n := n.(type) {
	case *ast.Text:
		out := []span{{style: s, text: resolved(n.Value(d.source))}}
		if n.HardLineBreak() {
			return append(out, span{ends: true})
		}
		if n.SoftLineBreak() {
			return append(out, span{style: s, text: " "})
		}
		return out
	case *ast.String:
		return []span{{style: s, text: string(n.Value)}}
	case *ast.CodeSpan:
		return []span{{style: s.With(code), text: d.verbatim(n), whole: true}}
	case *ast.Emphasis:
		if n.Level > 1 {
			return d.inline(n, s.With(Strong))
		}
		return d.inline(n, s.With(emphasis))
	case *table.Strikethrough:
		return d.inline(n, s.With(struck))
	case *ast.Link:
		return d.link(n, s, resolved(n.Destination))
	case *ast.Image:
		return append([]span{{style: s, text: "image: "}}, d.link(n, s, resolved(n.Destination))...)
	case *ast.AutoLink:
		return []span{{style: s.With(reference), text: string(n.Label(d.source))}}
	case *ast.RawHTML:
		var out []span
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			out = append(out, span{style: s, text: string(segment.Value(d.source))})
		}
		return out
	default:
		return d.inline(n, s)
	}
}

// link shows the address of a link after its label. It does not use the terminal's own links, because their address can differ
// from the label.
func (d layout) link(n ast.Node, s Style, destination string) []span {
	out := d.inline(n, s.With(reference))
	var label strings.Builder
	for _, part := range out {
		label.WriteString(part.text)
	}
	if destination == "" || label.String() == destination {
		return out
	}
	return append(out, span{style: s, text: " ("}, span{style: s.With(Quiet), text: destination, whole: true}, span{style: s, text: ")"})
}

// verbatim returns the text of a code span.
func (d layout) verbatim(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(d.source))
		}
	}
	return b.String()
}

// resolved returns the text with its escapes and entities replaced. Entities can encode control characters, so the text is
// cleaned afterwards.
func resolved(raw []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(raw))))
}
