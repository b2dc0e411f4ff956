package app

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/host/pluginstate"
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// plugins holds the plugins of a session. running is nil while there are no plugins to run; a reload may set it while a front end looks at the
// plugins. place is the directory for their sockets and for those of the session; nil if it could not be made, which matters only once
// there are plugins.
type plugins struct {
	place   *host.Session
	running atomic.Pointer[host.Fleet]
	journal *journal
}

// fleet returns the running plugins; nil while there are none.
func (p *plugins) fleet() *host.Fleet { return p.running.Load() }

// pluginChange is a prepared change of the plugins: a first fleet, or a change of the current fleet.
type pluginChange struct {
	of     *plugins
	fleet  *host.Fleet
	change *host.Change
}

// starter starts a first fleet.
type starter func(context.Context, *setup.Setup) (*host.Fleet, error)

// prepare starts the plugins of a setup in addition to those that are running. If none are running, it starts them by start.
func (p *plugins) prepare(ctx context.Context, next *setup.Setup, anew bool, start starter) (pluginChange, error) {
	out := pluginChange{of: p}
	var err error
	switch {
	case p.fleet() != nil:
		var o host.Options
		if o, err = hostOptions(next); err == nil {
			out.change, err = p.fleet().Prepare(ctx, &o.Around, next.Specs, anew)
		}
	case len(next.Specs) > 0:
		out.fleet, err = start(ctx, next)
	}
	return out, err
}

// hostOptions returns the options of plugins in a setup.
func hostOptions(next *setup.Setup) (host.Options, error) {
	o, err := setup.HostOptions(next.Config)
	o.TaskEnv, o.Shell = next.TaskEnv, next.RunCondition(next.Features)
	return o, err
}

// startPlugins starts the first fleet of a session.
func (s *Session) startPlugins(ctx context.Context, next *setup.Setup) (*host.Fleet, error) {
	o, err := hostOptions(next)
	if err != nil {
		return nil, err
	}
	if err := s.plugins.openPlace(next.Config); err != nil {
		return nil, err
	}
	o.Session, o.Secrets = s.plugins.place, &s.secrets
	o.Observer.OnNotice = func(n host.Notice) { s.notices.showOf(n.Plugin, n.Text) }
	o.Compile = true
	o.State = pluginstate.New(next.Config.State.ProjectValues(), s.journal.valuesDir).Do
	var calls func(event.Event) // nil if nobody wants events about calls
	if s.opts.PluginEvents {
		calls = s.events.send
	}
	changed := func(c host.StateChange) {
		s.moments.changed(c)
		watchRequired(s, next, c)
	}
	watchPlugins(&o.Observer, s.journal.flight, s.tracer, &s.secrets, changed, calls)
	if s.opts.PluginLogs {
		watchLogs(&o.Observer, s.events.send)
	}
	return host.Start(ctx, o, next.Specs)
}

// openPlace opens the directory for the sockets of the session and its plugins, unless it is open.
func (p *plugins) openPlace(c *config.Config) (err error) {
	if p.place == nil {
		p.place, err = host.OpenSession(setup.RuntimeDir(c), p.journal.ID())
	}
	return err
}

// views returns the plugins after the change.
func (c pluginChange) views() []host.View {
	switch {
	case c.fleet != nil:
		return c.fleet.Views()
	case c.change != nil:
		return c.change.Plugins()
	default:
		return nil
	}
}

func (c pluginChange) commit() host.Reloaded {
	var done host.Reloaded
	switch {
	case c.fleet != nil:
		c.of.running.Store(c.fleet)
		for _, p := range c.of.list() {
			done.Added = append(done.Added, p.Name())
		}
	case c.change != nil:
		done = c.change.Commit()
	}
	c.of.recallFired()
	return done
}

func (c pluginChange) abort() {
	if c.change != nil {
		c.change.Abort()
	}
	if c.fleet != nil {
		c.fleet.Close()
	}
}

// drain returns when plugins have handled the events that wait for them, or when ctx is done.
func (p *plugins) drain(ctx context.Context) {
	if p.fleet() != nil {
		p.fleet().Drain(ctx)
	}
}

func (p *plugins) list() []*host.Plugin {
	if p.fleet() == nil {
		return nil
	}
	return p.fleet().Plugins()
}

func (p *plugins) views() []host.View {
	if p.fleet() == nil {
		return nil
	}
	return p.fleet().Views()
}

func (p *plugins) health() []host.PluginHealth {
	if p.fleet() == nil {
		return nil
	}
	return p.fleet().Health()
}

// exposed reports whether a confined plugin can write what consents cover, because it has no mount namespace.
func (p *plugins) exposed() bool {
	return slices.ContainsFunc(p.list(), func(plugin *host.Plugin) bool {
		report := plugin.Sandbox()
		return report != nil && report.Confined && !report.Mounts
	})
}

// end stops the child processes. close removes the directory of their sockets.
func (p *plugins) end() {
	if p.fleet() != nil {
		p.fleet().Close()
	}
}

func (p *plugins) close() error {
	if p.place == nil {
		return nil
	}
	return p.place.Close()
}

// Handlers returns the plugins that have a hook at a hook point, for the pipeline.
func (p *plugins) Handlers(point hookpoint.Name) []pipeline.Handler {
	var out []pipeline.Handler
	for _, plugin := range p.at(point) {
		out = append(out, plugin)
	}
	return out
}

// at returns the plugins that have a hook at a hook point.
func (p *plugins) at(point hookpoint.Name) []*host.Plugin {
	if p.fleet() == nil {
		return nil
	}
	return p.fleet().At(point)
}

// under returns the plugins as other settings select and configure them. It does not start plugins that are not running in the
// session.
func (p *plugins) under(settings config.Plugins) narrowed { return narrowed{p, settings} }

// narrowed holds the plugins of a session with the settings of another agent in the session.
type narrowed struct {
	*plugins
	settings config.Plugins
}

// Handlers returns the handlers of the plugins that the settings select.
func (n narrowed) Handlers(point hookpoint.Name) []pipeline.Handler {
	var out []pipeline.Handler
	for _, plugin := range n.at(point) {
		if n.settings.Selected(plugin.Name()) {
			out = append(out, plugin.Configured(n.settings.ConfigFor(plugin.Name(), plugin.Spec().Manifest.Config)))
		}
	}
	return out
}

func (n narrowed) views() []host.View { return narrow(n.plugins.views(), n.settings) }

// narrow returns the plugins that the settings select, configured by the settings.
func narrow(views []host.View, settings config.Plugins) []host.View {
	var out []host.View
	for _, v := range views {
		if settings.Selected(v.Name()) {
			out = append(out, v.Configured(settings.ConfigFor(v.Name(), v.Spec().Manifest.Config)))
		}
	}
	return out
}

// recallFired restores at which hook points plugins that act once per session have acted in the open session.
func (p *plugins) recallFired() {
	for _, plugin := range p.list() {
		var points []hookpoint.Name
		for _, point := range p.journal.state.Fired[plugin.Name()] {
			points = append(points, hookpoint.Name(point))
		}
		plugin.SetFired(points...)
	}
}

// noteFired records at which hook points plugins that act once per session have acted. It keeps the records of plugins that are
// not running.
func (p *plugins) noteFired() {
	for _, plugin := range p.list() {
		if !plugin.Spec().Manifest.Once {
			continue
		}
		var points []string
		for _, point := range hookpoint.All() {
			if plugin.Fired(point.Name) {
				points = append(points, string(point.Name))
			}
		}
		if slices.Equal(points, p.journal.state.Fired[plugin.Name()]) {
			continue
		}
		p.journal.changeState(func(s *session.State) {
			fired := map[string][]string{plugin.Name(): points}
			for name, before := range s.Fired {
				if name != plugin.Name() {
					fired[name] = before
				}
			}
			s.Fired = fired
		})
	}
}

// commands returns the slash commands of plugins.
func (p *plugins) commands(s *Session) []command.Command {
	var out []command.Command
	for _, plugin := range p.list() {
		exports, _ := plugin.Exports()
		for _, schema := range exports.Commands {
			out = append(out, command.Command{
				Name: schema.Name, Description: schema.Description, Hints: schema.Hints,
				Source: command.SourcePlugin, Origin: plugin.Name(),
				Run: func(ctx context.Context, args string) (command.Result, error) {
					defer s.watching()()
					r, err := plugin.Command(ctx, schema.Name, s.talk.Context(), args)
					if schema.Forward {
						r.Output = prompt.Escape(r.Output) // only a user's prompt attaches files
					}
					return command.Result{Output: r.Output, Forward: schema.Forward, Silent: schema.Silent}, err
				},
			})
		}
	}
	return out
}
