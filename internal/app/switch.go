package app

import (
	"context"
	"fmt"
	"reflect"
	"strings"

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
	if a.cell(features).enabled && !a.cell(settings).enabled {
		others = true
		a.notice("", "the sandbox is on from here on, so the plugins are started again")
	}
	if err := a.enter(ctx, reason, others); err != nil {
		a.role, a.features = before, settings
		return err
	}
	a.journal.note(func(s *session.State) { s.Agent, s.Mode = r.agent.Name, r.mode.Name })
	a.refresh()
	return nil
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
	p, err := a.persona(ctx, a.role)
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
func (a *App) follow() {
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
	a.role, a.features = r, features
	a.refresh()
}
