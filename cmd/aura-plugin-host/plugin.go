package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/idelchi/aura/internal/golang/interp"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// plugin is served while it is still being loaded: each call waits until it is loaded.
type plugin struct {
	name string
	// loader runs the plugin's code for the first time.
	loader func() (shared.Served, error)

	// ready is closed when loaded or failure is set.
	ready   chan struct{}
	loaded  shared.Served
	failure *shared.Failure
	// report is nil without a sandbox. It is set before the plugin is loaded.
	report *sandbox.Report
}

// newPlugin returns the plugin of a launch specification. services is what aura does at its request.
func newPlugin(out streams, spec shared.LaunchSpec, services shared.Services) *plugin {
	p := &plugin{name: spec.Name, ready: make(chan struct{})}
	if spec.Guest != nil {
		p.loader = func() (shared.Served, error) { return loadGuest(out, spec, services) }
		return p
	}
	p.loader = func() (shared.Served, error) {
		loaded, err := interp.Load(interp.Options{
			Name: spec.Name, Dir: spec.Dir, Unsafe: spec.Unsafe, Tool: spec.Tool,
			Lowered: spec.Lowered, Stdout: out.stdout, Stderr: out.stderr, Services: services,
		})
		return loaded, err
	}
	return p
}

// confine applies the policy of the launch specification to the process and reports whether the plugin may be loaded. If not,
// every call returns the reason.
func (p *plugin) confine(spec shared.LaunchSpec) bool {
	if spec.Sandbox == nil {
		return true
	}
	report, err := sandbox.Confine(*spec.Sandbox, sandbox.Isolation{Processes: spec.Isolated, Mounts: spec.PrivateMounts})
	if err != nil {
		p.failure = &shared.Failure{Kind: shared.FailureLoad, Message: err.Error()}
		close(p.ready)
		return false
	}
	p.report = &report
	return true
}

// load loads the plugin. The process continues after a load error, so that the first call can return it.
func (p *plugin) load() {
	defer close(p.ready)
	loaded, err := p.loader()
	if err != nil {
		p.failure = &shared.Failure{Kind: shared.FailureLoad, Message: err.Error()}
		return
	}
	p.loaded = loaded
	debug.SetGCPercent(gcPercent)
	// What only loading needs goes back to the system.
	time.AfterFunc(settleTime, debug.FreeOSMemory)
}

// gcPercent is the setting of the garbage collector after the plugin is loaded; before that, the collector is off. A lower
// value would save less than a megabyte and make each call a tenth slower.
const gcPercent = 100

// settleTime is a delay after which other plugins are no longer expected to be starting and to need the processors.
const settleTime = 2 * time.Second

// wait waits until the plugin is loaded and returns it.
func (p *plugin) wait(ctx context.Context) (shared.Served, error) {
	select {
	case <-p.ready:
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for plugin %q to load: %w", p.name, ctx.Err())
	}
	if p.failure != nil {
		return nil, p.failure
	}
	return p.loaded, nil
}

func (p *plugin) Load(ctx context.Context) (shared.Exports, error) {
	loaded, err := p.wait(ctx)
	if err != nil {
		return shared.Exports{}, err
	}
	exports, err := loaded.Load(ctx)
	exports.Sandbox = p.report
	return exports, err
}

func (p *plugin) Hook(ctx context.Context, call shared.HookCall) (any, error) {
	loaded, err := p.wait(ctx)
	if err != nil {
		return nil, err
	}
	defer attend()()
	return loaded.Hook(ctx, call)
}

func (p *plugin) Execute(ctx context.Context, call shared.ToolCall) (string, error) {
	loaded, err := p.wait(ctx)
	if err != nil {
		return "", err
	}
	defer attend()()
	return loaded.Execute(ctx, call)
}

func (p *plugin) Paths(ctx context.Context, call shared.PathsCall) (sdk.ToolPaths, error) {
	loaded, err := p.wait(ctx)
	if err != nil {
		return sdk.ToolPaths{}, err
	}
	return loaded.Paths(ctx, call)
}

func (p *plugin) Event(ctx context.Context, e shared.EventCall) error {
	loaded, err := p.wait(ctx)
	if err != nil {
		return err
	}
	defer attend()()
	return loaded.Event(ctx, e)
}

func (p *plugin) Command(ctx context.Context, call shared.CommandCall) (sdk.CommandResult, error) {
	loaded, err := p.wait(ctx)
	if err != nil {
		return sdk.CommandResult{}, err
	}
	defer attend()()
	return loaded.Command(ctx, call)
}

// Touches may be called before the plugin is loaded. It then returns true, which is the safe answer.
func (p *plugin) Touches(field string) bool {
	select {
	case <-p.ready:
		return p.loaded == nil || p.loaded.Touches(field)
	default:
		return true
	}
}
