package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation/event"
)

// Run takes the prompts one after the other, slash commands among them. Whatever fails is told, and the next prompt runs; the
// first failure of the conversation is returned in the end.
func (a *App) Run(ctx context.Context, prompts []string) error {
	var failed error
	for _, prompt := range prompts {
		exit, err := a.Take(ctx, prompt)
		if failed == nil {
			failed = err
		}
		if exit || ctx.Err() != nil {
			break
		}
	}
	return failed
}

// Take takes one prompt. It reports whether the user asked to leave.
func (a *App) Take(ctx context.Context, prompt string) (exit bool, err error) {
	defer a.noteFired()
	a.settle(ctx)
	name, args, ok := command.Parse(prompt)
	if !ok {
		return false, a.talk.Send(ctx, prompt)
	}
	a.talk.Refresh(ctx)
	result, err := a.cmds.Run(ctx, name, args)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if told, ok := errors.AsType[toldError](err); ok {
		return result.Exit, told.error
	}
	if _, ok := errors.AsType[alreadyToldError](err); ok {
		return false, nil
	}
	if err != nil {
		a.events.send(commandFailure(err))
		return false, nil
	}
	if result.Forward && strings.TrimSpace(result.Output) == "" {
		a.notice("", "command /"+name+" has nothing to say, so nothing is sent")
		return result.Exit, nil
	}
	if result.Forward {
		return result.Exit, a.talk.Send(ctx, result.Output)
	}
	if !result.Silent && result.Output != "" {
		a.events.send(event.Command{Name: name, Output: result.Output})
	}
	return result.Exit, nil
}

// toldError is a failure of the conversation within a command. The user knows of it already.
type toldError struct{ error }

// alreadyToldError is a failure of a command that an event has told already.
type alreadyToldError struct{ error }

// commandFailure names the plugin behind a failed command, if there is one.
func commandFailure(err error) event.Event {
	if e, ok := errors.AsType[*host.Error](err); ok {
		return event.PluginError{Plugin: e.Plugin, Error: err.Error()}
	}
	return event.Error{Message: err.Error()}
}

// Reload reads the configuration and the plugins again. A plugin that does not load any more goes on as it was, and if the
// configuration does not, all of it does.
func (a *App) Reload(ctx context.Context) (string, error) {
	old, providers, r, features := a.cfg, a.providers, a.role, a.features
	cfg, err := a.gate().Reload(ctx, a.opts.Config)
	if err != nil {
		return "", err
	}
	a.cfg, a.providers = cfg, unchanged(providers, old, cfg)
	done, err := a.reload(ctx)
	if err != nil {
		a.cfg, a.providers, a.role, a.features = old, providers, r, features
		return "", err
	}
	a.secrets.Set(Secrets(cfg, a.taskEnv))
	return summary(done), nil
}

// unchanged are the providers that the configuration describes as before. They are kept as they are.
func unchanged(providers map[string]namedProvider, before, after *config.Config) map[string]namedProvider {
	kept := maps.Clone(providers)
	maps.DeleteFunc(kept, func(name string, _ namedProvider) bool {
		if name == "" {
			return len(after.Providers) > 0
		}
		return !reflect.DeepEqual(before.Providers[name], after.Providers[name])
	})
	return kept
}

func (a *App) reload(ctx context.Context) (done host.Reloaded, err error) {
	r, err := findRole(a.cfg, a.role.agent.Name, a.role.mode.Name)
	if err != nil {
		return done, fmt.Errorf("reloading: %w", err)
	}
	if a.role.mode.Name == "" {
		r.mode = config.Mode{} // the user has left the agent's mode
	}
	r.provider, r.model, r.system, r.think = a.role.provider, a.role.model, a.role.system, a.role.think
	if a.features, err = a.cfg.FeaturesFor(r.agent, r.mode, a.opts.Task); err != nil {
		return done, err
	}
	a.role = r
	a.tellSandbox(a.cell(a.features))
	if done, err = a.reloadPlugins(ctx); err != nil {
		return done, err
	}
	a.reloadMCP(ctx)
	p, err := a.persona(ctx, r)
	if err != nil {
		return done, err
	}
	a.tellUnmatched(namesOf(a.everyTool(a.features)))
	a.collectCommands()
	a.refresh()
	return done, a.talk.Renew(ctx, p)
}

// adopt loads the plugins anew if an agent that took over by itself has other settings for them than those before.
func (a *App) adopt(ctx context.Context, before config.Plugins) {
	if a.opts.WithoutPlugins || reflect.DeepEqual(before, a.features.Plugins) {
		return
	}
	done, err := a.reloadPlugins(ctx)
	if err != nil {
		a.notice("", fmt.Sprintf("the plugins stay as they were for the agent before: %v", err))
		return
	}
	a.notice("", "the settings of plugins are others now; "+summary(done))
	a.collectCommands()
	a.stale.Store(true)
}

// reloadPlugins brings the fleet to what the configuration says now.
func (a *App) reloadPlugins(ctx context.Context) (host.Reloaded, error) {
	if a.fleet == nil {
		err := a.startPlugins(ctx)
		return host.Reloaded{Added: a.pluginNames()}, err
	}
	list, err := a.specs()
	if err != nil {
		return host.Reloaded{}, err
	}
	if err := brokenGuards(list); err != nil {
		return host.Reloaded{}, err
	}
	a.noteFired()
	done, err := a.fleet.Reload(ctx, list)
	a.recallFired()
	a.tellPlugins()
	a.reportLoadFindings()
	return done, err
}

// summary tells what a reload did to the plugins.
func summary(r host.Reloaded) string {
	var parts []string
	for _, part := range []struct {
		names []string
		what  string
	}{
		{r.Replaced, "replaced"}, {r.Added, "added"}, {r.Removed, "removed"}, {slices.Sorted(maps.Keys(r.Kept)), "kept as they were"},
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

func (a *App) pluginNames() []string {
	var names []string
	for _, p := range a.plugins() {
		names = append(names, p.Name())
	}
	return names
}
