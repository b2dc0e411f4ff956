package lineedit

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// FuzzEditor does random steps. Each byte of program is a step; texts holds what the steps insert, separated by |.
func FuzzEditor(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, "one two|👩\u200D💻|e\u0301|\u202ex", 9)
	f.Add([]byte{0, 0, 0, 5, 0, 17, 18, 1, 3, 15, 15}, "a|\u200D|你好\n|1\n2\n3\n4\n5\n6", 4)
	f.Add([]byte{1, 0, 1, 0, 5, 5, 16, 16, 3, 19, 20, 2}, "1\r2\r3\r4\r5\r6\r\t|\u0301|🇫|\ufe0f", 2)
	f.Fuzz(func(t *testing.T, program []byte, texts string, width int) {
		if len(program) > 150 || len(texts) > 2000 {
			return
		}
		width = max(2, min(width, 120))
		var e Editor
		words := strings.Split(texts, "|")
		for i, step := range program {
			checkStep(t, &e, int(step), words[i%len(words)], width)
			checkEditor(t, &e, width)
			// What is killed and yanked twice doubles the text.
			if len(e.Value()) > 20_000 {
				return
			}
		}
		for e.Undo() {
			checkEditor(t, &e, width)
		}
		if !e.Empty() {
			t.Fatalf("%q remains after everything was undone", e.Value())
		}
	})
}

// checkStep does a step and checks its effect on the text.
func checkStep(t *testing.T, e *Editor, step int, text string, width int) {
	t.Helper()
	was := e.Text()
	before, after := e.body.line(0, e.cursor).expanded(), e.body.line(e.cursor, len(e.body.text)).expanded()
	inserts := []func(){func() { e.Insert(text) }, func() { e.Paste(text) }}
	moves := []func(){
		e.Left, e.Right, e.WordLeft, e.WordRight, e.LineStart, e.LineEnd, func() { e.Up(width) }, func() { e.Down(width) },
		func() { e.SetCursor(len(text)) },
	}
	changes := []func(){
		e.Backspace, e.Delete, e.KillWordLeft, e.KillWordRight, e.KillToLineStart, e.KillToLineEnd, e.Yank, e.Transpose,
		func() { e.Expand() }, func() { e.Undo() }, func() { e.Replace(len(text), "x") },
	}
	all := slices.Concat(inserts, moves, changes)
	step %= len(all)
	all[step]()
	switch {
	case step < len(inserts):
		if got := e.Text(); got != before+typed(text)+after && got != before+clean(text)+after {
			t.Fatalf("inserted %q between %q and %q: got %q", text, before, after, got)
		}
	case step < len(inserts)+len(moves):
		if e.Text() != was {
			t.Fatalf("a move changed %q to %q", was, e.Text())
		}
	}
}

// checkEditor checks what is true after every step.
func checkEditor(t *testing.T, e *Editor, width int) {
	t.Helper()
	if !utf8.ValidString(e.Value()) || strings.ContainsAny(e.Value(), "\t\r\x1b") {
		t.Fatalf("the text is %q", e.Value())
	}
	if before, after := e.body.around(e.cursor); before != e.cursor || after != e.cursor {
		t.Fatalf("the cursor is within a cell: %d in %q", e.cursor, e.Value())
	}
	for _, p := range e.body.pastes {
		if !strings.HasPrefix(e.Value()[p.at:p.end], "[Pasted text #") || !strings.HasSuffix(e.Value()[:p.end], "]") {
			t.Fatalf("the placeholder is %q", e.Value()[p.at:p.end])
		}
	}
	v := e.View(width)
	if v.Row < 0 || v.Row >= len(v.Rows) || v.Column < 0 || v.Column >= width || v.Column > displaywidth.String(v.Rows[v.Row]) {
		t.Fatalf("the cursor is at %d, %d of %q", v.Row, v.Column, v.Rows)
	}
	for _, row := range v.Rows {
		if displaywidth.String(row) > width || plaintext.Show(row) != row && !strings.Contains(row, "\u200c") && !strings.Contains(row, "\u200d") {
			t.Fatalf("a row of width %d is %q", width, row)
		}
	}
	var want strings.Builder
	for _, l := range e.lines() {
		for c := range l.cells(0, len(l.text)) {
			text, _ := l.shown(c)
			want.WriteString(text)
		}
	}
	if got := strings.Join(v.Rows, ""); got != want.String() {
		t.Fatalf("the rows are %q, want %q", got, want.String())
	}
}
