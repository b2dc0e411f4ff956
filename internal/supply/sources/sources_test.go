package sources

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/signature"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// author signs indexes with a key of its own.
type author struct{ signer ssh.Signer }

func newAuthor(t *testing.T) author {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return author{s}
}

func (a author) key() string { return ssh.FingerprintSHA256(a.signer.PublicKey()) }

// version is a file of an index with its signature.
type version struct{ text, signature []byte }

// sign returns a version of the index acme that was changed.
func (a author) sign(t *testing.T, serial int64, change func(*index.Index)) version {
	t.Helper()
	x := &index.Index{Name: "acme", Serial: serial, Expires: now.Add(time.Hour), Plugins: []index.Entry{{
		Name: "guard", Description: "Guards files", URL: "https://example.com/guard", Commit: strings.Repeat("ab", 20),
		Hash: "sha256:" + strings.Repeat("cd", 32), Requests: map[string]manifest.Asks{"guard": manifest.NoAsks()},
	}}}
	if change != nil {
		change(x)
	}
	text, err := x.Encode()
	if err != nil {
		t.Fatal(err)
	}
	armored, err := signature.SignFile(a.signer, index.Namespace, text)
	if err != nil {
		t.Fatal(err)
	}
	return version{text, armored}
}

// server serves one version of an index, which a test replaces.
type server struct {
	*httptest.Server

	mu  sync.Mutex
	now version
}

func newServer(t *testing.T, v version) *server {
	t.Helper()
	s := &server{now: v}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		file := map[string][]byte{"/index.json": s.now.text, "/index.json.sig": s.now.signature}[r.URL.Path]
		if file == nil {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(file)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) serve(v version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = v
}

func (s *server) address() string { return s.URL + "/index.json" }

// options returns options with a state of their own.
func options(t *testing.T) Options {
	t.Helper()
	return Options{Dir: filepath.Join(t.TempDir(), "sources"), Now: func() time.Time { return now }}
}

func expect(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Fatalf("%v, want %q", err, want)
	}
}

// added adds the index of a server.
func added(t *testing.T, s *server, o Options) Source {
	t.Helper()
	src, err := Add(t.Context(), AddRequest{Address: s.address()}, o)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestAdd adds indexes whose key the user accepts, names, or refuses.
func TestAdd(t *testing.T) {
	t.Parallel()
	alice, mallory := newAuthor(t), newAuthor(t)
	sound := alice.sign(t, 7, nil)
	for name, row := range map[string]struct {
		serves version
		with   AddRequest
		allow  error
		asked  bool
		fails  string
	}{
		"accepted":         {serves: sound, asked: true},
		"refused":          {serves: sound, with: AddRequest{Accept: func(Offer) error { return errors.New("no") }}, fails: "no"},
		"the expected key": {serves: sound, with: AddRequest{Key: alice.key()}},
		"another key":      {serves: sound, with: AddRequest{Key: mallory.key()}, fails: "is signed with the key " + alice.key() + ", and you expect " + mallory.key()},
		"another name":     {serves: sound, with: AddRequest{Name: "mine"}, asked: true},
		"an odd name":      {serves: sound, with: AddRequest{Name: "../mine"}, fails: "is no name of an index"},
		"no signature":     {serves: version{text: sound.text}, fails: "an index at an https address needs a signature beside it"},
		"no index":         {serves: version{}, fails: "the server has no such file"},
		"expired":          {serves: alice.sign(t, 7, func(x *index.Index) { x.Expires = now }), fails: "it has expired"},
		"tampered":         {serves: version{append([]byte(" "), sound.text...), sound.signature}, fails: "its signature does not fit its content"},
		"oversized":        {serves: version{make([]byte, index.MaxSize+1), sound.signature}, fails: "more than the limit of 8388608 bytes"},
		"a long signature": {serves: version{sound.text, make([]byte, signature.MaxFileSignature+1)}, fails: "more than the limit of 16384 bytes"},
		"not allowed":      {serves: sound, allow: errors.New("the policy forbids it"), fails: "the policy forbids it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, o := newServer(t, row.serves), options(t)
			o.Allow = func(i Identity) error {
				if i.URL != s.address() || !i.Signed || i.Key != alice.key() || i.Name == "" {
					t.Errorf("asked about %+v", i)
				}
				return row.allow
			}
			asked := false
			row.with.Address = s.address()
			if row.with.Accept == nil {
				row.with.Accept = func(offer Offer) error {
					asked = true
					if offer.Key != alice.key() || offer.Public == "" {
						t.Errorf("offered %+v", offer)
					}
					return nil
				}
			}
			src, err := Add(t.Context(), row.with, o)
			expect(t, err, row.fails)
			list, listErr := List(o)
			if listErr != nil || (len(list) == 1) != (err == nil) || asked != row.asked {
				t.Errorf("listed %v, %v; asked: %v", list, listErr, asked)
			}
			if err == nil && (src.Serial != 7 || src.Key != alice.key() || src.Index != "acme") {
				t.Errorf("added %+v", src)
			}
		})
	}
}

// TestUpdate is what a server can serve after its index was added. What is refused leaves the copy in use.
func TestUpdate(t *testing.T) {
	t.Parallel()
	alice, mallory := newAuthor(t), newAuthor(t)
	first, second := alice.sign(t, 7, nil), alice.sign(t, 8, func(x *index.Index) { x.Plugins[0].Name = "newer" })
	for name, row := range map[string]struct {
		serves version
		key    string
		allow  error
		fails  string
	}{
		"newer":                  {serves: second},
		"the same":               {serves: first},
		"rollback":               {serves: alice.sign(t, 6, nil), fails: "its serial is 6, and 7 was seen: the server gives you an old or a forged version"},
		"freeze: expired":        {serves: alice.sign(t, 8, func(x *index.Index) { x.Expires = now }), fails: "it has expired: on 2026-06-01 12:00 UTC: nothing is installed from it until"},
		"the serial stands":      {serves: alice.sign(t, 7, func(x *index.Index) { x.Plugins[0].Name = "newer" }), fails: "its content changed, but its serial did not (7)"},
		"mix: newer text":        {serves: version{second.text, first.signature}, fails: "repeat the command in a minute"},
		"mix: newer signature":   {serves: version{first.text, second.signature}, fails: "repeat the command in a minute"},
		"mix: another index":     {serves: alice.sign(t, 9, func(x *index.Index) { x.Name = "other" }), fails: `it calls itself "other", and the one of this source "acme"`},
		"a wrong key":            {serves: mallory.sign(t, 9, nil), fails: "it is signed with another key: by " + mallory.key()},
		"a key that is accepted": {serves: mallory.sign(t, 9, nil), key: mallory.key()},
		"a signer was removed":   {serves: second, key: mallory.key(), fails: "it is signed with another key: by " + alice.key()},
		"no signature any more":  {serves: version{text: second.text}, fails: "needs a signature beside it"},
		"nothing any more":       {serves: version{}, fails: "the copy that you have stays in use until it expires"},
		"oversized":              {serves: version{make([]byte, index.MaxSize+1), first.signature}, fails: "more than the limit of"},
		"not allowed any more":   {serves: second, allow: errors.New("the policy forbids it"), fails: "the policy forbids it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, o := newServer(t, first), options(t)
			added(t, s, o)
			s.serve(row.serves)
			forbidding := o
			forbidding.Allow = func(Identity) error { return row.allow }
			u, err := Update(t.Context(), "acme", row.key, forbidding)
			expect(t, err, row.fails)
			if err == nil && u.From != 7 {
				t.Errorf("updated %+v", u)
			}
			if row.fails != "" {
				hits, failed, err := Search([]string{"guard"}, o)
				if err != nil || len(failed) > 0 || len(hits) != 1 {
					t.Errorf("the copy says %v, %v, %v", hits, failed, err)
				}
			}
		})
	}
}

// TestOffline uses a copy without its server, until it expires or is changed.
func TestOffline(t *testing.T) {
	t.Parallel()
	alice := newAuthor(t)
	for name, row := range map[string]struct {
		change func(t *testing.T, o *Options)
		fails  string
	}{
		"offline": {},
		"expired": {func(_ *testing.T, o *Options) { o.Now = func() time.Time { return now.Add(time.Hour) } }, "it has expired: on 2026-06-01 13:00 UTC; run `aura sources update acme`"},
		"changed": {func(t *testing.T, o *Options) {
			t.Helper()
			text, err := os.ReadFile(o.copyPath("acme"))
			if err == nil {
				err = os.WriteFile(o.copyPath("acme"), []byte(strings.Replace(string(text), "example.com", "example.org", 1)), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, "its signature does not fit its content"},
		"cut": {func(t *testing.T, o *Options) {
			t.Helper()
			if err := os.Truncate(o.copyPath("acme"), 100); err != nil {
				t.Fatal(err)
			}
		}, "it is not signed"},
		"gone": {func(t *testing.T, o *Options) {
			t.Helper()
			if err := os.Remove(o.copyPath("acme")); err != nil {
				t.Fatal(err)
			}
		}, "its copy is gone; run `aura sources update acme`"},
		"an older copy": {func(t *testing.T, o *Options) {
			t.Helper()
			older := alice.sign(t, 6, nil)
			if err := o.store("acme", fetched{kind: KindIndex, text: older.text, signature: older.signature}); err != nil {
				t.Fatal(err)
			}
		}, "its serial is 6, and 7 was seen"},
		"a newer copy": {change: func(t *testing.T, o *Options) {
			t.Helper()
			newer := alice.sign(t, 8, nil)
			if err := o.store("acme", fetched{kind: KindIndex, text: newer.text, signature: newer.signature}); err != nil {
				t.Fatal(err)
			}
		}},
		"forbidden": {func(_ *testing.T, o *Options) {
			o.Allow = func(Identity) error { return errors.New("the policy forbids it") }
		}, "the policy forbids it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, o := newServer(t, alice.sign(t, 7, nil)), options(t)
			added(t, s, o)
			s.Close()
			if row.change != nil {
				row.change(t, &o)
			}
			r, err := Resolve("acme", "guard", o)
			expect(t, err, row.fails)
			if err == nil && (r.Expected == nil || r.Expected.Key != alice.key() || r.Expected.Serial < 7 || r.Expected.SameHost) {
				t.Errorf("resolved %+v", r.Expected)
			}
			hits, failed, err := Search(nil, o)
			if err != nil || (row.fails == "") != (len(hits) == 1 && len(failed) == 0) {
				t.Errorf("found %v, %v, %v", hits, failed, err)
			}
		})
	}
}

// TestNames keeps two indexes with one name apart.
func TestNames(t *testing.T) {
	t.Parallel()
	alice, mallory := newAuthor(t), newAuthor(t)
	one, two, o := newServer(t, alice.sign(t, 7, nil)), newServer(t, mallory.sign(t, 9, nil)), options(t)
	added(t, one, o)
	_, err := Add(t.Context(), AddRequest{Address: two.address()}, o)
	expect(t, err, `there is a source named "acme" already, from `+one.address())
	_, err = Add(t.Context(), AddRequest{Address: one.address(), Name: "again"}, o)
	expect(t, err, `is there already as "acme"`)
	_, err = Add(t.Context(), AddRequest{Address: two.address(), Name: "other"}, o)
	expect(t, err, "")
	for name, key := range map[string]string{"acme": alice.key(), "other": mallory.key()} {
		r, err := Resolve(name, "guard", o)
		if err != nil || r.Expected.Name != name || r.Expected.Key != key {
			t.Errorf("%s: %+v, %v", name, r.Expected, err)
		}
	}
	_, err = Resolve("acme", "gard", o)
	expect(t, err, `the source acme has no plugin "gard"; did you mean "guard"?`)
	_, err = Resolve("none", "guard", o)
	expect(t, err, `there is no source "none"; there are: acme, other`)
	if _, err := Remove("acme", o); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(o.copyPath("acme")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy stays: %v", err)
	}
	_, err = Remove("acme", o)
	expect(t, err, `there is no source "acme"; there are: other`)
}

// TestHere refuses an index on another machine that names a repository on this one.
func TestHere(t *testing.T) {
	t.Parallel()
	alice := newAuthor(t)
	for address, fails := range map[string]string{
		"file:///srv/guard": "it names file:///srv/guard on this machine", "/srv/guard": "is a directory", "ext::sh": "asks git to run a helper program",
		"--upload-pack=x": "looks like an option",
	} {
		s, o := newServer(t, alice.sign(t, 7, func(x *index.Index) { x.Plugins[0].URL = address })), options(t)
		added(t, s, o)
		_, err := Resolve("acme", "guard", o)
		expect(t, err, fails)
	}
}

// TestDamagedList refuses a list of sources that aura does not write.
func TestDamagedList(t *testing.T) {
	t.Parallel()
	for text, fails := range map[string]string{
		`{"version": 2, "sources": []}`:                                                                                       "its version is 2",
		`{"version": 1, "sources": [{"name": "../x", "kind": "index", "key": "k"}]}`:                                          "is no name of an index",
		`{"version": 1, "sources": [{"name": "x", "kind": "index"}]}`:                                                         `the source "x" has the key ""`,
		`{"version": 1, "sources": [{"name": "x", "kind": "other", "key": "k"}]}`:                                             `is of the kind "other"`,
		`{"version": 1, "sources": [{"name": "x", "kind": "index", "key": "k"}, {"name": "x", "kind": "index", "key": "k"}]}`: "two sources named",
		`{"version": 1, "sources": [], "more": 1}`:                                                                            "unknown field",
	} {
		o := options(t)
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(o.Dir, "sources.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := List(o)
		expect(t, err, fails)
	}
}
