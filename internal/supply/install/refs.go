package install

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// references holds the branches and tags of a repository.
type references struct {
	// head is the commit of the default branch; it is zero if there is no default branch.
	head  plumbing.Hash
	named map[plumbing.ReferenceName]plumbing.Hash
}

var errEmpty = errors.New("the repository is empty: it has no commits")

func advertised(adv *packp.AdvRefs) references {
	refs := references{named: map[plumbing.ReferenceName]plumbing.Hash{}}
	for name, hash := range adv.References {
		refs.named[plumbing.ReferenceName(name)] = hash
	}
	if adv.Head != nil {
		refs.head = *adv.Head
	}
	return refs
}

// hexadecimal matches a commit hash, in full or abbreviated as git allows.
var hexadecimal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Fa-f]{4,40}$`) })

// find resolves a name: a tag, a branch, or the full name of a reference.
func (r references) find(ref string) (plumbing.ReferenceName, plumbing.Hash, bool) {
	if ref == "" || ref == string(plumbing.HEAD) {
		return plumbing.HEAD, r.head, !r.head.IsZero()
	}
	for _, text := range []string{"refs/tags/" + ref, "refs/heads/" + ref, "refs/" + ref, ref} {
		name := plumbing.ReferenceName(text)
		if h, ok := r.named[name]; ok {
			return name, h, true
		}
	}
	return "", plumbing.ZeroHash, false
}

// clone resolves ref among the stored objects.
func (r references) clone(s storer.EncodedObjectStorer, ref string) (clone, error) {
	c := clone{storer: s}
	if name, h, ok := r.find(ref); ok && name.IsTag() {
		c.tag, c.tagName = h, name.Short()
	}
	var err error
	c.commit, err = r.commit(s, ref)
	return c, err
}

// wants returns the objects to request so that ref can be resolved afterwards.
func (r references) wants(ref string) ([]plumbing.Hash, error) {
	if _, h, ok := r.find(ref); ok {
		return []plumbing.Hash{h}, nil
	}
	if len(r.named) == 0 {
		return nil, errEmpty
	}
	if ref == "" {
		return nil, fmt.Errorf("the repository has no default branch; name one with --ref: %s", r.list())
	}
	if !hexadecimal().MatchString(ref) {
		return nil, fmt.Errorf("there is no branch or tag %q; there are: %s", ref, r.list())
	}
	// The commit may be part of any branch or tag.
	wants := map[plumbing.Hash]bool{}
	for name, h := range r.named {
		if name.IsBranch() || name.IsTag() {
			wants[h] = true
		}
	}
	return slices.Collect(maps.Keys(wants)), nil
}

// listed is the number of branches and tags that an error names.
const listed = 20

func (r references) list() string {
	var names []string
	for name := range r.named {
		if name.IsBranch() || name.IsTag() {
			names = append(names, name.Short())
		}
	}
	slices.Sort(names)
	// A branch and a tag may have the same name.
	names = slices.Compact(names)
	if len(names) > listed {
		names = append(names[:listed], "…")
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// commit resolves ref among the stored objects.
func (r references) commit(s storer.EncodedObjectStorer, ref string) (*object.Commit, error) {
	if _, h, ok := r.find(ref); ok {
		return peel(s, h)
	}
	ref = strings.ToLower(ref)
	if len(ref) == len(plumbing.ZeroHash.String()) {
		c, err := peel(s, plumbing.NewHash(ref))
		if err != nil {
			return nil, fmt.Errorf("there is no commit %s on any branch or tag", ref)
		}
		return c, nil
	}
	return abbreviated(s, ref)
}

// peel follows annotated tags to their commit.
func peel(s storer.EncodedObjectStorer, h plumbing.Hash) (*object.Commit, error) {
	for range 10 {
		tag, err := object.GetTag(s, h)
		if err != nil {
			return object.GetCommit(s, h)
		}
		h = tag.Target
	}
	return nil, errors.New("its tags refer to each other without end")
}

func abbreviated(s storer.EncodedObjectStorer, ref string) (*object.Commit, error) {
	iter, err := s.IterEncodedObjects(plumbing.CommitObject)
	if err != nil {
		return nil, err
	}
	var found []plumbing.Hash
	err = iter.ForEach(func(e plumbing.EncodedObject) error {
		if strings.HasPrefix(e.Hash().String(), ref) && !slices.Contains(found, e.Hash()) {
			found = append(found, e.Hash())
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("there is no branch, tag or commit %s", ref)
	case len(found) > 1:
		return nil, fmt.Errorf("%d commits begin with %s; write more of it", len(found), ref)
	}
	return object.GetCommit(s, found[0])
}
