package install

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/mod/semver"
)

// Installed is a unit that came from git.
type Installed struct {
	Name, Dir, URL, Ref, Commit string
	// Index is the index from which it was installed; nil if there was none.
	Index *Indexed
}

// InstalledUnits lists what came from git in a place.
func InstalledUnits(p Place) ([]Installed, error) {
	list, err := units(p)
	if err != nil {
		return nil, fmt.Errorf("looking for plugins: %w", err)
	}
	var out []Installed
	for _, u := range list {
		if u.origin == nil {
			continue
		}
		indexed, err := u.indexed()
		if err != nil {
			return nil, err
		}
		out = append(out, Installed{Name: u.name(), Dir: u.path(), URL: u.origin.URL, Ref: u.origin.Ref, Commit: u.origin.Commit, Index: indexed})
	}
	return out, nil
}

// Newest is the newest version that a repository has.
type Newest struct {
	// Tag is the highest version tag if the installed version is a version tag.
	Tag    string `json:"tag,omitempty"`
	Commit string `json:"commit"`
}

// FindNewest asks the repository of an installed unit for its newest version: the highest version tag if the unit was installed from a version tag, else what
// its branch or tag is at now. It fetches no objects. A unit that was installed from a commit has no newer version.
func FindNewest(ctx context.Context, in Installed, o Options) (Newest, error) {
	s, err := parseSource(in.URL, o.Workdir)
	if err == nil && s.kind == kindLocal {
		err = errNeedsGit
	}
	if err != nil {
		return Newest{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, MaxDownload, fmt.Errorf("it takes more than the limit of %s", MaxDownload))
	defer cancel()
	refs, peeled, err := listRefs(ctx, s, o)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return Newest{}, fmt.Errorf("asking %s for its versions: %w", s.url, err)
	}
	return refs.newest(in, peeled)
}

// newest chooses the newest version. peeled maps annotated tags to their commits.
func (r references) newest(in Installed, peeled map[plumbing.ReferenceName]plumbing.Hash) (Newest, error) {
	name, hash, found := r.find(in.Ref)
	switch {
	case !found && hexadecimal().MatchString(in.Ref):
		return Newest{Commit: in.Commit}, nil
	case !found:
		return Newest{}, fmt.Errorf("there is no branch or tag %q any more", in.Ref)
	}
	if version := asVersion(name.Short()); name.IsTag() && version != "" {
		for other, at := range r.named {
			v := asVersion(other.Short())
			if other.IsTag() && v != "" && semver.Compare(v, version) > 0 && (semver.Prerelease(v) == "" || semver.Prerelease(version) != "") {
				name, hash, version = other, at, v
			}
		}
		return Newest{Tag: name.Short(), Commit: commitOf(name, hash, peeled)}, nil
	}
	return Newest{Commit: commitOf(name, hash, peeled)}, nil
}

func commitOf(name plumbing.ReferenceName, hash plumbing.Hash, peeled map[plumbing.ReferenceName]plumbing.Hash) string {
	if at, ok := peeled[name]; ok {
		hash = at
	}
	return hash.String()
}

// asVersion returns a tag such as v1.2.0 or 1.2.0 in the form of semver, or "".
func asVersion(tag string) string {
	if version := "v" + strings.TrimPrefix(tag, "v"); semver.IsValid(version) {
		return version
	}
	return ""
}

// listRefs returns the branches and tags of a repository, and the commits of annotated tags.
func listRefs(ctx context.Context, s source, o Options) (references, map[plumbing.ReferenceName]plumbing.Hash, error) {
	peeled := map[plumbing.ReferenceName]plumbing.Hash{}
	if s.kind == kindFile {
		refs, repo, err := openRefs(s)
		if err != nil {
			return refs, nil, err
		}
		for name, hash := range refs.named {
			if c, err := peel(hashed{repo.Storer}, hash); err == nil {
				peeled[name] = c.Hash
			}
		}
		return refs, peeled, nil
	}
	p := newPeer()
	session, adv, err := connect(ctx, s, o, p)
	if err != nil {
		return references{}, nil, p.explain(err)
	}
	defer func() { _ = session.Close() }()
	if len(adv.References) > MaxRefs {
		return references{}, nil, fmt.Errorf("the server lists more than the limit of %d branches and tags", MaxRefs)
	}
	for name, hash := range adv.Peeled {
		peeled[plumbing.ReferenceName(name)] = hash
	}
	return advertised(adv), peeled, nil
}
