package signature

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// MaxFileSignature is the size of the largest detached signature that is read, in bytes.
const MaxFileSignature = 16 << 10

// FileSigner is the key of a detached signature that fits its file.
type FileSigner struct {
	// Key is the fingerprint of the key, and Public the key as a list of allowed signers names it.
	Key, Public string
}

// VerifyFile checks the detached signature of a file, as `ssh-keygen -Y sign` writes it, and returns the key that made it. Whether the key counts is
// for the caller to decide. The namespace keeps a signature for one purpose from being used for another.
func VerifyFile(text, armored []byte, namespace string) (FileSigner, error) {
	if len(armored) > MaxFileSignature {
		return FileSigner{}, fmt.Errorf("the signature has more than the limit of %d bytes", MaxFileSignature)
	}
	if len(bytes.TrimSpace(armored)) == 0 {
		return FileSigner{}, &RejectedError{Reason: ErrUnsigned}
	}
	if !bytes.HasPrefix(armored, sshBegin) {
		return FileSigner{}, &RejectedError{Reason: ErrOtherKind}
	}
	s, err := unarmor(armored)
	if err != nil {
		return FileSigner{}, fmt.Errorf("reading the signature: %w", err)
	}
	f := FileSigner{Key: ssh.FingerprintSHA256(s.PublicKey), Public: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(s.PublicKey)))}
	if s.Namespace != namespace {
		return FileSigner{}, &RejectedError{f.Key, f.Public, fmt.Errorf("%w: its namespace is %.60q, not %q", ErrNamespace, s.Namespace, namespace)}
	}
	if err := sshsig.Verify(bytes.NewReader(text), s, s.PublicKey, s.HashAlgorithm, namespace); err != nil {
		return FileSigner{}, &RejectedError{f.Key, f.Public, ErrTampered}
	}
	return f, nil
}

// SignFile returns the detached signature of a file.
func SignFile(key ssh.Signer, namespace string, text []byte) ([]byte, error) {
	if namespace == "" {
		return nil, errors.New("a signature needs a namespace")
	}
	if err := checkKey(key.PublicKey()); err != nil {
		return nil, err
	}
	s, err := sshsig.Sign(bytes.NewReader(text), key, sshsig.HashSHA512, namespace)
	if err != nil {
		return nil, fmt.Errorf("signing with %s: %w", ssh.FingerprintSHA256(key.PublicKey()), err)
	}
	return sshsig.Armor(s), nil
}
