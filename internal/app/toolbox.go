package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/mcp"
	"github.com/idelchi/aura/internal/pluginsource"
	"github.com/idelchi/aura/internal/redact"
	"github.com/idelchi/aura/internal/setup"
	"github.com/idelchi/aura/internal/todo"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/internal/tool/builtin"
)

// ToolboxOptions are what a user decides about tools that no conversation is around.
type ToolboxOptions struct {
	// Options are those of a session. Of them, what chooses the configuration, the agent, the mode, the tools and the plugins
	// counts.
	Options
	// Notify is given notices, without secrets; nil drops them.
	Notify func(text string)
	// Only is the one tool that will be used. No plugin and no server is started that has nothing to do with it. Empty means all.
	Only string
	// WithMCP connects to the MCP servers.
	WithMCP bool
	// Listing only shows tools: those of a project that is not trusted are left out, instead of asking.
	Listing bool
	// Asleep starts no plugin at all: the tools of those that nothing is remembered of are missing.
	Asleep bool
}

// Toolbox is the tools of a configuration without a conversation. Neither plugin hooks nor shell hooks run, no policy is asked,
// and nothing has to be read before it is written: whoever uses it is the user. Its methods are for one goroutine.
type Toolbox struct {
	opts     ToolboxOptions
	events   *events
	secrets  redact.Current
	source   setup.Source
	role     setup.Role
	features config.Features
	confined setup.Confinement
	plugins  setup.Plugins
	place    *host.Session
	fleets   []*host.Fleet
	servers  *mcp.Set
	todos    todo.List
	registry *tool.Registry
	// all are the tools that were found, those that nobody is offered and those that others have displaced included.
	all []tool.Tool
	// unavailable are the plugins that say that their tools are not available.
	unavailable map[string]bool
}

// Secrets are those that are not to be shown.
func (b *Toolbox) Secrets() *redact.Redactor { return b.secrets.Get() }

// toolSession is the name of the session in which plugins run whose tools are used so.
const toolSession = "tools"

// OpenToolbox gathers the tools. Whoever calls it closes it. Its error may be a *tool.ConflictError.
func OpenToolbox(ctx context.Context, o ToolboxOptions) (*Toolbox, error) {
	b := &Toolbox{opts: o, unavailable: map[string]bool{}}
	b.events = &events{emit: b.show, hide: newHider(&b.secrets)}
	if err := b.open(ctx); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Toolbox) open(ctx context.Context) error {
	c, err := b.config(ctx)
	if err != nil {
		return err
	}
	b.secrets.Set(setup.Secrets(c, nil))
	b.source = setup.Source{Config: c, Options: b.opts.Options.Options, Emit: b.events.send}
	usual, _ := c.DefaultAgent()
	if b.role, err = setup.FindRole(c, cmp.Or(b.opts.Agent, usual.Name), b.opts.Mode); err != nil {
		return err
	}
	if b.features, err = b.source.Features(b.role); err != nil {
		return err
	}
	if err := setup.RequireSandbox(b.features); err != nil {
		return err
	}
	b.confined = setup.NewConfinement(c, b.features, "")
	b.all = b.own()
	if err := b.addPlugins(ctx); err != nil {
		return err
	}
	b.addServers(ctx)
	if err := b.register(); err != nil {
		return err
	}
	// Where only some plugins are asked for their tools, a name that is unknown here may be one of the others.
	if b.opts.Only == "" && !b.opts.Asleep {
		for _, text := range b.source.Unmatched(b.role, b.features, b.all, b.views(), b.plugins.Installed) {
			b.notice("", text)
		}
	}
	return nil
}

// show passes on notices. Nothing else happens without a conversation that anybody would want to see.
func (b *Toolbox) show(e event.Event) {
	if n, ok := e.(event.Notice); ok && b.opts.Notify != nil {
		b.opts.Notify(n.Text)
	}
}

func (b *Toolbox) notice(plugin, text string) {
	b.events.send(event.Notice{Plugin: plugin, Text: text})
}

// config is what is in force.
func (b *Toolbox) config(ctx context.Context) (*config.Config, error) {
	if !b.opts.Listing {
		return b.opts.gate().Load(ctx, b.opts.Config)
	}
	l, err := b.opts.gate().List(b.opts.Config)
	return l.Config, err
}

// own are aura's own tools.
func (b *Toolbox) own() []tool.Tool {
	var waiting []string
	for name, s := range b.source.Config.MCPServers {
		if s.Deferred && !s.Disabled {
			waiting = append(waiting, name)
		}
	}
	slices.Sort(waiting)
	return append(b.confined.Builtins(b.options(), nil), b.source.OwnTools(setup.Live{Todos: &b.todos}, waiting)...)
}

// options are those of the tools for files and the shell.
func (b *Toolbox) options() builtin.Options {
	bash, c := b.features.Tools.Bash, b.source.Config
	return builtin.Options{
		Workdir: c.Workdir, Env: c.Environ, BashTimeout: bash.Timeout.Duration(), Truncation: builtin.Truncation(bash.Truncation),
	}
}

// addPlugins adds the tools of plugins. What a plugin exports is remembered, so most need not be started for it.
func (b *Toolbox) addPlugins(ctx context.Context) error {
	var err error
	if b.plugins, err = b.source.FindPlugins(b.features); err != nil {
		return err
	}
	specs := slices.DeleteFunc(slices.Clone(b.plugins.Specs), func(s host.Spec) bool { return s.Err == nil && !pluginsource.Defines(s.Dir, pluginsource.Schema.Name) })
	if len(specs) == 0 {
		return nil
	}
	if b.place, err = host.OpenSession(setup.RuntimeDir(b.source.Config), toolSession); err != nil {
		return err
	}
	asleep, err := b.fleet(ctx, specs, host.Options{Dormant: true})
	if err != nil || b.opts.Asleep {
		return err
	}
	unknown := slices.DeleteFunc(specs, func(s host.Spec) bool {
		return slices.ContainsFunc(asleep.Plugins(), func(p *host.Plugin) bool {
			_, known := p.Exports()
			return p.Name() == s.Name && (known || s.Err != nil)
		})
	})
	if err := b.wake(ctx, asleep); err != nil || len(unknown) == 0 {
		return err
	}
	_, err = b.fleet(ctx, unknown, host.Options{Lazy: true})
	return err
}

// wake starts the remembered plugins whose tools may or may not be available today, as far as those are asked for.
func (b *Toolbox) wake(ctx context.Context, fleet *host.Fleet) error {
	for _, p := range fleet.Plugins() {
		exports, _ := p.Exports()
		if t := exports.Tool; t != nil && t.HasAvailable && (b.opts.Only == "" || b.opts.Only == t.Schema.Name) {
			if err := p.Ready(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// fleet starts plugins, as far as the options want that.
func (b *Toolbox) fleet(ctx context.Context, specs []host.Spec, start host.Options) (*host.Fleet, error) {
	o, err := setup.HostOptions(b.source.Config)
	if err != nil {
		return nil, err
	}
	o.Session, o.Lazy, o.Dormant = b.place, start.Lazy, start.Dormant
	o.Notify = func(n host.Notice) { b.notice(n.Plugin, n.Text) }
	f, err := host.Start(ctx, o, specs)
	if err == nil {
		b.fleets = append(b.fleets, f)
	}
	return f, err
}

// addServers connects to MCP servers: to all of them, or to the one whose tool is asked for.
func (b *Toolbox) addServers(ctx context.Context) {
	if !b.opts.WithMCP {
		return
	}
	chosen := *b.source.Config
	chosen.MCPServers = map[string]config.MCPServer{}
	for name, s := range b.source.Config.MCPServers {
		if b.opts.Only == "" || strings.HasPrefix(b.opts.Only, setup.MCPPrefix+name+"__") {
			s.Deferred = false
			chosen.MCPServers[name] = s
		}
	}
	if len(chosen.MCPServers) == 0 {
		return
	}
	b.servers = OpenMCP(ctx, &chosen, MCPOptions{
		Version: b.opts.Version, Notify: func(text string) { b.notice("", text) }, OnChange: func() {},
	})
	b.all = append(b.all, b.servers.Tools()...)
}

// register resolves conflicts of names, as the start of a session would.
func (b *Toolbox) register() error {
	own := len(b.all)
	if b.servers != nil {
		own -= len(b.servers.Tools())
	}
	plugins := b.pluginTools()
	b.all = slices.Concat(b.all[:own], plugins, b.all[own:])
	var offered []tool.Tool
	for i, t := range b.all {
		d := b.source.Config.ToolDefinitions[t.Definition().Name]
		b.all[i] = setup.Redefined(t, d)
		if !d.Disabled && !b.isUnavailable(t.Definition()) {
			offered = append(offered, b.all[i])
		}
	}
	var err error
	b.registry, err = tool.NewRegistry(offered...)
	return err
}

// pluginTools are those of all plugins that are known, in the order of a session, by which the last of several overrides wins.
func (b *Toolbox) pluginTools() []tool.Tool {
	var out []tool.Tool
	place := map[string]int{}
	for _, f := range b.fleets {
		out = append(out, b.source.PluginTools(b.confined, setup.Live{Plugins: f.Views(), Entries: b.plugins.Entries})...)
		for i, p := range f.Plugins() {
			if _, known := place[p.Name()]; !known {
				place[p.Name()] = i // the first fleet holds all
			}
			exports, _ := p.Exports()
			if t := exports.Tool; t != nil && !t.Available {
				b.unavailable[p.Name()] = true
				out = append(out, setup.UnavailableTool(p, exports))
			}
		}
	}
	slices.SortStableFunc(out, func(x, y tool.Tool) int { return place[x.Definition().Origin] - place[y.Definition().Origin] })
	return out
}

// views are the plugins of all fleets.
func (b *Toolbox) views() []host.View {
	var out []host.View
	for _, f := range b.fleets {
		out = append(out, f.Views()...)
	}
	return out
}

func (b *Toolbox) isUnavailable(d tool.Definition) bool {
	return d.Source == tool.SourcePlugin && b.unavailable[d.Origin]
}

// Close ends what was started.
func (b *Toolbox) Close() error {
	for _, f := range b.fleets {
		f.Close()
	}
	if b.servers != nil {
		b.servers.Close()
	}
	if b.place != nil {
		return b.place.Close()
	}
	return nil
}

// find looks for a tool, offered or not.
func (b *Toolbox) find(name string) (tool.Tool, error) {
	if t, ok := b.registry.Lookup(name); ok {
		return t, nil
	}
	var names []string
	for _, t := range b.all {
		if t.Definition().Name == name {
			return t, nil
		}
		names = append(names, t.Definition().Name)
	}
	slices.Sort(names)
	hint := ""
	if !b.opts.WithMCP && strings.HasPrefix(name, setup.MCPPrefix) {
		hint = "; MCP servers are started only with --with-mcp"
	}
	return nil, &UnknownToolError{Name: name, Known: slices.Compact(names), Hint: hint}
}

// UnknownToolError is a name that no tool has.
type UnknownToolError struct {
	Name  string
	Known []string
	// Hint is empty, or goes on where the message ends.
	Hint string
}

func (e *UnknownToolError) Error() string {
	return fmt.Sprintf("looking for tool %q: it does not exist%s; known tools: %s", e.Name, e.Hint, dashIfNone(e.Known))
}
