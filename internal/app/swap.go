package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// swap is a change from one setup to another, or to the first one. A prepared swap has started everything that the next setup needs, in addition to
// what is running. The session does not use any of it yet.
type swap struct {
	next    *setup.Setup
	plugins pluginChange
	servers serverChange
	persona conversation.Persona
	// ready is the persona for the running conversation. It is not set in the first swap, which precedes the conversation.
	ready conversation.Ready
}

// prepare prepares a change to another setup. If it fails, it stops everything that it started. If anew is set, it reloads all
// plugins; otherwise only those whose specification changed.
func (s *Session) prepare(ctx context.Context, next *setup.Setup, anew bool) (*swap, error) {
	if anew && len(next.Specs) > 0 {
		s.events.send(event.Waiting{For: event.ForPlugins})
	}
	w := &swap{next: next}
	var err error
	if w.plugins, err = s.plugins.prepare(ctx, next, anew, s.startPlugins); err != nil {
		return nil, err
	}
	if w.servers, err = s.servers.prepare(ctx, next, s.connectServers); err == nil {
		err = s.preparePersona(ctx, w)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		w.servers.abort()
		w.plugins.abort()
		return nil, err
	}
	return w, nil
}

func (s *Session) preparePersona(ctx context.Context, w *swap) error {
	var err error
	w.persona, err = w.next.Persona(ctx, s.live(w.next, w.plugins.views(), w.servers.set))
	if err == nil && s.talk != nil {
		w.ready, err = s.talk.Prepare(ctx, w.persona)
	}
	return err
}

// commit makes a prepared setup the session's setup and stops what only the old setup needed. It cannot fail.
func (s *Session) commit(w *swap) host.Reloaded {
	confined := s.confined.Enabled()
	s.plugins.noteFired()
	done := w.plugins.commit()
	w.servers.commit()
	s.setup = w.next
	s.journal.whole = s.recordsCalls(s.setup)
	s.notices.setup(s.setup)
	if !confined && s.setup.Sandbox().Enabled() && len(s.plugins.list()) > 0 {
		s.notices.show("the sandbox is now on, so the plugins are restarted")
	}
	s.notices.plugins(s.plugins.list())
	if s.plugins.exposed() {
		s.opts.gate().Expose()
	}
	s.collectCommands()
	s.refresh()
	return done
}

// showUnmatched shows what names in the present setup match nothing. It omits what was shown before, unless repeat is set.
func (s *Session) showUnmatched(repeat bool) {
	s.notices.unmatched(s.setup, s.live(s.setup, s.plugins.views(), s.servers.set), repeat)
}

// switchTo changes the role from the next prompt on.
func (s *Session) switchTo(ctx context.Context, r setup.Role, reason string) error {
	if err := s.swapRole(ctx, r, reason); err != nil {
		return err
	}
	s.noteRole()
	return nil
}

// swapRole changes to the setup of another role. If reason is empty, nobody is notified of the change.
func (s *Session) swapRole(ctx context.Context, r setup.Role, reason string) error {
	next, err := s.setup.With(ctx, s.setup.Source, remaining(r, s.talk.Persona()))
	if err != nil {
		return err
	}
	w, err := s.prepare(ctx, next, false)
	if err != nil {
		return err
	}
	s.notices.reloaded(s.commit(w))
	s.showUnmatched(false)
	s.talk.Switch(ctx, w.ready, reason)
	return nil
}

// change keeps the role and applies other settings of the user.
func (s *Session) change(ctx context.Context, change func(*setup.Source, *setup.Role)) error {
	source, r := s.setup.Source, remaining(s.setup.Role, s.talk.Persona())
	source.Vars = maps.Clone(source.Vars)
	change(&source, &r)
	next, err := s.setup.With(ctx, source, r)
	if err != nil {
		return err
	}
	w, err := s.prepare(ctx, next, false)
	if err != nil {
		return err
	}
	s.commit(w)
	s.talk.Renew(ctx, w.ready)
	return nil
}

// remaining returns a role with the part of its fallback chain that the current persona has left. An agent that took over has
// the rest of the chain that it belongs to, not its own chain.
func remaining(r setup.Role, now conversation.Persona) setup.Role {
	if now.Agent != r.Agent.Name {
		return r
	}
	r.Agent.Fallback = nil
	for _, next := range now.Fallback {
		r.Agent.Fallback = append(r.Agent.Fallback, next.Agent)
	}
	return r
}

// reload reloads the configuration and the plugins. A plugin that no longer loads continues to run unchanged. If nothing can be
// reloaded, plugins to which the user no longer consents are stopped all the same.
func (s *Session) reload(ctx context.Context) (string, error) {
	text, err := s.reloadAll(ctx)
	if err != nil && slices.ContainsFunc(s.setup.Specs, func(spec host.Spec) bool { return spec.Consented != nil && spec.Consented() != nil }) {
		err = errors.Join(err, s.change(ctx, func(*setup.Source, *setup.Role) {}))
	}
	return text, err
}

func (s *Session) reloadAll(ctx context.Context) (string, error) {
	c, err := s.opts.gate().Reload(ctx, s.opts.Config)
	if err != nil {
		return "", err
	}
	if err := readPolicy(c.Machine, s.opts.PolicyRead); err != nil {
		return "", fmt.Errorf("reloading: %w", err)
	}
	trust := s.opts.gate().Standing()
	source := s.setup.Source
	source.Config, source.Providers = c, source.Providers.For(c)
	r, err := sameRole(s.setup.Role, c)
	if err != nil {
		return "", fmt.Errorf("reloading: %w", err)
	}
	next, err := setup.New(ctx, source, r)
	if err != nil {
		return "", err
	}
	w, err := s.prepare(ctx, next, true)
	if err != nil {
		return "", err
	}
	s.secrets.Set(setup.Secrets(c, source.TaskEnv))
	s.trust = trust
	done := s.commit(w)
	s.showUnmatched(true)
	s.talk.Renew(ctx, w.ready)
	return summary(done), nil
}

// sameRole returns a role in another version of the configuration.
func sameRole(now setup.Role, c *config.Config) (setup.Role, error) {
	r, err := setup.FindRole(c, now.Agent.Name, now.Mode.Name)
	if err != nil {
		return r, err
	}
	if now.Mode.Name == "" {
		r.Mode = config.Mode{} // the user has left the agent's mode
	}
	r.Provider, r.Model, r.System, r.Think = now.Provider, now.Model, now.System, now.Think
	return r, nil
}

// applyOutsideChanges applies changes since the last prompt that happened outside the conversation: an agent that took over, and changed
// tools of MCP servers.
func (s *Session) applyOutsideChanges(ctx context.Context) {
	s.follow(ctx)
	if !s.servers.stale.Swap(false) {
		return
	}
	if err := s.change(ctx, func(*setup.Source, *setup.Role) {}); err != nil && ctx.Err() == nil {
		s.notices.show(fmt.Sprintf("the tools of MCP servers changed, but were not loaded: %v", err))
	}
}

// follow applies the setup of an agent that took over because the provider of another agent failed. It does not record the
// agent, so a resumed session begins with the agent that was chosen. If the setup cannot be applied, the setup of the previous
// agent remains.
func (s *Session) follow(ctx context.Context) {
	name := s.talk.Persona().Agent
	if name == s.setup.Role.Agent.Name || name == s.unfollowed {
		return
	}
	r, err := setup.FindRole(s.setup.Config, name, s.setup.Role.Mode.Name)
	if err != nil {
		return // The agent is no longer configured. The conversation continues with it until the user switches.
	}
	r.Think, r.System = s.setup.Role.Think, s.setup.Role.System
	if err := s.swapRole(ctx, r, ""); err != nil && ctx.Err() == nil {
		s.unfollowed = name
		s.notices.show(fmt.Sprintf("agent %q continues with the settings of agent %q: %v", name, s.setup.Role.Agent.Name, err))
	}
}

// summary describes the effect of a reload on the plugins.
func summary(r host.Reloaded) string {
	var parts []string
	for _, part := range []struct {
		names []string
		what  string
	}{
		{r.Replaced, "replaced"}, {r.Added, "added"}, {r.Removed, "removed"}, {r.Stopped, "stopped"}, {slices.Sorted(maps.Keys(r.Kept)), "kept as they were"},
	} {
		if len(part.names) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", len(part.names), part.what, strings.Join(part.names, ", ")))
		}
	}
	if len(parts) == 0 {
		return "reloaded; there are no plugins"
	}
	return "reloaded: plugins " + strings.Join(parts, ", ")
}

// noteRole records the current role.
func (s *Session) noteRole() {
	r, provider, p := s.setup.Role, s.setup.ProviderName(), s.talk.Persona()
	mode := r.Mode.Name
	// The settings were valid when the session began.
	if usual, _ := s.setup.UsualMode(r.Agent); mode == "" && usual != "" {
		mode = config.NoMode // the user chose that, so it holds when the session is resumed
	}
	// The conversation has asked the provider for the name of its default model.
	model := cmp.Or(p.Model, s.talk.ModelName())
	s.journal.changeState(func(state *session.State) {
		state.Agent, state.Mode, state.Provider, state.Model = r.Agent.Name, mode, provider, model
	})
}
