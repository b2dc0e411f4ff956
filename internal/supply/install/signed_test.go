package install

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/signature"
)

// author signs commits and tags with a key of its own.
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

// line is the author's line in a list of allowed signers.
func (a author) line(name, options string) string {
	return name + " " + options + " " + string(ssh.MarshalAuthorizedKey(a.signer.PublicKey()))
}

func (a author) key() string { return ssh.FingerprintSHA256(a.signer.PublicKey()) }

// Sign implements git.Signer.
func (a author) Sign(message io.Reader) ([]byte, error) {
	s, err := sshsig.Sign(message, a.signer, sshsig.HashSHA512, "git")
	if err != nil {
		return nil, err
	}
	return sshsig.Armor(s), nil
}

// committedAt is the time of all commits, and installedAt that of all installations.
var (
	committedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	installedAt = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
)

// upstream is a repository with signed commits and tags.
type upstream struct {
	t    *testing.T
	dir  string
	repo *git.Repository
}

func newUpstream(t *testing.T) upstream {
	t.Helper()
	dir := t.TempDir()
	repo, err := git.PlainInit(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	return upstream{t, dir, repo}
}

func (u upstream) url() string { return "file://" + filepath.ToSlash(u.dir) }

// commit adds a commit with a changed file, signed by nobody if by is nil.
func (u upstream) commit(text string, by git.Signer) plumbing.Hash {
	u.t.Helper()
	write(u.t, u.dir, with(map[string]string{"note.txt": text}))
	tree, err := u.repo.Worktree()
	if err == nil {
		err = tree.AddWithOptions(&git.AddOptions{All: true})
	}
	var h plumbing.Hash
	if err == nil {
		h, err = tree.Commit(text, &git.CommitOptions{Author: &object.Signature{Name: "a", Email: "a@example.com", When: committedAt}, Signer: by})
	}
	if err != nil {
		u.t.Fatal(err)
	}
	return h
}

// tag makes an annotated tag that says its name is said, signed by nobody if by is nil.
func (u upstream) tag(name, said string, target plumbing.Hash, by git.Signer) {
	u.t.Helper()
	text := fmt.Sprintf("object %s\ntype commit\ntag %s\ntagger a <a@example.com> %d +0000\n\nx\n", target, said, committedAt.Unix())
	if by != nil {
		armored, err := by.Sign(strings.NewReader(text))
		if err != nil {
			u.t.Fatal(err)
		}
		text += string(armored)
	}
	o := u.repo.Storer.NewEncodedObject()
	o.SetType(plumbing.TagObject)
	w, err := o.Writer()
	if err == nil {
		_, err = io.Copy(w, strings.NewReader(text))
	}
	var h plumbing.Hash
	if err == nil {
		h, err = u.repo.Storer.SetEncodedObject(o)
	}
	if err == nil {
		err = u.repo.Storer.SetReference(plumbing.NewHashReference(plumbing.NewTagReferenceName(name), h))
	}
	if err != nil {
		u.t.Fatal(err)
	}
}

// signing returns options with a rule and a list of allowed signers.
func signing(t *testing.T, rule signature.Rule, list ...string) Options {
	t.Helper()
	allowed, err := signature.ParseAllowed("allowed_signers", []byte(strings.Join(list, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Now = func() time.Time { return installedAt }
	o.Signing = func(string, string) signature.Policy { return signature.Policy{Rule: rule, Allowed: allowed} }
	return o
}

// expect compares an error with the text that it should have; "" stands for no error.
func expect(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Fatalf("%v, want %q", err, want)
	}
}

// TestRefusedSource checks that no source is asked, read or copied that the policy of the machine does not permit.
func TestRefusedSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, source := range map[string]string{"repository": "https://127.0.0.1:1/a/greet", "directory": dir, "file": "file://" + dir} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options()
			o.Signing = func(_, url string) signature.Policy {
				return signature.Policy{Refused: fmt.Errorf("no plugins from %s", url)}
			}
			home := filepath.Join(t.TempDir(), "home")
			p := Place{Home: home, Root: filepath.Join(home, "plugins")}
			_, err := Add(t.Context(), p, Request{Source: source, Name: "greet"}, o)
			expect(t, err, "adding greet: no plugins from ")
			empty(t, p)
		})
	}
}

// TestAddSigned installs versions with all kinds of signatures under each rule.
func TestAddSigned(t *testing.T) {
	t.Parallel()
	alice, mallory := newAuthor(t), newAuthor(t)
	listed := alice.line("alice@example.com", "")
	for name, row := range map[string]struct {
		commit, tag git.Signer
		// said is the name that the tag v1 says; empty without a tag.
		said, list                 string
		off, preferred, required   string
		signedOff, signedElsewhere string
	}{
		"commit":      {commit: alice, list: listed, signedElsewhere: "commit"},
		"tag":         {tag: alice, said: "v1", list: listed, signedElsewhere: "tag v1"},
		"tag counts":  {commit: mallory, tag: alice, said: "v1", list: listed, signedElsewhere: "tag v1"},
		"else commit": {commit: alice, said: "v1", list: listed, signedElsewhere: "commit"},
		"unsigned":    {list: listed, required: "it is not signed; plugins.signed requires a signature of an allowed signer; expected one of: " + alice.key() + " (alice@example.com)"},
		"no list":     {commit: alice, required: "expected one of: no key (there is no list of allowed signers)"},
		"unknown key": {commit: mallory, list: listed, required: "not on the list of allowed signers (signed by " + mallory.key() + "); plugins.signed requires"},
		"bad tag":     {commit: alice, tag: mallory, said: "v1", list: listed, required: "tag v1: the key is not on the list"},
		"other name":  {tag: alice, said: "v0", list: listed, preferred: "the tag was signed under another name: \"v0\"", required: "another name"},
		"expired":     {commit: alice, list: alice.line("alice@example.com", `valid-before="20260115Z"`), preferred: "the key has expired", required: "expired"},
		"too early":   {commit: alice, list: alice.line("alice@example.com", `valid-after="20260115Z"`), preferred: "not valid yet", required: "not valid yet"},
	} {
		for rule, want := range map[signature.Rule]string{signature.Off: row.off, signature.Preferred: row.preferred, signature.Required: row.required} {
			t.Run(name+"/"+string(rule), func(t *testing.T) {
				t.Parallel()
				u, p := newUpstream(t), newPlace(t)
				h, ref := u.commit("one", row.commit), ""
				if row.said != "" {
					u.tag("v1", row.said, h, row.tag)
					ref = "v1"
				}
				added, err := Add(t.Context(), p, Request{Source: u.url(), Name: "greet", Ref: ref}, signing(t, rule, row.list))
				expect(t, err, want)
				if err != nil {
					empty(t, p)
					return
				}
				object := ""
				if added.Signed != nil {
					object = added.Signed.Object
				}
				if rule == signature.Off && object != "" || rule != signature.Off && object != row.signedElsewhere {
					t.Errorf("signed: %q", object)
				}
			})
		}
	}
	if _, err := Add(t.Context(), newPlace(t), Request{Source: t.TempDir(), Name: "greet"}, signing(t, signature.Required)); err == nil || !strings.Contains(err.Error(), "a directory or a file has none") {
		t.Errorf("a directory: %v", err)
	}
}

// TestUpdateSigned replaces a version that alice signed.
func TestUpdateSigned(t *testing.T) {
	t.Parallel()
	alice, bob, mallory := newAuthor(t), newAuthor(t), newAuthor(t)
	both := []string{alice.line("alice", ""), bob.line("bob", "")}
	for name, row := range map[string]struct {
		by        git.Signer
		ref       string
		rewritten bool
		list      []string
		// faults maps options that accept something to what is still refused.
		faults map[string]string
	}{
		"same signer":   {by: alice, list: both, faults: map[string]string{"": ""}},
		"second key":    {by: bob, list: []string{alice.line("alice", ""), bob.line("alice", "")}, faults: map[string]string{"": ""}},
		"other signer":  {by: bob, list: both, faults: map[string]string{"": "the installed version by alice, ", bob.key(): "", alice.key(): "the other signer", "none": "the other signer"}},
		"unknown":       {by: mallory, list: both, faults: map[string]string{"": "the installed version was signed by alice", "none": "", mallory.key(): "not on the list"}},
		"unsigned":      {list: both, faults: map[string]string{"": "it is not signed; the installed version was signed by alice", "none": ""}},
		"rewritten":     {by: alice, rewritten: true, list: both, faults: map[string]string{"": "the history was rewritten", "rewritten": ""}},
		"a tag moved":   {by: alice, ref: "v1", list: both, faults: map[string]string{"": "the tag v1 has moved from commit", "rewritten": ""}},
		"expired since": {by: alice, list: []string{alice.line("alice", `valid-before="20260201Z"`)}, faults: map[string]string{"": "expired", "none": "expired"}},
	} {
		for accept, want := range row.faults {
			t.Run(name+"/"+accept, func(t *testing.T) {
				t.Parallel()
				u, p := newUpstream(t), newPlace(t)
				first := u.commit("one", alice)
				if row.ref != "" {
					u.tag(row.ref, row.ref, first, alice)
				}
				if _, err := Add(t.Context(), p, Request{Source: u.url(), Name: "greet", Ref: row.ref}, signing(t, signature.Preferred, alice.line("alice", ""))); err != nil {
					t.Fatal(err)
				}
				if row.rewritten {
					head, err := u.repo.Head()
					if err == nil {
						err = u.repo.Storer.RemoveReference(head.Name())
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				second := u.commit("two", row.by)
				if row.ref != "" {
					u.tag(row.ref, row.ref, second, alice)
				}
				o := signing(t, signature.Preferred, row.list...)
				if o.Accept.Rewritten = accept == "rewritten"; !o.Accept.Rewritten {
					o.Accept.Signer = accept
				}
				_, err := Update(t.Context(), []Place{p}, "greet", o)
				expect(t, err, want)
				note, readErr := os.ReadFile(filepath.Join(p.Root, "greet", "note.txt"))
				if wantNote := map[bool]string{true: "one", false: "two"}[want != ""]; readErr != nil || string(note) != wantNote {
					t.Errorf("installed: %q, %v, want %q", note, readErr, wantNote)
				}
			})
		}
	}
}

// TestLoadSigned loads a version that alice signed, and one without a signature, after the list or the rule has changed.
func TestLoadSigned(t *testing.T) {
	t.Parallel()
	alice, bob := newAuthor(t), newAuthor(t)
	for _, row := range []struct {
		by   git.Signer
		rule signature.Rule
		list string
		want string
	}{
		{alice, signature.Required, alice.line("alice", ""), ""},
		{alice, signature.Preferred, alice.line("alice", `valid-before="20260601Z"`), ""},
		{alice, signature.Preferred, bob.line("bob", ""), "it is signed by alice, " + alice.key() + " (commit): the key is not on the list"},
		{alice, signature.Preferred, alice.line("alice", `valid-before="20260115Z"`), "expired"},
		{alice, signature.Off, "", ""},
		{nil, signature.Preferred, "", ""},
		{nil, signature.Required, alice.line("alice", ""), "without a verified signature, and plugins.signed requires one"},
	} {
		u, p := newUpstream(t), newPlace(t)
		u.commit("one", row.by)
		if _, err := Add(t.Context(), p, Request{Source: u.url(), Name: "greet"}, signing(t, signature.Preferred, alice.line("alice", ""))); err != nil {
			t.Fatal(err)
		}
		found, err := manifest.Discover(p.Root)
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		Verify(p, found, signing(t, row.rule, row.list).Signing)
		expect(t, found[0].Err, row.want)
		if (found[0].Signer != "") != (row.by != nil) {
			t.Errorf("signer %q", found[0].Signer)
		}
	}
}

// TestForgedObject puts other content under the name of a signed commit's file: the hashes of a repository on this machine are what its
// files are called.
func TestForgedObject(t *testing.T) {
	t.Parallel()
	alice, u, other := newAuthor(t), newUpstream(t), newUpstream(t)
	good, err := u.repo.CommitObject(u.commit("good", alice))
	if err != nil {
		t.Fatal(err)
	}
	bad, err := other.repo.CommitObject(other.commit("evil", nil))
	if err != nil {
		t.Fatal(err)
	}
	blob := func(u upstream, c *object.Commit) string {
		f, err := c.File("note.txt")
		if err != nil {
			t.Fatal(err)
		}
		h := f.Hash.String()
		return filepath.Join(u.dir, ".git", "objects", h[:2], h[2:])
	}
	file := blob(u, good)
	hash := filepath.Base(filepath.Dir(file)) + filepath.Base(file)
	text, err := os.ReadFile(blob(other, bad))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(file), os.WriteFile(file, text, 0o644)); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	_, err = Add(t.Context(), p, Request{Source: u.url(), Name: "greet"}, signing(t, signature.Required, alice.line("alice", "")))
	expect(t, err, "has the content of another")
	empty(t, p)
	// The control: the repository itself serves the forged content.
	again, err := git.PlainOpen(u.dir)
	if err != nil {
		t.Fatal(err)
	}
	served, err := again.Storer.EncodedObject(plumbing.BlobObject, plumbing.NewHash(hash))
	if err != nil || served.Size() != int64(len("evil")) {
		t.Errorf("control: %v, %v", served, err)
	}
}

// TestForbiddenName checks that no plugin is installed that the policy of the machine forbids by its name.
func TestForbiddenName(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.commit("one", nil)
	o := options()
	var forbidden bool
	o.Signing = func(string, string) signature.Policy {
		return signature.Policy{Permit: func(name string) error {
			if forbidden {
				return fmt.Errorf("%s is forbidden", name)
			}
			return nil
		}}
	}
	home := filepath.Join(t.TempDir(), "home")
	p := Place{Home: home, Root: filepath.Join(home, "plugins")}
	forbidden = true
	_, err := Add(t.Context(), p, Request{Source: u.url(), Name: "greet"}, o)
	expect(t, err, "greet is forbidden")
	empty(t, p)
	forbidden = false
	_, err = Add(t.Context(), p, Request{Source: u.url(), Name: "greet"}, o)
	expect(t, err, "")
}
