package queue

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/fleet"
)

// pinPrefix begins each pin.
const pinPrefix = "sha256:"

// PinOf returns the pin of a server: the SHA-256 of its public key. It is no secret.
func PinOf(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.RawSubjectPublicKeyInfo)
	return pinPrefix + hex.EncodeToString(sum[:])
}

// CheckPin returns an error if a text is not a pin.
func CheckPin(text string) error {
	if digest, ok := strings.CutPrefix(text, pinPrefix); !ok || !fleet.IsSHA256(digest) {
		return fmt.Errorf("%.80q is not a pin: write %s and 64 hexadecimal digits, as `aura fleet serve` prints it", text, pinPrefix)
	}
	return nil
}

var errPin = errors.New("the server has another key than the one that is pinned, so it is not the server of this fleet")

// VerifyPins makes a TLS connection accept the pinned keys only.
func VerifyPins(config *tls.Config, pins []string) {
	config.InsecureSkipVerify = true //nolint:gosec // the key itself is compared, and the handshake proves that the other side has it
	config.VerifyConnection = func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 || !slices.Contains(pins, PinOf(state.PeerCertificates[0])) {
			return errPin
		}
		return nil
	}
}

// secure returns how the server must prove who it is before anything is sent to it: by a pinned key, or by a certificate.
func (o Options) secure() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CA != "" {
		data, err := files.Read(o.CA, maxPEM)
		if err != nil {
			return nil, fmt.Errorf("reading the authority of the server: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("reading the authority of the server: %s has no certificate", o.CA)
		}
	}
	if len(o.Pins) > 0 {
		VerifyPins(config, o.Pins)
	}
	return config, nil
}

// maxPEM is the size of the largest file with certificates, in bytes.
const maxPEM = 1 << 20

// unproven adds to an error what the user can do if the server did not prove who it is. Nothing was sent to it.
func unproven(err error) error {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	switch {
	case errors.Is(err, errPin):
		return fmt.Errorf("%w: nothing was sent to it; if the server has a new key, give the pin that `aura fleet serve` prints", err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return errors.New("the server speaks no TLS, so it cannot prove its identity, and nothing was sent to it: start it without --insecure-plaintext, or with a certificate; --insecure-plaintext connects anyway")
	case errors.As(err, &authority), errors.As(err, &host):
		return fmt.Errorf("%w: nothing was sent to it; name the server's key with --pin or AURA_FLEET_PIN, as `aura fleet serve` prints it, or the authority of its certificate with --tls-ca", err)
	default:
		return fmt.Errorf("%w; is `aura fleet serve` running?", err)
	}
}

// SavePin stores the pin of the user's own server, where commands of this user find it.
func SavePin(path, pin string) error {
	if err := files.Replace(path, []byte(pin+"\n"), 0o600); err != nil {
		return fmt.Errorf("storing the pin of the server: %w", err)
	}
	return nil
}

// ReadPin returns a stored pin; empty if there is none.
func ReadPin(path string) (string, error) {
	data, err := files.ReadNoFollow(path, maxPEM)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	pin := strings.TrimSpace(string(data))
	if err == nil {
		err = CheckPin(pin)
	}
	if err != nil {
		return "", fmt.Errorf("reading the pin of the server from %s: %w", path, err)
	}
	return pin, nil
}
