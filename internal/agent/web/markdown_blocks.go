package web

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// list writes a list. Its entries follow each other without empty lines.
func (w *writer) list(n *html.Node) {
	if w.end(1); w.prefix == "" {
		w.end(2)
	} else {
		w.breaks = min(w.breaks, 1)
	}
	number := 0
	for c := n.FirstChild; c != nil && !w.full; c = c.NextSibling {
		if c.DataAtom != atom.Li || hidden(c) {
			w.node(c)
			continue
		}
		mark := "-"
		if number++; n.DataAtom == atom.Ol {
			mark = fmt.Sprintf("%d.", number)
		}
		w.end(1)
		w.raw(mark)
		w.blank, w.marked = true, true
		w.indented(c, strings.Repeat(" ", len(mark)+1))
		w.marked = false
		w.breaks = min(w.breaks, 1)
		w.end(1)
	}
	if w.prefix == "" {
		w.end(2)
	}
}

// code writes text as it is.
func (w *writer) code(n *html.Node) {
	var b strings.Builder
	literal(&b, n)
	text := strings.Trim(strings.ReplaceAll(b.String(), "\r\n", "\n"), "\n")
	if w.inline > 0 {
		w.words(text)
		return
	}
	fence := "```"
	for strings.Contains(text, fence) && len(fence) < maxPrefix {
		fence += "`"
	}
	w.end(2)
	w.raw(fence)
	for line := range strings.SplitSeq(text, "\n") {
		w.end(1)
		if line == "" {
			w.breaks++
			continue
		}
		w.raw(line)
	}
	w.end(1)
	w.raw(fence)
	w.end(2)
}

func literal(b *strings.Builder, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.DataAtom == atom.Br:
			b.WriteByte('\n')
		case c.Type == html.ElementNode && !hidden(c):
			literal(b, c)
		}
	}
}

// table writes the rows of a table. A table around another one arranges a page, and is no table for a reader.
func (w *writer) table(n *html.Node) {
	w.end(2)
	if w.inline > 0 || holdsTable(n) {
		w.children(n)
		w.end(2)
		return
	}
	first := true
	var rows func(*html.Node)
	rows = func(n *html.Node) {
		for c := n.FirstChild; c != nil && !w.full; c = c.NextSibling {
			switch {
			case c.DataAtom == atom.Tr:
				cells := w.row(c)
				if first && cells > 0 {
					w.raw("|" + strings.Repeat(" --- |", cells))
					w.end(1)
				}
				first = first && cells == 0
			case slices.Contains([]atom.Atom{atom.Thead, atom.Tbody, atom.Tfoot}, c.DataAtom):
				rows(c)
			default:
				w.node(c)
			}
		}
	}
	rows(n)
	w.end(2)
}

// row writes a row and returns the number of its cells.
func (w *writer) row(n *html.Node) (cells int) {
	w.end(1)
	for c := n.FirstChild; c != nil && !w.full; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		cells++
		w.blank = cells > 1
		w.raw("|")
		w.blank = true
		w.inline++
		w.children(c)
		w.inline--
	}
	if cells > 0 {
		w.blank = true
		w.raw("|")
	}
	w.blank = false
	w.end(1)
	return cells
}

// holdsTable reports whether a table is inside of an element.
func holdsTable(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Table || holdsTable(c) {
			return true
		}
	}
	return false
}
