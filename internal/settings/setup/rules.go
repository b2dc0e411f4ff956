package setup

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// Effect is what a rule of the policy of the machine changes for a configuration.
type Effect struct {
	Rule machinepolicy.Rule
	What string
}

// Effects returns what the policy of the machine changes for a configuration and its plugins, each change once.
func Effects(c *config.Config, plugins []Entry) []Effect {
	var out []Effect
	add := func(r machinepolicy.Rule, what string) {
		if e := (Effect{r, what}); !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	refused := func(err error) {
		if r, ok := errors.AsType[*machinepolicy.RefusalError](err); ok {
			what, _ := strings.CutSuffix(err.Error(), ": "+r.Error())
			if what == err.Error() {
				what = r.What + ": refused"
			}
			add(r.Rule, what)
		}
	}
	for _, err := range c.Refused {
		refused(err)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		p := c.Providers[name]
		refused(c.Machine.Provider(string(p.Type), Address(p)))
	}
	for _, name := range c.ModeNames() {
		refused(c.PermitModeOf(c.Modes[name]))
	}
	for _, e := range plugins {
		if r, ok := e.requirement(c); ok && e.Required {
			add(r.Rule, "the plugin "+e.Name+" runs whatever the settings say, and fails closed")
		}
		if err := e.refusal(c); err != nil && e.Status != StatusShadowed {
			refused(err)
		}
	}
	return out
}

// refusal returns the rule by which the policy of the machine refuses a plugin, or nil.
func (e Entry) refusal(c *config.Config) error {
	err := c.Machine.Plugin(e.Name, e.From)
	if e.Python() {
		err = cmp.Or(err, c.Machine.Python())
	}
	return err
}

// RulesFor returns the rules of the policy of the machine that apply to a plugin.
func RulesFor(c *config.Config, e Entry) []machinepolicy.Rule {
	if c.Machine.Empty() {
		return nil
	}
	var out []machinepolicy.Rule
	add := func(err error) {
		if r, ok := errors.AsType[*machinepolicy.RefusalError](err); ok && !slices.Contains(out, r.Rule) {
			out = append(out, r.Rule)
		}
	}
	if r, ok := e.requirement(c); ok {
		out = append(out, r.Rule)
	}
	add(e.refusal(c))
	asks := e.Asks()
	if len(asks.Unsafe) > 0 {
		add(c.Machine.Unsafe())
	}
	if asks.Unconfined {
		add(c.Machine.SandboxRequired("a plugin without the sandbox"))
	}
	if e.Manifest.Runtime == manifest.GoRuntimeNative {
		add(c.Machine.Native())
	}
	for _, r := range c.Machine.Rules() {
		if (r.Key == "sources" || r.Key == "signers" && e.From != "" || r.Key == "sandbox.network" && asks.Network) && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
