package sandbox

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/hidden"
)

const (
	// maxFinders is how many rules are remembered: those of the role, and of others that were used before.
	maxFinders = 16
	// maxWithheld is how many files are hidden one by one. Directories stand for the files beyond it.
	maxWithheld = 4096
)

// Hide returns an opened policy with what its rules hide now.
func (g *Grants) Hide(p Policy) Policy {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hide(p)
}

// Outdated returns a path that rules hide now, and that a process may read that was confined by the policy before; empty if there is none. A
// file that another one replaced counts too, because its cover is gone.
func (g *Grants) Outdated(p Policy) string {
	if p.Rules == nil || !p.Opened {
		return ""
	}
	now := g.Hide(p)
	for _, path := range slices.Sorted(maps.Keys(now.Withheld)) {
		was, known := p.Withheld[path]
		if covering(p.Hidden, path) == "" || known && !was.same(now.Withheld[path]) {
			return path
		}
	}
	return ""
}

func (w Withheld) same(other Withheld) bool {
	return w.Device == other.Device && w.Inode == other.Inode
}

// hide does the work of Hide. The caller must hold the lock.
func (g *Grants) hide(p Policy) Policy {
	if p.Rules == nil || !p.Opened {
		return p
	}
	p.Hidden, p.Withheld = slices.Clone(p.always), map[string]Withheld{}
	for _, rules := range p.all() {
		p.hideBy(rules, g.finder(rules).Find(p.rootsIn(rules.Dir)))
	}
	return p
}

// hideBy hides what was found by rules.
func (p *Policy) hideBy(rules *hidden.Rules, found hidden.Found) {
	for i, hit := range found.Hits {
		path := hit.Path
		if i >= maxWithheld && filepath.Dir(path) != rules.Dir && within(rules.Dir, path) {
			path, hit.Anchored = towards(rules.Dir, path), true
			p.addUncovered(fmt.Sprintf("sandbox.hidden hides more than %d files: directories that contain further ones are hidden as a whole", maxWithheld))
		}
		p.withhold(path, hit.Reason)
	}
	if len(found.Unread) > 0 {
		p.unread(rules, found.Unread)
	}
	if found.Later {
		p.addUncovered(fmt.Sprintf("private keys are not hidden in all files yet: aura reads %d files before each call to find them, and continues at the next one", hidden.MaxLooked))
	}
}

// withhold hides a path, if it is within reach.
func (p *Policy) withhold(path string, why hidden.Reason) {
	var st unix.Stat_t
	if _, done := p.Withheld[path]; done || !p.UnixSockets && p.reach(path) == "" || unix.Lstat(path, &st) != nil {
		return
	}
	if !slices.Contains(p.Hidden, path) {
		p.Hidden = append(p.Hidden, path)
	}
	p.Withheld[path] = Withheld{Why: why.Text, Device: uint64(st.Dev), Inode: st.Ino, Placed: why.Anchored} //nolint:unconvert // its type differs between architectures
}

// unread hides the directories that were not looked at, if settings hide files. Otherwise it only reports them.
func (p *Policy) unread(rules *hidden.Rules, dirs []string) {
	limit := fmt.Sprintf("there are more than %d directories, and aura did not look at all of them for hidden files", hidden.MaxDirs)
	if !rules.Explicit() {
		p.addUncovered(limit + ": secrets.env and private keys in the others can be read")
		return
	}
	p.addUncovered(limit + ": the others are hidden as a whole, because sandbox.hidden is set")
	for _, dir := range dirs {
		p.withhold(dir, hidden.Reason{Text: "aura did not look at it for the patterns of sandbox.hidden, because there are too many directories", Anchored: true})
	}
}

// rootsIn returns the directories and files in a directory that are within reach, each outside of the others.
func (p *Policy) rootsIn(dir string) []string {
	if p.reach(dir) != "" {
		return []string{dir}
	}
	all := slices.DeleteFunc(slices.Concat(p.ReadWrite, p.ReadOnly, p.Own), func(path string) bool { return !within(dir, path) })
	return outermost(all)
}

// finder returns what is known about the working directory. The caller must hold the lock.
func (g *Grants) finder(rules *hidden.Rules) *hidden.Finder {
	if f := g.finders[rules]; f != nil {
		return f
	}
	for like, f := range g.finders {
		if like.Same(rules) {
			return f
		}
	}
	if len(g.finders) >= maxFinders {
		g.closeFinders()
	}
	if g.finders == nil {
		g.finders = map[*hidden.Rules]*hidden.Finder{}
	}
	g.finders[rules] = hidden.NewFinder(rules)
	return g.finders[rules]
}

func (g *Grants) closeFinders() {
	for _, f := range g.finders {
		f.Close()
	}
	g.finders = nil
}
