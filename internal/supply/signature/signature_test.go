package signature

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/lab/testneed"
)

func newSigner(t *testing.T) ssh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signerOf(t, key)
}

func signerOf(t *testing.T, key any) ssh.Signer {
	t.Helper()
	s, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// public returns the two fields of a key in a list.
func public(s ssh.Signer) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(s.PublicKey())))
}

func armor(t *testing.T, s ssh.Signer, payload, namespace string) string {
	t.Helper()
	sig, err := sshsig.Sign(strings.NewReader(payload), s, sshsig.HashSHA512, namespace)
	if err != nil {
		t.Fatal(err)
	}
	return string(sshsig.Armor(sig))
}

const (
	signedAt = 1_760_000_000 // 2025-10-09
	tree     = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
)

func commitPayload() string {
	return tree + fmt.Sprintf("author A <a@example.org> %d +0000\ncommitter C <c@example.org> %d +0000\n\nAdd a tool\n\ngpgsig is a word here\n", signedAt-60, signedAt)
}

// withSignature puts a signature into the headers of a commit, as git does.
func withSignature(payload, armored string) string {
	headers, message, _ := strings.Cut(payload, "\n\n")
	return headers + "\ngpgsig " + strings.ReplaceAll(strings.TrimSuffix(armored, "\n"), "\n", "\n ") + "\n\n" + message
}

func tagPayload(name string) string {
	return fmt.Sprintf("object 83baae61804e65cc73a7201a7252750c76066a30\ntype commit\ntag %s\ntagger T <t@example.org> %d +0200\n\nVersion one\n", name, signedAt)
}

// TestVerify tries a signature that counts, and everything that makes one that does not.
func TestVerify(t *testing.T) {
	t.Parallel()
	alice, mallory := newSigner(t), newSigner(t)
	line := "alice@example.org "
	good := line + public(alice)
	commit := func(s ssh.Signer, namespace string) string {
		return withSignature(commitPayload(), armor(t, s, commitPayload(), namespace))
	}
	tag := func(s ssh.Signer) string { return tagPayload("v1") + armor(t, s, tagPayload("v1"), "git") }
	signed := commit(alice, "git")
	now := time.Unix(signedAt, 0).Add(24 * time.Hour)
	for name, row := range map[string]struct {
		list, object string
		kind         Kind
		now          time.Time
		want         error
		text         string
	}{
		"commit":                     {list: good, object: signed},
		"tag":                        {list: good, object: tag(alice), kind: Tag},
		"any namespace that matches": {list: line + `namespaces="file,g?t" ` + public(alice), object: signed},
		"within the dates":           {list: line + `valid-after="20250101Z",valid-before="20260101Z" ` + public(alice), object: signed},
		"the second line counts":     {list: line + `valid-before="20200101Z" ` + public(alice) + "\n" + good, object: signed},

		"not signed":               {list: good, object: commitPayload(), want: ErrUnsigned},
		"tag not signed":           {list: good, object: tagPayload("v1"), kind: Tag, want: ErrUnsigned},
		"signed with PGP":          {list: good, object: withSignature(commitPayload(), "-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n"), want: ErrOtherKind},
		"nobody is allowed":        {object: signed, want: ErrUnknownKey},
		"another key":              {list: good, object: commit(mallory, "git"), want: ErrUnknownKey},
		"wrong namespace":          {list: good, object: commit(alice, "file"), want: ErrNamespace},
		"key for files only":       {list: line + `namespaces="file" ` + public(alice), object: signed, want: ErrNamespace},
		"expired when it signed":   {list: line + `valid-before="20250101Z" ` + public(alice), object: signed, want: ErrExpired},
		"expired since":            {list: line + `valid-before="20251010Z" ` + public(alice), object: signed, want: ErrExpired},
		"not valid yet":            {list: line + `valid-after="20251010Z" ` + public(alice), object: signed, want: ErrNotYetValid},
		"content changed":          {list: good, object: strings.Replace(signed, "Add a tool", "Add a door", 1), want: ErrTampered},
		"header added":             {list: good, object: strings.Replace(signed, "\ngpgsig ", "\nencoding x\ngpgsig ", 1), want: ErrTampered},
		"signature of another":     {list: good, object: withSignature(strings.Replace(commitPayload(), "4b82", "4b83", 1), armor(t, alice, commitPayload(), "git")), want: ErrTampered},
		"tag of another name":      {list: good, object: tagPayload("v2") + armor(t, alice, tagPayload("v2"), "git"), kind: Tag, want: ErrTagName},
		"text behind the tag":      {list: good, object: tag(alice) + "more\n", kind: Tag, text: "not one block"},
		"two signatures":           {list: good, object: withSignature(signed, armor(t, alice, signed, "git")), text: "more than one signature"},
		"no signature in the mark": {list: good, object: withSignature(commitPayload(), "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"), text: "reading the signature"},
		"no time":                  {list: good, object: tree + "committer C\n\nx", text: "no time that can be read"},
		"too large":                {list: good, object: strings.Repeat("x", MaxObject+1), text: "limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if row.kind == "" {
				row.kind = Commit
			}
			list, err := ParseAllowed("signers", []byte(row.list))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Verify(row.kind, []byte(row.object), "v1", list, now)
			switch {
			case row.want != nil && !errors.Is(err, row.want), row.text != "" && (err == nil || !strings.Contains(err.Error(), row.text)):
				t.Fatalf("error %v, want %v %s", err, row.want, row.text)
			case row.want == nil && row.text == "":
				if want := (Verified{"alice@example.org", ssh.FingerprintSHA256(alice.PublicKey())}); err != nil || got != want {
					t.Fatalf("%v, %v, want %v", got, err, want)
				}
			}
		})
	}
}

// TestWeakKeys refuses keys and signatures that can be computed, in lists and in signatures.
func TestWeakKeys(t *testing.T) {
	t.Parallel()
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(signedAt, 0)
	for name, key := range map[string]any{"RSA": long, "ECDSA": curve} {
		s := signerOf(t, key)
		list, err := ParseAllowed("signers", []byte("a@example.org "+public(s)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(Commit, []byte(withSignature(commitPayload(), armor(t, s, commitPayload(), "git"))), "", list, now); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := signerOf(t, long)
	sha1, err := s.Sign(rand.Reader, []byte("x"))
	if err != nil || sha1.Format != ssh.KeyAlgoRSA {
		t.Fatal(sha1, err)
	}
	weak := &sshsig.Signature{Version: 1, PublicKey: s.PublicKey(), Namespace: "git", HashAlgorithm: sshsig.HashSHA512, Signature: sha1}
	_, err = Verify(Commit, []byte(withSignature(commitPayload(), string(sshsig.Armor(weak)))), "", nil, now)
	if err == nil || errors.Is(err, ErrUnknownKey) {
		t.Errorf("a signature with SHA-1 gave %v", err)
	}
	short, err := rsa.GenerateKey(rand.Reader, 1024) //nolint:gosec // too short on purpose
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseAllowed("signers", []byte("a@example.org "+public(signerOf(t, short)))); err == nil || !strings.Contains(err.Error(), "1024 bits") {
		t.Errorf("a list with an RSA key of 1024 bits gave %v", err)
	}
}

// TestParseAllowed reads each form of a line, and reports each mistake with its line.
func TestParseAllowed(t *testing.T) {
	t.Parallel()
	key := public(newSigner(t))
	kind, blob, _ := strings.Cut(key, " ")
	for _, row := range []struct{ line, principals, fault string }{
		{line: "a@example.org " + key, principals: "a@example.org"},
		{line: "a@example.org,*@example.com\t" + key + " laptop of A", principals: "a@example.org,*@example.com"},
		{line: `"A B" namespaces="git",valid-after="202501011200" ` + key + "\r", principals: "A B"},
		{line: "\ufeffa@example.org " + key, principals: "a@example.org"},
		{line: "a " + `Valid-Before="20990101120000Z" ` + key, principals: "a"},
		{line: "# a comment\n\n"},
		{line: "a@example.org", fault: "signers:1: a line is: PRINCIPALS"},
		{line: "a@example.org " + kind, fault: "a line is: PRINCIPALS"},
		{line: "a@example.org " + kind + " ????", fault: "not base64"},
		{line: "a@example.org ssh-rsa " + blob, fault: "is of type ssh-ed25519, not ssh-rsa"},
		{line: "a@example.org cert-authority " + key, fault: "not by certificates"},
		{line: "a@example.org namespace=\"git\" " + key, fault: `unknown option "namespace"`},
		{line: "a@example.org namespaces=git " + key, fault: "needs quotes"},
		{line: "a@example.org namespaces=\"[\" " + key, fault: "is not a pattern"},
		{line: "a@example.org valid-after=\"2025\" " + key, fault: `"2025" is not a time`},
		{line: "a@example.org valid-after=\"20251301\" " + key, fault: "is not a time"},
		{line: "a@example.org valid-after=\"20250101\",valid-after=\"20250102\" " + key, fault: "twice"},
		{line: "a@example.org valid-after=\"20250102\",valid-before=\"20250101\" " + key, fault: "not after"},
		{line: "a@example.org namespaces=\"git\"valid-after=\"20250102\" " + key, fault: "comma is missing"},
		{line: "a@example.org namespaces=\"git " + key, fault: "quote is not closed"},
	} {
		list, err := ParseAllowed("signers", []byte(row.line))
		switch {
		case row.fault != "":
			if err == nil || !strings.Contains(err.Error(), row.fault) {
				t.Errorf("%q: %v, want %q", row.line, err, row.fault)
			}
		case err != nil:
			t.Errorf("%q: %v", row.line, err)
		case row.principals == "" && len(list) > 0, row.principals != "" && (len(list) != 1 || list[0].Principals != row.principals):
			t.Errorf("%q: %+v, want %q", row.line, list, row.principals)
		}
	}
}

// TestCounts withdraws a key that was verified before.
func TestCounts(t *testing.T) {
	t.Parallel()
	alice, bob := newSigner(t), newSigner(t)
	v := Verified{Signer: "alice", Key: ssh.FingerprintSHA256(alice.PublicKey())}
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		list string
		want error
	}{
		{"alice " + public(alice), nil},
		{`alice valid-before="20270101Z" ` + public(alice), nil},
		{`alice valid-before="20260101Z" ` + public(alice), ErrExpired},
		{`alice valid-after="20270101Z" ` + public(alice), ErrNotYetValid},
		{`alice namespaces="file" ` + public(alice), ErrUnknownKey},
		{"alice " + public(bob), ErrUnknownKey},
		{"bob " + public(alice), ErrUnknownKey},
		{"", ErrUnknownKey},
	} {
		list, err := ParseAllowed("signers", []byte(row.list))
		if err != nil {
			t.Fatal(err)
		}
		if err := Counts(list, v, at); !errors.Is(err, row.want) {
			t.Errorf("%q: %v, want %v", row.list, err, row.want)
		}
	}
}

// TestGit verifies what git and ssh-keygen made.
func TestGit(t *testing.T) {
	t.Parallel()
	keygen := testneed.Program(t, "ssh-keygen")
	dir := t.TempDir()
	run := func(name string, args ...string) []byte {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return out
	}
	run(keygen, "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", filepath.Join(dir, "key"))
	run("git", "init", "-q")
	sign := []string{"-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gpg.format=ssh", "-c", "user.signingkey=" + filepath.Join(dir, "key")}
	run("git", append(sign, "commit", "-q", "--allow-empty", "-S", "-m", "one")...)
	run("git", append(sign, "tag", "-s", "-m", "first", "v1")...)
	key, err := os.ReadFile(filepath.Join(dir, "key.pub"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := ParseAllowed("signers", append([]byte("a@example.org "), key...))
	if err != nil {
		t.Fatal(err)
	}
	for kind, name := range map[Kind]string{Commit: "HEAD", Tag: "v1"} {
		raw := run("git", "cat-file", string(kind), name)
		if _, err := Verify(kind, raw, name, list, time.Now()); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		raw = bytes.Replace(raw, []byte("example"), []byte("elsewhere"), 1)
		if _, err := Verify(kind, raw, name, list, time.Now()); !errors.Is(err, ErrTampered) {
			t.Errorf("%s with a change: %v", kind, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add([]byte(commitPayload()), true)
	f.Add([]byte(tagPayload("v1")+"-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"), false)
	f.Add([]byte("gpgsig -----BEGIN SSH SIGNATURE-----\n x\n\n"), true)
	f.Fuzz(func(t *testing.T, raw []byte, commit bool) {
		kind := Tag
		if commit {
			kind = Commit
		}
		if v, err := Verify(kind, raw, "v1", nil, time.Unix(signedAt, 0)); err == nil {
			t.Fatalf("%v counts, but nobody is allowed to sign", v)
		}
	})
}

func FuzzParseAllowed(f *testing.F) {
	f.Add([]byte(`a valid-after="20250101Z",namespaces="git" ssh-ed25519 AAAA`))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := ParseAllowed("signers", text)
		for _, s := range list {
			if err != nil || s.Principals == "" || s.Fingerprint == "" {
				t.Fatalf("%+v, %v", s, err)
			}
		}
	})
}
