package signature

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// TestSign signs tags with keys of each kind, and verifies them.
func TestSign(t *testing.T) {
	t.Parallel()
	made := func(key crypto.Signer, err error) ssh.Signer {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		s, err := ssh.NewSignerFromSigner(key)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	ed := made(edwards, err)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ec := made(curve, err)
	long, err := rsa.GenerateKey(rand.Reader, minRSA)
	rsaLong := made(long, err)
	when := time.Date(2026, 5, 1, 12, 0, 0, 0, time.FixedZone("", 2*60*60))
	sound := TagText{Commit: strings.Repeat("ab", 20), Name: "v1", Tagger: "A <a@example.com>", When: when, Message: "The first\n\nwith more"}
	with := func(change func(*TagText)) TagText {
		out := sound
		change(&out)
		return out
	}
	for name, row := range map[string]struct {
		key   ssh.Signer
		text  TagText
		fails string
	}{
		"ed25519":            {key: ed, text: sound},
		"ECDSA":              {key: ec, text: sound},
		"RSA":                {key: rsaLong, text: sound},
		"a name of two":      {key: ed, text: with(func(x *TagText) { x.Name = "v1\nobject x" }), fails: "the name of the tag has more than one line"},
		"a tagger of two":    {key: ed, text: with(func(x *TagText) { x.Tagger = "A <a@example.com> 0 +0000\n" }), fails: "the tagger of the tag has more than one line"},
		"another signature":  {key: ed, text: with(func(x *TagText) { x.Message = "x\n-----BEGIN PGP SIGNATURE-----\n" }), fails: "has a line that begins a signature"},
		"a signature quoted": {key: ed, text: with(func(x *TagText) { x.Message = "> -----BEGIN SSH SIGNATURE-----" })},
		"no message":         {key: ed, text: with(func(x *TagText) { x.Message = "" })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := row.text.Sign(row.key)
			if row.fails != "" {
				if err == nil || !strings.Contains(err.Error(), row.fails) {
					t.Errorf("got %v, want %q", err, row.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			allowed, err := ParseAllowed("allowed", fmt.Appendf(nil, "alice %s", ssh.MarshalAuthorizedKey(row.key.PublicKey())))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Verify(Tag, raw, "v1", allowed, when); err != nil || got.Signer != "alice" {
				t.Errorf("got %+v, %v", got, err)
			}
			o, err := split(Tag, raw)
			if err != nil || !o.when.Equal(when) || !strings.Contains(string(raw), "tagger A <a@example.com> 1777629600 +0200\n") {
				t.Errorf("the time is %s, %v, in %s", o.when, err, raw)
			}
		})
	}
}
