package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/system/hidden"
	"github.com/idelchi/aura/internal/system/network"
)

// Paths holds the two lists of paths that settings can give.
type Paths struct {
	ReadOnly  []string
	ReadWrite []string
}

// Config holds the user's settings for a policy.
type Config struct {
	// Restrictions replaces the default lists. A nil list keeps the default. An empty list grants nothing.
	Restrictions Paths
	// Extra is granted in addition.
	Extra Paths
	// Network says which hosts can be reached. It cannot grant the network to a kind that has none.
	Network network.Setting
	// UnixSockets lets command lines connect to other processes through Unix sockets.
	UnixSockets bool
	// Hidden hides files in the working directory; nil hides none.
	Hidden *hidden.Rules
}

// Compose applies settings to the default policy of a kind. Paths in the settings may begin with ~ and may be relative to the
// working directory. Settings cannot remove what the process needs to run, nor a protected path. They can only remove a hidden
// path by naming it.
func Compose(at Place, kind Kind, c Config) Policy {
	p := Default(at, kind)
	if c.Restrictions.ReadOnly != nil {
		p.ReadOnly = at.absolute(c.Restrictions.ReadOnly)
	}
	if c.Restrictions.ReadWrite != nil {
		p.ReadWrite = append(at.absolute(c.Restrictions.ReadWrite), present(at.Output)...)
	}
	p.ReadOnly = append(p.ReadOnly, at.absolute(c.Extra.ReadOnly)...)
	p.ReadWrite = append(p.ReadWrite, at.absolute(c.Extra.ReadWrite)...)
	p.grantTemp(at, at.absolute(c.Extra.ReadWrite))
	p.Caches, p.Store = p.layered(at, at.absolute(c.Extra.ReadWrite)), at.Store
	if p.Network {
		p.Network, p.Hosts = c.Network.On, c.Network.Rules
	}
	p.UnixSockets = c.UnixSockets && (kind == KindShell || kind == KindServer)
	p.protectTrusted(at)
	p.hideSecrets(at)
	p.Hidden = slices.DeleteFunc(p.Hidden, func(path string) bool {
		// A user who names a secret in the settings asks for access to it.
		return slices.Contains(p.ReadOnly, path) || slices.Contains(p.ReadWrite, path)
	})
	p.Rules = c.Hidden
	for _, paths := range [][]string{c.Restrictions.ReadOnly, c.Restrictions.ReadWrite, c.Extra.ReadOnly, c.Extra.ReadWrite} {
		p.hideElsewhere(at.absolute(paths))
	}
	return p
}

// hideElsewhere adds the rules for paths that are granted outside of the working directory.
func (p *Policy) hideElsewhere(granted []string) {
	for _, dir := range resolvedAll(granted) {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			dir = filepath.Dir(dir)
		}
		rules := p.Rules.In(dir)
		if rules != nil && !slices.ContainsFunc(p.Elsewhere, rules.Same) {
			p.Elsewhere = append(slices.Clip(p.Elsewhere), rules)
		}
	}
}

func (at Place) absolute(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		switch {
		case path == "":
			continue
		case path == "~" || strings.HasPrefix(path, "~/"):
			if at.Home == "" {
				continue
			}
			path = filepath.Join(at.Home, path[1:])
		case !filepath.IsAbs(path):
			path = filepath.Join(at.Workdir, path)
		}
		out = append(out, filepath.Clean(path))
	}
	return out
}

// Stricter reports whether p forbids anything that other allows, so that a process confined by other could do what p forbids.
func (p Policy) Stricter(other Policy) bool {
	covered := func(mine, theirs []string) bool {
		return !slices.ContainsFunc(theirs, func(path string) bool { return covering(mine, path) == "" })
	}
	// A path that other cannot reach anyway does not count as forbidden.
	forbids := func(mine, theirs []string) bool {
		set := newTreeSet(theirs)
		return slices.ContainsFunc(mine, func(path string) bool { return other.reach(path) != "" && set.around(path) == "" })
	}
	reaches := func(c Cover) bool {
		return covering(other.ReadWrite, c.Path) != "" && !slices.Contains(other.Covers, c)
	}
	shares := func(cache string) bool {
		return covering(other.ReadWrite, cache) != "" && !slices.Contains(other.Caches, cache)
	}
	return slices.ContainsFunc(p.Covers, reaches) || slices.ContainsFunc(p.Caches, shares) || p.LessNetwork(other) || other.UnixSockets && !p.UnixSockets || other.Exec && !p.Exec ||
		!covered(p.ReadWrite, other.ReadWrite) ||
		!covered(slices.Concat(p.ReadOnly, p.ReadWrite, p.Own), slices.Concat(other.ReadOnly, other.ReadWrite)) ||
		forbids(p.Protected, slices.Concat(other.Protected, other.Hidden)) || forbids(p.Hidden, other.Hidden) || p.Rules.Stricter(other.Rules) ||
		slices.ContainsFunc(p.Elsewhere, func(r *hidden.Rules) bool { return !slices.ContainsFunc(other.Elsewhere, r.Same) })
}

// LessNetwork reports whether p may forbid a host that other allows.
func (p Policy) LessNetwork(other Policy) bool {
	switch {
	case p.Network:
		return false
	case other.Network:
		return true
	case other.Hosts == nil:
		return false
	default:
		return p.Hosts == nil || p.Hosts.Stricter(*other.Hosts)
	}
}

// WithoutFiles returns the policy for a program that declares that it cannot work in a sandbox. Every file can be reached; the
// rest of the policy still holds.
func (p Policy) WithoutFiles() Policy {
	p.ReadOnly, p.Make, p.Own, p.Protected, p.Exposed, p.Hidden = nil, nil, nil, nil, nil, nil
	p.Caches, p.Store = nil, ""
	p.Temp, p.Covers, p.Inner, p.Shown, p.Named, p.GitConfigs = "", nil, nil, nil, nil, nil
	p.Uncovered, p.Opening, p.Hiding = nil, Opening{traffic: p.traffic}, Hiding{}
	p.ReadWrite = []string{string(filepath.Separator)}
	return p
}
