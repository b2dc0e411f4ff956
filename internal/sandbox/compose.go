package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// Paths are the two lists of files that settings can give.
type Paths struct {
	ReadOnly  []string
	ReadWrite []string
}

// Config is what the user's settings change in a policy.
type Config struct {
	// Restrictions takes the place of the default lists. A list that is nil leaves the default alone; one that is empty
	// grants nothing.
	Restrictions Paths
	// Extra is granted as well.
	Extra Paths
	// Network off cuts the network. It cannot grant one to what has none.
	Network bool
	// UnixSockets lets command lines reach other processes by Unix sockets.
	UnixSockets bool
}

// Compose applies settings to the default policy of a kind. Paths in the settings may begin with ~ and may be relative to the
// working directory. What the process needs to run, and what is protected or hidden, stays.
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
	p.grantTemp(at)
	p.Network = p.Network && c.Network
	p.UnixSockets = c.UnixSockets && kind == KindShell
	p.hideSecrets(at)
	p.Hidden = slices.DeleteFunc(p.Hidden, func(path string) bool {
		// Naming a secret is asking for it.
		return slices.Contains(p.ReadOnly, path) || slices.Contains(p.ReadWrite, path)
	})
	return p
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

// Stricter reports whether p forbids anything that other allows, so that a process confined by other may do what p forbids.
func (p Policy) Stricter(other Policy) bool {
	covered := func(mine, theirs []string) bool {
		return !slices.ContainsFunc(theirs, func(path string) bool { return covering(mine, path) == "" })
	}
	// What could not be reached anyway is forbidden to nobody.
	forbids := func(mine, theirs []string) bool {
		return slices.ContainsFunc(mine, func(path string) bool { return other.reach(path) != "" && covering(theirs, path) == "" })
	}
	return other.Network && !p.Network || other.UnixSockets && !p.UnixSockets || other.Exec && !p.Exec ||
		!covered(p.ReadWrite, other.ReadWrite) ||
		!covered(slices.Concat(p.ReadOnly, p.ReadWrite, p.Own), slices.Concat(other.ReadOnly, other.ReadWrite)) ||
		forbids(p.Protected, slices.Concat(other.Protected, other.Hidden)) || forbids(p.Hidden, other.Hidden)
}

// WithoutFiles is the policy for what says that it cannot work in a sandbox: every file can be reached. All else still holds.
func (p Policy) WithoutFiles() Policy {
	p.ReadOnly, p.Make, p.Own, p.Protected, p.Exposed, p.Hidden = nil, nil, nil, nil, nil, nil
	p.Temp, p.Inner, p.Named, p.Workdir, p.WorkdirID, p.Opened, p.Identities, p.Uncovered = "", nil, nil, "", nil, false, nil, nil
	p.ReadWrite = []string{string(filepath.Separator)}
	return p
}
