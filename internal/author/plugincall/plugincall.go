// Package plugincall calls one plugin at one point, in a real supervised child, without a conversation. The input and the output of a
// call are JSON in the exact encoding of package shared, so that a call that was written down can be repeated as the wire carried it.
package plugincall

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/host/pluginstate"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/state"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// Options says where plugins come from, and how they run.
type Options struct {
	// Config is the configuration that names the plugins. The caller obtained it from a gate, so the user agreed to its plugins.
	Config *config.Config
	// Features are the settings of the role that the plugins run for.
	Features config.Features
	// Unsafe permits the restricted packages.
	Unsafe bool
	// Conditions applies the plugins' conditions and once settings to hooks, as a session does.
	Conditions bool
	// Scratch, if not empty, is a directory in which plugins keep data, logs and state instead of the usual places. The caller owns it.
	Scratch string
	// RepeatUndeclared makes Replay repeat calls of tools that declare no side effects. They work in Config.Workdir.
	RepeatUndeclared bool
	// Runtime chooses how plugins in Go run: host.RuntimeInterpreted, host.RuntimeNative, or empty for what the settings choose.
	Runtime string
	// Notify receives notices; nil drops them.
	Notify func(host.Notice)
	// Adjust changes the options of the fleet before a plugin starts; nil changes nothing.
	Adjust func(*host.Options)
}

// Caller opens plugins. Its methods must be called from one goroutine. The owner must close it.
type Caller struct {
	opts    Options
	entries []setup.Entry
	place   *host.Session
	open    []*Plugin
}

// sessionID is the name of the session of plugins that are called without a conversation.
const sessionID = "call"

// New returns a caller. It starts no plugin.
func New(o Options) (*Caller, error) {
	merged := *o.Config
	merged.Features = o.Features
	o.Config = &merged
	entries, err := setup.Catalog(o.Config)
	if err != nil {
		return nil, err
	}
	place, err := host.OpenSession(setup.RuntimeDir(o.Config), sessionID)
	if err != nil {
		return nil, err
	}
	return &Caller{opts: o, entries: entries, place: place}, nil
}

// Entries returns the plugins of the configuration.
func (c *Caller) Entries() []setup.Entry { return c.entries }

// UnknownError says that no plugin has a name.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	known := strings.Join(e.Known, ", ")
	if known == "" {
		known = "none"
	}
	return fmt.Sprintf("looking for plugin %q: it does not exist; known plugins: %s%s", e.Name, known, nearest.Hint(e.Name, e.Known))
}

// Find returns the plugin of a name, enabled or not. The error may be an *UnknownError.
func (c *Caller) Find(name string) (setup.Entry, error) {
	var known []string
	for _, e := range c.entries {
		if e.Status == setup.StatusShadowed {
			continue
		}
		if e.Name == name {
			return e, nil
		}
		known = append(known, e.Name)
	}
	return setup.Entry{}, &UnknownError{Name: name, Known: known}
}

// Open returns the plugin of a name, also one that is disabled. It returns when the exports of the plugin are known. If they are
// cached, the child starts at the first call. Each Open has a child of its own. The error may be an *UnknownError.
func (c *Caller) Open(ctx context.Context, name string) (*Plugin, error) {
	e, err := c.Find(name)
	if err != nil {
		return nil, err
	}
	if e.Status == setup.StatusUnavailable {
		return nil, fmt.Errorf("starting plugin %q: %w", name, e.Err)
	}
	o, err := c.options(&e)
	if err != nil {
		return nil, err
	}
	spec, err := e.InRuntime(c.opts.Config, c.opts.Unsafe, c.opts.Runtime)
	if err != nil {
		return nil, fmt.Errorf("starting plugin %q: %w", name, err)
	}
	fleet, err := host.Start(ctx, o, []host.Spec{spec})
	if err != nil {
		return nil, err
	}
	p := &Plugin{caller: c, fleet: fleet, plugin: fleet.Plugins()[0]}
	if _, known := p.plugin.Exports(); !known {
		err := p.plugin.Down()
		fleet.Close()
		if err == nil {
			err = fmt.Errorf("starting plugin %q: it did not load", name)
		}
		return nil, err
	}
	c.open = append(c.open, p)
	return p, nil
}

// options returns the options of a fleet for one plugin.
func (c *Caller) options(e *setup.Entry) (host.Options, error) {
	o, err := setup.HostOptions(c.opts.Config)
	if err != nil {
		return o, err
	}
	o.Session, o.Lazy, o.Observer.OnNotice = c.place, true, c.opts.Notify
	if c.opts.Scratch != "" {
		// The data directory is part of the sandbox's policy, and so of the key of the cache. A cache would only grow.
		o.CacheDir = ""
		places := state.Paths{Root: c.opts.Config.State.Root, Project: c.opts.Scratch}
		*e = e.In(places)
		o.State = pluginstate.New(places.ProjectValues(), func() string { return places.SessionValues(sessionID) }).Do
	}
	if c.opts.Adjust != nil {
		c.opts.Adjust(&o)
	}
	return o, nil
}

// Close closes all plugins that were opened.
func (c *Caller) Close() error {
	for _, p := range c.open {
		p.Close()
	}
	return c.place.Close()
}

// Plugin is a plugin that can be called.
type Plugin struct {
	caller *Caller
	fleet  *host.Fleet
	plugin *host.Plugin
	closed bool
}

// Outcome is what came of a call.
type Outcome struct {
	// Called is false if the plugin's condition or its once setting prevented the call.
	Called bool
	// Output is the result as exact JSON; nil if there is none.
	Output []byte
	// Err is why the call failed: a *host.Error, or the error of the context.
	Err error
	// Took is how long the child worked on the call, in wall-clock time, without the start of the child.
	Took time.Duration
}

// Exports returns what the plugin exports.
func (p *Plugin) Exports() shared.Exports {
	e, _ := p.plugin.Exports()
	return e
}

// Spec returns the specification with which the plugin runs.
func (p *Plugin) Spec() host.Spec { return p.plugin.Spec() }

// Call makes one call. input is a JSON object in exact encoding; see ToolInput. Fields that it does not contain are those of a
// context outside a conversation, which has the plugin's configuration. The error says that no call could be made of the input.
func (p *Plugin) Call(ctx context.Context, at Point, input []byte) (Outcome, error) {
	if err := exported(p.Exports(), at); err != nil {
		return Outcome{}, fmt.Errorf("calling %s of plugin %q: %w", at, p.plugin.Name(), err)
	}
	call, err := decode(at, input, p.Base())
	if err != nil {
		return Outcome{}, err
	}
	if hook, ok := call.(shared.HookCall); ok && p.caller.opts.Conditions {
		if pass, err := p.plugin.Passes(ctx, hook); !pass {
			return Outcome{Err: err}, nil
		}
	}
	out, took, err := p.plugin.Do(ctx, call)
	result := Outcome{Called: true, Took: took, Err: err}
	if err == nil && out != nil {
		result.Output, result.Err = shared.EncodeExact(out)
	}
	return result, nil
}

// CheckArguments returns an error if the input of a tool has arguments that the tool's schema does not allow. In a session, such a call
// does not reach the tool.
func (p *Plugin) CheckArguments(at Point, input []byte) error {
	call, err := decode(at, input, p.Base())
	if err != nil {
		return err
	}
	c, ok := call.(shared.ToolCall)
	if !ok {
		return nil
	}
	for _, t := range p.Exports().Tools {
		if t.Schema.Name != c.Tool {
			continue
		}
		parameters, err := setup.ToolParameters(t)
		if err != nil {
			return err
		}
		schema, err := tool.Compile(parameters)
		if err != nil {
			return err
		}
		if err := schema.Validate(c.Args); err != nil {
			return fmt.Errorf("reading the input of %s: Args: %w", at, err)
		}
	}
	return nil
}

// Base returns the context of a call outside a conversation.
func (p *Plugin) Base() sdk.Context {
	c := p.caller.opts.Config
	return sdk.Context{Workdir: c.Workdir, PluginConfig: p.plugin.Spec().Config}
}

// Close ends the child. It may be called more than once.
func (p *Plugin) Close() {
	if !p.closed {
		p.closed = true
		p.fleet.Close()
	}
}
