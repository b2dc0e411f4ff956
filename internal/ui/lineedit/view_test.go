package lineedit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/ui/lineedit"
)

func TestView(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text  string // | is the cursor
		width int
		want  string // rows, and the row and column of the cursor
	}{
		"empty":                 {"|", 10, `[""] 0 0`},
		"one row":               {"ab|c", 10, `["abc"] 0 2`},
		"words":                 {"one two| three", 8, `["one two " "three"] 0 7`},
		"after a break":         {"one two |three", 8, `["one two " "three"] 1 0`},
		"blank at a full row":   {"one two| three", 7, `["one two" " three"] 1 0`},
		"long word":             {"an abcdefghij|k", 5, `["an " "abcde" "fghij" "k"] 3 0`},
		"full row at the end":   {"abcde|", 5, `["abcde" ""] 1 0`},
		"cursor in a full row":  {"abcd|e", 5, `["abcde" ""] 0 4`},
		"full row and newline":  {"abcde\n|x", 5, `["abcde" "" "x"] 2 0`},
		"lines":                 {"a\n\n|b\n", 5, `["a" "" "b" ""] 2 0`},
		"wide":                  {"你好世|界", 5, `["你好" "世界"] 1 2`},
		"wide beside a word":    {"ab 你好世界|", 8, `["ab 你好" "世界"] 1 4`},
		"joined emoji":          {"a" + coder + "|b", 4, `["a` + coder + `b" ""] 0 3`},
		"mark":                  {acute + "|x", 10, `["` + acute + `x"] 0 1`},
		"right to left":         {"a\u202e|b", 20, `["a<U+202E>b"] 0 9`},
		"no width":              {"\u200b|\u0301", 20, `["<U+200B><U+0301>"] 0 8`},
		"style after a name":    {"\u200b\ufe0f|", 20, `["<U+200B><U+FE0F>"] 0 16`},
		"prefix before a name":  {"\u0600|\u200b", 20, `["<U+0600><U+200B>"] 0 8`},
		"half a flag":           {"🇫|", 20, `["🇫"] 0 2`},
		"mark alone":            {"\n\u0301|", 20, `["" "<U+0301>"] 1 8`},
		"joiner in a word":      {"pa\u200D|ss", 20, `["pa<U+200D>ss"] 0 10`},
		"name wider than a row": {"\u202e|b", 3, `["<U+" "202" "E>b" ""] 2 2`},
		"name before the break": {"a |\u202eb", 9, `["a " "<U+202E>b" ""] 1 0`},
		"width too small":       {"你|好", 0, `["你" "好" ""] 1 0`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := at(tt.text).View(tt.width)
			if got := shown(v); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// shown quotes rows, with characters that strconv would escape as they are.
func shown(v lineedit.View) string {
	return fmt.Sprintf(`["%s"] %d %d`, strings.Join(v.Rows, `" "`), v.Row, v.Column)
}

func TestViewPlaceholder(t *testing.T) {
	t.Parallel()
	var e lineedit.Editor
	e.Insert("see ")
	e.Paste(strings.Repeat("x\n", 6))
	if got, want := shown(e.View(40)), `["see [Pasted text #1, 6 lines]"] 0 29`; got != want {
		t.Errorf("wide: got %s, want %s", got, want)
	}
	if got, want := shown(e.View(26)), `["see " "[Pasted text #1, 6 lines]"] 1 25`; got != want {
		t.Errorf("next row: got %s, want %s", got, want)
	}
	if got, want := shown(e.View(10)), `["see " "[Pasted te" "xt #1, 6 l" "ines]"] 3 5`; got != want {
		t.Errorf("split: got %s, want %s", got, want)
	}
	e.Left()
	if got, want := shown(e.View(10)), `["see " "[Pasted te" "xt #1, 6 l" "ines]"] 1 0`; got != want {
		t.Errorf("split, before it: got %s, want %s", got, want)
	}
	// The rows in the middle of the placeholder have no place for the cursor.
	if !e.Down(10) || e.Cursor() != len(e.Value()) || e.Down(10) {
		t.Errorf("down: got %q", marked(&e))
	}
	if !e.Up(10) || e.Cursor() != 4 || !e.Up(10) || e.Cursor() != 0 || e.Up(10) {
		t.Errorf("up: got %q", marked(&e))
	}
}

func TestUpDown(t *testing.T) {
	t.Parallel()
	const width = 8
	tests := map[string]struct {
		text  string
		moves string // u and d; upper case if the move is refused
		want  string
	}{
		"up":                 {"one\ntw|o", "u", "on|e\ntwo"},
		"down":               {"on|e\ntwo", "d", "one\ntw|o"},
		"refused":            {"on|e", "UD", "on|e"},
		"wrapped":            {"one two three fo|ur", "u", "one two th|ree four"},
		"wrapped twice":      {"one two three fo|ur", "uuU", "on|e two three four"},
		"goal column":        {"abcdef\nx\nabcde|f", "uu", "abcde|f\nx\nabcdef"},
		"goal and back":      {"abcdef\nx\nabcde|f", "uudd", "abcdef\nx\nabcde|f"},
		"not past the row":   {"one two three\nabcdefg|", "u", "one two three|\nabcdefg"},
		"end of a wrapped":   {"one two three four\n       |", "uu", "one two three| four\n       "},
		"within a wide":      {"a你b\nab|", "u", "a|你b\nab"},
		"full row":           {"abcdefgh|", "u", "|abcdefgh"},
		"to after full row":  {"abc|defgh", "d", "abcdefgh|"},
		"over a split name":  {"a\u202eb\n0|12", "uu", "a|\u202eb\n012"},
		"empty lines":        {"a\n\n|\nb", "uuU", "|a\n\n\nb"},
		"long word is split": {"abcdefghijk|l", "u", "abc|defghijkl"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := at(tt.text)
			for _, move := range tt.moves {
				step := e.Up
				if strings.ContainsRune("dD", move) {
					step = e.Down
				}
				if got := step(width); got != strings.ContainsRune("ud", move) {
					t.Errorf("%c reports %t at %q", move, got, marked(e))
				}
			}
			if got := marked(e); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestViewAfterEdits compares the view of an editor that has laid out its lines before with that of a fresh one.
func TestViewAfterEdits(t *testing.T) {
	t.Parallel()
	e := at("one two three\nfour\n|five six\nseven")
	edits := []struct {
		name string
		do   func()
	}{
		{"type", func() { e.Insert("some more words ") }},
		{"newline", func() { e.Insert("\n") }},
		{"join", func() { e.Backspace() }},
		{"kill", func() { e.KillToLineEnd(); e.KillToLineEnd() }},
		{"undo", func() { e.Undo() }},
		{"first line", func() { e.SetCursor(0); e.Insert("x") }},
		{"last line", func() { e.SetCursor(len(e.Value())); e.Insert("x") }},
		{"another cursor", func() { e.Left() }},
		{"equal lines", func() { e.Set("a\na\na"); e.View(9); e.SetCursor(1); e.Insert("\na") }},
		{"all", func() { e.Set("x") }},
	}
	for _, edit := range edits {
		edit.do()
		fresh := at(marked(e))
		if got, want := shown(e.View(9)), shown(fresh.View(9)); got != want {
			t.Errorf("%s: got %s, want %s", edit.name, got, want)
		}
	}
}

// A placeholder and equal text that was typed are laid out differently.
func TestViewOfEqualText(t *testing.T) {
	t.Parallel()
	var e lineedit.Editor
	e.Paste(strings.Repeat("x\n", 6))
	before := e.View(20)
	e.Set(e.Value())
	after := e.View(20)
	if slices.Equal(before.Rows, after.Rows) || after.Rows[0] != "[Pasted text #1, 6 " {
		t.Errorf("before %q, after %q", before.Rows, after.Rows)
	}
}

func BenchmarkView(b *testing.B) {
	for name, text := range map[string]string{
		"lines": strings.Repeat("plain text of a user, with ümlauts.\n", 30_000),
		"line":  strings.Repeat("plain text of a user, with ümlauts. ", 3_000),
	} {
		b.Run(name, func(b *testing.B) {
			var e lineedit.Editor
			e.Set(text)
			e.SetCursor(len(text) / 2)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				e.Insert("x")
				e.View(80)
			}
		})
	}
}
