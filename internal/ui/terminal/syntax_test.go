package terminal

import (
	"regexp"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// sequences matches the sequences that turn styles on and off.
var sequences = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// tagged returns a text with letters in angle brackets instead of sequences.
func tagged(text Styled) string {
	return strings.NewReplacer("\x1b[2m", "<c>", "\x1b[32m", "<s>", "\x1b[35m", "<n>", "\x1b[36m", "<k>", "\x1b[31m", "<r>", "\x1b[1m", "<b>", off, "</>").Replace(string(text))
}

// TestHighlight compares the styles of code blocks: c for comments, s for texts, n for numbers, k for keywords or code of an unknown
// language, r for removed lines and b for the headers of diffs.
func TestHighlight(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ info, code, want string }{
		"unknown language":        {"", "if x", "<k>if x</>"},
		"unknown name":            {"klingon", "if x", "<k>if x</>"},
		"go":                      {"go", `if x := 12; x > "a" { // why`, `<k>if</> x := <n>12</>; x > <s>"a"</> { <c>// why</>`},
		"capitals and attributes": {"Go title=x", "func f()", "<k>func</> f()"},
		"braces":                  {"{.python}", "def f():", "<k>def</> f():"},
		"words are whole":         {"go", "format iffy x_if if_x", "format iffy x_if if_x"},
		"comment of lines":        {"c", "a /* b\nif\nc */ if", "a <c>/* b</>\n<c>if</>\n<c>c */</> <k>if</>"},
		"text of lines":           {"go", "x := `a\nif` + 1", "x := <s>`a</>\n<s>if`</> + <n>1</>"},
		"docstring":               {"py", "\"\"\"a\nb\"\"\" + 'c'", "<s>\"\"\"a</>\n<s>b\"\"\"</> + <s>'c'</>"},
		"escaped quote":           {"js", `"a\"b" + c`, `<s>"a\"b"</> + c`},
		"open quote":              {"js", `it's 5 "x"`, `it's <n>5</> <s>"x"</>`},
		"lifetime":                {"rust", "fn f<'a>(x: &'a str)", "<k>fn</> f<'a>(x: &'a str)"},
		"comment in a text":       {"go", `"// no" // yes`, `<s>"// no"</> <c>// yes</>`},
		"address":                 {"yaml", "url: http://x#y # z", "url: http://x#y <c># z</>"},
		"address in code":         {"js", "see http://x", "see http://x"},
		"hash at the beginning":   {"sh", "# a", "<c># a</>"},
		"count of arguments":      {"bash", "if [ $# = 1 ]", "<k>if</> [ $# = <n>1</> ]"},
		"keywords in capitals":    {"sql", "SELECT a FROM b -- c", "<k>SELECT</> a <k>FROM</> b <c>-- c</>"},
		"not in other languages":  {"go", "IF x", "IF x"},
		"numbers":                 {"go", "0x1F 1.5e3 x1", "<n>0x1F</> <n>1.5e3</> x1"},
		"json":                    {"json", `{"a": true, "b": 1}`, `{<s>"a"</>: <k>true</>, <s>"b"</>: <n>1</>}`},
		"diff without a header":   {"diff", " a\n-b\n+c", " a\n<r>-b</>\n<s>+c</>"},
		"diff":                    {"patch", "--- a\n+++ b\n@@ -1 +1 @@\n--x\n+y", "<b>--- a</>\n<b>+++ b</>\n<k>@@ -1 +1 @@</>\n<r>--x</>\n<s>+y</>"},
		"other scripts":           {"go", "// 日本\nvar 世界 = \"👩‍👩‍👧\"", "<c>// 日本</>\n<k>var</> 世界 = <s>\"👩‍👩‍👧\"</>"},
		"joined characters":       {"go", "👩‍👩‍👧 e\u0301", "👩‍👩‍👧 e\u0301"},
		"markup":                  {"html", "<a b=\"c\"> <!-- d\ne -->", "<a b=<s>\"c\"</>> <c><!-- d</>\n<c>e --></>"},
	} {
		h, look := newHighlighter(row.info), Look{Styled: true, Colour: true}
		var got []string
		for line := range strings.SplitSeq(row.code, "\n") {
			got = append(got, tagged(h.line(look, line)))
		}
		if text := strings.Join(got, "\n"); text != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, text, row.want)
		}
		h = newHighlighter(row.info)
		if plain := string(h.line(Look{}, "if 'x'")); plain != "if 'x'" {
			t.Errorf("%s: without styles: %q", name, plain)
		}
	}
}

// TestHighlightStreams checks that a preview does not change how the block goes on.
func TestHighlightStreams(t *testing.T) {
	t.Parallel()
	look := Look{Styled: true, Colour: true}
	text := "```go\na /* b\nc */ if\n```\nend"
	m := NewMarkdown(look)
	var out Styled
	for _, r := range text {
		out += m.Next(string(r))
		m.Preview()
	}
	if out += m.End(); out != Rendered(look, text) || tagged(out) != "a <c>/* b</>\n<c>c */</> <k>if</>\n\nend\n" {
		t.Errorf("got %q", tagged(out))
	}
}

// FuzzHighlight checks that styles change nothing but the look of a text, for all families of languages.
func FuzzHighlight(f *testing.F) {
	f.Add("go", "x := `a` // b\n\"c\" 'd' 0x1 /* e\nf */")
	f.Add("diff", "@@ -1 +1 @@\n-a\n+b")
	f.Add("python", "\"\"\"\n'''\u200d\ufe0f")
	f.Fuzz(func(t *testing.T, info, code string) {
		code = plaintext.Show(strings.ToValidUTF8(code, "?"))
		for _, info := range []string{info, "go", "py", "sql", "html", "sh"} {
			h := newHighlighter(info)
			for line := range strings.SplitSeq(code, "\n") {
				if got := sequences.ReplaceAllString(string(h.line(Look{Styled: true, Colour: true}, line)), ""); got != plaintext.Show(line) {
					t.Fatalf("%s: %q became %q", info, line, got)
				}
			}
		}
	})
}
