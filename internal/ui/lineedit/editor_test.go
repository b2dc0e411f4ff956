package lineedit_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/ui/lineedit"
)

// at makes an editor from a text in which | marks the cursor.
func at(marked string) *lineedit.Editor {
	before, after, _ := strings.Cut(marked, "|")
	var e lineedit.Editor
	e.Set(before + after)
	e.SetCursor(len(before))
	return &e
}

// marked returns the text with | at the cursor.
func marked(e *lineedit.Editor) string {
	return e.Before() + "|" + e.Value()[e.Cursor():]
}

const (
	coder = "👩\u200D💻"
	acute = "e\u0301"
	flag  = "🇫🇮"
)

func TestSteps(t *testing.T) {
	t.Parallel()
	type editor = lineedit.Editor
	tests := map[string]struct {
		from string
		do   func(*editor)
		want string
	}{
		"insert":                   {"a|c", func(e *editor) { e.Insert("b") }, "ab|c"},
		"insert a newline":         {"a|c", func(e *editor) { e.Insert("\n") }, "a\n|c"},
		"insert a tab":             {"a|c", func(e *editor) { e.Insert("\t") }, "a    |c"},
		"insert control":           {"a|c", func(e *editor) { e.Insert("\x1b[31m\x00\u009b\x7fb") }, "a[31mb|c"},
		"insert invalid":           {"|", func(e *editor) { e.Insert("a\xffb") }, "a\uFFFDb|"},
		"insert lines of Windows":  {"|", func(e *editor) { e.Insert("a\r\nb\rc") }, "a\nb\nc|"},
		"insert a joiner":          {"👩|💻", func(e *editor) { e.Insert("\u200D") }, coder + "|"},
		"insert a mark":            {"e|x", func(e *editor) { e.Insert("\u0301") }, acute + "|x"},
		"left over ASCII":          {"ab|", (*editor).Left, "a|b"},
		"left over a joined emoji": {"a" + coder + "|", (*editor).Left, "a|" + coder},
		"left over a mark":         {acute + "|", (*editor).Left, "|" + acute},
		"left over a flag":         {flag + flag + "|", (*editor).Left, flag + "|" + flag},
		"left over wide":           {"你好|", (*editor).Left, "你|好"},
		"left over a newline":      {"a\n|b", (*editor).Left, "a|\nb"},
		"left at the beginning":    {"|a", (*editor).Left, "|a"},
		"right over a joined":      {"|" + coder + "a", (*editor).Right, coder + "|a"},
		"right over a newline":     {"a|\nb", (*editor).Right, "a\n|b"},
		"right at the end":         {"a|", (*editor).Right, "a|"},
		"backspace":                {"a" + coder + "|b", (*editor).Backspace, "a|b"},
		"backspace a newline":      {"a\n|b", (*editor).Backspace, "a|b"},
		"backspace at the start":   {"|b", (*editor).Backspace, "|b"},
		"delete":                   {"a|" + acute + "b", (*editor).Delete, "a|b"},
		"delete a newline":         {"a|\nb", (*editor).Delete, "a|b"},
		"delete at the end":        {"a|", (*editor).Delete, "a|"},
		"word left":                {"one two_2|", (*editor).WordLeft, "one |two_2"},
		"word left in a word":      {"one tw|o", (*editor).WordLeft, "one |two"},
		"word left over marks":     {"a caf" + acute + ", |", (*editor).WordLeft, "a |caf" + acute + ", "},
		"word left over lines":     {"one\n\n  |", (*editor).WordLeft, "|one\n\n  "},
		"word left, no word":       {" .|", (*editor).WordLeft, "| ."},
		"word right":               {"|one two", (*editor).WordRight, "one| two"},
		"word right, blanks first": {"one| two, ", (*editor).WordRight, "one two|, "},
		"word right over lines":    {"one|.\n\n two x", (*editor).WordRight, "one.\n\n two| x"},
		"word right, no word":      {"one|. \n", (*editor).WordRight, "one. \n|"},
		"line start":               {"one\ntw|o\nx", (*editor).LineStart, "one\n|two\nx"},
		"line end":                 {"one\nt|wo\nx", (*editor).LineEnd, "one\ntwo|\nx"},
		"kill word left":           {"one two|x", (*editor).KillWordLeft, "one |x"},
		"kill word right":          {"one| two x", (*editor).KillWordRight, "one| x"},
		"kill to line start":       {"a\nbc|d", (*editor).KillToLineStart, "a\n|d"},
		"kill newline before":      {"a\n|d", (*editor).KillToLineStart, "a|d"},
		"kill to line end":         {"a|bc\nd", (*editor).KillToLineEnd, "a|\nd"},
		"kill newline after":       {"a|\nd", (*editor).KillToLineEnd, "a|d"},
		"kill nothing":             {"a|", (*editor).KillToLineEnd, "a|"},
		"transpose":                {"a" + coder + "|bc", (*editor).Transpose, "ab" + coder + "|c"},
		"transpose at the end":     {"abc|", (*editor).Transpose, "acb|"},
		"transpose at line end":    {"ab|\nc", (*editor).Transpose, "ba|\nc"},
		"transpose at the start":   {"|ab", (*editor).Transpose, "|ab"},
		"transpose one":            {"a|", (*editor).Transpose, "a|"},
		"replace":                  {"see @sr| x", func(e *editor) { e.Replace(4, "@src/a.go ") }, "see @src/a.go | x"},
		"replace from within":      {coder + "|", func(e *editor) { e.Replace(4, "x") }, "x|"},
		"replace from after":       {"a|b", func(e *editor) { e.Replace(9, "x") }, "ax|b"},
		"set":                      {"a|b", func(e *editor) { e.Set("x\ty") }, "x    y|"},
		"cursor within":            {"a|b" + coder, func(e *editor) { e.SetCursor(4) }, "ab|" + coder},
		"cursor after the end":     {"|ab", func(e *editor) { e.SetCursor(100) }, "ab|"},
		"cursor before the start":  {"a|b", func(e *editor) { e.SetCursor(-1) }, "|ab"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := at(tt.from)
			tt.do(e)
			if got := marked(e); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestYank(t *testing.T) {
	t.Parallel()
	e := at("one two three| four")
	e.KillWordLeft()
	e.KillWordLeft()
	e.KillToLineEnd()
	e.LineStart()
	e.Yank()
	if got, want := marked(e), "two three four|one "; got != want {
		t.Errorf("killed one after the other: got %q, want %q", got, want)
	}
	e.KillWordRight()
	e.Yank()
	e.Yank()
	if got, want := marked(e), "two three fouroneone| "; got != want {
		t.Errorf("killed alone: got %q, want %q", got, want)
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	var e lineedit.Editor
	if e.Undo() {
		t.Error("an empty editor has something to undo")
	}
	for key := range strings.SplitSeq("one two\nx", "") {
		e.Insert(key)
	}
	e.Backspace()
	e.Backspace()
	e.KillWordLeft()
	want := []string{"one |", "one two|", "one two\nx|", "one two\n|", "one two|", "one |", "|"}
	for i, w := range want {
		if got := marked(&e); got != w {
			t.Errorf("after %d: got %q, want %q", i, got, w)
		}
		if e.Undo() != (i < len(want)-1) {
			t.Errorf("after %d: nothing, or more than expected, can be undone", i)
		}
	}
}

func TestUndoIsBounded(t *testing.T) {
	t.Parallel()
	count := func(e *lineedit.Editor) (n int) {
		for e.Undo() {
			n++
		}
		return n
	}
	var e lineedit.Editor
	for range 1000 {
		e.Paste("x")
	}
	if got := count(&e); got != 200 {
		t.Errorf("%d small changes can be undone", got)
	}
	var large lineedit.Editor
	for range 10 {
		large.Paste(strings.Repeat("x", 5<<20))
	}
	if got := count(&large); got != 1 {
		t.Errorf("%d large changes can be undone", got)
	}
}

func TestPaste(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ paste, value, text string }{
		"short":               {"a\r\nb\tc", "a\nb    c", "a\nb    c"},
		"five lines":          {"1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n"},
		"six lines":           {"1\r2\r3\r4\r5\r6", "[Pasted text #1, 6 lines]", "1\n2\n3\n4\n5\n6"},
		"tabs are kept":       {strings.Repeat("\tx\n", 6), "[Pasted text #1, 6 lines]", strings.Repeat("\tx\n", 6)},
		"control characters":  {"\x1b[0m" + strings.Repeat("x\n", 120), "[Pasted text #1, 120 lines]", "[0m" + strings.Repeat("x\n", 120)},
		"600 bytes":           {strings.Repeat("x", 600), strings.Repeat("x", 600), strings.Repeat("x", 600)},
		"601 bytes":           {strings.Repeat("x", 601), "[Pasted text #1, 1 line]", strings.Repeat("x", 601)},
		"looks like one":      {"[Pasted text #1, 6 lines]", "[Pasted text #1, 6 lines]", "[Pasted text #1, 6 lines]"},
		"looks like one in 6": {strings.Repeat("[Pasted text #1, 6 lines]\n", 6), "[Pasted text #1, 6 lines]", strings.Repeat("[Pasted text #1, 6 lines]\n", 6)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := at("<|>")
			e.Paste(tt.paste)
			if got, want := marked(e), "<"+tt.value+"|>"; got != want {
				t.Errorf("value %q, want %q", got, want)
			}
			if got, want := e.Text(), "<"+tt.text+">"; got != want {
				t.Errorf("text %q, want %q", got, want)
			}
		})
	}
}

func TestPlaceholder(t *testing.T) {
	t.Parallel()
	const label = "[Pasted text #1, 7 lines]"
	long := strings.Repeat("word\tx\n", 7)
	type editor = lineedit.Editor
	tests := map[string]struct {
		do          func(*editor)
		want, wants string // the value with its cursor, and the text
	}{
		"left":               {(*editor).Left, "a |" + label + "\u0301 b", "a " + long + "\u0301 b"},
		"left and right":     {func(e *editor) { e.Left(); e.Right() }, "a " + label + "|\u0301 b", "a " + long + "\u0301 b"},
		"backspace":          {(*editor).Backspace, "a \u0301| b", "a \u0301 b"},
		"delete":             {func(e *editor) { e.Left(); e.Delete() }, "a \u0301| b", "a \u0301 b"},
		"word left":          {(*editor).WordLeft, "a |" + label + "\u0301 b", "a " + long + "\u0301 b"},
		"word right":         {func(e *editor) { e.LineStart(); e.WordRight(); e.WordRight() }, "a " + label + "|\u0301 b", "a " + long + "\u0301 b"},
		"typing before":      {func(e *editor) { e.Left(); e.Insert("x") }, "a x|" + label + "\u0301 b", "a x" + long + "\u0301 b"},
		"kill and yank":      {func(e *editor) { e.KillWordLeft(); e.LineStart(); e.Yank(); e.Yank() }, label + label + "|a \u0301 b", long + long + "a \u0301 b"},
		"undo":               {func(e *editor) { e.Backspace(); e.Undo() }, "a " + label + "|\u0301 b", "a " + long + "\u0301 b"},
		"undo the paste":     {func(e *editor) { e.Undo(); e.Undo() }, "a |", "a "},
		"transpose":          {(*editor).Transpose, "a \u0301" + label + "| b", "a \u0301" + long + " b"},
		"cursor within":      {func(e *editor) { e.SetCursor(9) }, "a |" + label + "\u0301 b", "a " + long + "\u0301 b"},
		"another":            {func(e *editor) { e.LineStart(); e.Paste(long) }, "[Pasted text #2, 7 lines]|a " + label + "\u0301 b", long + "a " + long + "\u0301 b"},
		"expand":             {func(e *editor) { e.Expand() }, "a " + strings.ReplaceAll(long, "\t", "    ") + "|\u0301 b", "a " + strings.ReplaceAll(long, "\t", "    ") + "\u0301 b"},
		"expand and undo":    {func(e *editor) { e.Expand(); e.Undo() }, "a " + label + "|\u0301 b", "a " + long + "\u0301 b"},
		"set":                {func(e *editor) { e.Set(label) }, label + "|", label},
		"replace from amid":  {func(e *editor) { e.Replace(9, "x") }, "a x\u0301| b", "a x\u0301 b"},
		"kill from the left": {func(e *editor) { e.LineStart(); e.KillToLineEnd() }, "|", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The mark must not become a part of the placeholder.
			e := at("a |")
			e.Paste(long)
			e.Insert("\u0301 b")
			e.SetCursor(len("a " + label))
			tt.do(e)
			if got := marked(e); got != tt.want {
				t.Errorf("value %q, want %q", got, tt.want)
			}
			if got := e.Text(); got != tt.wants {
				t.Errorf("text %q, want %q", got, tt.wants)
			}
		})
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x\n", 9)
	var e lineedit.Editor
	if e.Expand() {
		t.Error("expanded nothing")
	}
	e.Paste(long)
	e.Insert(" ")
	if e.Expand() {
		t.Error("expanded a placeholder that the cursor does not touch")
	}
	e.LineStart()
	if !e.Expand() || e.Value() != long+" " || e.Cursor() != len(long) {
		t.Errorf("got %q", marked(&e))
	}
	if e.Expand() {
		t.Error("expanded twice")
	}
}
