package web

import (
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// markdownParser parses Markdown. It is created when the first text is shown.
var markdownParser = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser()
})

// maxDepth is how deep blocks and emphasis may be nested. What is deeper is shown without its marks.
const maxDepth = 40

// markdown returns a text of a model as HTML. It writes only the elements that are named here, without attributes, and every text in them
// escaped: HTML, images and addresses of the text are shown as text, and nothing is a link.
func markdown(source string) ready {
	d := document{source: []byte(source)}
	d.children(markdownParser().Parse(text.NewReader(d.source)), 0)
	return ready(d.out.String()) //nolint:gosec // only text escapes what comes from the source
}

// document writes HTML for one text.
type document struct {
	source []byte
	out    strings.Builder
}

// text writes a text that was part of the source. Entities may have made new control characters, so it is cleaned again.
func (d *document) text(raw string) {
	d.out.WriteString(template.HTMLEscapeString(plaintext.Show(raw)))
}

func (d *document) children(parent ast.Node, depth int) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		d.node(n, depth+1)
	}
}

// wrap writes an element with the children of a node.
func (d *document) wrap(element string, n ast.Node, depth int) {
	fmt.Fprintf(&d.out, "<%s>", element)
	d.children(n, depth)
	fmt.Fprintf(&d.out, "</%s>", element)
}

// elements are the elements of the nodes that have no more than children.
var elements = map[ast.NodeKind]string{
	ast.KindParagraph: "p", ast.KindBlockquote: "blockquote", ast.KindListItem: "li", table.KindStrikethrough: "s",
	table.KindTableHeader: "tr", table.KindTableRow: "tr",
}

func (d *document) node(n ast.Node, depth int) {
	if depth > maxDepth {
		d.children(n, depth-1) // the recursion of the parser is bounded
		return
	}
	if element := elements[n.Kind()]; element != "" {
		d.wrap(element, n, depth)
		return
	}
	switch n := n.(type) {
	case *ast.Heading:
		// The page has three levels of headings above.
		d.wrap(fmt.Sprintf("h%d", min(6, n.Level+3)), n, depth)
	case *ast.List:
		if n.IsOrdered() {
			d.wrap("ol", n, depth)
		} else {
			d.wrap("ul", n, depth)
		}
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		d.out.WriteString(`<pre tabindex="0"><code>`)
		d.lines(n)
		d.out.WriteString("</code></pre>")
	case *ast.HTMLBlock:
		d.out.WriteString("<p>")
		d.lines(n)
		if n.HasClosure() {
			d.text(string(n.ClosureLine.Value(d.source)))
		}
		d.out.WriteString("</p>")
	case *ast.ThematicBreak:
		d.out.WriteString("<hr>")
	case *table.Table:
		d.out.WriteString(`<div class="wide" tabindex="0">`)
		d.wrap("table", n, depth)
		d.out.WriteString("</div>")
	case *table.TableCell:
		if n.Parent().Kind() == table.KindTableHeader {
			d.wrap("th", n, depth)
		} else {
			d.wrap("td", n, depth)
		}
	default:
		d.inline(n, depth)
	}
}

// inline writes the parts of a line, and the children of what is not known.
func (d *document) inline(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Text:
		d.text(resolved(n.Value(d.source)))
		switch {
		case n.HardLineBreak():
			d.out.WriteString("<br>")
		case n.SoftLineBreak():
			d.out.WriteString("\n")
		}
	case *ast.String:
		d.text(string(n.Value))
	case *ast.CodeSpan:
		d.out.WriteString("<code>")
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				d.text(string(t.Value(d.source)))
			}
		}
		d.out.WriteString("</code>")
	case *ast.Emphasis:
		d.wrap(map[bool]string{true: "strong", false: "em"}[n.Level > 1], n, depth)
	case *ast.Link:
		d.children(n, depth)
		d.text(" (" + resolved(n.Destination) + ")")
	case *ast.Image:
		d.text("image: ")
		d.children(n, depth)
		d.text(" (" + resolved(n.Destination) + ")")
	case *ast.AutoLink:
		d.text(string(n.Label(d.source)))
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			d.text(string(segment.Value(d.source)))
		}
	default:
		d.children(n, depth)
	}
}

// lines writes the lines of a block as they were written.
func (d *document) lines(n ast.Node) {
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		d.text(string(line.Value(d.source)))
	}
}

// resolved returns a text with its escapes and entities replaced.
func resolved(raw []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(raw))))
}
