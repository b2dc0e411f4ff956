package install

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/hiddeco/sshsig"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/signature"
)

// elsewhere signs for another purpose than git.
type elsewhere struct{ author }

func (e elsewhere) Sign(message io.Reader) ([]byte, error) {
	s, err := sshsig.Sign(message, e.signer, sshsig.HashSHA512, "file")
	if err != nil {
		return nil, err
	}
	return sshsig.Armor(s), nil
}

// pasted puts a signature of another object behind each object.
type pasted struct {
	author
	text string
}

func (p pasted) Sign(io.Reader) ([]byte, error) { return p.author.Sign(strings.NewReader(p.text)) }

// moving has how the tag v2 of a repository comes about: the commit that it names, and who signs it.
type moving func(u upstream, alice author, first plumbing.Hash)

// tagged returns a commit whose tag is signed, and not the commit itself.
func tagged(by func(alice author) git.Signer) moving {
	return func(u upstream, alice author, _ plumbing.Hash) { u.tag("v2", "v2", u.commit("two", nil), by(alice)) }
}

// TestWrongSignatures has one row for each way in which a signature can be wrong. Each is tried where a signature is required: a first
// installation, an update of a version that alice signed, and a load of that version from the lock.
func TestWrongSignatures(t *testing.T) {
	t.Parallel()
	mallory := newAuthor(t)
	aliceSigns := tagged(func(alice author) git.Signer { return alice })
	for name, row := range map[string]struct {
		v2 moving
		// list returns the allowed signers at the moment of the attempt; nil for alice.
		list func(alice author) string
		// ref is the tag that an update asks for.
		ref string
		// load changes the installed version before it is loaded; nil for no change.
		load func(t *testing.T, p Place)
		// add, update and loaded are in the errors. An empty one means that this way has no such case, and works.
		add, update, loaded string
	}{
		"sound":     {v2: aliceSigns, ref: "v2"},
		"none":      {v2: tagged(func(author) git.Signer { return nil }), ref: "v2", add: "it is not signed", update: "it is not signed"},
		"wrong key": {v2: tagged(func(author) git.Signer { return mallory }), ref: "v2", add: "not on the list of allowed signers (signed by " + mallory.key(), update: "not on the list of allowed signers (signed by " + mallory.key()},
		"expired key": {
			v2: aliceSigns, ref: "v2", list: func(a author) string { return a.line("alice", `valid-before="20260115Z"`) },
			add: "the key has expired", update: "the key has expired", loaded: "the key has expired",
		},
		"not yet valid": {
			v2: aliceSigns, ref: "v2", list: func(a author) string { return a.line("alice", `valid-after="20270101Z"`) },
			add: "the key is not valid yet", update: "the key is not valid yet", loaded: "the key is not valid yet",
		},
		"wrong namespace": {
			v2: tagged(func(a author) git.Signer { return elsewhere{a} }), ref: "v2", add: `its namespace is "file", not "git"`, update: `its namespace is "file", not "git"`,
		},
		"a key for another namespace": {
			v2: aliceSigns, ref: "v2", list: func(a author) string { return a.line("alice", `namespaces="file"`) },
			add: "allows the key for file only", update: "allows the key for file only", loaded: "not on the list",
		},
		"tampered tag": {
			v2: func(u upstream, a author, first plumbing.Hash) {
				second := u.commit("two", nil)
				u.tag("v2", "v2", second, pasted{a, "object " + first.String() + "\ntype commit\ntag v2\n"})
			},
			ref: "v2", add: "does not fit its content", update: "does not fit its content",
		},
		"tampered files": {
			v2: aliceSigns, ref: "v2",
			load: func(t *testing.T, p Place) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(p.Root, "greet", "note.txt"), []byte("evil"), 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := Trust(t.Context(), []Place{p}, "greet", options()); err != nil {
					t.Fatal(err)
				}
			},
			loaded: "its files are not those that alice signed",
		},
		"tag moved": {
			v2: func(u upstream, a author, _ plumbing.Hash) { u.tag("v1", "v1", u.commit("two", nil), a) }, ref: "",
			update: "the tag v1 has moved from commit",
		},
		"commit rewritten": {
			v2: func(u upstream, a author, _ plumbing.Hash) {
				head, err := u.repo.Head()
				if err := errors.Join(err, u.repo.Storer.RemoveReference(head.Name())); err != nil {
					u.t.Fatal(err)
				}
				u.tag("v2", "v2", u.commit("two", nil), a)
			},
			ref: "v2", update: "the history was rewritten",
		},
		"signature of another repository": {
			v2: func(u upstream, a author, _ plumbing.Hash) {
				other := newUpstream(u.t)
				text := "object " + other.commit("two", nil).String() + "\ntype commit\ntag v2\ntagger a <a@example.com> 1767225600 +0000\n\nx\n"
				u.tag("v2", "v2", u.commit("two", nil), pasted{a, text})
			},
			ref: "v2", add: "does not fit its content", update: "does not fit its content",
		},
		"removed signer": {
			v2: aliceSigns, ref: "v2", list: func(author) string { return mallory.line("mallory", "") },
			add: "not on the list", update: "not on the list", loaded: "it is signed by alice, ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alice := newAuthor(t)
			u, p := newUpstream(t), newPlace(t)
			first := u.commit("one", nil)
			u.tag("v1", "v1", first, alice)
			if _, err := Add(t.Context(), p, Request{Source: u.url(), Name: "greet", Ref: "v1"}, signing(t, signature.Required, alice.line("alice", ""))); err != nil {
				t.Fatal(err)
			}
			row.v2(u, alice, first)
			list := alice.line("alice", "")
			if row.list != nil {
				list = row.list(alice)
			}
			o := signing(t, signature.Required, list)
			if row.add != "" {
				fresh := newPlace(t)
				_, err := Add(t.Context(), fresh, Request{Source: u.url(), Name: "greet", Ref: row.ref}, o)
				refused(t, "add", err, row.add)
				empty(t, fresh)
			}
			if row.load != nil {
				row.load(t, p)
			}
			found, err := manifest.Discover(p.Root)
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			Verify(p, found, o.Signing)
			refused(t, "load", found[0].Err, row.loaded)
			if row.load != nil {
				return // the update would put the signed files back
			}
			o.Ref = row.ref
			_, err = Update(t.Context(), []Place{p}, "greet", o)
			refused(t, "update", err, row.update)
		})
	}
}

// refused compares an error with the text that it should have; "" stands for no error.
func refused(t *testing.T, what string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}
