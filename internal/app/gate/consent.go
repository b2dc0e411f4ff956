package gate

import (
	"fmt"
	"path/filepath"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/trust"
)

// Project describes what the files of a directory request, and what the user has agreed to.
type Project struct {
	// Dir is the project's directory with links resolved. Base is the same directory by the path that the user took.
	Dir, Base string
	Requests  []trust.Request
	// Ruled says what the policy of the machine changes of the project, whether the user agrees or not.
	Ruled []string
	// Fault is why the configuration cannot be read; nil if it can be read.
	Fault error
	// Hides means that its home takes the place of one to which the user has agreed, which consent makes intended.
	Hides bool
	// Consent describes what the user has agreed to.
	Consent string

	seen verdict
}

// Requests returns what a project requests, trusted or not. It starts nothing and gives no consent.
func (g *Gate) Requests(o config.Options) (Project, error) {
	v, err := g.inspect(o)
	if err != nil {
		return Project{}, err
	}
	p := Project{Dir: v.found.Dir, Base: v.found.Base, Requests: v.requests, Ruled: v.ruled, Fault: v.fault, Hides: hiding(o, v.found) != "", seen: v}
	unattended := Gate{}
	now, err := unattended.decide(o)
	switch {
	case err != nil:
		return Project{}, err
	case now.untrusted == nil:
		p.Consent = "given"
	case !now.untrusted.Change.Empty():
		p.Consent = "given for other files; " + now.untrusted.Change.String()
	default:
		p.Consent = "none"
	}
	return p, nil
}

// inspect returns a verdict without a decision: what the project contains, and what it requests.
func (g *Gate) inspect(o config.Options) (verdict, error) {
	found, err := config.Find(o)
	v := verdict{found: found}
	if err != nil {
		return v, fmt.Errorf("loading configuration: %w", err)
	}
	if v.rule, err = config.Rule(o); err != nil || found.None() {
		return v, err
	}
	return v, v.study(o)
}

// Agree records the user's consent to a project as Requests found it. It reports whether the consent is limited to the current
// files.
func (g *Gate) Agree(o config.Options, p Project, pinned bool) (bool, error) {
	consent, err := p.seen.consent(pinned)
	if err != nil {
		return false, err
	}
	return consent.Pinned(), storeOf(o).Put(p.Dir, consent)
}

// Forget withdraws the consent for a project. It returns the directory, and whether there was a consent.
func (g *Gate) Forget(o config.Options) (dir string, had bool, err error) {
	found, err := config.Find(o)
	if err != nil {
		// The consent for a directory that no longer exists can still be withdrawn.
		if found.Dir, err = filepath.Abs(o.Workdir); err != nil {
			return "", false, fmt.Errorf("finding the directory: %w", err)
		}
	}
	had, err = storeOf(o).Forget(found.Dir)
	return found.Dir, had, err
}

// Consents returns all consents of the user, by directory.
func (g *Gate) Consents(o config.Options) (map[string]trust.Consent, error) { return storeOf(o).All() }
