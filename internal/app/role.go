package app

import (
	"cmp"
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// wanted holds the parts of the role that the user names explicitly. An empty field uses the saved session, or else the
// configuration.
type wanted struct{ agent, mode, provider, model string }

// roleFinder finds the role that a session begins or continues with.
type roleFinder struct {
	// source is what the configuration and the command line offer.
	source setup.Source
	// saved is the session that continues; empty for a new one.
	saved session.Session
	// notify receives what of the saved session no longer exists.
	notify func(text string)
}

// first returns the role with which a session begins. The command line takes precedence over the task, the task over the
// saved session, and the saved session over the default.
func (f roleFinder) first(ctx context.Context) (setup.Role, error) {
	var task config.Task
	o := f.source.Options
	if o.Task != nil {
		task = *o.Task
	}
	r, err := f.find(ctx, wanted{agent: cmp.Or(o.Agent, task.Agent), mode: cmp.Or(o.Mode, task.Mode), provider: o.Provider, model: o.Model})
	r.System, r.Think = o.System, o.Think
	return r, err
}

// find returns the role of the saved session, unless the user requests another one. A session can only choose from what the
// configuration offers. A name that the configuration does not contain is replaced by the default, with a notice.
func (f roleFinder) find(ctx context.Context, by wanted) (setup.Role, error) {
	c, saved := f.source.Config, f.saved
	usual, _ := c.DefaultAgent()
	recorded := cmp.Or(saved.State.Agent, saved.Meta.Agent)
	before := f.agent(recorded, cmp.Or(by.agent, usual.Name), by.agent != "")
	same := saved.Noted && cmp.Or(by.agent, before) == before
	mode := by.mode
	if same && mode == "" {
		mode = saved.State.Mode
		if _, ok := c.Modes[mode]; !ok && mode != config.NoMode {
			mode = ""
		}
	}
	r, err := setup.FindRole(c, cmp.Or(by.agent, before, usual.Name), mode)
	if err != nil {
		return r, err
	}
	if refused := c.PermitModeOf(r.Mode); refused != nil && mode != "" && by.mode == "" {
		return r, fmt.Errorf("continuing with the session's mode: %w; name another one with --mode", refused)
	}
	switch {
	case mode != "":
	case same && saved.State.Mode == "":
		r.Mode, err = f.withoutMode(r)
	default:
		r, err = f.source.InUsualMode(r)
	}
	if err != nil {
		return r, err
	}
	if same && mode == "" && saved.State.Mode != "" {
		f.notify(fmt.Sprintf("the session's mode %s no longer exists, so %s is used", saved.State.Mode, named("mode", r.Mode.Name)))
	}
	r.Provider, r.Model = by.provider, by.model
	if same && before == recorded {
		return f.model(ctx, r)
	}
	return r, nil
}

// withoutMode returns the mode for a session that was saved without one: the usual one, even if its agent has another by now; see noteRole.
func (f roleFinder) withoutMode(r setup.Role) (config.Mode, error) {
	r.Mode, r.Agent.Mode = config.Mode{}, ""
	r, err := f.source.InUsualMode(r)
	return r.Mode, err
}

// agent returns the agent of the saved session, or an empty string if the agent no longer exists. In that case it notifies
// the user that next continues, unless replaced is set because the user named another agent.
func (f roleFinder) agent(name, next string, replaced bool) string {
	if _, ok := f.source.Config.Agents[name]; ok || name == "" {
		return name
	}
	if !replaced {
		f.notify(fmt.Sprintf("the session's agent %s no longer exists, so %s continues", name, named("agent", next)))
	}
	return ""
}

// model sets the provider and the model of the saved session in a role, if they differ from those of the role and the
// configuration offers them. If the user requests another provider, that provider's own model is used.
func (f roleFinder) model(ctx context.Context, r setup.Role) (setup.Role, error) {
	source, saved := f.source, f.saved.State
	if saved.Provider == "" || r.Provider != "" && r.Provider != saved.Provider {
		return r, nil
	}
	chain, err := source.NewChain(ctx, r)
	if err != nil || chain.ProviderName() != saved.Provider {
		if _, ok := source.Providers.Named(saved.Provider); !ok {
			if err == nil {
				f.notify(fmt.Sprintf("the session's provider %s is not configured any more, so provider %s continues", saved.Provider, chain.ProviderName()))
			}
			return r, err
		}
		r.Provider = saved.Provider
		if chain, err = source.NewChain(ctx, r); err != nil {
			return r, fmt.Errorf("continuing with the session's provider: %w; name another one with --provider", err)
		}
	}
	usual := chain.ModelName(ctx)
	if r.Model != "" || saved.Model == "" || usual == saved.Model {
		return r, nil
	}
	if chain.Excludes(saved.Model) {
		f.notify(fmt.Sprintf("the session's model %s is excluded from provider %s now, so %s is used", saved.Model, saved.Provider, named("model", usual)))
		return r, nil
	}
	r.Model = saved.Model
	return r, nil
}

// named describes a value for a message.
func named(kind, name string) string {
	if name == "" {
		return "no " + kind
	}
	return kind + " " + name
}
