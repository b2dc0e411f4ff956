package lineedit

import (
	"fmt"
	"iter"
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// cell is what the cursor moves over in one step: a grapheme cluster or a placeholder. Its places are in bytes.
type cell struct {
	from, to int
	paste    bool
}

// cells returns the cells of a part, which must begin and end between cells.
func (f fragment) cells(from, to int) iter.Seq[cell] {
	return func(yield func(cell) bool) {
		next := f.pasteFrom(from)
		for from < to {
			end := to
			if next < len(f.pastes) {
				end = min(end, f.pastes[next].at)
			}
			for clusters := graphemes.FromString(f.text[from:end]); clusters.Next(); {
				if !yield(cell{from: from + clusters.Start(), to: from + clusters.End()}) {
					return
				}
			}
			if from = end; from < to {
				p := f.pastes[next]
				if !yield(cell{from: p.at, to: p.end, paste: true}) {
					return
				}
				from, next = p.end, next+1
			}
		}
	}
}

// bounds returns the beginning and the end of the line that a place is on, without its newline.
func (f fragment) bounds(at int) (from, to int) {
	from = strings.LastIndexByte(f.text[:at], '\n') + 1
	if to = strings.IndexByte(f.text[at:], '\n'); to < 0 {
		return from, len(f.text)
	}
	return from, at + to
}

// around returns the nearest places between cells at or before a place, and at or after it.
func (f fragment) around(at int) (before, after int) {
	at = max(0, min(at, len(f.text)))
	from, to := f.bounds(at)
	for c := range f.cells(from, to) {
		if c.to >= at {
			if c.to == at || c.from >= at {
				return at, at
			}
			return c.from, c.to
		}
	}
	return at, at
}

// left returns the place one cell to the left, and right the place one cell to the right. A newline is a cell.
func (f fragment) left(at int) int {
	from, _ := f.bounds(at)
	if from == at {
		return max(0, at-1)
	}
	last := from
	for c := range f.cells(from, at) {
		last = c.from
	}
	return last
}

func (f fragment) right(at int) int {
	_, to := f.bounds(at)
	for c := range f.cells(at, to) {
		return c.to
	}
	return min(len(f.text), at+1)
}

// isWord reports whether a cell belongs to a word. A placeholder is a word.
func (f fragment) isWord(c cell) bool {
	if c.paste {
		return true
	}
	for _, r := range f.text[c.from:c.to] {
		return r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M)
	}
	return false
}

// shown returns what a terminal gets for a cell, and how many columns that takes. A cell that would join its neighbour on the
// screen, such as a combining mark after a placeholder, and a cell that takes no column are shown by the names of their
// characters, as invisible characters are.
func (f fragment) shown(c cell) (text string, columns int) {
	text = f.text[c.from:c.to]
	if c.paste || len(text) == 1 {
		return text, len(text)
	}
	text = plaintext.Show(text)
	if columns = displaywidth.String(text); columns > 0 && !joins(text) {
		return text, columns
	}
	var names strings.Builder
	for _, r := range text {
		fmt.Fprintf(&names, "<%U>", r)
	}
	return names.String(), names.Len()
}

// joins reports whether a text forms one cluster with a letter before or after it.
func joins(text string) bool {
	clusters := graphemes.FromString("x" + text + "x")
	if clusters.Next(); clusters.End() > 1 {
		return true
	}
	for clusters.Next() {
		if clusters.Start() == len(text)+1 {
			return false
		}
	}
	return true
}
