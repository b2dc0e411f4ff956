package plaintext_test

import (
	"testing"

	"github.com/idelchi/aura/internal/base/plaintext"
)

func TestReveal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"echo \"hi\"  > x\n\ttab":       "echo \"hi\"  > x\n\ttab",
		"rm -rf ~\x1b[2K\recho hi":      "rm -rf ~<U+001B>[2K<U+000D>echo hi",
		"\x1b]0;title\a":                "<U+001B>]0;title<U+0007>",
		"a\u202Eb\u200Bc\u009b1m\x7f":   "a<U+202E>b<U+200B>c<U+009B>1m<U+007F>",
		"bad \xff":                      "bad \uFFFD",
		"päivää 👩\u200D💻 می\u200Cخواهم": "päivää 👩\u200D💻 می\u200Cخواهم",
	} {
		if got := plaintext.Reveal(in); got != want {
			t.Errorf("Reveal(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzReveal checks that the result contains nothing that Show would remove or name.
func FuzzReveal(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, text string) {
		if out := plaintext.Reveal(text); plaintext.Show(out) != out {
			t.Errorf("Reveal(%q) = %q, of which Show leaves %q", text, out, plaintext.Show(out))
		}
	})
}
