package signature

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// TagText is what an annotated tag of a commit says.
type TagText struct {
	// Commit is a hash in hexadecimal digits.
	Commit, Name string
	// Tagger is a name and an address, as NAME <ADDRESS>.
	Tagger  string
	When    time.Time
	Message string
}

// Sign returns the tag with the signature of a key, in the form that git hashes.
func (t TagText) Sign(key ssh.Signer) ([]byte, error) {
	if err := checkKey(key.PublicKey()); err != nil {
		return nil, err
	}
	for what, text := range map[string]string{"name": t.Name, "tagger": t.Tagger} {
		if strings.ContainsAny(text, "\n\x00") {
			return nil, fmt.Errorf("the %s of the tag has more than one line: %q", what, text)
		}
	}
	for line := range strings.Lines(t.Message) {
		for _, begin := range begins {
			if strings.HasPrefix(line, string(begin)) {
				return nil, errors.New("the message of the tag has a line that begins a signature")
			}
		}
	}
	raw := fmt.Appendf(nil, "object %s\ntype commit\ntag %s\ntagger %s %d %s\n\n%s\n", t.Commit, t.Name, t.Tagger, t.When.Unix(), t.When.Format("-0700"), strings.TrimSpace(t.Message))
	s, err := sshsig.Sign(bytes.NewReader(raw), key, sshsig.HashSHA512, namespace)
	if err != nil {
		return nil, fmt.Errorf("signing with %s: %w", ssh.FingerprintSHA256(key.PublicKey()), err)
	}
	return append(raw, sshsig.Armor(s)...), nil
}
