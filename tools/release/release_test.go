package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fake returns a source and a build whose programs are texts. Two of them lie in different directories, with files of different times.
func fake(t *testing.T, platforms ...platform) (source, build) {
	t.Helper()
	root, bin := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"LICENSE": "MIT", "README.md": "[a page](docs/a.md), [there](https://example.com), [here](#top), <img src=\"docs/a.svg\">\n"} {
		put(t, filepath.Join(root, name), text)
	}
	src := source{
		root: root, version: "0.1.0", commit: "0123456789abcdef0123456789abcdef01234567",
		date: time.Date(2026, 1, 31, 12, 30, 15, 0, time.UTC), notes: "# aura 0.1.0 (2026-01-31)\n\n- all of it\n",
	}
	b := build{
		platforms: platforms, bin: bin, version: built{Go: "go1.26.8"}, licenses: []byte("licenses\n"),
		man:         []file{{name: "man/man1/aura.1", mode: 0o644, data: []byte(".TH aura 1\n")}},
		completions: []file{{name: "completions/aura.bash", mode: 0o644, data: []byte("complete\n")}, {name: "completions/_aura", mode: 0o644, data: []byte("#compdef\n")}},
		modules:     []module{{path: "example.com/m", version: "v1.2.3", sum: "h1:x=", programs: programs[:1], platforms: []string{"linux-amd64"}, licenses: []string{"MIT"}}},
	}
	for _, p := range platforms {
		for _, name := range programs {
			put(t, b.program(p, name), "program "+name+" for "+p.String())
		}
	}
	return src, b
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// everything returns all platforms of a release.
func everything(t *testing.T) []platform {
	t.Helper()
	list, err := parsePlatforms(allPlatforms)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// make1 makes a release and returns the bytes of its files.
func make1(t *testing.T, key signer, platforms ...platform) map[string][]byte {
	t.Helper()
	src, b := fake(t, platforms...)
	dist := filepath.Join(t.TempDir(), "dist")
	if err := write(options{dist: dist, url: "https://example.com/download"}, src, b, key, io.Discard); err != nil {
		t.Fatal(err)
	}
	return read(t, dist)
}

func read(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, e := range entries {
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestReproducible makes a release twice, from different directories and at different times, and compares the bytes.
func TestReproducible(t *testing.T) {
	t.Parallel()
	first, second := make1(t, nil, everything(t)...), make1(t, nil, everything(t)...)
	if len(first) != len(second) || len(first) < 20 {
		t.Fatalf("got %d and %d files", len(first), len(second))
	}
	for name, data := range first {
		if !bytes.Equal(data, second[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// TestChecksums checks that every file but the checksums is in them.
func TestChecksums(t *testing.T) {
	t.Parallel()
	made := make1(t, nil, everything(t)...)
	listed := 0
	for line := range strings.Lines(string(made[checksums])) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		got := sha256.Sum256(made[name])
		if !ok || hex.EncodeToString(got[:]) != sum {
			t.Errorf("%q is not the checksum of %s", line, name)
		}
		listed++
	}
	if listed != len(made)-1 {
		t.Errorf("%d of %d files are listed", listed, len(made)-1)
	}
}

func TestArchives(t *testing.T) {
	t.Parallel()
	made := make1(t, nil, everything(t)...)
	for _, p := range everything(t) {
		var got map[string]string
		if p.os == "windows" {
			got = unzip(t, made[fmt.Sprintf("aura-0.1.0-%s-%s.zip", p.os, p.arch)])
		} else {
			got = untar(t, gunzip(t, made[fmt.Sprintf("aura-0.1.0-%s-%s.tar.gz", p.os, p.arch)]))
		}
		top := "aura-0.1.0-" + p.String() + "/"
		for name, want := range map[string]string{
			p.exe("aura"):              "0755 program aura for " + p.String(),
			p.exe("aura-plugin-host"):  "0755 program aura-plugin-host for " + p.String(),
			p.exe("aura-tool-host"):    "0755 program aura-tool-host for " + p.String(),
			"LICENSE":                  "0644 MIT",
			"CHANGELOG.md":             "0644 # aura 0.1.0 (2026-01-31)\n\n- all of it\n",
			"README.md":                "0644 [a page](https://github.com/idelchi/aura/blob/0123456789abcdef0123456789abcdef01234567/docs/a.md), [there](https://example.com), [here](#top), <img src=\"https://github.com/idelchi/aura/raw/0123456789abcdef0123456789abcdef01234567/docs/a.svg\">\n",
			"THIRD-PARTY-LICENSES.txt": "0644 licenses\n",
			"completions/aura.bash":    "0644 complete\n",
			"man/man1/aura.1":          "0644 .TH aura 1\n",
		} {
			if got[top+name] != want {
				t.Errorf("%s: %s: got %q, want %q", p, name, got[top+name], want)
			}
		}
	}
}

func gunzip(t *testing.T, data []byte) []byte {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(zr)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// untar returns mode and bytes of the files in an archive.
func untar(t *testing.T, data []byte) map[string]string {
	t.Helper()
	out := map[string]string{}
	for tr := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		owner := ""
		if h.Uid != 0 {
			owner = fmt.Sprintf("%d:%d ", h.Uid, h.Gid)
		}
		out[h.Name] = fmt.Sprintf("%s%04o %s", owner, h.Mode, text)
	}
}

func unzip(t *testing.T, data []byte) map[string]string {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range zr.File {
		text, err := fs.ReadFile(zr, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = fmt.Sprintf("%04o %s", f.Mode().Perm(), text)
	}
	return out
}

// TestImage follows an image from its index to the files of its layer, and checks every digest on the way.
func TestImage(t *testing.T) {
	t.Parallel()
	files := untar(t, make1(t, nil, platform{"linux", "arm64"})["aura-0.1.0-linux-arm64.oci.tar"])
	blob := func(d descriptor) string {
		text := strings.TrimPrefix(files[blobName(d)], "0644 ")
		sum := sha256.Sum256([]byte(text))
		if "sha256:"+hex.EncodeToString(sum[:]) != d.Digest || int64(len(text)) != d.Size {
			t.Errorf("the blob of %+v has %d bytes and digest %x", d, len(text), sum)
		}
		return text
	}
	decode := func(text string, into any) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	var index, image manifest
	decode(strings.TrimPrefix(files["index.json"], "0644 "), &index)
	if len(index.Manifests) != 1 || *index.Manifests[0].Platform != (imagePlatform{"arm64", "linux"}) {
		t.Fatalf("got index %+v", index)
	}
	decode(blob(index.Manifests[0]), &image)
	var config imageConfig
	decode(blob(*image.Config), &config)
	layer := gunzip(t, []byte(blob(image.Layers[0])))
	diff := sha256.Sum256(layer)
	if got, want := config.RootFS.DiffIDs, []string{"sha256:" + hex.EncodeToString(diff[:])}; !slices.Equal(got, want) {
		t.Errorf("got layers %v, want %v", got, want)
	}
	if config.Config.User != "65532:65532" || config.Architecture != "arm64" {
		t.Errorf("got configuration %+v", config)
	}
	root := untar(t, layer)
	for name, want := range map[string]string{
		"usr/bin/aura": "0755 program aura for linux-arm64", "tmp/": "1777 ", "work/": "65532:65532 0755 ", "home/aura/": "65532:65532 0700 ",
	} {
		if root[name] != want {
			t.Errorf("%s: got %q, want %q", name, root[name], want)
		}
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(strings.TrimPrefix(root["etc/ssl/certs/ca-certificates.crt"], "0644 "))) {
		t.Error("the image has no root certificates")
	}
}

// TestSignature checks that a given key signs the provenance, and that another key is not taken for it.
func TestSignature(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key.pem")
	put(t, path, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	key, err := readKey(path)
	if err != nil {
		t.Fatal(err)
	}
	made := make1(t, key, platform{"linux", "amd64"})
	var e envelope
	if err := json.Unmarshal(made["aura-0.1.0.provenance.dsse.json"], &e); err != nil {
		t.Fatal(err)
	}
	payload, err := base64.StdEncoding.DecodeString(e.Payload)
	if err != nil || !bytes.Equal(payload, made["aura-0.1.0.provenance.json"]) {
		t.Errorf("the envelope holds something else (%v)", err)
	}
	sig, err := base64.StdEncoding.DecodeString(e.Signatures[0].Sig)
	if err != nil || !ed25519.Verify(public, authenticated(e.PayloadType, payload), sig) {
		t.Errorf("the signature is wrong (%v)", err)
	}
	if ed25519.Verify(public, authenticated(e.PayloadType, append(payload, ' ')), sig) {
		t.Error("the signature fits another statement too")
	}
	put(t, path, "no key")
	if _, err := readKey(path); err == nil || !strings.Contains(err.Error(), "not PEM") {
		t.Errorf("got %v for a file without a key", err)
	}
}

// TestProvenance checks that all archives, packages and images are subjects of the provenance.
func TestProvenance(t *testing.T) {
	t.Parallel()
	made := make1(t, nil, everything(t)...)
	var s statement
	if err := json.Unmarshal(made["aura-0.1.0.provenance.json"], &s); err != nil {
		t.Fatal(err)
	}
	var subjects []string
	for _, r := range s.Subject {
		sum := sha256.Sum256(made[r.Name])
		if r.Digest["sha256"] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s has another digest", r.Name)
		}
		subjects = append(subjects, r.Name)
	}
	for name := range made {
		if name != checksums && !strings.Contains(name, "provenance") && !slices.Contains(subjects, name) {
			t.Errorf("%s is no subject", name)
		}
	}
	if got := s.Predicate.BuildDefinition.ResolvedDependencies[0].Digest["gitCommit"]; got != "0123456789abcdef0123456789abcdef01234567" {
		t.Errorf("got commit %q", got)
	}
}

// TestNotices checks that data of others come with their license.
func TestNotices(t *testing.T) {
	t.Parallel()
	mit, err := os.ReadFile(filepath.Join("..", "..", "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range embedded {
		var out bytes.Buffer
		if err := d.notice(&out, mit); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); !strings.Contains(text, d.copyright) || strings.Contains(text, "the aura authors") || !strings.Contains(text, "Permission is hereby granted") {
			t.Errorf("got %s", text)
		}
		if d.notice(&out, []byte("no license")) == nil {
			t.Error("a text without a copyright was accepted")
		}
	}
}

// TestComponents checks the references within the list of components.
func TestComponents(t *testing.T) {
	t.Parallel()
	var b bom
	if err := json.Unmarshal(make1(t, nil, platform{"linux", "amd64"})["aura-0.1.0.cdx.json"], &b); err != nil {
		t.Fatal(err)
	}
	refs := map[string]bool{b.Metadata.Component.Ref: true}
	for _, c := range append(b.Metadata.Component.Components, b.Components...) {
		if refs[c.Ref] {
			t.Errorf("%s is there twice", c.Ref)
		}
		refs[c.Ref] = true
	}
	for _, d := range b.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if !refs[ref] {
				t.Errorf("%s is no component", ref)
			}
		}
	}
	if !refs["pkg:golang/example.com/m@v1.2.3"] || !refs["pkg:golang/std@1.26.8"] {
		t.Errorf("got components %v", refs)
	}
	if b.SerialNumber != "urn:uuid:01234567-89ab-8def-8123-456789abcdef" {
		t.Errorf("got serial number %s", b.SerialNumber)
	}
}

// TestInstallers checks that the Homebrew formula and the Scoop manifest name the archives with their checksums.
func TestInstallers(t *testing.T) {
	t.Parallel()
	made := make1(t, nil, everything(t)...)
	for _, p := range everything(t) {
		name, where := fmt.Sprintf("aura-0.1.0-%s-%s.tar.gz", p.os, p.arch), "aura.rb"
		if p.os == "windows" {
			name, where = fmt.Sprintf("aura-0.1.0-%s-%s.zip", p.os, p.arch), "aura.json"
		}
		sum := sha256.Sum256(made[name])
		for _, want := range []string{"https://example.com/download/v0.1.0/" + name, hex.EncodeToString(sum[:])} {
			if !bytes.Contains(made[where], []byte(`"`+want+`"`)) {
				t.Errorf("%s does not have %s", where, want)
			}
		}
	}
	var m scoopManifest
	if err := json.Unmarshal(made["aura.json"], &m); err != nil || m.Architecture["64bit"].ExtractDir != "aura-0.1.0-windows-amd64" {
		t.Errorf("got %+v (%v)", m, err)
	}
	if linux := make1(t, nil, platform{"linux", "amd64"}); linux["aura.json"] != nil || bytes.Contains(linux["aura.rb"], []byte("on_macos")) {
		t.Error("a release for Linux alone has files for other systems")
	}
}
