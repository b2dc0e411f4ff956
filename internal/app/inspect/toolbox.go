package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// ToolboxOptions are the user's choices for tools that run without a conversation.
type ToolboxOptions struct {
	// Options choose the agent, the mode, the tools and the plugins, as in a session.
	setup.Options
	// Config says where the configuration is located.
	Config config.Options
	// Gate decides whether the requests of a project's files take effect.
	Gate *gate.Gate
	// Version is the version of aura.
	Version string
	// Vars holds variables for plugins.
	Vars map[string]string
	// Notify receives notices without secrets, one at a time; nil drops them.
	Notify func(text string)
	// Only is the one tool that will be used; empty means all. Plugins and servers that do not provide the tool are not started.
	Only string
	// WithMCP connects to the MCP servers.
	WithMCP bool
	// Listing only shows tools: the toolbox omits those of an untrusted project instead of asking.
	Listing bool
	// Asleep starts no plugin at all: tools of plugins whose exports are not cached are missing.
	Asleep bool
}

// Toolbox holds the tools of a configuration without a conversation. Neither plugin hooks nor shell hooks run, no policy is
// checked, and a file need not be read before it is written, because the user makes the calls. Its methods must be called from
// one goroutine.
type Toolbox struct {
	opts     ToolboxOptions
	notices  *notices
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
	// conflicts holds the conflicts of names.
	conflicts []error
	// all holds the tools that were found, including tools that are not offered and tools that others replace.
	all []tool.Tool
	// unavailable holds the plugins that report their tools as not available.
	unavailable map[string]bool
}

// Secrets returns the redactor for secrets that must not be shown.
func (b *Toolbox) Secrets() *redact.Redactor { return b.secrets.Get() }

// toolSession is the name of the session of plugins that run in a toolbox.
const toolSession = "tools"

// OpenToolbox collects the tools. The caller must close the toolbox. A conflict of names is a notice, and the first tool stays.
func OpenToolbox(ctx context.Context, o ToolboxOptions) (*Toolbox, error) {
	b := &Toolbox{opts: o, unavailable: map[string]bool{}}
	b.notices = newNotices(o.Notify, &b.secrets)
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
	b.source = setup.Source{Config: c, Options: b.opts.Options, Emit: b.notices.event, Uncovered: b.notices.uncovered, Made: b.made, Exposed: b.exposed, Traffic: setup.NewTraffic(nil)}
	if b.role, err = b.chooseRole(c); err != nil {
		return err
	}
	if b.features, err = b.source.Features(b.role); err != nil {
		return err
	}
	if err := setup.RequireSandbox(b.features); err != nil {
		return err
	}
	b.confined = b.source.Confinement(b.features)
	if !b.opts.Listing {
		b.notices.once(b.confined.Notices()...)
	}
	b.all = b.own()
	if err := b.addPlugins(ctx); err != nil {
		return err
	}
	b.addServers(ctx)
	if err := b.register(); err != nil {
		return err
	}
	// If only some plugins are asked for their tools, a name that is unknown here may belong to another plugin.
	if b.opts.Only == "" && !b.opts.Asleep {
		for _, text := range b.source.Unmatched(b.role, b.features, b.all, b.views(), b.plugins.Installed) {
			b.notices.show(text)
		}
	}
	return nil
}

// exposed is called after a program ran that could write what consents cover.
func (b *Toolbox) exposed() {
	b.opts.Gate.Expose()
	b.opts.Gate.Recheck(b.opts.Config)
}

// made removes from the consents what confined code left.
func (b *Toolbox) made(paths []string) { b.opts.Gate.Narrow(b.opts.Config, paths) }

// chooseRole returns the role of the toolbox. A listing runs no tool, so it needs no certain default agent.
func (b *Toolbox) chooseRole(c *config.Config) (setup.Role, error) {
	usual, _ := c.DefaultAgent()
	name := cmp.Or(b.opts.Agent, usual.Name)
	if !b.opts.Listing {
		var err error
		if name, err = c.ChooseAgent(b.opts.Agent); err != nil {
			return setup.Role{}, err
		}
	}
	return setup.FindRole(c, name, b.opts.Mode)
}

// config returns the active configuration. What is faulty is left out, with notices.
func (b *Toolbox) config(ctx context.Context) (*config.Config, error) {
	if !b.opts.Listing {
		o := b.opts.Config
		o.LeaveOut = true
		return b.opts.Gate.Load(ctx, o)
	}
	l, err := b.opts.Gate.List(b.opts.Config)
	return l.Config, err
}

// own returns aura's own tools.
func (b *Toolbox) own() []tool.Tool {
	var waiting []string
	for name, s := range b.source.Config.MCPServers {
		if s.Deferred && !s.Disabled && s.Of(b.role.Agent.Name) {
			waiting = append(waiting, name)
		}
	}
	slices.Sort(waiting)
	return slices.Concat(b.confined.Builtins(b.options(), nil), b.source.OwnTools(setup.Live{Todos: &b.todos}, waiting), setup.SearchTools(b.features))
}

// options returns the options of the file and shell tools.
func (b *Toolbox) options() builtin.Options {
	bash, c := b.features.Tools.Bash, b.source.Config
	return builtin.Options{
		Workdir: c.Workdir, Env: c.Environ, BashTimeout: bash.Timeout.Duration(), Timeout: b.features.Tools.Timeout.Duration(), Truncation: builtin.Truncation(bash.Truncation),
	}
}

// addPlugins adds the tools of plugins. The exports of plugins are cached, so most plugins need not be started.
func (b *Toolbox) addPlugins(ctx context.Context) error {
	var err error
	if b.plugins, err = b.source.FindPlugins(b.features); err != nil {
		return err
	}
	specs := slices.DeleteFunc(slices.Clone(b.plugins.Specs), func(s host.Spec) bool {
		return s.Err == nil && !s.Python() && !pluginsource.Defines(s.Dir, pluginsource.Schema.Name) && !pluginsource.Defines(s.Dir, pluginsource.Tools.Name)
	})
	if len(specs) == 0 {
		return nil
	}
	if b.place, err = host.OpenSession(setup.RuntimeDir(b.source.Config), toolSession); err != nil {
		return err
	}
	asleep, err := b.fleet(ctx, specs, host.Fixed{Dormant: true})
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
	_, err = b.fleet(ctx, unknown, host.Fixed{Lazy: true})
	return err
}

// wake starts the plugins with cached exports whose tools are not always available, if those tools are requested.
func (b *Toolbox) wake(ctx context.Context, fleet *host.Fleet) error {
	for _, p := range fleet.Plugins() {
		exports, _ := p.Exports()
		asked := b.opts.Only == "" || exports.Tool(b.opts.Only) != nil
		if asked && exports.HasAvailable() {
			if err := p.Ready(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// fleet starts a fleet of plugins. The fields Lazy and Dormant of start say which plugins are started at once.
func (b *Toolbox) fleet(ctx context.Context, specs []host.Spec, start host.Fixed) (*host.Fleet, error) {
	o, err := setup.HostOptions(b.source.Config)
	if err != nil {
		return nil, err
	}
	o.Session, o.Lazy, o.Dormant = b.place, start.Lazy, start.Dormant
	o.Observer.OnNotice = func(n host.Notice) { b.notices.show(n.Text) }
	f, err := host.Start(ctx, o, specs)
	if err == nil {
		b.fleets = append(b.fleets, f)
	}
	return f, err
}

// addServers connects to MCP servers: to all that the agent has, or to the one whose tool is requested.
func (b *Toolbox) addServers(ctx context.Context) {
	if !b.opts.WithMCP {
		return
	}
	chosen := *b.source.Config
	chosen.MCPServers = map[string]config.MCPServer{}
	for name, s := range b.source.Config.MCPServers {
		if s.Of(b.role.Agent.Name) && (b.opts.Only == "" || strings.HasPrefix(b.opts.Only, setup.MCPPrefix+name+"__")) {
			s.Deferred = false
			chosen.MCPServers[name] = s
		}
	}
	if len(chosen.MCPServers) == 0 {
		return
	}
	chosen.Features = b.features
	o, list := b.confined.MCP(&chosen, b.notices.show)
	o.Version = b.opts.Version
	b.servers = mcp.Open(ctx, o, list)
	b.all = append(b.all, b.servers.Tools()...)
}

// register resolves conflicts of names, as the start of a session would.
func (b *Toolbox) register() error {
	own := len(b.all) - len(b.servers.Tools())
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
	b.registry = &tool.Registry{}
	for _, t := range offered {
		err := b.registry.Register(t)
		if _, conflict := errors.AsType[*tool.ConflictError](err); conflict {
			b.conflicts = append(b.conflicts, err)
			b.notices.once(err.Error() + "; aura run and the screen do not start before one of the two tools is removed or renamed")
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Conflicts returns why tools are not offered that keep a session from starting.
func (b *Toolbox) Conflicts() []error { return b.conflicts }

// pluginTools returns the tools of all known plugins in the order of a session. The order matters because the last of several
// overrides wins.
func (b *Toolbox) pluginTools() []tool.Tool {
	var out []tool.Tool
	place := map[string]int{}
	for _, f := range b.fleets {
		out = append(out, b.source.PluginTools(b.confined, setup.Live{Plugins: f.Views(), Entries: b.plugins.Entries})...)
		for i, p := range f.Plugins() {
			if _, known := place[p.Name()]; !known {
				place[p.Name()] = i // the first fleet contains all plugins
			}
			exports, _ := p.Exports()
			for _, t := range exports.Tools {
				if !t.Available {
					b.unavailable[t.Schema.Name+"\x00"+p.Name()] = true
					out = append(out, setup.UnavailableTool(p, t))
				}
			}
		}
	}
	slices.SortStableFunc(out, func(x, y tool.Tool) int { return place[x.Definition().Origin] - place[y.Definition().Origin] })
	return out
}

// views returns the plugins of all fleets.
func (b *Toolbox) views() []host.View {
	var out []host.View
	for _, f := range b.fleets {
		out = append(out, f.Views()...)
	}
	return out
}

func (b *Toolbox) isUnavailable(d tool.Definition) bool {
	return d.Source == tool.SourcePlugin && b.unavailable[d.Name+"\x00"+d.Origin]
}

// Close stops everything that the toolbox started.
func (b *Toolbox) Close() error {
	for _, f := range b.fleets {
		f.Close()
	}
	b.servers.Close()
	if b.place != nil {
		return b.place.Close()
	}
	return nil
}

// find returns a tool, offered or not.
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

// UnknownToolError says that no tool has a name.
type UnknownToolError struct {
	Name  string
	Known []string
	// Hint is empty, or text that continues the message.
	Hint string
}

func (e *UnknownToolError) Error() string {
	return fmt.Sprintf("looking for tool %q: it does not exist%s; known tools: %s", e.Name, e.Hint, dashIfNone(e.Known))
}
