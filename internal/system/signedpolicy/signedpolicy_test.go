package signedpolicy

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

var today = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func newKey(tb testing.TB) ssh.Signer {
	tb.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func public(key ssh.Signer) string { return string(ssh.MarshalAuthorizedKey(key.PublicKey())) }

func signText(tb testing.TB, key ssh.Signer, namespace, text string) string {
	tb.Helper()
	s, err := sshsig.Sign(strings.NewReader(text), key, sshsig.HashSHA512, namespace)
	if err != nil {
		tb.Fatal(err)
	}
	return text + string(sshsig.Armor(s))
}

// policy returns a signed policy that expires some days from today.
func policy(tb testing.TB, key ssh.Signer, serial, days int, body string) string {
	tb.Helper()
	expires := today.AddDate(0, 0, days).Format(time.RFC3339)
	return signText(tb, key, Namespace, fmt.Sprintf("serial: %d\nexpires: %s\n---\n%s\n", serial, expires, body))
}

// TestOpen verifies policies that are none, or wrong in one way.
func TestOpen(t *testing.T) {
	t.Parallel()
	alice, mallory := newKey(t), newKey(t)
	sound := policy(t, alice, 7, 1, "version: 0.1.0")
	const text = "serial: 7\nexpires: 2026-06-02\n---\nx: 1\n"
	for name, row := range map[string]struct{ text, want string }{
		"sound":                {sound, ""},
		"empty":                {"", "it is empty"},
		"not signed":           {text, "it is not signed"},
		"wrong key":            {policy(t, mallory, 7, 1, ""), "it is signed by the key " + ssh.FingerprintSHA256(mallory.PublicKey())},
		"wrong namespace":      {signText(t, alice, "git", text), `its signature is for "git", not for "aura-policy"`},
		"tampered":             {strings.Replace(sound, "0.1.0", "0.0.1", 1), "does not fit its content"},
		"expired":              {policy(t, alice, 7, 0, ""), "it expired at 2026-06-01T12:00:00Z"},
		"two signatures":       {sound + sound[strings.Index(sound, "-----BEGIN"):], "does not fit its content"},
		"text behind":          {sound + "version: 0.0.1\n", "is not one SSH signature"},
		"no head":              {signText(t, alice, Namespace, "version: 0.1.0\n"), "does not begin with serial"},
		"no serial":            {signText(t, alice, Namespace, "expires: 2026-06-02\n---\nx: 1\n"), "serial"},
		"a serial of nothing":  {policy(t, alice, 0, 1, ""), "serial"},
		"no expiry":            {signText(t, alice, Namespace, "serial: 7\n---\nx: 1\n"), "expires"},
		"an unknown key":       {signText(t, alice, Namespace, "seral: 7\n"+text), `unknown key "seral"`},
		"a date as the expiry": {signText(t, alice, Namespace, text), ""},
		"too large":            {policy(t, alice, 7, 1, strings.Repeat("#\n", MaxSize/2)), "more than the limit"},
	} {
		d, err := open([]byte(row.text), alice.PublicKey(), today)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
		if name == "sound" && string(d.body) != "\n\n\nversion: 0.1.0\n" {
			t.Errorf("the body is %q", d.body)
		}
	}
	for _, wrong := range []string{"", "SHA256:abc", public(alice) + public(mallory)} {
		if _, err := parseKey(wrong); err == nil {
			t.Errorf("%q is a key", wrong)
		}
	}
}

// server serves what a test says.
type server struct {
	*httptest.Server

	answer atomic.Pointer[http.HandlerFunc]
	asked  atomic.Int32
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		(*s.answer.Load())(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) set(f http.HandlerFunc) { s.answer.Store(&f) }

func (s *server) serve(text string) {
	s.set(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) })
}

// TestNewest follows a policy over time: what the server does, what is used then, and what stops aura.
func TestNewest(t *testing.T) {
	t.Parallel()
	alice, mallory := newKey(t), newKey(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	serves := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(code)
		}
	}
	slow := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	trickle := func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("serial: 9\n"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	endless := func(w http.ResponseWriter, r *http.Request) {
		line := bytes.Repeat([]byte("#"), 1<<16)
		for r.Context().Err() == nil {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}
	for name, row := range map[string]struct {
		later http.HandlerFunc
		// fault is why what the server serves is refused; empty if it is used.
		fault string
	}{
		"the same":          {serves(policy(t, alice, 5, 10, "five")), ""},
		"newer":             {serves(policy(t, alice, 6, 20, "six")), ""},
		"rollback":          {serves(policy(t, alice, 4, 20, "four")), "it has the serial 4, and one with the serial 5 was there before"},
		"the same serial":   {serves(policy(t, alice, 5, 20, "other")), "another content"},
		"expired":           {serves(policy(t, alice, 6, -1, "six")), "it expired at"},
		"wrong key":         {serves(policy(t, mallory, 6, 20, "six")), "it is signed by the key"},
		"not signed":        {serves("serial: 6\nexpires: 2027-01-01\n---\nsix\n"), "it is not signed"},
		"unusable":          {serves(policy(t, alice, 6, 20, "unusable")), "it cannot be used"},
		"a redirect":        {status(http.StatusFound), "redirects to \"" + elsewhere.URL},
		"no such page":      {status(http.StatusNotFound), "404"},
		"nothing":           {status(http.StatusNoContent), "204"},
		"oversized":         {endless, "more than the limit"},
		"no answer":         {slow, "no answer within"},
		"half of an answer": {trickle, "no answer within"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, now := newServer(t), today
			o := Options{State: t.TempDir(), Now: func() time.Time { return now }, Client: s.Client(), Next: 300 * time.Millisecond, First: 300 * time.Millisecond}
			o.Check = func(body []byte) error {
				if bytes.Contains(body, []byte("unusable")) {
					return errors.New("it cannot be used")
				}
				return nil
			}
			if name == "oversized" {
				o.Next, o.First = time.Minute, time.Minute
			}
			s.serve(policy(t, alice, 5, 10, "five"))
			newest := func() (string, error) {
				body, err := o.Newest(t.Context(), s.URL, public(alice))
				return strings.TrimSpace(string(body)), err
			}
			if got, err := newest(); err != nil || got != "five" {
				t.Fatalf("at first: %q, %v", got, err)
			}
			s.set(row.later)
			asked := s.asked.Load()
			if got, err := newest(); err != nil || got != "five" || s.asked.Load() != asked {
				t.Errorf("soon: %q, %v, asked %d times", got, err, s.asked.Load()-asked)
			}
			now = now.Add(2 * time.Hour)
			want := "five"
			if name == "newer" {
				want = "six"
			}
			for range 2 { // the second one uses the copy
				if got, err := newest(); err != nil || got != want {
					t.Errorf("later: %q, %v, want %q", got, err, want)
				}
			}
			if n := s.asked.Load() - asked; n != 1 {
				t.Errorf("the server was asked %d times", n)
			}
			if row.fault == "" {
				return
			}
			now = today.AddDate(0, 0, 11)
			if name == "expired" {
				now = today.AddDate(0, 0, 10)
			}
			got, err := newest()
			if err == nil || !strings.Contains(err.Error(), row.fault) || !strings.Contains(err.Error(), "the copy of 2026-06-01 cannot be used either: it expired at") {
				t.Errorf("when the copy has expired: %q, %v, want %q", got, err, row.fault)
			}
		})
	}
}

// TestCopy changes the copy, which nobody trusts.
func TestCopy(t *testing.T) {
	t.Parallel()
	alice, mallory := newKey(t), newKey(t)
	for name, change := range map[string]func(string) string{
		"removed":      func(string) string { return "" },
		"damaged":      func(string) string { return "{" },
		"another text": func(s string) string { return strings.Replace(s, "five", "evil", 1) },
		"another key": func(s string) string {
			return strings.Replace(s, strings.TrimSpace(public(alice)), strings.TrimSpace(public(mallory)), 1)
		},
		"a link":              nil,
		"asked in the future": func(s string) string { return strings.Replace(s, "2026-06-01", "2036-06-01", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			o := Options{State: t.TempDir(), Now: func() time.Time { return today }, Client: s.Client()}
			s.serve(policy(t, alice, 5, 10, "five"))
			if _, err := o.Newest(t.Context(), s.URL, public(alice)); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(o.State, "policy.json")
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			target := filepath.Join(t.TempDir(), "target")
			switch {
			case change == nil:
				err = os.Symlink(target, path)
				if err == nil {
					err = os.WriteFile(target, before, 0o600)
				}
			case change(string(before)) != "":
				after := change(string(before))
				if after == string(before) {
					t.Fatal("nothing was changed")
				}
				err = os.WriteFile(path, []byte(after), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			s.serve(policy(t, alice, 6, 10, "six"))
			if body, err := o.Newest(t.Context(), s.URL, public(alice)); err != nil || strings.TrimSpace(string(body)) != "six" {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
}

// TestUnstored uses a policy without a place for a copy.
func TestUnstored(t *testing.T) {
	t.Parallel()
	alice, s := newKey(t), newServer(t)
	s.serve(policy(t, alice, 5, 10, "five"))
	o := Options{Now: func() time.Time { return today }, Client: s.Client()}
	for range 2 {
		if body, err := o.Newest(t.Context(), s.URL, public(alice)); err != nil || strings.TrimSpace(string(body)) != "five" {
			t.Errorf("%q, %v", body, err)
		}
	}
	s.Close()
	if _, err := o.Newest(t.Context(), s.URL, public(alice)); err == nil {
		t.Error("there is a policy although nobody answers")
	}
}

func FuzzOpen(f *testing.F) {
	key := newKey(f)
	f.Add([]byte(policy(f, key, 1, 1, "x: 1")))
	f.Add([]byte("serial: 1\nexpires: 2030-01-01\n---\n-----BEGIN SSH SIGNATURE-----\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		signed := signText(t, key, Namespace, string(text))
		d, err := open([]byte(signed), key.PublicKey(), today)
		if err == nil && (d.Serial < 1 || !bytes.HasSuffix(d.body, text[bytes.Index(text, divider)+len(divider):])) {
			t.Fatalf("%q is read as %+v", text, d)
		}
		if d, err := open(text, key.PublicKey(), today); err == nil && !bytes.HasPrefix(text, d.signed) {
			t.Fatalf("%q", text)
		}
	})
}
