package tokens_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/agent/tokens"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       int
	}{
		{"nothing", "", 0},
		{"words", "hello world", 2},
		{"code", "func main() { return 1 }", 8},
		{"one word of many letters", "supercalifragilistic", 7},
		{"other scripts", "漢字", 3},
		{"invalid UTF-8", "\xff\xfe", 1},
		{"a line of nothing", strings.Repeat(" ", 40) + "x", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tokens.Estimate(tt.text); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestTextsBeyondTheSampleAreExtrapolated(t *testing.T) {
	t.Parallel()
	const words = 1 << 18
	got := tokens.Estimate(strings.Repeat("word ", words))
	if got < words-1000 || got > words+1000 {
		t.Errorf("got %d", got)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	var c tokens.Cache
	for range 3 {
		for i := range 600 {
			text := fmt.Sprint("text ", i)
			if got, want := c.Estimate(text), tokens.Estimate(text); got != want {
				t.Fatalf("%d: got %d, want %d", i, got, want)
			}
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		limit      int
		want       string
		left       int
	}{
		{"short", "hello world", 20, "hello world", 0},
		{"just fits", "hello world", 2, "hello world", 0},
		{"too long", "hello world again", 2, "hello world", 1},
		{"nothing allowed", "hello", 0, "", 1},
		{"no character is split", "漢字", 1, "", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, left := tokens.Clip(tt.text, tt.limit)
			if got != tt.want || left != tt.left {
				t.Errorf("got %q and %d left", got, left)
			}
		})
	}
}

func FuzzEstimate(f *testing.F) {
	for _, seed := range []string{"", "hello", " \n \n", "\xff", "漢字 🎉", "a\x00b", strings.Repeat(" ", 300)} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		n := tokens.Estimate(text)
		if n < 0 || n > len(text) || n == 0 && text != "" {
			t.Errorf("%d tokens of %d bytes", n, len(text))
		}
		clipped, left := tokens.Clip(text, limit)
		if !strings.HasPrefix(text, clipped) || left < 0 || left == 0 && clipped != text {
			t.Errorf("clipped to %q, %d left", clipped, left)
		}
		if utf8.ValidString(text) && !utf8.ValidString(clipped) {
			t.Errorf("%q splits a character", clipped)
		}
	})
}

func BenchmarkEstimate(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog; func main() { return 1 }\n", 16)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokens.Estimate(text)
	}
}
