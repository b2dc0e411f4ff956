package sandbox

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/system/hidden"
)

// Hiding has the rules that hide files.
type Hiding struct {
	// Rules are those of the working directory; nil if nothing is hidden.
	Rules *hidden.Rules `json:"rules,omitempty"`
	// Elsewhere has those of directories outside of the working directory that settings or the user grant.
	Elsewhere []*hidden.Rules `json:"elsewhere,omitempty"`
}

// all returns all rules.
func (h Hiding) all() []*hidden.Rules {
	if h.Rules == nil {
		return nil
	}
	return append([]*hidden.Rules{h.Rules}, h.Elsewhere...)
}

// hides returns why rules hide a path, and empty if they do not. asked is the path before its links were followed.
func (p Policy) hides(asked, resolved string) string {
	for path, w := range p.Withheld {
		if within(path, resolved) {
			return w.Why
		}
	}
	if p.Rules == nil {
		return ""
	}
	for _, rules := range p.all() {
		for _, path := range []string{resolved, filepath.Clean(asked)} {
			if why, ok := rules.Why(path); ok {
				return why.Text
			}
		}
	}
	why, _ := p.Rules.Key(resolved)
	return why.Text
}

// CheckHidden returns a DeniedError for the first path that rules hide. It is what Check does for a policy that grants everything else.
func CheckHidden(p Policy, workdir string, paths Access) error {
	for write, list := range map[bool][]string{false: paths.Read, true: paths.Write} {
		for _, path := range list {
			if err := p.checkHidden(workdir, path, write); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p Policy) checkHidden(workdir, asked string, write bool) error {
	path := asked
	if !filepath.IsAbs(path) {
		path = workdir + string(filepath.Separator) + path
	}
	resolved := resolve(path)
	if why := p.hides(path, resolved); why != "" {
		return &DeniedError{Path: asked, Resolved: resolved, Write: write, Rule: why + hiddenAdvice, Closed: true}
	}
	return nil
}

// hiddenAdvice follows the reason why a file is hidden.
const hiddenAdvice = "; only the user can read or change it"

// hiddenName returns the first path that rules hide and that has a name; empty if there is none. A command may have changed to another
// directory.
func (p Policy) hiddenName(name string) string {
	if name == "" {
		return ""
	}
	for _, path := range slices.Sorted(maps.Keys(p.Withheld)) {
		if filepath.Base(path) == filepath.Base(name) {
			return path
		}
	}
	return ""
}
