package sources

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/object"
	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/install"
)

// repository makes a git repository with files, or adds a commit to one.
func repository(t *testing.T, dir string, files map[string]string, tag string) string {
	t.Helper()
	repo, err := git.PlainOpen(dir)
	if err != nil {
		repo, err = git.PlainInit(dir, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := repo.Worktree()
	if err == nil {
		err = tree.AddWithOptions(&git.AddOptions{All: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	hash, err := tree.Commit("x", &git.CommitOptions{Author: &object.Signature{Name: "a", Email: "a@example.com", When: now}})
	if err == nil && tag != "" {
		_, err = repo.CreateTag(tag, hash, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.ToSlash(dir)
}

// TestNew makes an index, publishes it in a repository, and installs from it.
func TestNew(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Install = install.Options{NoVendor: true, UserHome: t.TempDir()}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(o.Install.UserHome, "key")
	if err := os.WriteFile(key, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	source := t.TempDir()
	url := repository(t, source, map[string]string{"plugin.yaml": "name: greet\ndescription: \"says\\nhello\"\n", "go.mod": "module greet\n\ngo 1.25\n", "main.go": "package greet\n"}, "v1")
	dir := t.TempDir()
	plan := filepath.Join(dir, "plugins.yaml")
	list := func(text string) {
		t.Helper()
		if err := os.WriteFile(plan, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list(fmt.Sprintf("name: acme\nplugins: [{url: %s, ref: v1, keywords: [hello]}]\n", url))
	request := NewRequest{Plan: plan, Out: PlanFile(plan), Key: key}
	for serial := int64(1); serial <= 2; serial++ {
		m, err := New(t.Context(), request, o)
		if err != nil || m.Serial != serial || len(m.Plugins) != 1 || m.Plugins[0].Description != "says hello" || m.Plugins[0].Ref != "v1" || m.Plugins[0].Name != "greet" {
			t.Fatalf("%+v, %v", m, err)
		}
	}
	published := repository(t, dir, nil, "")
	if _, err := Add(t.Context(), AddRequest{Address: published}, o); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	place := install.Place{Home: home, Root: filepath.Join(home, "plugins")}
	r, err := Resolve("acme", "greet", o)
	if err == nil {
		_, err = install.Add(t.Context(), place, r, o.Install)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		list, fails string
		serial      int64
	}{
		"an unknown key":    {list: "name: acme\nplugins: [{url: x, rf: v1}]\n", fails: `plugins.yaml:2: unknown key "rf" in "plugins[0]"`},
		"no name":           {list: "plugins: []\n", fails: `plugins.yaml: name: "" is no name of an index`},
		"a directory":       {list: "name: acme\nplugins: [{url: ./x}]\n", fails: "an index names git repositories only"},
		"no such tag":       {list: fmt.Sprintf("name: acme\nplugins: [{url: %s, ref: v9}]\n", url), fails: `there is no branch or tag "v9"`},
		"another name":      {list: "name: other\nplugins: []\n", fails: `it is the index "acme", and not "other"`},
		"another name anew": {list: "name: other\nplugins: []\n", serial: 9},
		"valid for years":   {list: "name: acme\nvalid_days: 4000\nplugins: []\n", fails: "valid_days"},
		"two of one name":   {list: fmt.Sprintf("name: acme\nplugins: [{url: %s}, {url: %s, ref: v1}]\n", url, url), serial: 10, fails: "two plugins named"},
	} {
		list(row.list)
		request := request
		request.Serial = row.serial
		request.Out = filepath.Join(t.TempDir(), index.FileName)
		for _, name := range []string{index.FileName, index.SignatureName} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err == nil {
				err = os.WriteFile(filepath.Join(filepath.Dir(request.Out), name), text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Run(name, func(t *testing.T) {
			_, err := New(t.Context(), request, o)
			expect(t, err, row.fails)
		})
	}
}

// TestPlanted does not count on from an index that somebody else wrote.
func TestPlanted(t *testing.T) {
	t.Parallel()
	mallory := newAuthor(t)
	planted := mallory.sign(t, index.MaxSerial, nil)
	dir := t.TempDir()
	out := filepath.Join(dir, index.FileName)
	for name, row := range map[string]struct {
		signature []byte
		fails     string
	}{
		"signed by another": {planted.signature, ""},
		"not signed":        {nil, "reading the version before"},
		"wrong signature":   {mallory.sign(t, 1, nil).signature, "its signature does not fit its content"},
	} {
		if err := os.WriteFile(out, planted.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(out + index.SignatureSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if row.signature != nil {
			if err := os.WriteFile(out+index.SignatureSuffix, row.signature, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(name, func(t *testing.T) {
			_, key, err := nextSerial(NewRequest{Out: out}, "acme")
			expect(t, err, row.fails)
			if err == nil && key != mallory.key() {
				t.Errorf("the key before is %s", key)
			}
		})
	}
}

// TestMarketplace adds a marketplace, which is marked as unsigned, and never takes the place of an index.
func TestMarketplace(t *testing.T) {
	t.Parallel()
	o, dir := options(t), t.TempDir()
	url := repository(t, dir, map[string]string{marketplaceFile: `{"name": "Market", "plugins": [
		{"name": "notes", "description": "Takes notes", "category": "writing", "tags": ["md"], "source": "./notes"}, {"name": "../x"}, 7]}`}, "")
	_, err := Add(t.Context(), AddRequest{Address: url, Key: "SHA256:x"}, o)
	expect(t, err, "is a marketplace, which nobody signs")
	src, err := Add(t.Context(), AddRequest{Address: url, Accept: func(offer Offer) error {
		if offer.Signed() || offer.Key != "" {
			t.Errorf("offered %+v", offer)
		}
		return nil
	}}, o)
	if err != nil || src.Name != "market" || src.Signed() || src.Plugins != 1 {
		t.Fatalf("%+v, %v", src, err)
	}
	hits, _, err := Search([]string{"writing"}, o)
	if err != nil || len(hits) != 1 || hits[0].Signed || hits[0].Name != "notes" {
		t.Errorf("%+v, %v", hits, err)
	}
	r, err := Resolve("market", "notes", o)
	if err != nil || r.Expected != nil || r.Source != url || r.Plugin != "notes" || r.Index == nil || r.Index.Key != "" {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = Expected("market", "notes", o)
	expect(t, err, "which has no signature")
	_, err = Update(t.Context(), "market", "SHA256:x", o)
	expect(t, err, "which nobody signs")

	// What was added as a signed index does not become a marketplace, nor the other way round.
	v := newAuthor(t).sign(t, 1, nil)
	repository(t, dir, map[string]string{index.FileName: string(v.text), index.SignatureName: string(v.signature)}, "")
	_, err = Update(t.Context(), "market", "", o)
	expect(t, err, "was a marketplace without a signature, and now it is a signed index")
	signed := t.TempDir()
	url = repository(t, signed, map[string]string{index.FileName: string(v.text), index.SignatureName: string(v.signature)}, "")
	if _, err := Add(t.Context(), AddRequest{Address: url}, o); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{index.FileName, index.SignatureName} {
		if err := os.Remove(filepath.Join(signed, name)); err != nil {
			t.Fatal(err)
		}
	}
	repository(t, signed, map[string]string{marketplaceFile: `{"name": "acme", "plugins": []}`}, "")
	_, err = Update(t.Context(), "acme", "", o)
	expect(t, err, "was a signed index, and now it is a marketplace without a signature")
}

// FuzzMarketplace reads any list of a marketplace.
func FuzzMarketplace(f *testing.F) {
	f.Add([]byte(`{"name": "a", "plugins": [{"name": "b", "keywords": ["c"]}]}`))
	f.Add([]byte(`{"plugins": [1, {"name": 1}, null]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseMarketplace(text)
		if err != nil {
			return
		}
		for _, e := range m.entries {
			if manifest.CheckName(e.Name) != nil || len(e.Description) > maxDescription || len(e.Keywords) > maxKeywords {
				t.Errorf("read %+v", e)
			}
		}
	})
}
