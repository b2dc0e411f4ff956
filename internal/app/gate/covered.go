package gate

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/trust"
)

// maxCovered is how many paths that consents cover are protected from confined code.
const maxCovered = 1000

// dropAbsent removes from the consents what no longer exists, in the working directory and in projects below it. Confined code can
// create it, and a consent must not cover what confined code creates.
func (g *Gate) dropAbsent(o config.Options) {
	near, ok := nearby(o)
	if !ok {
		return
	}
	g.narrow(o, func(dir string, c trust.Consent) []string {
		if !near(dir) {
			return nil
		}
		return c.Absent(dir)
	}, "which no longer exists")
}

// nearby returns a function that reports whether a directory is the project or is below the working directory. It returns false if
// there is no working directory; loading the configuration reports that.
func nearby(o config.Options) (near func(dir string) bool, ok bool) {
	found, err := config.Find(o)
	if err != nil {
		return nil, false
	}
	workdir := found.Dir
	if abs, err := filepath.Abs(o.Workdir); err == nil {
		if workdir, err = filepath.EvalSymlinks(abs); err != nil {
			workdir = abs
		}
	}
	return func(dir string) bool { return dir == found.Dir || files.Within(workdir, dir) }, true
}

// Expose records that confined code can write what consents cover, because there is no mount namespace.
func (g *Gate) Expose() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = true
}

// Recheck removes from the consents what changed since the configuration was first loaded, if confined code could write it. It
// cannot know who changed it.
func (g *Gate) Recheck(o config.Options) {
	g.mu.Lock()
	if g.began.IsZero() {
		g.began = time.Now()
	}
	began, open := g.began, g.open
	g.mu.Unlock()
	near, ok := nearby(o)
	if !open || !ok {
		return
	}
	g.narrow(o, func(dir string, c trust.Consent) []string {
		if !near(dir) {
			return nil
		}
		since := began
		if c.Given.After(since) {
			since = c.Given
		}
		return slices.DeleteFunc(slices.Clone(c.Sources), func(s string) bool {
			return !changedSince(filepath.Join(dir, filepath.FromSlash(s)), since)
		})
	}, "which changed while tools could write it")
}

// Narrow removes from the consents what confined code left at paths.
func (g *Gate) Narrow(o config.Options, paths []string) {
	g.narrow(o, func(dir string, c trust.Consent) []string {
		return slices.DeleteFunc(slices.Clone(c.Sources), func(s string) bool {
			source := filepath.Join(dir, filepath.FromSlash(s))
			return !slices.ContainsFunc(paths, func(path string) bool { return files.Within(real(path), source) || files.Within(source, real(path)) })
		})
	}, "which a tool made")
}

// real returns a path with the links above its last part resolved.
func real(path string) string {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// narrow removes sources from consents for directories: from those that are recorded and from the answers of this run. gone
// returns the sources to remove.
func (g *Gate) narrow(o config.Options, gone func(dir string, c trust.Consent) []string, why string) {
	g.mu.Lock()
	for dir, a := range g.answered {
		if !a.safe && !a.consent.Pinned() {
			a.consent = a.consent.Without(gone(dir, a.consent))
			g.answered[dir] = a
		}
	}
	g.mu.Unlock()
	store := storeOf(o)
	all, err := store.All()
	if err != nil {
		return // no consent holds then
	}
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		sources := gone(dir, all[dir])
		if len(sources) == 0 || all[dir].Pinned() {
			continue
		}
		if err := store.Narrow(dir, sources); err != nil {
			g.Report(err.Error())
			continue
		}
		g.mu.Lock()
		next := maps.Clone(g.narrowed)
		if next == nil {
			next = map[string]bool{}
		}
		next[dir] = true
		g.narrowed = next
		g.mu.Unlock()
		g.Report(fmt.Sprintf("your consent for %s no longer covers %s, %s; aura asks again if it is there later", dir, strings.Join(sources, ", "), why))
	}
}

// covered returns the paths that the user's consents for directories cover.
func (g *Gate) covered(o config.Options) []string {
	all, err := storeOf(o).All()
	if err != nil {
		return nil // no consent holds then
	}
	var out []string
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		for _, source := range all[dir].Sources {
			out = append(out, filepath.Join(dir, filepath.FromSlash(source)))
		}
	}
	if len(out) > maxCovered {
		g.Report(fmt.Sprintf("your consents cover %d files and directories, and only %d are protected from tools that can write there; remove some with 'aura trust --forget'",
			len(out), maxCovered))
		out = out[:maxCovered]
	}
	return out
}
