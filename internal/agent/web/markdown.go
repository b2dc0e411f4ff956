package web

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/idelchi/aura/internal/base/limit"
)

// maxPrefix is how long the prefix of a line may become, in bytes. Deeper quotes and lists have the same one.
const maxPrefix = 40

// Markdown returns an HTML page as Markdown, without what a reader does not see. Relative links become absolute. It visits each node once and stops
// when the text is as long as one may be; the parser bounds the depth of a page.
func Markdown(page []byte, address string) (text string, shortened bool, err error) {
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return "", false, fmt.Errorf("reading the HTML: %w", err)
	}
	w := writer{}
	// The address has been read before.
	w.base, _ = url.Parse(address)
	w.children(doc)
	return string(w.out), w.full, nil
}

// writer writes Markdown. Line breaks and blanks wait until something follows them.
type writer struct {
	out  []byte
	base *url.URL
	// prefix begins each line.
	prefix string
	// breaks is how many line breaks wait, and blank whether a blank does.
	breaks int
	blank  bool
	// inline is positive where a line must not end, such as in a heading. marked is set after the mark of a list's entry.
	inline int
	marked bool
	// full is set if the text is as long as one may be.
	full bool
}

// raw writes text that has no line break.
func (w *writer) raw(text string) {
	if w.full || text == "" {
		return
	}
	switch {
	case len(w.out) == 0:
		w.out = append(w.out, w.prefix...)
	case w.breaks > 0:
		for range w.breaks - 1 {
			w.out = append(append(w.out, '\n'), strings.TrimRight(w.prefix, " ")...)
		}
		w.out = append(append(w.out, '\n'), w.prefix...)
	case w.blank:
		w.out = append(w.out, ' ')
	}
	w.breaks, w.blank, w.marked = 0, false, false
	w.out = append(w.out, text...)
	w.full = len(w.out) > limit.PageText
}

// words writes text whose white space does not matter.
func (w *writer) words(text string) {
	const space = " \t\r\n\f"
	if strings.Trim(text, space) == "" {
		w.blank = w.blank || text != ""
		return
	}
	w.blank = w.blank || strings.ContainsRune(space, rune(text[0]))
	w.raw(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(space, r) }), " "))
	w.blank = strings.ContainsRune(space, rune(text[len(text)-1]))
}

// end ends the line, with an empty line after it if n is 2.
func (w *writer) end(n int) {
	switch {
	case w.inline > 0:
		w.blank = true
	case !w.marked && len(w.out) > 0:
		w.breaks = max(w.breaks, n)
	}
}

// indented writes the children of a node with a longer prefix.
func (w *writer) indented(n *html.Node, by string) {
	before := w.prefix
	if len(w.prefix)+len(by) <= maxPrefix {
		w.prefix += by
	}
	w.children(n)
	w.prefix = before
}

func (w *writer) children(n *html.Node) {
	for c := n.FirstChild; c != nil && !w.full; c = c.NextSibling {
		w.node(c)
	}
}

// unseen are elements whose content a reader does not see as text.
var unseen = []atom.Atom{atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Canvas, atom.Video, atom.Audio, atom.Select}

// hidden reports whether a reader does not see an element.
func hidden(n *html.Node) bool {
	if slices.Contains(unseen, n.DataAtom) {
		return true
	}
	for _, a := range n.Attr {
		style := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
		if a.Key == "hidden" || a.Key == "style" && (strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")) {
			return true
		}
	}
	return false
}

// node writes a node.
func (w *writer) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		w.words(n.Data)
		return
	case n.Type != html.ElementNode || hidden(n):
		return
	}
	switch n.DataAtom {
	case atom.Head:
		w.head(n)
	case atom.B, atom.Strong:
		w.around(n, "**", "**")
	case atom.I, atom.Em:
		w.around(n, "*", "*")
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		w.around(n, "`", "`")
	case atom.Del, atom.S:
		w.around(n, "~~", "~~")
	case atom.A:
		w.link(n)
	case atom.Img:
		if to := w.target(attr(n, "src")); to != "" || attr(n, "alt") != "" {
			w.raw("![" + strings.Join(strings.Fields(attr(n, "alt")), " ") + "](" + to + ")")
		}
	case atom.Br:
		w.end(1)
	case atom.Td, atom.Th:
		w.blank = true
		w.children(n)
		w.blank = true
	case atom.Tr, atom.Dt:
		w.end(1)
		w.children(n)
		w.end(1)
	default:
		w.block(n)
	}
}

// blocks are elements that are paragraphs of their own.
var blocks = []atom.Atom{
	atom.P, atom.Div, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Form, atom.Fieldset, atom.Figure,
	atom.Figcaption, atom.Address, atom.Details, atom.Summary, atom.Dl, atom.Dialog, atom.Caption,
}

// block writes an element that stands apart.
func (w *writer) block(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.end(2)
		if w.inline == 0 {
			w.raw(strings.Repeat("#", int(n.Data[1]-'0')))
			w.blank = true
		}
		w.inline++
		w.children(n)
		w.inline--
		w.end(2)
	case atom.Hr:
		w.end(2)
		w.raw("---")
		w.end(2)
	case atom.Blockquote:
		w.end(2)
		if w.marked {
			w.raw("> ")
		}
		w.indented(n, "> ")
		w.end(2)
	case atom.Dd:
		w.end(1)
		w.raw(":")
		w.blank = true
		w.children(n)
		w.end(1)
	case atom.Ul, atom.Ol, atom.Menu:
		w.list(n)
	case atom.Pre:
		w.code(n)
	case atom.Table:
		w.table(n)
	default:
		apart := slices.Contains(blocks, n.DataAtom)
		if apart {
			w.end(2)
		}
		w.children(n)
		if apart {
			w.end(2)
		}
	}
}

// head writes the title of a page, and finds what its links begin with.
func (w *writer) head(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.DataAtom == atom.Title && c.FirstChild != nil:
			w.raw("Title:")
			w.blank = true
			w.inline++
			w.words(c.FirstChild.Data)
			w.inline--
			w.end(2)
		case c.DataAtom == atom.Base:
			if base, err := w.base.Parse(attr(c, "href")); err == nil {
				w.base = base
			}
		}
	}
}

// around writes the children of an element between marks, which must touch them. It writes nothing if there are none.
func (w *writer) around(n *html.Node, before, after string) {
	if !w.full && w.visible(n) {
		w.raw(before)
		at := len(w.out)
		w.inline++
		w.children(n)
		w.inline--
		if len(w.out) > at && w.out[at] == ' ' {
			w.out = slices.Delete(w.out, at, at+1)
		}
		w.out = append(w.out, after...)
	}
}

// visible reports whether an element begins with text or an image, perhaps inside of others.
func (w *writer) visible(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "", c.DataAtom == atom.Img:
			return true
		case c.Type == html.ElementNode && !hidden(c) && w.visible(c):
			return true
		}
	}
	return false
}

func (w *writer) link(n *html.Node) {
	to := w.target(attr(n, "href"))
	if to == "" || strings.HasPrefix(attr(n, "href"), "#") {
		w.children(n)
		return
	}
	w.around(n, "[", "]("+to+")")
}

// target returns an address as an absolute URL; empty if nobody can fetch it.
func (w *writer) target(ref string) string {
	to, err := w.base.Parse(strings.TrimSpace(ref))
	if err != nil || ref == "" || to.Scheme != "http" && to.Scheme != schemeHTTPS && to.Scheme != "mailto" {
		return ""
	}
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29").Replace(to.String())
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
