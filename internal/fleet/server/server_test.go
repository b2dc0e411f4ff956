package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/fleet/server"
)

// authority signs certificates for 127.0.0.1.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	a.issue("ca")
	return a
}

// path returns the path of a PEM file.
func (a *authority) path(name string) string { return filepath.Join(a.dir, name+".pem") }

// issue writes a certificate and its key. The first one is that of the authority itself.
func (a *authority) issue(name string) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if a.cert == nil {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
		a.cert, a.key = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name: {Type: "CERTIFICATE", Bytes: der}, name + "-key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(a.path(file), pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
}

// TestTLS starts servers that speak TLS, with and without certificates of clients, and connects in every way.
func TestTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.issue("server")
	a.issue("client")
	for _, clients := range []bool{false, true} {
		o := server.Options{Listen: "127.0.0.1:0", Dir: t.TempDir(), User: "aura", Token: "token", Cert: a.path("server"), Key: a.path("server-key")}
		if clients {
			o.CA = a.path("ca")
		}
		s, err := server.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Stop)
		if err := s.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, address, _ := strings.Cut(s.URL(), "://")
		good := queue.Options{URL: "tls://" + address, User: "aura", Token: "token", CA: a.path("ca"), Cert: a.path("client"), Key: a.path("client-key")}
		without, stranger, wrong := good, good, good
		without.Cert, without.Key = "", ""
		stranger.CA = ""
		wrong.Token = "guess"
		for name, test := range map[string]struct {
			o  queue.Options
			ok bool
		}{
			"with all":              {good, true},
			"without a certificate": {without, !clients},
			"without the authority": {stranger, false},
			"with another token":    {wrong, false},
		} {
			q, err := queue.Open(t.Context(), test.o)
			if (err == nil) != test.ok {
				t.Errorf("certificates of clients %t, %s: %v", clients, name, err)
			}
			if err == nil {
				q.Close()
			}
		}
	}
}

// TestBadCertificate starts a server whose certificate cannot be read.
func TestBadCertificate(t *testing.T) {
	t.Parallel()
	_, err := server.Start(server.Options{Listen: "127.0.0.1:0", Dir: t.TempDir(), User: "aura", Token: "token", Cert: "no.pem", Key: "no.pem"})
	if err == nil || !strings.Contains(err.Error(), "reading the certificate of the server") {
		t.Errorf("got %v", err)
	}
}
