// Package app runs a session from its beginning to its end. Package gate checks consent before a project's code runs, package
// inspect has what commands show of a configuration, and package setup determines what the configuration sets up.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/machinepolicy"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
)

// Options are the user's choices for a session other than the configuration.
type Options struct {
	setup.Options
	// Config says where the configuration is located. A reload uses it again.
	Config config.Options
	// Gate decides whether the requests of a project's files take effect; nil trusts only what the user agreed to before.
	Gate *gate.Gate
	// Version is the version of aura.
	Version string
	// Auto starts the session in auto mode.
	Auto bool
	// Vars holds variables for templates. They override the variables of the task.
	Vars map[string]string
	// Continue continues the session that was used last. Resume continues the session with this id, name or title.
	Continue bool
	Resume   string
	// Record keeps the whole input and output of every plugin call, also if the settings do not ask for it.
	Record bool
	// PluginEvents enables PluginCall and PluginState events, and PluginLogs PluginLog events.
	PluginEvents bool
	PluginLogs   bool
	// PolicyRead is called when a reload has read the policy of the machine again. An error refuses the reload. It may be nil.
	PolicyRead func(*machinepolicy.Policy) error
}

// gate returns the gate of the options, or a gate that never asks.
func (o *Options) gate() *gate.Gate {
	if o.Gate == nil {
		o.Gate = &gate.Gate{}
	}
	return o.Gate
}

// Toolbox returns the options of tools that run without a conversation.
func (o *Options) Toolbox() inspect.ToolboxOptions {
	return inspect.ToolboxOptions{Options: o.Options, Config: o.Config, Gate: o.gate(), Version: o.Version, Vars: o.Vars}
}

// Session owns the running parts: plugins, MCP servers, processes that wait for the next call, the journal and the
// conversation. It works with one setup at a time and replaces the setup as a whole. RunLine and Close must be called from one
// goroutine.
type Session struct {
	opts    Options
	front   frontend.FrontEnd
	events  *events
	notices *notices
	secrets redact.Current

	setup    *setup.Setup
	confined setup.Confinement
	// network reports what programs do in the network.
	network  connections
	trust    frontend.Trust
	plugins  plugins
	moments  *moments
	servers  servers
	spares   sandbox.Spares
	journal  *journal
	tracer   *telemetry.Tracer
	talk     *conversation.Conversation
	commands *command.Set
	todos    todo.List
	rewinds  rewinds

	// verbose is whether the model's thinking is shown.
	verbose bool
	// unfollowed is the agent that took over but whose setup could not be applied.
	unfollowed string
	// around is read by the conversation from any goroutine, and shown by the front end.
	around atomic.Pointer[conversation.Surroundings]
	shown  atomic.Pointer[shown]
	// beside is held while a subagent is prepared, because subagents may run concurrently.
	beside  sync.Mutex
	running running
}

// Open begins a session and shows it in a front end. If Open fails, it releases everything.
func Open(ctx context.Context, o Options, front frontend.FrontEnd) (*Session, error) {
	s := &Session{opts: o, front: front}
	s.moments = newMoments(&s.secrets)
	s.running.questions = newQuestions(&s.secrets, s.running.activity.waits, func(text string) { s.notices.show(text) })
	s.events = &events{emit: front.Event, hide: newHider(&s.secrets)}
	s.notices = &notices{send: s.events.send}
	s.journal = &journal{version: o.Version, tell: s.notices.show, todos: &s.todos, flight: newFlight(&s.secrets), noteFired: s.plugins.noteFired}
	s.journal.commands.Ended = s.notices.show
	s.plugins.journal = s.journal
	s.network.send, s.network.turn = s.events.send, s.journal.flight.currentTurn
	s.network.of = setup.NewTraffic(s.network.seen)
	s.events.watch = func(ev event.Event) {
		s.journal.flight.event(ev)
		s.running.activity.event(ev)
	}
	if err := s.open(ctx); err != nil {
		if ctx.Err() == nil && s.talk == nil {
			err = errors.Join(err, s.journal.discard())
		}
		return nil, s.secrets.Error(errors.Join(err, s.Close(ReasonOf(ctx, err))))
	}
	return s, nil
}

func (s *Session) open(ctx context.Context) error {
	source, err := s.firstSource(ctx)
	if err != nil {
		return err
	}
	s.secrets.Set(setup.Secrets(source.Config, source.TaskEnv))
	if s.tracer, err = openTelemetry(ctx, source.Config.Machine, s.opts.Version, &s.secrets); err != nil {
		s.notices.show(err.Error())
	}
	s.journal.seen = readguard.New(source.Config.Workdir)
	var saved session.Session
	if s.opts.Resume != "" || s.opts.Continue {
		if saved, err = s.journal.resume(source.Config, s.opts.Resume); err != nil {
			return err
		}
	}
	role, err := roleFinder{source: source, saved: saved, notify: s.notices.show}.first(ctx)
	if err != nil {
		return err
	}
	first, err := setup.New(ctx, source, role)
	if err != nil {
		return err
	}
	s.noteInterrupted(source.Config.State.Rewinds())
	s.notices.setup(first) // before the plugins start, which may last
	s.journal.whole = s.recordsCalls(first)
	s.journal.create(source.Config, session.Meta{
		Version: s.opts.Version, Workdir: source.Config.Workdir, Agent: role.Agent.Name, Provider: first.ProviderName(), Model: first.ModelName(ctx),
	})
	s.journal.record()
	retain(source.Config, s.notices.show)
	// A directory that cannot be made matters only to plugins, and startPlugins reports it then.
	_ = s.plugins.openPlace(source.Config)
	s.confined = first.Sandbox()
	defer s.watching()()
	w, err := s.prepare(ctx, first, true)
	if err != nil {
		return err
	}
	s.commit(w)
	s.showUnmatched(true)
	return s.begin(ctx, w.persona, saved)
}

// recordsCalls reports whether whole calls of plugins are recorded with a setup.
func (s *Session) recordsCalls(of *setup.Setup) bool {
	return s.opts.Record && of.Config.Machine.Record() == nil || of.Features.Record.Enabled
}

// firstSource loads the configuration and combines it with the command line.
func (s *Session) firstSource(ctx context.Context) (setup.Source, error) {
	c, err := s.opts.gate().Load(ctx, s.opts.Config)
	if err != nil {
		return setup.Source{}, err
	}
	vars, env := map[string]string{}, map[string]string(nil)
	if task := s.opts.Task; task != nil {
		if env, err = task.Environment(); err != nil {
			return setup.Source{}, err
		}
		maps.Copy(vars, task.Vars)
		s.opts.gate().Report(task.Ignored()...)
	}
	maps.Copy(vars, s.opts.Vars)
	s.trust = s.opts.gate().Standing()
	out := setup.Source{
		Config: c, Options: s.opts.Options, TaskEnv: env, Vars: vars, Spares: &s.spares, Emit: s.events.send, Uncovered: s.notices.uncovered, Made: s.opts.made, Exposed: s.opts.exposed, Told: &s.notices.told,
		Traffic:   s.network.of,
		OutputDir: func() string { return s.journal.outputDir(c) }, Transcript: func() (string, error) { return s.journal.writeTranscript(c.Workdir) },
		Providers: setup.NewProviders(c, &s.secrets, s.notices.once),
	}
	if asker, ok := s.front.(frontend.Asker); ok {
		out.Confirm, out.Approvals = s.running.questions.asking(s.moments.asking(asker.Ask)), &policy.Approvals{}
	}
	if editor, ok := s.front.(frontend.BufferSaver); ok {
		out.SaveBuffers = editor.SaveBuffers
	}
	return out, nil
}

// begin begins the conversation, or continues a saved one.
func (s *Session) begin(ctx context.Context, p conversation.Persona, saved session.Session) error {
	stats, models, err := countsOf(saved)
	if err != nil {
		s.notices.show(err.Error())
	}
	if s.journal.flight.recording() {
		s.journal.flight.talk(ctx, p)
	}
	s.talk, err = conversation.New(ctx, conversation.Config{
		Persona: p, Hooks: &s.plugins, Journal: s.journal, Workdir: s.setup.Config.Workdir, History: saved.Messages, Waiting: waitingOf(saved),
		Stats: stats, Models: models, TodosKnown: saved.State.Todos != nil, Auto: s.opts.Auto, Todos: &s.todos, SessionID: s.journal.ID(), Emit: s.events.send,
		Surroundings: s.surroundings, Tape: s.journal.flight, Replaced: s.replaced, Notes: s.notes,
	})
	if err != nil {
		return err
	}
	s.announce(ctx, cmp.Or(saved.State.Agent, saved.Meta.Agent))
	s.noteRole()
	s.talk.Begun(ctx, s.journal.old)
	s.moments.begin(s.talk)
	if s.plugins.place != nil {
		s.plugins.place.Describe(func() any { return s.report() })
		s.plugins.place.Answers(s.running.questions.answer)
		s.plugins.place.Cancels(func(turn int) error { return s.running.cancelTurn(turn, s.journal.flight.lastTurn()) })
	}
	return nil
}

// replaced puts the text with which plugins replaced the output of a command into the file that has the full output.
func (s *Session) replaced(tool, result, text string) {
	if tool != builtin.BashName {
		return
	}
	c := s.setup.Config
	dirs := []string{s.journal.outputDir(c)}
	if dirs[0] == "" {
		dirs = []string{os.TempDir(), sandbox.PrivateTemp(c.State.Temp())}
	}
	if err := builtin.ReplaceOutput(result, text, dirs...); err != nil {
		s.notices.show(fmt.Sprintf("a plugin replaced the output of a command, and the file with the full output could not be changed: %v", err))
	}
}

// live returns what the tools and prompts of a setup depend on.
func (s *Session) live(of *setup.Setup, views []host.View, servers *mcp.Set) setup.Live {
	out := setup.Live{
		Plugins: views, Entries: of.Entries, Servers: servers, Todos: &s.todos, Background: &s.journal.commands, Pages: &s.journal.pages, Changing: s.keepFiles, Seen: s.journal.seen, Delegate: s.delegate, Load: s.loadTools,
		Under: func(settings config.Plugins, views []host.View) ([]host.View, pipeline.Source) {
			return narrow(views, settings), s.plugins.under(settings)
		},
	}
	if of.Confirm != nil {
		out.Accept = accepting(s)
	}
	return out
}

// countsOf returns the statistics of a saved session at its end, and its usage of each model. Both are nil if they were not
// recorded, for example after a crash.
func countsOf(saved session.Session) (*sdk.Stats, []conversation.ModelUse, error) {
	if saved.End == nil {
		return nil, nil, nil
	}
	stats, models, err := event.Recalled(saved.End.Stats)
	if err != nil {
		err = fmt.Errorf("%w; they are counted from the messages instead", err)
	}
	return stats, models, err
}

// announce reports to plugins that the session begins with another agent than the default.
func (s *Session) announce(ctx context.Context, saved string) {
	usual, _ := s.setup.Config.DefaultAgent()
	name := s.setup.Role.Agent.Name
	if name == usual.Name || s.opts.Agent != "" {
		return
	}
	switch {
	case s.opts.Task != nil && s.opts.Task.Agent == name:
		s.talk.Announce(ctx, usual.Name, sdk.SwitchReasonTask)
	case saved == name:
		s.talk.Announce(ctx, usual.Name, sdk.SwitchReasonResume)
	}
}

// refresh updates the data that plugins and front ends see in addition to the conversation. It must be called when any of the data changes.
func (s *Session) refresh() {
	confined := s.setup.Sandbox()
	s.confined = confined
	s.shown.Store(&shown{setup: s.setup, sandbox: sandboxed(confined), trust: s.trust, commands: infos(s.commands.List()), servers: s.servers.set})
	s.around.Store(&conversation.Surroundings{
		SessionID: s.journal.ID(), SessionTitle: s.journal.state.Title, Vars: maps.Clone(s.setup.Vars),
		LoadedTools: slices.Clone(s.servers.loaded), MCPServers: s.servers.set.Connected(),
		Features: sdk.FeatureState{
			ReadBeforeWrite: s.setup.Features.Tools.ReadBefore.Write, ShowThinking: s.verbose, Sandbox: confined.Enabled(),
		},
	})
}

// surroundings returns the data that plugins see in addition to the conversation. The title of a session without a name is
// derived from its first prompt, as in lists.
func (s *Session) surroundings() conversation.Surroundings {
	around := *s.around.Load()
	if around.SessionTitle == "" && s.talk != nil {
		around.SessionTitle = session.Title(s.talk.Opening())
	}
	return around
}

// SessionID returns the session's id; empty for a session that is not saved.
func (s *Session) SessionID() string { return s.journal.ID() }

// Health returns the health of the session's plugins.
func (s *Session) Health() []host.PluginHealth { return s.plugins.health() }

// notes returns what the model should learn with its next request.
func (s *Session) notes() []string { return append(s.journal.commands.Notes(), s.rewinds.notes()...) }

// watchCommands looks at what background commands left so far. They may run for long after the call that started them.
func (s *Session) watchCommands() {
	if s.journal.commands.Running() > 0 {
		s.confined.Watching("a background command")()
	}
}
