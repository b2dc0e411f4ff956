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
	"github.com/idelchi/aura/internal/done"
	"github.com/idelchi/aura/internal/pluginsource"
	"github.com/idelchi/aura/internal/skill"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/internal/tool/builtin"
)

// ToolboxOptions are what a user decides about tools that no conversation is around.
type ToolboxOptions struct {
	// Options are those of a session. Of them, what chooses the configuration, the agent, the mode, the tools and the plugins
	// counts, and Emit, which is given notices.
	Options
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
	app      *App
	opts     ToolboxOptions
	cell     cell
	fleets   []*host.Fleet
	registry *tool.Registry
	// all are the tools that were found, those that nobody is offered and those that others have displaced included.
	all []tool.Tool
	// away are the plugins that say that their tools are not available.
	away map[string]bool
}

// mcpPrefix is what the names of all tools of MCP servers begin with.
const mcpPrefix = "mcp__"

// toolSession is the name of the session in which plugins run whose tools are used so.
const toolSession = "tools"

// OpenToolbox gathers the tools. Whoever calls it closes it. Its error may be a *tool.ConflictError.
func OpenToolbox(ctx context.Context, o ToolboxOptions) (*Toolbox, error) {
	b := &Toolbox{app: &App{opts: o.Options, events: &events{emit: o.Emit}}, opts: o, away: map[string]bool{}}
	if err := b.open(ctx); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Toolbox) open(ctx context.Context) (err error) {
	a := b.app
	if a.cfg, err = b.config(ctx); err != nil {
		return err
	}
	a.secrets.Set(Secrets(a.cfg, nil))
	a.events.hide = newHider(&a.secrets)
	usual, _ := a.cfg.DefaultAgent()
	if a.role, err = findRole(a.cfg, cmp.Or(a.opts.Agent, usual.Name), a.opts.Mode); err != nil {
		return err
	}
	if a.features, err = a.cfg.FeaturesFor(a.role.agent, a.role.mode, nil); err != nil {
		return err
	}
	if err := requireSandbox(a.features); err != nil {
		return err
	}
	b.cell = newCell(a.cfg, a.features, "")
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
		a.tellUnmatched(namesOf(b.all))
	}
	return nil
}

// config is what is in force.
func (b *Toolbox) config(ctx context.Context) (*config.Config, error) {
	if !b.opts.Listing {
		return b.app.gate().Load(ctx, b.app.opts.Config)
	}
	l, err := b.app.gate().List(b.app.opts.Config)
	return l.Config, err
}

// own are aura's own tools.
func (b *Toolbox) own() []tool.Tool {
	a := b.app
	all := b.cell.builtins(b.options(), nil)
	all = append(append(all, a.todos.Tools()...), done.Tool())
	if len(a.cfg.Skills) > 0 {
		all = append(all, skill.Tool(a.skills()))
	}
	if agents := a.subagents(); len(agents) > 0 {
		all = append(all, taskTool{app: a, agents: agents})
	}
	var waiting []string
	for name, s := range a.cfg.MCPServers {
		if s.Deferred && !s.Disabled {
			waiting = append(waiting, name)
		}
	}
	if slices.Sort(waiting); len(waiting) > 0 {
		all = append(all, loadTool{app: a, servers: waiting})
	}
	return all
}

// options are those of the tools for files and the shell.
func (b *Toolbox) options() builtin.Options {
	bash := b.app.features.Tools.Bash
	return builtin.Options{
		Workdir: b.app.cfg.Workdir, Env: b.app.cfg.Environ, BashTimeout: bash.Timeout.Duration(), Truncation: builtin.Truncation(bash.Truncation),
	}
}

// addPlugins adds the tools of plugins. What a plugin exports is remembered, so most need not be started for it.
func (b *Toolbox) addPlugins(ctx context.Context) error {
	a := b.app
	if a.opts.WithoutPlugins {
		return nil
	}
	specs, err := a.specs()
	if err != nil {
		return err
	}
	specs = slices.DeleteFunc(specs, func(s host.Spec) bool { return s.Err == nil && !pluginsource.Defines(s.Dir, pluginsource.Schema.Name) })
	if len(specs) == 0 {
		return nil
	}
	if a.place, err = host.OpenSession(RuntimeDir(a.cfg), toolSession); err != nil {
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
	o, err := HostOptions(b.app.cfg)
	if err != nil {
		return nil, err
	}
	o.Session, o.Lazy, o.Dormant = b.app.place, start.Lazy, start.Dormant
	o.Notify = func(n host.Notice) { b.app.notice(n.Plugin, n.Text) }
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
	chosen := *b.app.cfg
	chosen.MCPServers = map[string]config.MCPServer{}
	for name, s := range b.app.cfg.MCPServers {
		if b.opts.Only == "" || strings.HasPrefix(b.opts.Only, mcpPrefix+name+"__") {
			s.Deferred = false
			chosen.MCPServers[name] = s
		}
	}
	if len(chosen.MCPServers) == 0 {
		return
	}
	b.app.servers = OpenMCP(ctx, &chosen, MCPOptions{
		Version: b.app.opts.Version, Notify: func(text string) { b.app.notice("", text) }, OnChange: func() {},
	})
	b.all = append(b.all, b.app.mcpTools()...)
}

// register resolves conflicts of names, as the start of a session would.
func (b *Toolbox) register() error {
	own := len(b.all) - len(b.app.mcpTools())
	plugins := b.pluginTools()
	b.all = slices.Concat(b.all[:own], plugins, b.all[own:])
	var offered []tool.Tool
	for i, t := range b.all {
		d := b.app.cfg.ToolDefinitions[t.Definition().Name]
		b.all[i] = redefined(t, d)
		if !d.Disabled && !b.isAway(t.Definition()) {
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
		b.app.fleet = f
		out = append(out, b.app.pluginTools(b.cell)...)
		for i, p := range f.Plugins() {
			if _, known := place[p.Name()]; !known {
				place[p.Name()] = i // the first fleet holds all
			}
			exports, _ := p.Exports()
			if t := exports.Tool; t != nil && !t.Available {
				b.away[p.Name()] = true
				out = append(out, pluginTool{plugin: p, sandboxable: confinable(p, exports), definition: tool.Definition{
					Name: t.Schema.Name, Description: t.Schema.Description, Source: tool.SourcePlugin, Origin: p.Name(), Parallel: t.Parallel,
					OptIn: p.Spec().Manifest.OptIn,
				}})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y tool.Tool) int { return place[x.Definition().Origin] - place[y.Definition().Origin] })
	return out
}

func (b *Toolbox) isAway(d tool.Definition) bool {
	return d.Source == tool.SourcePlugin && b.away[d.Origin]
}

// Close ends what was started.
func (b *Toolbox) Close() error {
	for _, f := range b.fleets {
		f.Close()
	}
	if b.app.servers != nil {
		b.app.servers.Close()
	}
	b.app.spares.Close()
	if b.app.place != nil {
		return b.app.place.Close()
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
	if !b.opts.WithMCP && strings.HasPrefix(name, mcpPrefix) {
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
	return fmt.Sprintf("looking for tool %q: there is none of that name%s; known tools: %s", e.Name, e.Hint, dashIfNone(e.Known))
}
