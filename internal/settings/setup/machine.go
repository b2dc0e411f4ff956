package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// permitted returns an error if the policy of the machine does not permit a session with a role and the options of the command line.
func (s Source) permitted(r Role) error {
	if s.Options.UnsafePlugins {
		if err := s.Config.Machine.Unsafe(); err != nil {
			return fmt.Errorf("applying --unsafe-plugins: %w", err)
		}
	}
	if r.Within.Name != "" && r.Mode.Name == "" {
		return nil // the mode of the session limits a subagent
	}
	if err := s.Config.PermitModeOf(r.Mode); err != nil {
		return fmt.Errorf("choosing the mode: %w", err)
	}
	return nil
}

// permitModel returns an error if the policy of the machine does not permit a model. An empty name is the one that the service chooses.
func (o offering) permitModel(ctx context.Context, name string) error {
	if !o.permit.LimitsModels() {
		return nil
	}
	if name == "" {
		described, err := o.Model(ctx, "")
		if err != nil {
			return fmt.Errorf("finding out which model answers, as the policy of this machine requires: %w", err)
		}
		name = described.Name
	}
	return o.permit.Model(name)
}

// permitScript returns an error if the policy of the machine does not permit answers of a script.
func permitScript(p *machinepolicy.Policy) error { return p.Provider("script", "") }

// requirement returns the rule of the policy of the machine by which a plugin is required; ok is false if none does.
func (e Entry) requirement(c *config.Config) (r machinepolicy.Requirement, ok bool) {
	list := c.Machine.Required()
	i := slices.IndexFunc(list, func(r machinepolicy.Requirement) bool { return r.Meets(e.Name, e.From, e.Hash) })
	if i < 0 {
		return r, false
	}
	return list[i], true
}

// require makes a plugin one without which nothing runs: it is enabled whatever its manifest and the settings say, and it fails closed.
func (e *Entry) require(c *config.Config) {
	if _, ok := e.requirement(c); ok && e.Status != StatusShadowed && e.Status != StatusUntrusted {
		e.Manifest.OnFailure, e.Status, e.Required = manifest.FailClosed, StatusEnabled, true
	}
}

// checkRequired returns an error if a plugin that the policy of the machine requires does not run.
func (s Source) checkRequired(p Plugins) error {
	for _, r := range s.Config.Machine.Required() {
		why := errors.New("it is not installed, or from elsewhere")
		found := slices.ContainsFunc(p.found, func(e Entry) bool {
			if e.Name != r.Name || !r.Meets(e.Name, e.From, e.Hash) && e.Err == nil {
				return false
			}
			why = cmp.Or(e.Err, fmt.Errorf("it is %s", e.Status))
			if e.Altered {
				why = fmt.Errorf("its files are not those that were installed from %s, also if the user accepted them; 'aura plugins update %s' installs them again", e.From, e.Name)
				return false
			}
			return e.Status == StatusEnabled && e.Err == nil
		})
		if s.Options.WithoutPlugins {
			found, why = false, errors.New("--without-plugins leaves it out")
		}
		if !found {
			return fmt.Errorf("%w: %w", &machinepolicy.RefusalError{What: "a session without the plugin " + r.Name, Rule: r.Rule}, why)
		}
	}
	return nil
}

// RequiredBy returns the rule of the policy of the machine by which a plugin of the setup is required.
func (s *Setup) RequiredBy(plugin string) (machinepolicy.Rule, bool) {
	e, ok := s.Entries[plugin]
	if !ok || !e.Required {
		return machinepolicy.Rule{}, false
	}
	r, ok := e.requirement(s.Config)
	return r.Rule, ok
}
