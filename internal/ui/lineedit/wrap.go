package lineedit

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// row is a row of a line on the screen.
type row struct {
	text string
	// from is the place of the first cell that begins in this row, in bytes of the line. If no cell begins here, it is the end of
	// the cell that the row is a part of, or the end of the line.
	from int
	// lead is the number of columns before that place. They belong to a cell that begins in an earlier row.
	lead int
}

// wrapper lays a line out in rows.
type wrapper struct {
	width int
	rows  []row
	// out is what all rows show; begin is where the current row begins in it, in bytes.
	out   strings.Builder
	begin int
	// current is the current row, and column its width so far.
	current row
	column  int
	// chance is the latest place in the current row at which the row may end.
	chance chance
}

// chance is a place between two cells.
type chance struct {
	// out is the place in what the rows show, from the place in the line; both are in bytes.
	out, from int
	// column is the width of the row before the place. It is 0 if there is no such place.
	column int
}

// wrap lays a line out in rows of at most width columns. It breaks rows beside blanks and wide characters, as late as
// possible, or else anywhere. If the last row is full, an empty row follows it, for the cursor at the end of the line.
func wrap(line fragment, width int) []row {
	w := wrapper{width: width}
	breakable := false
	for c := range line.cells(0, len(line.text)) {
		shown, columns := line.shown(c)
		wide, blank := columns == 2, shown == " "
		if breakable || wide || blank {
			w.chance = chance{out: w.out.Len(), from: c.from, column: w.column}
		}
		if columns <= 2 {
			w.add(c.from, shown, columns)
		} else {
			w.split(c, shown)
		}
		breakable = wide || blank
	}
	if w.column == width {
		w.end(w.out.Len(), len(line.text))
	}
	w.end(w.out.Len(), len(line.text))
	// The rows share the memory of the complete text.
	text, begin := w.out.String(), 0
	for i := range w.rows {
		end := begin + len(w.rows[i].text)
		w.rows[i].text, begin = text[begin:end], end
	}
	return w.rows
}

// split adds a cell that consists of several clusters. It may be wider than a row.
func (w *wrapper) split(c cell, shown string) {
	begun := false
	for clusters := displaywidth.StringGraphemes(shown); clusters.Next(); begun = true {
		if !begun {
			w.add(c.from, clusters.Value(), clusters.Width())
			continue
		}
		w.add(c.to, clusters.Value(), clusters.Width())
		if w.current.from == c.to {
			w.current.lead = w.column
		}
	}
}

// add adds a cluster. If the cluster does not fit into the current row, the next row begins with it or at an earlier chance. In
// the first case from is the place of the next row.
func (w *wrapper) add(from int, cluster string, columns int) {
	for w.column+columns > w.width {
		place := w.chance
		if place.column == 0 {
			place = chance{out: w.out.Len(), from: from, column: w.column}
		}
		w.endAt(place)
	}
	w.out.WriteString(cluster)
	w.column += columns
}

// endAt ends the current row at a place. What follows the place becomes the beginning of the next row.
func (w *wrapper) endAt(place chance) {
	w.end(place.out, place.from)
	w.column -= place.column
	w.chance = chance{}
}

// end ends the current row and begins the next.
func (w *wrapper) end(out, from int) {
	w.current.text = w.out.String()[w.begin:out]
	w.rows = append(w.rows, w.current)
	w.begin, w.current = out, row{from: from}
}
