package terminal_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// colourful returns the look of a terminal of a given width that supports everything.
func colourful(width int) terminal.Look {
	return terminal.Look{Styled: true, Colour: true, Live: true, Width: func() int { return width }}
}

// ours matches the sequences that this package writes into text.
var ours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func bare(text terminal.Styled) string { return ours.ReplaceAllString(string(text), "") }

func TestLook(t *testing.T) {
	t.Parallel()
	type is struct{ styled, colour, live bool }
	for name, row := range map[string]struct {
		tty     bool
		environ string
		want    is
	}{
		"terminal":                {true, "TERM=xterm", is{true, true, true}},
		"pipe":                    {false, "TERM=xterm", is{}},
		"no name":                 {true, "", is{}},
		"dumb":                    {true, "TERM=dumb", is{}},
		"Windows Terminal":        {true, "WT_SESSION=x", is{true, true, true}},
		"NO_COLOR":                {true, "TERM=xterm NO_COLOR=1", is{true, false, true}},
		"NO_COLOR is empty":       {true, "TERM=xterm NO_COLOR=", is{true, true, true}},
		"CLICOLOR=0":              {true, "TERM=xterm CLICOLOR=0", is{true, false, true}},
		"CLICOLOR=0, but forced":  {true, "TERM=xterm CLICOLOR=0 CLICOLOR_FORCE=1", is{true, true, true}},
		"FORCE_COLOR=0":           {true, "TERM=xterm FORCE_COLOR=0", is{true, false, true}},
		"forced in a pipe":        {false, "CLICOLOR_FORCE=1", is{true, true, false}},
		"FORCE_COLOR in a pipe":   {false, "FORCE_COLOR=3", is{true, true, false}},
		"not forced in a pipe":    {false, "CLICOLOR_FORCE=0", is{}},
		"forced on a dumb one":    {true, "TERM=dumb FORCE_COLOR=1", is{true, true, false}},
		"NO_COLOR goes first":     {false, "FORCE_COLOR=1 NO_COLOR=1", is{}},
		"the last variable holds": {true, "TERM=xterm TERM=dumb", is{}},
	} {
		look := terminal.NewLook(row.tty, strings.Fields(row.environ), nil)
		if got := (is{look.Styled, look.Colour, look.Live}); got != row.want {
			t.Errorf("%s: got %+v, want %+v", name, got, row.want)
		}
	}
}

func TestPaint(t *testing.T) {
	t.Parallel()
	full, mono := colourful(80), terminal.Look{Styled: true}
	for _, row := range []struct {
		look terminal.Look
		s    terminal.Style
		in   string
		want terminal.Styled
	}{
		{full, terminal.Failure, "a\nb", "\x1b[31ma\x1b[0m\n\x1b[31mb\x1b[0m"},
		{full, terminal.Strong.With(terminal.Failure), "a", "\x1b[1;31ma\x1b[0m"},
		{full, terminal.Plain, "a\x1b[31mb\u202e", "ab<U+202E>"},
		{full, terminal.Failure, "", ""},
		{mono, terminal.Failure, "a", "a"},
		{mono, terminal.Strong.With(terminal.Failure), "a", "\x1b[1ma\x1b[0m"},
		{terminal.Look{}, terminal.Strong, "a\x1b[1mb", "ab"},
	} {
		if got := row.look.Paint(row.s, row.in); got != row.want {
			t.Errorf("%q: got %q, want %q", row.in, got, row.want)
		}
	}
}

// render renders a text in pieces of a given size, or all at once.
func render(look terminal.Look, text string, size int) terminal.Styled {
	m := terminal.NewMarkdown(look)
	var out terminal.Styled
	for text != "" {
		n := len(text)
		if size > 0 {
			n = min(n, size)
		}
		out += m.Next(text[:n])
		text = text[n:]
	}
	return out + m.End()
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		width    int
		in, want string
	}{
		"paragraphs":       {80, "one\ntwo\n\n\nthree", "one two\n\nthree\n"},
		"wrapped":          {20, "aaaa bbbb cccc dddd eeee ffff", "aaaa bbbb cccc dddd\neeee ffff\n"},
		"narrower than 20": {5, "aaaa bbbb cccc dddd eeee", "aaaa bbbb cccc dddd\neeee\n"},
		"long word":        {20, strings.Repeat("x", 45), strings.Repeat("x", 20) + "\n" + strings.Repeat("x", 20) + "\nxxxxx\n"},
		"wide characters":  {20, "漢字漢字漢字漢字漢字漢字", "漢字漢字漢字漢字漢字\n漢字\n"},
		"odd width":        {21, "漢字漢字漢字漢字漢字漢字", "漢字漢字漢字漢字漢字\n漢字\n"},
		"hard break":       {80, "one  \ntwo\\\nthree", "one\ntwo\nthree\n"},
		"heading":          {80, "# Title\ntext\n## Next", "Title\n\ntext\n\nNext\n"},
		"setext":           {80, "Title\n=====\n\ntext", "Title\n\ntext\n"},
		"emphasis":         {80, "a *b* **c** ~~d~~ `e  f` snake_case_name", "a b c d e  f snake_case_name\n"},
		"escapes":          {80, `\*a\* &lt;b&gt; &amp;`, "*a* <b> &\n"},
		"entity of ESC":    {80, "a&#27;[31mb&#x9b;1mc&#x202e;d", "a[31mbc<U+202E>d\n"},
		"list":             {80, "- a\n- b\n  - c\n- d", "• a\n• b\n  • c\n• d\n"},
		"numbers":          {80, "3. a\n4. b", "3. a\n4. b\n"},
		"loose list":       {80, "1. a\n\n2. b\n\n   more\n\nend", "1. a\n\n2. b\n\n   more\n\nend\n"},
		"wrapped list":     {20, "- aaaa bbbb cccc dddd eeee", "• aaaa bbbb cccc\n  dddd eeee\n"},
		"code":             {20, "before\n```go\n\tif  x {\n\n}  // a line that is longer\n```\nafter", "before\n\n\tif  x {\n\n}  // a line that is longer\n\nafter\n"},
		"code in tildes":   {80, "~~~\n```\n~~~", "```\n"},
		"code without end": {80, "```\na\n\nb", "a\n\nb\n"},
		"code in a list":   {80, "- a\n  ```\n  x\n\n  # y\n  ```\n- b", "• a\n  x\n\n  # y\n• b\n"},
		"code by indent":   {80, "a\n\n    x\n\n    y\n\nb", "a\n\nx\n\ny\n\nb\n"},
		"quote":            {80, "> a\n> b\n>\n> c", "│ a b\n│ \n│ c\n"},
		"rule":             {20, "a\n\n---\n\nb", "a\n\n────────────────────\n\nb\n"},
		"link":             {80, "[here](https://x.y/z) <https://a.b> [https://c](https://c)", "here (https://x.y/z) https://a.b https://c\n"},
		"image":            {80, "![alt](p.png)", "image: alt (p.png)\n"},
		"HTML":             {80, "a <b>c</b>\n\n<div>\nx\n</div>", "a <b>c</b>\n\n<div>\nx\n</div>\n"},
		"table":            {80, "| a | bb |\n|---|--:|\n| ccc | d |\n| e |", "a   │ bb\n────┼───\nccc │  d\ne   │   \n"},
		"wide table":       {20, "| name | what |\n|---|---|\n| a | one two three four five |\n| b | x |", "name: a\nwhat: one two\n  three four five\n\nname: b\nwhat: x\n"},
		"control":          {80, "a\x1b[31mb\x1b]0;x\ac\u202e", "abc<U+202E>\n"},
		"nothing":          {80, "\n\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := bare(render(colourful(row.width), row.in, 0)); got != row.want {
				t.Errorf("got\n%q\nwant\n%q", got, row.want)
			}
		})
	}
}

// TestMarkdownStyles compares one text with a golden result that contains all sequences.
func TestMarkdownStyles(t *testing.T) {
	t.Parallel()
	in := "# A *b*\n\nplain **strong _both_** `code` [l](u)\n\n- x\n"
	for name, row := range map[string]struct {
		look terminal.Look
		want string
	}{
		"colours": {colourful(80), "\x1b[1;35mA\x1b[0m \x1b[1;3;35mb\x1b[0m\n\nplain \x1b[1mstrong\x1b[0m \x1b[1;3mboth\x1b[0m \x1b[36mcode\x1b[0m \x1b[4ml\x1b[0m (\x1b[2mu\x1b[0m)\n\n\x1b[36m• \x1b[0mx\n"},
		"none":    {terminal.Look{Styled: true}, "\x1b[1mA\x1b[0m \x1b[1;3mb\x1b[0m\n\nplain \x1b[1mstrong\x1b[0m \x1b[1;3mboth\x1b[0m code \x1b[4ml\x1b[0m (\x1b[2mu\x1b[0m)\n\n• x\n"},
	} {
		if got := string(render(row.look, in, 0)); got != row.want {
			t.Errorf("%s: got\n%q\nwant\n%q", name, got, row.want)
		}
	}
}

// TestMarkdownStreams checks that finished blocks, and lines of code, are shown before the text has ended.
func TestMarkdownStreams(t *testing.T) {
	t.Parallel()
	m := terminal.NewMarkdown(terminal.Look{})
	for _, step := range []struct{ piece, shown, tail string }{
		{"# He", "", "# He"},
		{"ad\nfirst ", "Head\n", "first "},
		{"line\nmore\n", "", "more"},
		{"\n", "", "more"},
		{"next", "", "next"},
		{"\n```\nco", "\nfirst line more\n\nnext\n\n", "co"},
		{"de\n", "code\n", ""},
		{"```\n", "", ""},
	} {
		if got := m.Next(step.piece); string(got) != step.shown || m.Tail() != step.tail {
			t.Errorf("%q: shown %q, want %q; left %q, want %q", step.piece, got, step.shown, m.Tail(), step.tail)
		}
	}
}

// TestMarkdownBounds checks that a text without line ends is shown before it ends, and that the result does not depend on the
// pieces.
func TestMarkdownBounds(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"a line": strings.Repeat("ä word ", 3000), "a block": strings.Repeat("line\n", 5000), "code": "```\n" + strings.Repeat("x", 20_000),
		"heading": "# " + strings.Repeat("x", 20_000),
	} {
		m := terminal.NewMarkdown(terminal.Look{})
		if m.Next(in) == "" || len(m.Tail()) > 20_000 {
			t.Errorf("%s: %d bytes are held back", name, len(m.Tail()))
		}
		if render(terminal.Look{}, in, 1000) != render(terminal.Look{}, in, 0) {
			t.Errorf("%s: pieces make a difference", name)
		}
	}
}

// FuzzMarkdown checks that only this package's sequences reach the terminal, that the result does not depend on the pieces of a
// text, and that running text is not wider than the terminal.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"# a\n\nb *c* **d** `e`\n\n- f\n  - g\n\n1. h\n", "```go\nx\n```\n", "- ```\n  x\n\n  y\n  ```\n", "| a | b |\n|---|:-:|\n| c | d |\n", "> a\n> > b\n",
		"a&#27;[31m\u202e\x1b[2J", "<div>\nx", "[a](b \"c\")![d](e)", "a\xff\xe2\x82", "漢字 👩\u200d💻", "a  \nb\\\nc\r\nd", "~~a~~\n***\n", "    x\n\n    y", "&#x9b;1m&NewLine;&Tab;b",
	} {
		f.Add(seed, 3, 40)
	}
	f.Fuzz(func(t *testing.T, text string, size, width int) {
		look := colourful(20 + (width&0xff)%100)
		whole := render(look, text, 0)
		if pieces := render(look, text, 1+size&7); pieces != whole {
			t.Errorf("%q in pieces is\n%q\nand at once\n%q", text, pieces, whole)
		}
		if left := bare(whole); plaintext.Show(left) != left {
			t.Errorf("%q leaves %q", text, left)
		}
	})
}

func TestFit(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		in    string
		width int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"漢字漢", 4, "漢…"}, {"a\nb\tc", 9, "a b c"}, {"abc", 0, ""}, {"a\x1b[1mb", 5, "ab"},
	} {
		if got := terminal.Fit(row.in, row.width); got != row.want {
			t.Errorf("%q in %d: got %q, want %q", row.in, row.width, got, row.want)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	in := "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n--- two\n+++ three\n \tfour\x1b[31m\n\\ No newline at end of file\n"
	want := "\x1b[1m--- a/x\x1b[0m\n\x1b[1m+++ b/x\x1b[0m\n\x1b[36m@@ -1,3 +1,3 @@\x1b[0m\n one\n\x1b[31m--- two\x1b[0m\n\x1b[32m+++ three\x1b[0m\n     four\n\x1b[2m\\ No newline at end of file\x1b[0m\n"
	if got := string(colourful(80).Diff(in)); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got, want := string(terminal.Look{Width: func() int { return 6 }}.Diff("@@ -1 +1 @@\n-漢字漢字\n+abcdefgh\n")), "@@ -1…\n-漢字…\n+abcd…\n"; got != want {
		t.Errorf("narrow: got %q, want %q", got, want)
	}
	long := string(terminal.Look{}.Diff("--- a\n+++ b\n@@ -0,0 +1,200 @@\n" + strings.Repeat("+x\n", 200)))
	if strings.Count(long, "\n") != 81 || !strings.HasSuffix(long, "… 123 more lines of the diff\n") {
		t.Errorf("long: %q", long)
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	lines := func(from, to int) (out []string) {
		for i := from; i <= to; i++ {
			out = append(out, fmt.Sprint(i))
		}
		return out
	}
	for name, row := range map[string]struct {
		in        string
		live, end []string
	}{
		"blanks, tabs and quotes": {"a  b\n\t\"c\"   d\n", []string{"a  b", "\t\"c\"   d"}, nil},
		"Windows":                 {"a\r\nb\r\n", []string{"a", "b"}, nil},
		"no end":                  {"a\nb", []string{"a"}, []string{"b"}},
		"forty":                   {strings.Join(lines(1, 40), "\n") + "\n", lines(1, 30), lines(31, 40)},
		"one more":                {strings.Join(lines(1, 41), "\n"), lines(1, 30), append([]string{"… 1 more line; the session keeps the result"}, lines(32, 41)...)},
		"many":                    {strings.Join(lines(1, 163), "\n"), lines(1, 30), append([]string{"… 123 more lines; the session keeps the result"}, lines(154, 163)...)},
		"a long line":             {strings.Repeat("ä", 250), nil, []string{strings.Repeat("ä", 240) + "… (10 more)"}},
		"one that never ends":     {strings.Repeat("x", 5000), []string{strings.Repeat("x", 240) + "… (4760 more)"}, nil},
	} {
		for _, size := range []int{1 << 20, 1, 7} {
			if size != 1<<20 && name == "one that never ends" {
				continue
			}
			var o terminal.Output
			var live []string
			for piece := range slices.Chunk([]byte(row.in), size) {
				live = append(live, o.Next(string(piece))...)
			}
			if end := o.End(); !slices.Equal(live, row.live) || !slices.Equal(end, row.end) {
				t.Errorf("%s in pieces of %d: got %q and then %q", name, size, live, end)
			}
		}
	}
}
