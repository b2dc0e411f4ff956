package index_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/signature"
	"github.com/idelchi/aura/internal/system/network"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// sample returns an index with one plugin.
func sample() *index.Index {
	return &index.Index{Name: "acme", Serial: 7, Expires: now.Add(time.Hour), Plugins: []index.Entry{{
		Name: "guard", Description: "Guards the files of a project", Keywords: []string{"security"}, URL: "https://example.com/guard", Ref: "v1.0.0",
		Commit: strings.Repeat("ab", 20), Hash: "sha256:" + strings.Repeat("cd", 32), Requests: map[string]manifest.Asks{"guard": manifest.NoAsks()},
	}}}
}

// encoded returns the file of a sample that was changed.
func encoded(tb testing.TB, change func(*index.Index)) []byte {
	tb.Helper()
	x := sample()
	if change != nil {
		change(x)
	}
	text, err := x.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func newKey(t *testing.T) ssh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sign(t *testing.T, key ssh.Signer, namespace string, text []byte) []byte {
	t.Helper()
	out, err := signature.SignFile(key, namespace, text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestParse reads indexes that are not those of the format.
func TestParse(t *testing.T) {
	t.Parallel()
	sound := string(encoded(t, nil))
	replaced := func(old, now string) string {
		if !strings.Contains(sound, old) {
			t.Fatalf("the sample has no %s", old)
		}
		return strings.Replace(sound, old, now, 1)
	}
	for name, row := range map[string]struct{ text, fails string }{
		"sound":               {sound, ""},
		"empty":               {"", "EOF"},
		"a list":              {"[]", "line 1: json: cannot unmarshal array"},
		"more behind":         {sound + "{}", "there is more after the end"},
		"an unknown key":      {replaced(`"name": "acme"`, `"name": "acme", "nme": 1`), `unknown field "nme"`},
		"a key twice":         {replaced(`"serial": 7`, `"serial": 7, "serial": 8`), `line 4: the key "serial" is there twice`},
		"a nested key twice":  {replaced(`"ref": "v1.0.0"`, `"ref": "v1.0.0", "ref": "x"`), `the key "ref" is there twice`},
		"a key in capitals":   {replaced(`"serial": 7`, `"Serial": 7`), `line 4: unknown key "Serial"`},
		"both cases":          {replaced(`"serial": 7`, `"serial": 7, "SERIAL": 8`), `the key "SERIAL" is there twice`},
		"another type":        {replaced(`"serial": 7`, `"serial": "7"`), "line 4: json: cannot unmarshal string"},
		"a fraction":          {replaced(`"serial": 7`, `"serial": 7.5`), "line 4: json: cannot unmarshal number 7.5"},
		"no serial":           {replaced(`"serial": 7,`, ""), "its serial 0 is not between"},
		"a huge serial":       {replaced(`"serial": 7`, `"serial": 9007199254740992`), "its serial 9007199254740992 is not between"},
		"no expiry":           {replaced(`"expires": "2026-06-01T13:00:00Z",`, ""), `"expires" is missing`},
		"a later version":     {replaced(`"version": 1`, `"version": 2, "more": {}`), "its version is 2, and this aura supports version 1"},
		"no version":          {replaced(`"version": 1,`, ""), "its version is 0"},
		"a name with a slash": {replaced(`"acme"`, `"a/b"`), "is no name of an index"},
		"plugins of null":     {`{"version": 1, "name": "a", "serial": 1, "expires": "2026-06-01T13:00:00Z", "plugins": null}`, `"plugins" is missing`},
		"an odd name":         {replaced(`"name": "guard"`, `"name": "../guard"`), `plugins[0] "../guard"`},
		"a short commit":      {replaced(strings.Repeat("ab", 20), "abab"), `"commit" is not a whole commit`},
		"an option as commit": {replaced(strings.Repeat("ab", 20), "--upload-pack"), `"commit" is not a whole commit`},
		"another hash":        {replaced("sha256:", "md5:"), `"hash" is not sha256:`},
		"keywords again":      {replaced(`"requests"`, `"keywords": [], "requests"`), "is there twice"},
		"a bad host":          {replaced(`"hosts": []`, `"hosts": ["a b"]`), "a b"},
		"an unknown request":  {replaced(`"network"`, `"netwerk"`), `unknown field "netwerk"`},
	} {
		_, err := index.Parse([]byte(row.text))
		if row.fails == "" && err != nil || row.fails != "" && (err == nil || !strings.Contains(err.Error(), row.fails)) {
			t.Errorf("%s: %v, want %q", name, err, row.fails)
		}
	}
}

// TestRequests checks that what plugins ask for is read as it was written.
func TestRequests(t *testing.T) {
	t.Parallel()
	host, err := network.Parse("*.example.com")
	if err != nil {
		t.Fatal(err)
	}
	asks := manifest.NoAsks()
	asks.Network, asks.Hosts, asks.Env, asks.Memory = true, []network.Pattern{host}, []string{"TOKEN"}, 1<<30
	x, err := index.Parse(encoded(t, func(x *index.Index) { x.Plugins[0].Requests["Other"] = asks }))
	if err != nil {
		t.Fatal(err)
	}
	if got := x.Plugins[0].Requests["Other"]; !reflect.DeepEqual(got, asks) {
		t.Errorf("read %+v, want %+v", got, asks)
	}
}

// TestEncodeRefuses checks the limits of what an author writes.
func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(*index.Index)
		fails  string
	}{
		"two of one name":    {func(x *index.Index) { x.Plugins = append(x.Plugins, x.Plugins[0]) }, `two plugins named "guard"`},
		"too many":           {func(x *index.Index) { x.Plugins = make([]index.Entry, index.MaxEntries+1) }, "more than the limit of 10000 plugins"},
		"no address":         {func(x *index.Index) { x.Plugins[0].URL = "" }, `"url" is missing`},
		"a long description": {func(x *index.Index) { x.Plugins[0].Description = strings.Repeat("x", 1001) }, `"description" is longer than 1000 bytes`},
		"many keywords":      {func(x *index.Index) { x.Plugins[0].Keywords = make([]string, 21) }, "more than the limit of 20 keywords"},
		"an empty keyword":   {func(x *index.Index) { x.Plugins[0].Keywords = []string{""} }, "is empty or longer than 50 bytes"},
		"no requests":        {func(x *index.Index) { x.Plugins[0].Requests = nil }, `"requests" is missing`},
	} {
		x := sample()
		row.change(x)
		if _, err := x.Encode(); err == nil || !strings.Contains(err.Error(), row.fails) {
			t.Errorf("%s: %v, want %q", name, err, row.fails)
		}
	}
}

// TestOpen is the table of indexes that may not be used: each attack on what a source serves.
func TestOpen(t *testing.T) {
	t.Parallel()
	alice, mallory := newKey(t), newKey(t)
	text := encoded(t, nil)
	newer := encoded(t, func(x *index.Index) { x.Serial = 8 })
	changed := encoded(t, func(x *index.Index) { x.Plugins[0].URL = "https://example.com/other" })
	renamed := encoded(t, func(x *index.Index) { x.Name = "other" })
	forever := encoded(t, func(x *index.Index) { x.Expires = now.Add(2 * index.MaxValid) })
	first := index.Pin{Key: ssh.FingerprintSHA256(alice.PublicKey())}
	seen := index.Pin{Key: first.Key, Name: "acme", Serial: 7, Hash: index.Hash(text)}
	later := index.Pin{Key: first.Key, Name: "acme", Serial: 8, Hash: index.Hash(newer)}
	for name, row := range map[string]struct {
		text, signature []byte
		pin             index.Pin
		at              time.Time
		fails           error
		says            string
	}{
		"first":                    {text: text, signature: sign(t, alice, index.Namespace, text), pin: first},
		"the same again":           {text: text, signature: sign(t, alice, index.Namespace, text), pin: seen},
		"a newer one":              {text: newer, signature: sign(t, alice, index.Namespace, newer), pin: seen},
		"rollback":                 {text: text, signature: sign(t, alice, index.Namespace, text), pin: later, fails: index.ErrRollback},
		"freeze: expired":          {text: text, signature: sign(t, alice, index.Namespace, text), pin: seen, at: now.Add(2 * time.Hour), fails: index.ErrExpired},
		"freeze: at the expiry":    {text: text, signature: sign(t, alice, index.Namespace, text), pin: seen, at: now.Add(time.Hour), fails: index.ErrExpired},
		"freeze: valid for years":  {text: forever, signature: sign(t, alice, index.Namespace, forever), pin: first, says: "at most 400 days"},
		"the serial stands still":  {text: changed, signature: sign(t, alice, index.Namespace, changed), pin: seen, fails: index.ErrReused},
		"signature of another one": {text: newer, signature: sign(t, alice, index.Namespace, text), pin: seen, fails: signature.ErrTampered},
		"another index, same key":  {text: renamed, signature: sign(t, alice, index.Namespace, renamed), pin: seen, fails: index.ErrOther},
		"another key":              {text: text, signature: sign(t, mallory, index.Namespace, text), pin: seen, fails: index.ErrOtherKey},
		"no key is pinned":         {text: text, signature: sign(t, alice, index.Namespace, text), fails: index.ErrOtherKey},
		"no signature":             {text: text, pin: seen, fails: signature.ErrUnsigned},
		"a signature of PGP":       {text: text, signature: []byte("-----BEGIN PGP SIGNATURE-----\n"), pin: seen, fails: signature.ErrOtherKind},
		"a signature of git":       {text: text, signature: sign(t, alice, "git", text), pin: seen, fails: signature.ErrNamespace},
		"a signature of a file":    {text: text, signature: sign(t, alice, "file", text), pin: seen, fails: signature.ErrNamespace},
		"one byte more":            {text: append([]byte(" "), text...), signature: sign(t, alice, index.Namespace, text), pin: seen, fails: signature.ErrTampered},
		"two signatures":           {text: text, signature: append(sign(t, mallory, index.Namespace, text), sign(t, alice, index.Namespace, text)...), pin: seen, says: "it is not one block"},
		"a long signature":         {text: text, signature: make([]byte, signature.MaxFileSignature+1), pin: seen, says: "more than the limit of 16384 bytes"},
		"oversized":                {text: make([]byte, index.MaxSize+1), signature: sign(t, alice, index.Namespace, text), pin: seen, says: "more than the limit of 8 MB"},
	} {
		at := row.at
		if at.IsZero() {
			at = now
		}
		_, err := index.Open(row.text, row.signature, row.pin, at)
		wrong := row.fails != nil || row.says != ""
		if wrong != (err != nil) || row.fails != nil && !errors.Is(err, row.fails) || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want %v%s", name, err, row.fails, row.says)
		}
	}
}

// TestRank compares how well entries fit words.
func TestRank(t *testing.T) {
	t.Parallel()
	e := index.Entry{Name: "file-guard", Description: "Watches what is WRITTEN", Keywords: []string{"Security", "files"}}
	order := [][]string{{"file-guard"}, {"file"}, {"guard"}, {"security"}, {"secur"}, {"written"}}
	for i := 1; i < len(order); i++ {
		if e.Rank(order[i-1]) <= e.Rank(order[i]) {
			t.Errorf("%v ranks %d, and %v ranks %d", order[i-1], e.Rank(order[i-1]), order[i], e.Rank(order[i]))
		}
	}
	for _, words := range [][]string{{"nothing"}, {"guard", "nothing"}} {
		if e.Rank(words) != 0 {
			t.Errorf("%v ranks %d", words, e.Rank(words))
		}
	}
	if e.Rank(nil) == 0 || e.Rank([]string{"GUARD", "written"}) == 0 {
		t.Error("words that fit rank 0")
	}
}

// FuzzParse reads any text. What is accepted is written as something that is accepted again, and that says the same.
func FuzzParse(f *testing.F) {
	f.Add(encoded(f, nil))
	f.Add([]byte(`{"version": 1, "name": "a", "serial": 1, "expires": "2026-06-01T13:00:00Z", "plugins": []}`))
	f.Add([]byte(`{"plugins": [{"requests": {"A": {}, "a": {}}}]}`))
	f.Add([]byte(`{"version": 2}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		x, err := index.Parse(text)
		if err != nil {
			return
		}
		again, err := x.Encode()
		if err != nil {
			return // a time that RFC 3339 cannot write
		}
		y, err := index.Parse(again)
		if err != nil || len(y.Plugins) != len(x.Plugins) || y.Serial != x.Serial || y.Name != x.Name || !y.Expires.Equal(x.Expires) {
			t.Errorf("%v: %s", err, again)
		}
	})
}
