package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/condition"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/mcp"
	"github.com/idelchi/aura/internal/tool"
)

// startMCP connects to the servers that are configured. One that cannot be reached is told and left out.
func (a *App) startMCP(ctx context.Context) {
	if len(a.cfg.MCPServers) == 0 {
		return
	}
	a.servers = OpenMCP(ctx, a.cfg, MCPOptions{
		Version: a.opts.Version, Notify: func(text string) { a.notice("", text) }, OnChange: func() { a.stale.Store(true) },
	})
	a.serversOf = a.cfg.MCPServers
}

// MCPOptions are what a user of MCP servers decides.
type MCPOptions struct {
	Version string
	// Notify tells the user, OnChange that the tools are others now; both from any goroutine.
	Notify   func(text string)
	OnChange func()
}

// OpenMCP connects to the servers of a configuration. Whoever calls it closes the set.
func OpenMCP(ctx context.Context, c *config.Config, o MCPOptions) *mcp.Set {
	var list []mcp.Server
	for _, name := range slices.Sorted(maps.Keys(c.MCPServers)) {
		s := c.MCPServers[name]
		list = append(list, mcp.Server{
			Name: name, Command: s.Command, Args: s.Args, Env: s.Env, URL: s.URL, Headers: s.Headers, Timeout: s.Timeout.Duration(),
			Disabled: s.Disabled, Deferred: s.Deferred, Source: s.Source.File,
		})
	}
	return mcp.Open(ctx, mcp.Options{Workdir: c.Workdir, Environ: c.Environ, Version: o.Version, Notify: o.Notify, OnChange: o.OnChange}, list)
}

// mcpTools are the tools of the servers that are connected.
func (a *App) mcpTools() []tool.Tool {
	if a.servers == nil {
		return nil
	}
	return a.servers.Tools()
}

// serverConditions are those of the servers, by the names of their tools.
func (a *App) serverConditions() map[string]condition.Expr {
	out := map[string]condition.Expr{}
	for _, t := range a.mcpTools() {
		d := t.Definition()
		if c := a.cfg.MCPServers[d.Origin].Condition; !c.IsZero() {
			out[d.Name] = c
		}
	}
	return out
}

// deferred are the servers whose tools the model can ask for, by name.
func (a *App) deferred() []string {
	var out []string
	for _, s := range a.mcpServers() {
		if s.Deferred && s.State == mcp.StateDeferred {
			out = append(out, s.Name)
		}
	}
	return out
}

func (a *App) mcpServers() []mcp.Status {
	if a.servers == nil {
		return nil
	}
	return a.servers.Servers()
}

// connected are the names of the servers in use.
func (a *App) connected() []string {
	var out []string
	for _, s := range a.mcpServers() {
		if s.State == mcp.StateConnected {
			out = append(out, s.Name)
		}
	}
	return out
}

// settle takes up what changed beside the conversation since the last prompt: who answers, and the tools of MCP servers.
func (a *App) settle(ctx context.Context) {
	before := a.features.Plugins
	a.follow(ctx)
	a.adopt(ctx, before)
	if !a.stale.Swap(false) {
		return
	}
	a.refresh()
	if err := a.renew(ctx); err != nil && ctx.Err() == nil {
		a.notice("", fmt.Sprintf("the tools of MCP servers changed and are not taken up: %v", err))
	}
}

// loadName is the tool by which a model asks for tools that it is not offered at once.
const loadName = "LoadTools"

// loadTool brings in the tools of a deferred server.
type loadTool struct {
	app     *App
	servers []string
}

// Definition names the servers.
func (t loadTool) Definition() tool.Definition {
	// Strings always can be encoded.
	list, _ := json.Marshal(t.servers)
	return tool.Definition{
		Name:        loadName,
		Description: "Get the tools of a server, for use from your next message on. There are: " + strings.Join(t.servers, ", ") + ".",
		Parameters: json.RawMessage(`{"type":"object","properties":{"server":{"type":"string","enum":` + string(list) +
			`,"description":"whose tools"}},"required":["server"],"additionalProperties":false}`),
		Source: tool.SourceBuiltin,
	}
}

// Execute connects to the server and offers its tools from the next turn on.
func (t loadTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	name, _ := call.Args["server"].(string)
	found, err := t.app.servers.Load(ctx, name)
	if err != nil {
		return "", err
	}
	k, err := t.app.kit(t.app.role, t.app.features)
	if err != nil {
		return "", err
	}
	t.app.talk.SetTools(k.tools)
	var names []string
	for _, f := range found {
		names = append(names, f.Definition().Name)
	}
	t.app.loaded = append(t.app.loaded, names...)
	t.app.refresh()
	return "you have these tools now: " + strings.Join(names, ", "), nil
}

// cmdMCP lists the servers, or connects to one.
func (a *App) cmdMCP(ctx context.Context, args string) (string, error) {
	if name := strings.TrimSpace(args); name != "" {
		if a.servers == nil {
			return "", fmt.Errorf("connecting to MCP server %q: none is configured", name)
		}
		if _, err := a.servers.Load(ctx, name); err != nil {
			return "", err
		}
		a.stale.Store(true)
		a.settle(ctx)
	}
	rows := map[string]string{}
	for _, s := range a.mcpServers() {
		text := string(s.State)
		if s.Error != "" {
			text += ": " + s.Error
		}
		if len(s.Tools) > 0 {
			text += "; " + strings.Join(s.Tools, ", ")
		}
		rows[s.Name] = text
	}
	return listed(rows, "no MCP servers are configured"), nil
}

// reloadMCP connects anew to the servers if they are configured otherwise now.
func (a *App) reloadMCP(ctx context.Context) {
	if reflect.DeepEqual(a.serversOf, a.cfg.MCPServers) {
		return
	}
	if a.servers != nil {
		a.servers.Close()
		a.servers = nil
	}
	a.startMCP(ctx)
}

// MCPServer is a server in a list.
type MCPServer struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	State    string `json:"state"`
	Deferred bool   `json:"deferred"`
	Error    string `json:"error,omitempty"`
	// Tools are named as the model knows them.
	Tools []string `json:"tools"`
	// File is where the server is configured.
	File string `json:"file"`
}

// stateUntrusted is that of a server to which nobody connects, because its project is not trusted.
const stateUntrusted = "untrusted"

// untrustedServers are the servers of a project that is not trusted.
func (l Listing) untrustedServers() []MCPServer {
	var out []MCPServer
	for _, name := range slices.Sorted(maps.Keys(l.Text.MCPServers)) {
		if s := l.Text.MCPServers[name]; l.Foreign(s.Source) {
			out = append(out, MCPServer{
				Name: name, Type: string(s.Type), State: stateUntrusted, Deferred: s.Deferred, Tools: []string{}, File: s.Source.File,
			})
		}
	}
	return out
}

// MCPServers connects to the servers of a configuration, or to the one that is named, and lists them. It connects to none of a
// project that is not trusted.
func MCPServers(ctx context.Context, l Listing, name string) ([]MCPServer, error) {
	c, foreign := *l.Config, l.untrustedServers()
	if name != "" {
		foreign = slices.DeleteFunc(foreign, func(s MCPServer) bool { return s.Name != name })
		one, ok := c.MCPServers[name]
		if !ok && len(foreign) == 0 {
			return nil, fmt.Errorf("listing MCP server %q: there is none of that name; known servers: %s", name, names(l.Text.MCPServers))
		}
		one.Deferred = false
		c.MCPServers = map[string]config.MCPServer{}
		if ok {
			c.MCPServers[name] = one
		}
	}
	set := OpenMCP(ctx, &c, MCPOptions{Notify: func(string) {}, OnChange: func() {}})
	defer set.Close()
	if ctx.Err() != nil {
		set.Hurry()
		return nil, ctx.Err()
	}
	out := foreign
	for _, s := range set.Servers() {
		out = append(out, MCPServer{
			Name: s.Name, Type: s.Type, State: string(s.State), Deferred: s.Deferred, Error: s.Error,
			Tools: append([]string{}, s.Tools...), File: c.MCPServers[s.Name].Source.File,
		})
	}
	return out, nil
}
