package app

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/session"
)

// become makes somebody else answer from the next prompt on. If it fails, everything is as before.
func (a *App) become(ctx context.Context, r role, reason string) error {
	features, err := a.cfg.FeaturesFor(r.agent, r.mode, a.opts.Task)
	if err != nil {
		return err
	}
	before, settings := a.role, a.features
	a.role, a.features = r, features
	others := !reflect.DeepEqual(settings.Plugins, features.Plugins)
	if a.turnedOn(settings) {
		others = true
	}
	if err := a.enter(ctx, reason, others); err != nil {
		a.role, a.features = before, settings
		return err
	}
	a.journal.note(func(s *session.State) { s.Agent, s.Mode = r.agent.Name, r.mode.Name })
	a.refresh()
	return nil
}

// turnedOn tells the user of a sandbox that was off under the settings before, or that is now asked for and cannot be had. It
// reports whether the plugins have to be started again.
func (a *App) turnedOn(before config.Features) bool {
	now := a.cell(a.features)
	a.tellSandbox(now)
	if !now.enabled || a.cell(before).enabled {
		return false
	}
	if !a.opts.WithoutPlugins && len(a.plugins()) > 0 {
		a.notice("", "the sandbox is on from here on, so the plugins are started again")
	}
	return true
}

// enter hands the conversation to the role. Plugins are loaded anew if their settings are others now.
func (a *App) enter(ctx context.Context, reason string, others bool) error {
	if others && !a.opts.WithoutPlugins {
		done, err := a.reloadPlugins(ctx)
		if err != nil {
			return err
		}
		a.notice("", "the settings of plugins are others now; "+summary(done))
		a.collectCommands()
	}
	p, err := a.persona(ctx, a.inLine(a.role))
	if err != nil {
		return err
	}
	return a.talk.Switch(ctx, p, reason)
}

// described says who answers, in a line.
func (a *App) described() string {
	p := a.talk.Persona()
	var parts []string
	for _, part := range []struct{ what, name string }{
		{"agent", p.Agent}, {"mode", p.Mode}, {"provider", p.ProviderName}, {"model", a.talk.Context().ModelInfo.Name},
	} {
		if part.name != "" {
			parts = append(parts, fmt.Sprintf("%s %s", part.what, part.name))
		}
	}
	return strings.Join(parts, ", ")
}

// follow takes note of an agent that took over by itself, when the provider of another one failed. Who goes on with the session
// another time begins with the agent that was chosen.
func (a *App) follow(ctx context.Context) {
	name := a.talk.Persona().Agent
	if name == a.role.agent.Name {
		return
	}
	r, err := findRole(a.cfg, name, a.role.mode.Name)
	if err != nil {
		return // It is not configured any more; the conversation goes on with it until somebody else is asked for.
	}
	r.think, r.system = a.role.think, a.role.system
	features, err := a.cfg.FeaturesFor(r.agent, r.mode, a.opts.Task)
	if err != nil {
		a.notice("", err.Error())
		return
	}
	before := a.features
	a.role, a.features = r, features
	if a.turnedOn(before) && !a.opts.WithoutPlugins {
		if _, err := a.reloadPlugins(ctx); err != nil {
			a.notice("", fmt.Sprintf("the plugins are not confined: %v", err))
		}
		a.collectCommands()
		a.stale.Store(true)
	}
	a.refresh()
}

// inLine is the role with those behind its agent who are next in line now: one that took over has fewer than it began with, and not
// its own.
func (a *App) inLine(r role) role {
	now := a.talk.Persona()
	if now.Agent != r.agent.Name {
		return r
	}
	r.agent.Fallback = nil
	for _, next := range now.Fallback {
		r.agent.Fallback = append(r.agent.Fallback, next.Agent)
	}
	return r
}
