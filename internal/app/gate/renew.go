package gate

import (
	"slices"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/trust"
)

// Renewal updates a consent after aura itself writes into a project. If there was no consent before, Done gives one only if
// there was nothing to consent to.
type Renewal struct {
	options config.Options
	// fresh reports whether there was no home. pinned reports whether the existing files requested nothing, or the user had agreed
	// to exactly these files.
	fresh, pinned bool
	// others holds the sources that the user had already agreed to.
	others []string
}

// Renew must be called before aura writes into the project's home. The caller calls Done on the result after writing.
func (g *Gate) Renew(o config.Options) (Renewal, error) {
	r := Renewal{options: o}
	if len(o.Configs) > 0 {
		return r, nil
	}
	unattended := Gate{}
	v, err := unattended.decide(o)
	if err != nil {
		return r, err
	}
	consent, known, err := storeOf(o).Get(v.found.Dir)
	if err != nil || v.found.Home == "" {
		r.fresh, r.others = err == nil, consent.Without(consent.Absent(v.found.Dir)).Sources
		return r, err
	}
	r.pinned = v.untrusted == nil && (!known || consent.Pinned())
	return r, nil
}

// Done records the consent for the current files.
func (r Renewal) Done() error {
	if !r.fresh && !r.pinned || storeOf(r.options).Path == "" {
		return nil
	}
	found, err := config.Find(r.options)
	if err != nil || found.Home == "" {
		return err
	}
	rule, err := config.Rule(r.options)
	if err != nil {
		return err
	}
	if r.fresh && rule != config.TrustPinned {
		home := sourcesOf(config.Found{Base: found.Base, Home: found.Home})
		sources := slices.Compact(slices.Sorted(slices.Values(slices.Concat(home, r.others))))
		return storeOf(r.options).Put(found.Dir, trust.Consent{
			Sources: sources, Links: trust.LinksOf(found.Dir, sources), Given: time.Now().UTC().Truncate(time.Second),
		})
	}
	// A file that the user did not agree to must not become part of a pinned consent unnoticed.
	if r.fresh && (found.EnvFile != "" || found.Agent != "") {
		return nil
	}
	v := verdict{found: found, rule: rule}
	if err := v.study(r.options); err != nil {
		return err
	}
	consent, err := v.consent(true)
	if err != nil {
		return err
	}
	return storeOf(r.options).Put(found.Dir, consent)
}
