package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// Restriction narrows a tool's access to files. Paths may be relative to the working directory and may begin with ~.
type Restriction struct {
	// ReadOnly makes everything except ReadWritePaths read-only.
	ReadOnly bool
	// ReadOnlyPaths can be read but never written, even below writable paths.
	ReadOnlyPaths []string
	// ReadWritePaths, if not empty, are the only writable paths.
	ReadWritePaths []string
}

// Empty reports whether the restriction narrows nothing.
func (r Restriction) Empty() bool {
	return !r.ReadOnly && len(r.ReadOnlyPaths) == 0 && len(r.ReadWritePaths) == 0
}

// Demanded returns a confinement that is enabled for one call even if the settings disable the sandbox.
func (c Confinement) Demanded(r Restriction) (Confinement, error) {
	for _, path := range absolutePaths(c.place, slices.Concat(r.ReadOnlyPaths, r.ReadWritePaths)) {
		if _, err := os.Stat(path); err != nil {
			return c, fmt.Errorf("%w; make it first, for what does not exist cannot be granted", err)
		}
	}
	if support := sandbox.Support(); !c.enabled && !support.Enabled {
		return c, fmt.Errorf("this system cannot enforce it: %s; leave out --ro, --ro-paths and --rw-paths to run it unconfined", support.Reason())
	}
	c.enabled = true
	return c, nil
}

// Restricted returns a built-in file or shell tool with a narrower policy.
func (c Confinement) Restricted(t tool.Tool, o builtin.Options, r Restriction) (tool.Tool, error) {
	made, ok := tool.As[confined](t)
	if !ok {
		for _, other := range c.Builtins(o, nil) {
			if other.Definition().Name == t.Definition().Name {
				made, ok = tool.As[confined](other)
			}
		}
	}
	if !ok {
		return nil, errors.New("it cannot be confined")
	}
	made.policy = r.narrow(made.policy, c.place)
	return fenced{Tool: made, policy: made.policy, workdir: c.place.Workdir, grants: c.grants}, nil
}

// RestrictedPlugin returns the narrowed policy of a plugin.
func (c Confinement) RestrictedPlugin(e Entry, r Restriction) sandbox.Policy {
	return r.narrow(*c.Plugin(e), c.place)
}

// narrow returns a policy with fewer writable paths. Paths that were writable before stay readable.
func (r Restriction) narrow(p sandbox.Policy, at sandbox.Place) sandbox.Policy {
	p.ReadOnly, p.Protected = slices.Clone(p.ReadOnly), slices.Clone(p.Protected)
	if r.ReadOnly || len(r.ReadWritePaths) > 0 {
		p.ReadOnly = append(p.ReadOnly, p.ReadWrite...)
		p.ReadWrite = absolutePaths(at, r.ReadWritePaths)
	}
	only := absolutePaths(at, r.ReadOnlyPaths)
	p.ReadOnly, p.Protected = append(p.ReadOnly, only...), append(p.Protected, only...)
	return p
}

// absolutePaths converts paths that the user wrote to absolute paths.
func absolutePaths(at sandbox.Place, paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		rest, home := strings.CutPrefix(path, "~")
		switch {
		case home && at.Home != "" && (rest == "" || os.IsPathSeparator(rest[0])):
			path = filepath.Join(at.Home, rest)
		case !filepath.IsAbs(path):
			path = filepath.Join(at.Workdir, path)
		}
		out = append(out, filepath.Clean(path))
	}
	return out
}
