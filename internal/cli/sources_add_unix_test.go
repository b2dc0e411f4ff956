//go:build unix

package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/supply/sources"
)

// TestSourcesAddAsks answers the question about the key of an index, and about a marketplace that nobody signs, on a terminal. What was typed before
// the question is no answer.
func TestSourcesAddAsks(t *testing.T) {
	t.Parallel()
	signed, marketplace := sources.Offer{Public: "ssh-ed25519 AAAA"}, sources.Offer{}
	signed.Kind = sources.KindIndex
	signed.URL, signed.Key, signed.Plugins = "https://plugins.example.com/index.json", "SHA256:abc", 2
	marketplace.URL, marketplace.Plugins = "https://git.example.com/market", 1
	for name, row := range map[string]struct {
		offer       sources.Offer
		answer      string
		yes         bool
		asked, fail string
	}{
		"a key":                  {signed, "y\n", false, "2 plugins, signed with the key SHA256:abc", ""},
		"another key":            {signed, "n\n", false, "Does this key belong to who maintains the index? [y/N]", "the key was not accepted, so nothing was added"},
		"no answer":              {signed, "\n", false, "[y/N]", "the key was not accepted"},
		"a marketplace":          {marketplace, "y\n", false, "Nobody signs it", ""},
		"no marketplace":         {marketplace, "n\n", false, "Add it? [y/N]", "not confirmed, so nothing was added"},
		"without the question":   {signed, "", true, "", ""},
		"marketplace with --yes": {marketplace, "", true, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t, "y\n", row.answer)
			s := streams{in: u.terminal, out: &bytes.Buffer{}, err: u, lines: &lineReader{}}
			err := (&sourceAddOptions{yes: row.yes}).accept(t.Context(), s, row.offer)
			if (err == nil) != (row.fail == "") || err != nil && !strings.Contains(err.Error(), row.fail) {
				t.Errorf("%v, want %q", err, row.fail)
			}
			if !strings.Contains(u.String(), row.asked) || (u.String() == "") != (row.asked == "") {
				t.Errorf("shown %q", u.String())
			}
		})
	}
	s := streams{in: strings.NewReader("y\n"), out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	if err := (&sourceAddOptions{}).accept(t.Context(), s, signed); err == nil || !strings.Contains(err.Error(), "with --key SHA256:abc") {
		t.Errorf("without a terminal: %v", err)
	}
}
