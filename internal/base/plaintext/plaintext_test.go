package plaintext_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/base/plaintext"
)

func TestText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, show, strip string }{
		"plain":               {"a b\n\tc", "a b\n\tc", "a b\n\tc"},
		"colour":              {"\x1b[31mred\x1b[0m", "red", "red"},
		"many parameters":     {"\x1b[38;2;1;2;3mx\x1b[?25ly", "xy", "xy"},
		"eight bits":          {"\u009b31mred", "red", "red"},
		"byte of eight bits":  {"\x9b31mred", "\uFFFD31mred", "\uFFFD31mred"},
		"title":               {"\x1b]0;evil\aok", "ok", "ok"},
		"title, other end":    {"\x1b]0;evil\x1b\\ok", "ok", "ok"},
		"title in eight bits": {"\u009d0;evil\u009cok", "ok", "ok"},
		"link":                {"\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text", "text"},
		"clipboard":           {"a\x1b]52;c;ZXZpbA==\ab", "ab", "ab"},
		"device control":      {"\x1bP1$r0m\x1b\\x", "x", "x"},
		"privacy, program":    {"\x1b^a\x1b\\\x1b_b\x1b\\\x1bXc\x1b\\x", "x", "x"},
		"short sequences":     {"\x1bcx\x1b7y\x1b(Bz", "xyz", "xyz"},
		"string without end":  {"\x1b]0;evil\nnext line", "\nnext line", "\nnext line"},
		"CSI without end":     {"\x1b[31\nnext", "\nnext", "\nnext"},
		"cancelled":           {"\x1b[31\x18mx", "mx", "mx"},
		"ESC in a string":     {"\x1b]0;a\x1b[31mb", "b", "b"},
		"two escapes":         {"\x1b\x1b[31mb", "b", "b"},
		"ESC at the end":      {"a\x1b", "a", "a"},
		"ESC and a letter":    {"\x1bäx", "äx", "äx"},
		"CSI and a letter":    {"\x1b[ä31mx", "ä31mx", "ä31mx"},
		"control characters":  {"a\ab\bc\x00d\x7fe\u0085f", "abcdef", "abcdef"},
		"carriage return":     {"good\revil", "goodevil", "goodevil"},
		"line of Windows":     {"a\r\nb", "a\nb", "a\r\nb"},
		"invalid":             {"a\xffb", "a\uFFFDb", "a\uFFFDb"},
		"cut character":       {"a\xe2\x82", "a\uFFFD", "a\uFFFD"},
		"right to left":       {"user\u202Etxt.exe", "user<U+202E>txt.exe", "user\u202Etxt.exe"},
		"isolates":            {"\u2066a\u2069\u061c\u200e", "<U+2066>a<U+2069><U+061C><U+200E>", "\u2066a\u2069\u061c\u200e"},
		"zero width":          {"a\u200Bb\uFEFFc\u00ADd\u2060e\u2064", "a<U+200B>b<U+FEFF>c<U+00AD>d<U+2060>e<U+2064>", "a\u200Bb\uFEFFc\u00ADd\u2060e\u2064"},
		"tags":                {"a\U000E0041\U000E007F", "a<U+E0041><U+E007F>", "a\U000E0041\U000E007F"},
		"selectors":           {"a\U000E0101", "a<U+E0101>", "a\U000E0101"},
		"text style":          {"a\uFE0Eb\uFE00\uFE0D", "a<U+FE0E>b<U+FE00><U+FE0D>", "a\uFE0Eb\uFE00\uFE0D"},
		"emoji style":         {"\uFE0Fa\uFE0F ❤\uFE0F\uFE0F", "<U+FE0F>a<U+FE0F> ❤\uFE0F<U+FE0F>", "\uFE0Fa\uFE0F ❤\uFE0F\uFE0F"},
		"emoji":               {"1\uFE0F\u20E3 ↔\uFE0F ‼\uFE0F ©\uFE0F 👁\uFE0F", "1\uFE0F\u20E3 ↔\uFE0F ‼\uFE0F ©\uFE0F 👁\uFE0F", "1\uFE0F\u20E3 ↔\uFE0F ‼\uFE0F ©\uFE0F 👁\uFE0F"},
		"Mongolian":           {"ᠠ\u180B a\u180B\u180D\u180E\u180F", "ᠠ\u180B a<U+180B><U+180D><U+180E><U+180F>", "ᠠ\u180B a\u180B\u180D\u180E\u180F"},
		"Khmer":               {"ក\u17B4\u17B5", "ក<U+17B4><U+17B5>", "ក\u17B4\u17B5"},
		"fillers":             {"a\u3164\u115fb\u2028", "a<U+3164><U+115F>b<U+2028>", "a\u3164\u115fb\u2028"},
		"joined emoji":        {"👩\u200D💻 ❤\uFE0F\u200D🔥", "👩\u200D💻 ❤\uFE0F\u200D🔥", "👩\u200D💻 ❤\uFE0F\u200D🔥"},
		"Persian":             {"می\u200Cخواهم", "می\u200Cخواهم", "می\u200Cخواهم"},
		"joiner in Latin":     {"pa\u200Dss\u200Cword", "pa<U+200D>ss<U+200C>word", "pa\u200Dss\u200Cword"},
		"joiner first":        {"\u200Dx", "<U+200D>x", "\u200Dx"},
		"number sign":         {"\u0601x", "\u0601x", "\u0601x"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := plaintext.Show(tt.in); got != tt.show {
				t.Errorf("Show(%q) = %q, want %q", tt.in, got, tt.show)
			}
			if got := plaintext.Strip(tt.in); got != tt.strip {
				t.Errorf("Strip(%q) = %q, want %q", tt.in, got, tt.strip)
			}
		})
	}
}

// TestDefaultIgnorable shows every character that Unicode calls default ignorable, after a Latin letter.
func TestDefaultIgnorable(t *testing.T) {
	t.Parallel()
	for _, span := range [][2]rune{
		{0xad, 0xad},
		{0x34f, 0x34f},
		{0x61c, 0x61c},
		{0x115f, 0x1160},
		{0x17b4, 0x17b5},
		{0x180b, 0x180f},
		{0x200b, 0x200f},
		{0x202a, 0x202e},
		{0x2060, 0x206f},
		{0x3164, 0x3164},
		{0xfe00, 0xfe0f},
		{0xfeff, 0xfeff},
		{0xffa0, 0xffa0},
		{0xfff0, 0xfff8},
		{0x1bca0, 0x1bca3},
		{0x1d173, 0x1d17a},
		{0xe0000, 0xe0fff},
	} {
		for r := span[0]; r <= span[1]; r++ {
			for _, show := range []func(string) string{plaintext.Show, plaintext.Reveal} {
				if got, want := show("a"+string(r)+"b"), fmt.Sprintf("a<%U>b", r); got != want {
					t.Errorf("got %q, want %s", got, want)
				}
			}
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	if got := plaintext.Line("a\n\tb \x1b[1mc"); got != "a b c" {
		t.Errorf("got %q", got)
	}
	for text, want := range map[string]bool{"agent one": true, "a\nb": false, "a\tb": false, "\x1b[1m": false, "a\u202Eb": false, "ä": true} {
		if got := plaintext.IsPlain(text); got != want {
			t.Errorf("IsPlain(%q) = %v", text, got)
		}
	}
}

// FuzzText checks that the result cannot control a terminal, that cleaning it again changes nothing, and that the result does
// not depend on how the text is split into pieces.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"a", "\x1b[31mred", "\x1b]0;x\x1b\\", "\u009b1m", "a\r\nb\r", "\xe2\x82", "\u202E\u200D👩\u200D💻", "\x1b\x1b\x18\x1bP\n"} {
		f.Add(seed, 1)
	}
	f.Fuzz(func(t *testing.T, text string, cut int) {
		for _, visible := range []bool{true, false} {
			c := plaintext.Cleaner{Visible: visible}
			once := c.Next(text) + c.End()
			if !utf8.ValidString(once) {
				t.Fatalf("%q is not valid UTF-8", once)
			}
			for i, r := range once {
				if unicode.IsControl(r) && r != '\n' && r != '\t' && (r != '\r' || visible || !strings.HasPrefix(once[i:], "\r\n")) {
					t.Fatalf("%q holds %U", once, r)
				}
			}
			if twice := c.Next(once) + c.End(); twice != once {
				t.Fatalf("%q becomes %q", once, twice)
			}
			if cut = max(0, min(cut, len(text))); c.Next(text[:cut])+c.Next(text[cut:])+c.End() != once {
				t.Fatalf("%q comes out otherwise when cut at %d", text, cut)
			}
		}
	})
}

func BenchmarkShow(b *testing.B) {
	text := strings.Repeat("plain text of a model, with ümlauts. ", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		plaintext.Show(text)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	text := "a\x1b\x7f\u009b\u202e\u200bä👩\u200D💻\U000E0041"
	document, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	got := string(plaintext.JSON(document))
	if want := `"a\u001b\u007f\u009b\u202e\u200bä👩\u200d💻\udb40\udc41"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var back string
	if err := json.Unmarshal([]byte(got), &back); err != nil || back != text {
		t.Errorf("decoded %q, %v", back, err)
	}
}
