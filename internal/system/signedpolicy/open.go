package signedpolicy

import (
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

// Namespace is what the signature of a policy is for, so that the key can sign other things without signing a policy.
const Namespace = "aura-policy"

// MaxSize is the size of the largest signed policy, in bytes.
const MaxSize = strictyaml.MaxSize + 16<<10

var (
	// begin is the first line of a signature, which follows the policy.
	begin = []byte("\n-----BEGIN SSH SIGNATURE-----")
	// divider ends the head.
	divider = []byte("\n---\n")
)

// head precedes the policy.
type head struct {
	// Serial grows with each version.
	Serial int64 `check:"required,min=1" yaml:"serial"`
	// Expires is the time from which on the policy is not used.
	Expires time.Time `check:"required" yaml:"expires"`
}

// document is a policy whose signature was verified.
type document struct {
	head
	// signed is what the signature covers, and body what follows the head in it, on the same lines.
	signed, body []byte
}

// parseKey reads the key that a policy pins.
func parseKey(text string) (ssh.PublicKey, error) {
	key, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(text))
	if err != nil || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New(`the value of "key" is not one SSH public key, such as the content of a file that ends in .pub`)
	}
	return key, nil
}

// open verifies a signed policy: its signature before anything in it is read, then its head, and that it has not expired.
func open(text []byte, key ssh.PublicKey, now time.Time) (document, error) {
	signed, err := verify(text, key)
	if err != nil {
		return document{}, err
	}
	top, body, found := bytes.Cut(signed, divider)
	if !found {
		return document{}, errors.New("it does not begin with serial, expires and a line ---")
	}
	d := document{signed: signed, body: append(bytes.Repeat([]byte{'\n'}, bytes.Count(top, []byte{'\n'})+2), body...)}
	if err := strictyaml.Decode("its head", append(top, '\n'), &d.head); err != nil {
		return document{}, err
	}
	if d.Serial < 1 || d.Expires.IsZero() {
		return document{}, errors.New("its head needs both serial and expires")
	}
	if !now.Before(d.Expires) {
		return document{}, fmt.Errorf("it expired at %s; its author has to sign a new one", d.Expires.UTC().Format(time.RFC3339))
	}
	return d, nil
}

// verify returns what precedes the signature, if the key made it.
func verify(text []byte, key ssh.PublicKey) ([]byte, error) {
	at := bytes.LastIndex(text, begin)
	switch {
	case len(text) > MaxSize:
		return nil, fmt.Errorf("it has more than the limit of %d bytes", MaxSize)
	case len(text) == 0:
		return nil, errors.New("it is empty")
	case at < 0:
		return nil, errors.New("it is not signed: the signature that `ssh-keygen -Y sign -n " + Namespace + "` makes belongs behind it")
	}
	signed, armored := text[:at+1], text[at+1:]
	block, rest := pem.Decode(armored)
	if block == nil || block.Type != sshsig.PEMType || len(block.Headers) > 0 || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("what follows it is not one SSH signature")
	}
	s, err := sshsig.ParseSignature(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading its signature: %w", err)
	}
	by := ssh.FingerprintSHA256(s.PublicKey)
	switch {
	case !bytes.Equal(s.PublicKey.Marshal(), key.Marshal()):
		return nil, fmt.Errorf("it is signed by the key %s, and the key %s is expected", by, ssh.FingerprintSHA256(key))
	case s.Namespace != Namespace:
		return nil, fmt.Errorf("its signature is for %.60q, not for %q", s.Namespace, Namespace)
	case s.Signature.Format == ssh.KeyAlgoRSA:
		return nil, errors.New("its signature uses SHA-1")
	}
	if err := sshsig.Verify(bytes.NewReader(signed), s, key, s.HashAlgorithm, Namespace); err != nil {
		return nil, fmt.Errorf("its signature by %s does not fit its content", by)
	}
	return signed, nil
}
