package tokens

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
)

// all returns the tokens with their ranks.
func all(v vocabulary) iter.Seq2[uint32, string] {
	return func(yield func(uint32, string) bool) {
		for at := 0; at < len(v.tokens); at += 1 + int(v.tokens[at]) {
			if !yield(uint32(at+1), v.tokens[at+1:at+1+int(v.tokens[at])]) {
				return
			}
		}
	}
}

// TestPublishedVocabulary compares the embedded vocabulary with the checksum that tiktoken expects of the file cl100k_base.tiktoken.
func TestPublishedVocabulary(t *testing.T) {
	t.Parallel()
	sum, n := sha256.New(), 0
	for _, token := range all(known) {
		fmt.Fprintf(sum, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), n)
		n++
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7" {
		t.Errorf("got %s", got)
	}
}

var update = flag.Bool("update", false, "write cl100k.slots")

// TestSlots makes the hash table of the tokens, and compares it with the embedded one.
func TestSlots(t *testing.T) {
	t.Parallel()
	const size = 1 << 17
	slots := make([]byte, size*slotSize)
	for start, token := range all(known) {
		if start > startMask {
			t.Fatalf("the tokens need more than %d bits", startBits)
		}
		h := hash(token)
		at := h % size
		for binary.LittleEndian.Uint32(slots[at*slotSize:]) != 0 {
			at = (at + 1) % size
		}
		binary.LittleEndian.PutUint32(slots[at*slotSize:], h>>startBits<<startBits|start)
	}
	if *update {
		if err := os.WriteFile("cl100k.slots", slots, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(slots) != known.slots {
		t.Error("cl100k.slots is not what the tokens make: run this test with -update")
	}
}

func TestRanks(t *testing.T) {
	t.Parallel()
	for rank, token := range all(known) {
		if got := known.rank(token); got != rank {
			t.Fatalf("%q has the rank %d, want %d", token, got, rank)
		}
	}
	for _, text := range []string{"", "neither one nor the other", strings.Repeat("a", 300)} {
		if got := known.rank(text); got != noRank {
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
		known.encode(text, func(token string) { got = append(got, token) })
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
