package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/fleet/queue"
)

// maxIdentity is the size of the largest file with a certificate and its key, in bytes.
const maxIdentity = 64 << 10

// identity returns what the server shows to prove who it is; nil if it speaks no TLS.
func (o Options) identity() (*tls.Config, error) {
	if o.Plaintext {
		return nil, nil
	}
	if o.Cert != "" {
		config, err := server.GenTLSConfig(&server.TLSConfigOpts{CertFile: o.Cert, KeyFile: o.Key, CaFile: o.CA, Verify: o.CA != "", MinVersion: tls.VersionTLS12})
		if err != nil {
			return nil, fmt.Errorf("reading the certificate of the server: %w", err)
		}
		return config, nil
	}
	path := o.Identity
	if path == "" {
		path = filepath.Join(o.Dir, "server.pem")
	}
	pair, err := loadIdentity(path)
	if err != nil {
		return nil, fmt.Errorf("reading the key of the server: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}, nil
}

// loadIdentity reads a certificate with its key. If there is none, it makes one that only the user can read.
func loadIdentity(path string) (tls.Certificate, error) {
	data, err := files.ReadNoFollow(path, maxIdentity)
	if errors.Is(err, fs.ErrNotExist) {
		if data, err = newIdentity(); err != nil {
			return tls.Certificate{}, err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return tls.Certificate{}, err
		}
		// Another server may make the file at the same time. The first one counts.
		if err = files.Create(path, data, 0o600); errors.Is(err, fs.ErrExist) {
			data, err = files.ReadNoFollow(path, maxIdentity)
		}
	}
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(data, data)
	if err != nil {
		return pair, fmt.Errorf("%s: %w", path, err)
	}
	return pair, nil
}

// newIdentity makes a key, and a certificate for it that says nothing else: clients compare the key.
func newIdentity() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "aura fleet serve"}, DNSNames: []string{"localhost"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...), nil
}

// pinOf returns the pin of the key that a server shows.
func pinOf(config *tls.Config) (string, error) {
	leaf, err := x509.ParseCertificate(config.Certificates[0].Certificate[0])
	if err != nil {
		return "", fmt.Errorf("reading the certificate of the server: %w", err)
	}
	return queue.PinOf(leaf), nil
}

// between returns how the servers of a cluster prove to each other who they are, before one sends the token. Servers that made their
// key have the same one. With certificates of an authority, both sides verify them.
func (o Options) between(config *tls.Config, pin string) *tls.Config {
	out := config.Clone()
	if o.Cert == "" {
		queue.VerifyPins(out, []string{pin})
		out.ClientAuth = tls.RequireAnyClientCert
	} else if out.ClientCAs != nil {
		out.RootCAs = out.ClientCAs
	}
	return out
}
