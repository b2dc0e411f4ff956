package lineedit

import (
	"slices"
	"strings"
)

// paste is a placeholder in a fragment, which stands for a longer text.
type paste struct {
	// at and end are the place of the placeholder, in bytes of the fragment.
	at, end int
	// text is the text that was pasted.
	text string
}

// fragment is a text with placeholders. Nothing changes a fragment after it was made.
type fragment struct {
	text string
	// pastes are ordered by place and do not overlap.
	pastes []paste
}

// slice returns a part, which must not begin or end within a placeholder. The part shares no memory with the whole, which can be
// large and is replaced at every key.
func (f fragment) slice(from, to int) fragment {
	part := f.line(from, to)
	part.text = strings.Clone(part.text)
	return part
}

// line is like slice, but shares memory.
func (f fragment) line(from, to int) fragment {
	first := f.pasteFrom(from)
	last := first
	for last < len(f.pastes) && f.pastes[last].end <= to {
		last++
	}
	return fragment{text: f.text[from:to], pastes: shifted(f.pastes[first:last], -from)}
}

// replace returns the fragment with a part replaced by another fragment.
func (f fragment) replace(from, to int, with fragment) fragment {
	first, last := f.pasteFrom(from), f.pasteFrom(to)
	return fragment{
		text: f.text[:from] + with.text + f.text[to:],
		pastes: slices.Concat(
			f.pastes[:first], shifted(with.pastes, from), shifted(f.pastes[last:], from+len(with.text)-to),
		),
	}
}

func (f fragment) add(more fragment) fragment { return f.replace(len(f.text), len(f.text), more) }

// pasteFrom returns the index of the first placeholder that begins at a place or after it.
func (f fragment) pasteFrom(at int) int {
	i, _ := slices.BinarySearchFunc(f.pastes, at, func(p paste, at int) int { return p.at - at })
	return i
}

func shifted(pastes []paste, by int) []paste {
	if len(pastes) == 0 {
		return nil
	}
	out := slices.Clone(pastes)
	for i := range out {
		out[i].at += by
		out[i].end += by
	}
	return out
}

// expanded returns the text with each placeholder replaced by what was pasted.
func (f fragment) expanded() string {
	var out strings.Builder
	at := 0
	for _, p := range f.pastes {
		out.WriteString(f.text[at:p.at])
		out.WriteString(p.text)
		at = p.end
	}
	out.WriteString(f.text[at:])
	return out.String()
}

// size is the memory that a fragment takes, in bytes.
func (f fragment) size() int {
	size := len(f.text)
	for _, p := range f.pastes {
		size += len(p.text)
	}
	return size
}

func (f fragment) equal(other fragment) bool {
	return f.text == other.text && slices.Equal(f.pastes, other.pastes)
}
