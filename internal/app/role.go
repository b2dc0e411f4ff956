package app

import (
	"cmp"
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/session"
	"github.com/idelchi/aura/internal/setup"
)

// wanted holds the parts of the role that the user names explicitly. An empty field uses the saved session, or else the
// configuration.
type wanted struct{ agent, mode, provider, model string }

// firstRole returns the role with which a session begins. The command line takes precedence over the task, the task over the
// saved session, and the saved session over the default.
func (s *Session) firstRole(ctx context.Context, source setup.Source, saved session.Session) (setup.Role, error) {
	var task config.Task
	if s.opts.Task != nil {
		task = *s.opts.Task
	}
	by := wanted{
		agent: cmp.Or(s.opts.Agent, task.Agent), mode: cmp.Or(s.opts.Mode, task.Mode), provider: s.opts.Provider, model: s.opts.Model,
	}
	r, err := s.roleOf(ctx, source, by, saved)
	r.System, r.Think = s.opts.System, s.opts.Think
	return r, err
}

// roleOf returns the role of a saved session, unless the user requests another one. A session can only choose from what the
// configuration offers. A name that the configuration does not contain is replaced by the default, with a notice.
func (s *Session) roleOf(ctx context.Context, source setup.Source, by wanted, saved session.Session) (setup.Role, error) {
	c := source.Config
	usual, _ := c.DefaultAgent()
	recorded := cmp.Or(saved.State.Agent, saved.Meta.Agent)
	before := s.savedAgent(c, recorded, cmp.Or(by.agent, usual.Name), by.agent != "")
	same := saved.Noted && cmp.Or(by.agent, before) == before
	mode := by.mode
	if same && mode == "" {
		mode = saved.State.Mode
		if _, ok := c.Modes[mode]; !ok {
			mode = ""
		}
	}
	r, err := setup.FindRole(c, cmp.Or(by.agent, before, usual.Name), mode)
	if err != nil {
		return r, err
	}
	switch {
	case !same || by.mode != "":
	case saved.State.Mode == "":
		r.Mode = config.Mode{}
	case mode == "":
		s.notices.show(fmt.Sprintf("the session's mode %s no longer exists, so %s is used", saved.State.Mode, named("mode", r.Mode.Name)))
	}
	r.Provider, r.Model = by.provider, by.model
	if same && before == recorded {
		return s.savedModel(ctx, source, r, saved.State)
	}
	return r, nil
}

// savedAgent returns the agent of a resumed session, or an empty string if the agent no longer exists. In that case it notifies
// the user that next continues, unless replaced is set because the user named another agent.
func (s *Session) savedAgent(c *config.Config, name, next string, replaced bool) string {
	if _, ok := c.Agents[name]; ok || name == "" {
		return name
	}
	if !replaced {
		s.notices.show(fmt.Sprintf("the session's agent %s no longer exists, so %s continues", name, named("agent", next)))
	}
	return ""
}

// named describes a value for a message.
func named(kind, name string) string {
	if name == "" {
		return "no " + kind
	}
	return kind + " " + name
}

// savedModel sets the provider and the model of a saved session in a role, if they differ from those of the role and the
// configuration offers them. If the user requests another provider, that provider's own model is used.
func (s *Session) savedModel(ctx context.Context, source setup.Source, r setup.Role, saved session.State) (setup.Role, error) {
	if saved.Provider == "" || r.Provider != "" && r.Provider != saved.Provider {
		return r, nil
	}
	chain, err := source.NewChain(ctx, r)
	if err != nil || chain.ProviderName() != saved.Provider {
		if _, ok := source.Config.Providers[saved.Provider]; !ok {
			if err == nil {
				s.notices.show(fmt.Sprintf("the session's provider %s is not configured any more, so provider %s continues", saved.Provider, chain.ProviderName()))
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
	if !chain.Offers(ctx, saved.Model) {
		s.notices.show(fmt.Sprintf("the session's model %s is not offered any more by provider %s, so %s is used", saved.Model, saved.Provider, named("model", usual)))
		return r, nil
	}
	r.Model = saved.Model
	return r, nil
}
