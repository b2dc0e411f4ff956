package signature

import (
	"bytes"
	"crypto/dsa" //nolint:staticcheck // only to refuse its keys
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// namespace is what git writes into its signatures.
const namespace = "git"

// minRSA is the size of the shortest RSA key that counts, in bits.
const minRSA = 2048

// Why a signature does not count. Verify returns one of these, or an error about an object or a signature that cannot be read.
var (
	ErrUnsigned    = errors.New("it is not signed")
	ErrOtherKind   = errors.New("it is not signed with SSH")
	ErrTampered    = errors.New("its signature does not fit its content")
	ErrUnknownKey  = errors.New("the key is not on the list of allowed signers")
	ErrNamespace   = errors.New("the signature is for something else")
	ErrExpired     = errors.New("the key has expired")
	ErrNotYetValid = errors.New("the key is not valid yet")
	ErrTagName     = errors.New("the tag was signed under another name")
)

// Verified is a signature that counts.
type Verified struct {
	// Signer is the first field of the line that allows the key.
	Signer string
	// Key is the fingerprint of the key.
	Key string
}

// RejectedError is a signature that does not count.
type RejectedError struct {
	// Key is the fingerprint of the key that signed; empty if the signature does not say.
	Key string
	// Public is the key as a list of allowed signers names it, or empty.
	Public string
	// Reason is one of the errors of this package, or wraps one.
	Reason error
}

// Error names the reason and the key.
func (e *RejectedError) Error() string {
	if e.Key == "" {
		return e.Reason.Error()
	}
	return fmt.Sprintf("%s (signed by %s)", e.Reason, e.Key)
}

// Unwrap returns the reason.
func (e *RejectedError) Unwrap() error { return e.Reason }

// Verify checks the signature of an object. For a tag, name is the name under which it was asked for: a tag that was signed under another
// name is a valid signature of another version. The key has to count both at the time that the object claims and now: whoever gets hold of an expired key
// can claim any time.
func Verify(kind Kind, raw []byte, name string, allowed []Signer, now time.Time) (Verified, error) {
	o, err := split(kind, raw)
	if err != nil {
		return Verified{}, fmt.Errorf("reading the %s: %w", kind, err)
	}
	if len(o.armored) == 0 {
		return Verified{}, &RejectedError{Reason: ErrUnsigned}
	}
	if !bytes.HasPrefix(o.armored, sshBegin) {
		return Verified{}, &RejectedError{Reason: ErrOtherKind}
	}
	s, err := unarmor(o.armored)
	if err != nil {
		return Verified{}, fmt.Errorf("reading the signature of the %s: %w", kind, err)
	}
	key, public := ssh.FingerprintSHA256(s.PublicKey), strings.TrimSpace(string(ssh.MarshalAuthorizedKey(s.PublicKey)))
	if s.Namespace != namespace {
		return Verified{}, &RejectedError{key, public, fmt.Errorf("%w: its namespace is %.60q, not %q", ErrNamespace, s.Namespace, namespace)}
	}
	if err := sshsig.Verify(bytes.NewReader(o.payload), s, s.PublicKey, s.HashAlgorithm, namespace); err != nil {
		return Verified{}, &RejectedError{key, public, ErrTampered}
	}
	if kind == Tag && o.name != name {
		return Verified{}, &RejectedError{key, public, fmt.Errorf("%w: %.100q", ErrTagName, o.name)}
	}
	signer, err := find(allowed, s.PublicKey, o.when, now)
	if err != nil {
		return Verified{}, &RejectedError{key, public, err}
	}
	return Verified{Signer: signer.Principals, Key: key}, nil
}

// unarmor reads a signature, behind which nothing may follow.
func unarmor(armored []byte) (*sshsig.Signature, error) {
	block, rest := pem.Decode(armored)
	if block == nil || block.Type != sshsig.PEMType || len(block.Headers) > 0 || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("it is not one block of an SSH signature")
	}
	s, err := sshsig.ParseSignature(block.Bytes)
	if err != nil {
		return nil, err
	}
	if s.Signature.Format == ssh.KeyAlgoRSA {
		return nil, errors.New("it uses SHA-1")
	}
	return s, checkKey(s.PublicKey)
}

// checkKey returns an error for keys that anybody with enough time could compute.
func checkKey(key ssh.PublicKey) error {
	if strings.Contains(key.Type(), "-cert-") {
		return errors.New("it is a certificate, and aura verifies signatures by keys")
	}
	public, ok := key.(ssh.CryptoPublicKey)
	if !ok {
		return nil // a key in hardware: ed25519 or ECDSA
	}
	switch k := public.CryptoPublicKey().(type) {
	case *dsa.PublicKey:
		return errors.New("DSA keys are too short to count")
	case *rsa.PublicKey:
		if k.N.BitLen() < minRSA {
			return fmt.Errorf("the RSA key has %d bits and needs %d", k.N.BitLen(), minRSA)
		}
	}
	return nil
}

// find returns the line that lets a key sign. Where none does, the error is that of the line that comes closest.
func find(allowed []Signer, key ssh.PublicKey, claimed, now time.Time) (Signer, error) {
	reason := ErrUnknownKey
	for _, s := range allowed {
		if !bytes.Equal(s.key.Marshal(), key.Marshal()) {
			continue
		}
		if !s.holds(namespace) {
			if errors.Is(reason, ErrUnknownKey) {
				reason = fmt.Errorf("%w: %s:%d allows the key for %s only", ErrNamespace, s.File, s.Line, strings.Join(s.namespaces, ", "))
			}
			continue
		}
		err := s.validity(claimed, "the time of the signature")
		if err == nil {
			err = s.validity(now, "the time now")
		}
		if err == nil {
			return s, nil
		}
		reason = err
	}
	return Signer{}, reason
}

// Counts reports whether a key that was verified at a time is still allowed: a line of its principals names it, and that line covers the time.
func Counts(allowed []Signer, v Verified, at time.Time) error {
	reason := ErrUnknownKey
	for _, s := range allowed {
		if s.Fingerprint != v.Key || s.Principals != v.Signer || !s.holds(namespace) {
			continue
		}
		if reason = s.validity(at, "the time of the installation"); reason == nil {
			return nil
		}
	}
	return reason
}

// Keys returns the fingerprints of a list with their principals, for messages: at most limit of them.
func Keys(allowed []Signer, limit int) []string {
	var out []string
	for _, s := range allowed {
		if text := s.Fingerprint + " (" + s.Principals + ")"; s.holds(namespace) && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if more := len(out) - limit; more > 0 {
		out = append(out[:limit], fmt.Sprintf("and %d more", more))
	}
	return out
}
