package tokens

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestPublishedVocabulary compares the embedded vocabulary with the checksum that tiktoken expects of the file cl100k_base.tiktoken.
func TestPublishedVocabulary(t *testing.T) {
	t.Parallel()
	hash := sha256.New()
	for rank := range known().starts {
		fmt.Fprintf(hash, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(known().token(rank))), rank)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7" {
		t.Errorf("got %s", got)
	}
}

func TestRanks(t *testing.T) {
	t.Parallel()
	for rank := range known().starts {
		if got := known().rank(known().token(rank)); got != uint32(rank) {
			t.Fatalf("%q has the rank %d, want %d", known().token(rank), got, rank)
		}
	}
	for _, text := range []string{"", "neither one nor the other", strings.Repeat("a", 300)} {
		if got := known().rank(text); got != noRank {
			t.Errorf("%q has the rank %d", text, got)
		}
	}
}

// TestSplit has a row for each alternative of the rule.
func TestSplit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"words":                  {"one two", "one| two"},
		"letters of any script":  {"año 漢字", "año| 漢字"},
		"one character before":   {"(a\tb\u00a0c", "(a|\tb|\u00a0c"},
		"no line break before":   {"\na", "\n|a"},
		"digits by three":        {"1234567 12", "123|456|7| |12"},
		"numbers without digits": {"½Ⅷ", "½Ⅷ"},
		"contractions":           {"it's WE'LL i'd've", "it|'s| WE|'LL| i|'d|'ve"},
		"no contractions":        {"'x 'l ' 'r", "'x| '|l| '| '|r"},
		"signs":                  {"a, -- b", "a|,| --| b"},
		"signs before a break":   {"a;\n\n b", "a|;\n\n| b"},
		"breaks":                 {"a\n \n  b", "a|\n \n| | b"},
		"white space at the end": {"a  \t", "a|  \t"},
		"one space":              {"1 2", "1| |2"},
		"marks and joiners":      {"e\u0301\u200d", "e|\u0301\u200d"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for rest := test.text; rest != ""; {
				n := word(rest)
				got = append(got, rest[:n])
				rest = rest[n:]
			}
			if strings.Join(got, "|") != test.want {
				t.Errorf("got %q, want %q", strings.Join(got, "|"), test.want)
			}
		})
	}
}

// TestTokens has texts that more than one merge makes. The tokens are those of tiktoken.
func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"supercalifragilistic": {"sup", "erc", "al", "if", "rag", "il", "istic"},
		"漢字":                   {"\xe6\xbc", "\xa2", "字"},
		"\n \n":                {"\n \n"},
		"\x7f":                 {"\x7f"},
		"ab\u0085":             {"ab", "\xc2", "\x85"},
	} {
		var got []string
		known().encode(text, func(token string) { got = append(got, token) })
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestLongPieces would not finish in time if the time grew with the square of the length.
func TestLongPieces(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("a", 1<<17), strings.Repeat("xyzzy", 1<<14), strings.Repeat("=-", 1<<16)} {
		size := 0
		known().encode(text, func(token string) { size += len(token) })
		if size != len(text) {
			t.Errorf("%d bytes of %d", size, len(text))
		}
	}
}
