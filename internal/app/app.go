// Package app puts a session together from all the other packages and takes it apart again.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation"
	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/mcp"
	"github.com/idelchi/aura/internal/redact"
	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/internal/seen"
	"github.com/idelchi/aura/internal/session"
	"github.com/idelchi/aura/internal/todo"
	"github.com/idelchi/aura/sdk"
)

// Options are what a user decides about a session beside the configuration.
type Options struct {
	// Config is where the configuration is; it is read again on reload.
	Config config.Options
	// Gate decides whether what a project's files ask for takes effect; nil trusts what the user has agreed to before.
	Gate *Gate
	// Version is aura's own.
	Version string
	// Agent, Mode, Provider, Model and System (a prompt) choose by name; empty leaves it to the configuration.
	Agent    string
	Mode     string
	Provider string
	Model    string
	System   string
	// Think is how much the model thinks; empty leaves it to the agent.
	Think llm.Think
	// Auto begins in auto mode.
	Auto bool
	// MaxSteps bounds the turns of one interaction, TokenBudget the tokens of the session; 0 leaves it to the configuration.
	MaxSteps    int
	TokenBudget int
	// Vars are variables for templates, over those of the task.
	Vars map[string]string
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
	// Confirm asks the user about a tool call; nil if there is nobody to ask.
	Confirm func(ctx context.Context, q Question) (bool, error)
	// Emit receives everything that happens, in order, one call at a time.
	Emit func(event.Event)
	// Verbose is told whether the model's thinking is to be shown; nil if nobody shows it.
	Verbose func(on bool)
}

// App is one session. Its methods but Health are for one goroutine.
type App struct {
	opts      Options
	cfg       *config.Config
	events    *events
	place     *host.Session
	fleet     *host.Fleet
	journal   *journal
	talk      *conversation.Conversation
	cmds      *command.Set
	providers map[string]namedProvider
	todos     todo.List
	seen      *seen.Files
	servers   *mcp.Set
	spares    sandbox.Spares
	serversOf map[string]config.MCPServer
	taskEnv   map[string]string
	vars      map[string]string
	role      role
	// features are those of the role.
	features config.Features
	verbose  bool
	// entries are the plugins that run, by name.
	entries map[string]Entry
	// toldSandbox is set once the user knows what the system does not enforce.
	toldSandbox bool
	// uncovered holds the sentences on what the sandbox does not cover that the user has been told.
	uncovered sync.Map
	// stale is set, from any goroutine, when the tools of MCP servers are others now; loaded are those that the model asked for.
	stale  atomic.Bool
	loaded []string
	// around is read by the conversation from any goroutine.
	around atomic.Pointer[conversation.Surroundings]
	// depth counts the commands that run within others.
	depth int
	// beside is held while a subagent is prepared, asking while the user is asked: subagents may work side by side.
	beside, asking sync.Mutex
	// installed are the names of all plugins that were found, whether they run or not.
	installed []string
	// clashes are those between commands that the user has been told of.
	clashes map[string]bool
	// secrets are what neither events nor the journal nor logs show.
	secrets redact.Current
}

// Open builds a session. Whatever it made is gone again if it fails.
func Open(ctx context.Context, o Options) (*App, error) {
	a := &App{opts: o, clashes: map[string]bool{}}
	a.events = &events{emit: o.Emit, hide: newHider(&a.secrets)}
	if err := a.open(ctx); err != nil {
		if ctx.Err() == nil {
			err = errors.Join(err, a.discard())
		}
		return nil, a.Hidden(errors.Join(err, a.Close(ReasonOf(ctx, err))))
	}
	return a, nil
}

// discard lets go of a session that never began. One that was saved before stays.
func (a *App) discard() error {
	if a.journal == nil || a.journal.old || a.talk != nil {
		return nil
	}
	return a.journal.Discard()
}

func (a *App) open(ctx context.Context) error {
	var err error
	if a.cfg, err = a.gate().Load(ctx, a.opts.Config); err != nil {
		return err
	}
	a.vars = map[string]string{}
	if a.opts.Task != nil {
		if a.taskEnv, err = a.opts.Task.Environment(); err != nil {
			return err
		}
		maps.Copy(a.vars, a.opts.Task.Vars)
		a.gate().tell(a.opts.Task.Ignored()...)
	}
	maps.Copy(a.vars, a.opts.Vars)
	a.secrets.Set(Secrets(a.cfg, a.taskEnv))
	saved, err := a.openJournal()
	if err != nil {
		return err
	}
	if a.role, err = a.firstRole(saved); err != nil {
		return err
	}
	if a.features, err = a.cfg.FeaturesFor(a.role.agent, a.role.mode, a.opts.Task); err != nil {
		return err
	}
	if err := requireSandbox(a.features); err != nil {
		return err
	}
	a.tellSandbox(a.cell(a.features))
	// A provider that cannot be made is better known before plugins are started.
	provider, name, err := a.chooseProvider(ctx, a.role)
	if err != nil {
		return err
	}
	a.beginJournal(session.Meta{
		Version: a.opts.Version, Workdir: a.cfg.Workdir, Agent: a.role.agent.Name, Provider: name,
		Model: a.promptData(ctx, a.role, provider, name).Model,
	})
	if err := a.startPlugins(ctx); err != nil {
		return err
	}
	a.startMCP(ctx)
	p, err := a.persona(ctx, a.role)
	if err != nil {
		return err
	}
	a.tellUnmatched(namesOf(a.everyTool(a.features)))
	a.collectCommands()
	a.refresh()
	if err := a.converse(ctx, p, saved); err != nil {
		return err
	}
	a.noteRole()
	return nil
}

// converse begins the conversation, or goes on with a saved one.
func (a *App) converse(ctx context.Context, p conversation.Persona, saved session.Session) error {
	stats, err := countsOf(saved)
	if err != nil {
		a.notice("", err.Error())
	}
	a.talk, err = conversation.New(ctx, conversation.Config{
		Provider: p.Provider, ProviderName: p.ProviderName, Model: p.Model, Agent: p.Agent, Mode: p.Mode, System: p.System,
		Tools: p.Tools, ContextLength: p.ContextLength, Think: p.Think, Generation: p.Generation, Fallback: p.Fallback,
		Hooks: handlers{a}, Journal: a.journal, Workdir: a.cfg.Workdir, History: saved.Messages, Waiting: waitingOf(saved), Stats: stats, TodosKnown: saved.State.Todos != nil,
		MaxSteps: p.MaxSteps, TokenBudget: max(p.TokenBudget, 0), Compaction: *p.Compaction, ResultTokens: max(p.ResultTokens, 0),
		Guard: p.Guard, Withhold: p.Withhold,
		Auto: a.opts.Auto, Todos: &a.todos, SessionID: a.journal.ID(), Emit: a.events.send,
		Surroundings: a.surroundings,
	})
	if err != nil {
		return err
	}
	a.announce(ctx, cmp.Or(saved.State.Agent, saved.Meta.Agent))
	return nil
}

// countsOf is what a saved session had counted when it ended; nil if nobody noted it, as after a crash.
func countsOf(saved session.Session) (*sdk.Stats, error) {
	if saved.End == nil {
		return nil, nil
	}
	stats, err := event.Recalled(saved.End.Stats)
	if err != nil {
		err = fmt.Errorf("%w; they are counted from the messages instead", err)
	}
	return stats, err
}

// announce tells plugins if the session begins with another agent than it usually would.
func (a *App) announce(ctx context.Context, saved string) {
	usual, _ := a.cfg.DefaultAgent()
	name := a.role.agent.Name
	if name == usual.Name || a.opts.Agent != "" {
		return
	}
	switch {
	case a.opts.Task != nil && a.opts.Task.Agent == name:
		a.talk.Announce(ctx, usual.Name, sdk.SwitchReasonTask)
	case saved == name:
		a.talk.Announce(ctx, usual.Name, sdk.SwitchReasonResume)
	}
}

// savedAgent is the agent of a session that is resumed, unless it is gone or another is asked for.
func (a *App) savedAgent(name string) string {
	if _, ok := a.cfg.Agents[name]; ok || name == "" {
		return name
	}
	if a.opts.Agent == "" {
		a.notice("", "the session's agent "+name+" does not exist any more, so the default one goes on")
	}
	return ""
}

// refresh renews what plugins are told beside what the conversation knows. It is called whenever any of it changes.
func (a *App) refresh() {
	a.around.Store(&conversation.Surroundings{
		SessionID: a.journal.ID(), SessionTitle: a.journal.state.Title, Vars: maps.Clone(a.vars),
		LoadedTools: slices.Clone(a.loaded), MCPServers: a.connected(),
		Features: sdk.FeatureState{ReadBeforeWrite: a.features.Tools.ReadBefore.Write, ShowThinking: a.verbose, Sandbox: a.cell(a.features).enabled},
	})
}

// surroundings is what plugins are told beside what the conversation knows. A session without a name is called by its first
// prompt, as it is in lists.
func (a *App) surroundings() conversation.Surroundings {
	around := *a.around.Load()
	if around.SessionTitle == "" && a.talk != nil {
		around.SessionTitle = session.Title(a.talk.Opening())
	}
	return around
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
	// What is saved is saved before the end of other programs is waited for, which may take longer than whoever stops aura waits.
	a.journal.Close(a.ended(reason))
	if a.servers != nil {
		if reason == session.ReasonInterrupted || reason == session.ReasonTimeout {
			a.servers.Hurry()
		}
		a.servers.Close()
	}
	a.spares.Close()
	if a.place != nil {
		return a.place.Close()
	}
	return nil
}

// ended is how the session ends, with what was counted in it.
func (a *App) ended(reason session.Reason) session.End {
	end := session.End{Reason: reason}
	if a.talk != nil {
		end.Stats = event.Saved(a.talk.Stats())
	}
	return end
}

// title is what the session is called; its id if it has no name.
func (a *App) title() string { return cmp.Or(a.journal.state.Title, a.journal.ID()) }
