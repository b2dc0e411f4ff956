package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation/event"
)

// Run takes the prompts one after the other, slash commands among them. A command that fails is told and the next prompt
// runs; a conversation that fails ends the run.
func (a *App) Run(ctx context.Context, prompts []string) error {
	for _, prompt := range prompts {
		exit, err := a.Take(ctx, prompt)
		if err != nil || exit {
			return err
		}
	}
	return nil
}

// Take takes one prompt. It reports whether the user asked to leave.
func (a *App) Take(ctx context.Context, prompt string) (exit bool, err error) {
	name, args, ok := command.Parse(prompt)
	if !ok {
		return false, a.talk.Send(ctx, prompt)
	}
	result, err := a.cmds.Run(ctx, name, args)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		a.events.send(commandFailure(err))
		return false, nil
	}
	if result.Forward {
		return result.Exit, a.talk.Send(ctx, result.Output)
	}
	if !result.Silent && result.Output != "" {
		a.events.send(event.Command{Name: name, Output: result.Output})
	}
	return result.Exit, nil
}

// commandFailure names the plugin behind a failed command, if there is one.
func commandFailure(err error) event.Event {
	if e, ok := errors.AsType[*host.Error](err); ok {
		return event.PluginError{Plugin: e.Plugin, Error: err.Error()}
	}
	return event.Error{Message: err.Error()}
}

// Reload reads the configuration and the plugins again. A plugin that does not load any more goes on as it was.
func (a *App) Reload(ctx context.Context) (string, error) {
	cfg, err := config.Load(a.opts.Config)
	if err != nil {
		return "", err
	}
	if a.fleet == nil {
		a.cfg = cfg
		if err := a.startPlugins(ctx); err != nil {
			return "", err
		}
		return summary(host.Reloaded{Added: a.pluginNames()}), a.collectInto()
	}
	list, err := specs(cfg, a.opts.UnsafePlugins)
	if err != nil {
		return "", err
	}
	done, err := a.fleet.Reload(ctx, list)
	if err != nil {
		return "", err
	}
	a.cfg = cfg
	if err := a.collectInto(); err != nil {
		return "", err
	}
	return summary(done), nil
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

// collectInto gathers tools and commands anew and hands them to the conversation.
func (a *App) collectInto() error {
	if err := a.collect(); err != nil {
		return err
	}
	a.talk.SetTools(a.tools)
	return nil
}
