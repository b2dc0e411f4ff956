package app

import (
	"slices"
	"time"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/trust"
)

// Renewal keeps a consent up to date with what aura itself writes into a project. A consent that was not there before is given only
// where there was nothing to consent to.
type Renewal struct {
	options config.Options
	// fresh means that there was no home, pinned that what was there asked for nothing or was agreed to as it was.
	fresh, pinned bool
	// others are the sources that the user had agreed to already.
	others []string
}

// Renew is called before aura writes into the project's home. Its Done is called after that.
func (g *Gate) Renew(o config.Options) (Renewal, error) {
	r := Renewal{options: o}
	if len(o.Configs) > 0 {
		return r, nil
	}
	unattended := Gate{}
	v, err := unattended.judge(o)
	if err != nil {
		return r, err
	}
	consent, known, err := storeOf(o).Get(v.found.Dir)
	if err != nil || v.found.Home == "" {
		r.fresh, r.others = err == nil, consent.Sources
		return r, err
	}
	r.pinned = v.untrusted == nil && (!known || consent.Pinned())
	return r, nil
}

// Done records the consent for what is there now.
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
		return storeOf(r.options).Put(found.Dir, trust.Consent{
			Sources: slices.Compact(slices.Sorted(slices.Values(slices.Concat(home, r.others)))), Given: time.Now().UTC().Truncate(time.Second),
		})
	}
	// A file that nobody agreed to does not become part of a pinned consent by the way.
	if r.fresh && found.EnvFile != "" {
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
