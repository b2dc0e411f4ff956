package machinepolicy

import (
	"crypto/ed25519"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/system/signedpolicy"
)

// TestComplete completes a policy with the one that it names: both restrict, and an error of either stops.
func TestComplete(t *testing.T) {
	t.Parallel()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ served, want string }{
		"restricts further": {"version: 99.0.0", ""},
		"cannot widen":      {"version: 0.0.1", ""},
		"contradicts":       {"audit: {file: /a}", `:4: key "audit" conflicts with local.yaml:3`},
		"cannot be read":    {"versions: 1", `:4: unknown key "versions"`},
		"names another":     {"url: https://evil.example/\nkey: k", `key "url" conflicts`},
	} {
		text := "serial: 1\nexpires: 2090-01-01\n---\n" + row.served + "\n"
		s, err := sshsig.Sign(strings.NewReader(text), key, sshsig.HashSHA512, signedpolicy.Namespace)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(append([]byte(text), sshsig.Armor(s)...)) }))
		local, err := Parse("local.yaml", []byte("url: "+server.URL+"\nkey: "+string(ssh.MarshalAuthorizedKey(key.PublicKey()))+"audit: {syslog: true}\nversion: 2.0.0\n"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := local.complete(t.Context(), signedpolicy.Options{Client: server.Client()})
		server.Close()
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
		if err != nil {
			continue
		}
		if p.Outdated("1.0.0") == nil || len(p.Files()) != 2 || p.Hash() == local.Hash() {
			t.Errorf("%s: the local rule does not hold: %v", name, p.Rules())
		}
		if (p.Outdated("3.0.0") == nil) != (name == "cannot widen") {
			t.Errorf("%s: %v", name, p.Outdated("3.0.0"))
		}
	}
	if p, err := (&Policy{}).complete(t.Context(), signedpolicy.Options{}); err != nil || !p.Empty() {
		t.Errorf("without an address: %v, %v", p, err)
	}
}
