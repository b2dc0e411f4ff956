// Package app puts a session together from all the other packages and takes it apart again.
package app

import (
	"context"
	"errors"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation"
	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/session"
	"github.com/idelchi/aura/internal/tool"
)

// Options are what a user decides about a session beside the configuration.
type Options struct {
	// Config is where the configuration is; it is read again on reload.
	Config config.Options
	// Version is aura's own.
	Version string
	// Agent, Provider and Model choose by name; empty leaves it to the configuration.
	Agent    string
	Provider string
	Model    string
	// MaxSteps bounds the turns of one interaction; 0 is the default.
	MaxSteps int
	// IncludeTools and ExcludeTools are patterns of tool names, the first layer of filters.
	IncludeTools []string
	ExcludeTools []string
	// WithoutPlugins runs none; UnsafePlugins grants all of them the restricted packages.
	WithoutPlugins bool
	UnsafePlugins  bool
	// Continue goes on with the newest session, Resume with the one whose id begins so.
	Continue bool
	Resume   string
	// Task is the task being run, if any.
	Task *config.Task
	// Emit receives everything that happens, in order, one call at a time.
	Emit func(event.Event)
}

// App is one session. Its methods but Interrupted are for one goroutine.
type App struct {
	opts    Options
	cfg     *config.Config
	events  *events
	place   *host.Session
	fleet   *host.Fleet
	journal *journal
	talk    *conversation.Conversation
	tools   *tool.Registry
	cmds    *command.Set
	taskEnv map[string]string
	agent   config.Agent
}

// Open builds a session. Whatever it made is gone again if it fails.
func Open(ctx context.Context, o Options) (*App, error) {
	a := &App{opts: o, events: &events{emit: o.Emit}}
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close(ReasonOf(ctx, err)))
	}
	return a, nil
}

func (a *App) open(ctx context.Context) error {
	var err error
	if a.cfg, err = config.Load(a.opts.Config); err != nil {
		return err
	}
	if a.agent, err = chooseAgent(a.cfg, a.opts); err != nil {
		return err
	}
	if a.opts.Task != nil {
		if a.taskEnv, err = a.opts.Task.Environment(); err != nil {
			return err
		}
	}
	if err := a.checkSettings(); err != nil {
		return err
	}
	provider, name, err := a.chooseProvider(ctx)
	if err != nil {
		return err
	}
	model := a.opts.Model
	if model == "" {
		model = a.agent.Model.Name
	}
	meta := session.Meta{Version: a.opts.Version, Workdir: a.cfg.Workdir, Agent: a.agent.Name, Provider: name, Model: model}
	saved, err := a.openJournal(meta)
	if err != nil {
		return err
	}
	if err := a.startPlugins(ctx); err != nil {
		return err
	}
	if err := a.collect(); err != nil {
		return err
	}
	a.talk, err = conversation.New(ctx, conversation.Config{
		Provider: described{provider, a.agent.Model}, ProviderName: name, Model: model, Agent: a.agent.Name, System: a.agent.Prompt,
		Tools: a.tools, Hooks: handlers{a}, Journal: a.journal, Workdir: a.cfg.Workdir,
		History:  saved,
		MaxSteps: a.opts.MaxSteps, SessionID: a.journal.ID(), Emit: a.events.send,
	})
	return err
}

func (a *App) notice(plugin, text string) {
	a.events.send(event.Notice{Plugin: plugin, Text: text})
}

// Health reports on the session's plugins.
func (a *App) Health() []host.PluginHealth {
	if a.fleet == nil {
		return nil
	}
	return a.fleet.Health()
}

// SessionID is empty for a session that is not saved.
func (a *App) SessionID() string { return a.journal.ID() }

// Close ends the plugins, completes the journal and leaves nothing behind.
func (a *App) Close(reason session.Reason) error {
	if a.fleet != nil {
		a.fleet.Close()
	}
	end := session.End{Reason: reason}
	if a.talk != nil {
		end.Stats = event.Finished(a.talk.Stats()).Stats
	}
	a.journal.Close(end)
	if a.place != nil {
		return a.place.Close()
	}
	return nil
}
