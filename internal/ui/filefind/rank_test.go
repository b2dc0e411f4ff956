package filefind

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRank(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		query string
		words []string
		want  []string
	}{
		"empty query":             {"", []string{"long", "b", "a"}, []string{"long", "b", "a"}},
		"nothing":                 {"x", []string{"a", "b"}, nil},
		"prefix, part, scattered": {"re", []string{"rXe", "are", "resume"}, []string{"resume", "are", "rXe"}},
		"shorter first":           {"mo", []string{"model-list", "mode", "model"}, []string{"mode", "model", "model-list"}},
		"earlier first":           {"a", []string{"ab", "aa"}, []string{"ab", "aa"}},
		"upper and lower case":    {"RE", []string{"are", "README"}, []string{"README", "are"}},
		"base name first":         {"tool", []string{"tool/a", "x/mytool", "x/y/z/tool.go"}, []string{"x/y/z/tool.go", "x/mytool", "tool/a"}},
		"scattered in base":       {"lned", []string{"l/n/e/d", "internal/ui/lineedit"}, []string{"internal/ui/lineedit", "l/n/e/d"}},
		"slash":                   {"in/li", []string{"in/x/li", "in/line", "a/b/in/li", "main/li"}, []string{"in/line", "a/b/in/li", "main/li", "in/x/li"}},
		"content of a directory":  {"in/", []string{"in/x/y", "in/file", "in"}, []string{"in/file", "in/x/y"}},
		"not the order":           {"ba", []string{"ab"}, nil},
		"too long":                {"abc", []string{"ab"}, nil},
		"other scripts":           {"äö", []string{"ÄxÖ", "xÄÖ", "ÄÖx", "ao"}, []string{"ÄÖx", "xÄÖ", "ÄxÖ"}},
		"bytes are no characters": {"é", []string{"\u00c3x\u0129", "ê©"}, nil},
		"several slashes":         {"a/b/c", []string{"x/a/b/cd", "b/c"}, []string{"x/a/b/cd"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, i := range Rank(tt.query, tt.words, 10) {
				got = append(got, tt.words[i])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRankMost(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]string{-1: "[]", 0: "[]", 1: "[2]", 2: "[2 0]", 9: "[2 0 1]"} {
		if got := fmt.Sprint(Rank("a", []string{"ab", "ac", "a"}, most)); got != want {
			t.Errorf("%d: got %s, want %s", most, got, want)
		}
	}
}

func TestPositions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		query, word string
		want        string
	}{
		{"", "abc", "[]"},
		{"ab", "x/Abc", "[2 3]"},
		{"bc", "x/abc", "[3 4]"},
		{"x/", "x/abc", "[0 1]"},
		{"ac", "a/abc", "[2 4]"},
		{"xc", "x/abc", "[0 4]"},
		{"äb", "xÄb", "[1 3]"},
		{"kb", "\u212ab", "[0 3]"}, // the sign for Kelvin is longer than its lower case
		{"no", "abc", "[]"},
	}
	for _, tt := range tests {
		if got := fmt.Sprint(positions(tt.query, tt.word)); got != tt.want {
			t.Errorf("%q in %q: got %s, want %s", tt.query, tt.word, got, tt.want)
		}
	}
}

// FuzzRank checks that exactly the words that contain the characters of the query in their order are found, that words which begin
// with the query come first, and that the positions spell the query.
func FuzzRank(f *testing.F) {
	f.Add("ab", "a/b\nab\nxab\nAxB\nb")
	f.Add("in/", "in\nin/a\nIN/b/c")
	f.Add("\u212a\xff", "k\xff\n\u0130K")
	f.Fuzz(func(t *testing.T, query, text string) {
		words := strings.Split(text, "\n")
		lower := strings.ToLower(query)
		found := Rank(query, words, len(words))
		if again := Rank(query, words, len(words)); !slices.Equal(found, again) {
			t.Fatalf("got %v, then %v", found, again)
		}
		starts, seen := true, make(map[int]bool)
		for _, i := range found {
			word := strings.ToLower(words[i])
			if seen[i] {
				t.Fatalf("%q twice", words[i])
			}
			seen[i] = true
			at := endOf(word, strings.Count(query, "/"))
			if begins := strings.HasPrefix(word[at:], lower); begins && !starts {
				t.Fatalf("%q comes after words that do not begin with %q", words[i], query)
			} else {
				starts = begins
			}
			spelled := ""
			for _, p := range positions(lower, words[i]) {
				r, _ := utf8.DecodeRuneInString(words[i][p:])
				spelled += strings.ToLower(string(r))
			}
			if spelled != lower {
				t.Fatalf("the positions of %q in %q spell %q", query, words[i], spelled)
			}
		}
		for i, word := range words {
			if fits(lower, strings.ToLower(word)) != seen[i] {
				t.Fatalf("%q in %q: found is %t", query, word, seen[i])
			}
		}
	})
}

// fits is a plain definition of what Rank finds.
func fits(query, word string) bool {
	rest := []rune(query)
	for _, r := range word {
		if len(rest) > 0 && rest[0] == r {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}
