package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/idelchi/aura/internal/base/condition"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// Plugin is a plugin of a fleet, for use by the rest of aura.
type Plugin struct {
	sup *supervisor
	// config replaces the configuration in the spec, unless it is nil.
	config map[string]any
}

// Configured returns the same plugin, in the same process, with a different configuration for its calls.
func (p *Plugin) Configured(config map[string]any) *Plugin {
	return &Plugin{sup: p.sup, config: config}
}

// Name returns the plugin's name.
func (p *Plugin) Name() string { return p.sup.life.currentSpec().Name }

// Rank precedes the name and the directory in the order of the plugins.
func (p *Plugin) Rank() int { return p.sup.life.currentSpec().Rank }

// Directory returns the name of the plugin's directory, without its parents.
func (p *Plugin) Directory() string { return filepath.Base(p.sup.life.currentSpec().Dir) }

// Extension reports whether the plugin is an extension that was written for Aar.
func (p *Plugin) Extension() bool { return p.sup.life.currentSpec().Python() }

// Spec returns the specification of the plugin, with the configuration that it is called with.
func (p *Plugin) Spec() Spec {
	spec := p.sup.life.currentSpec()
	if p.config != nil {
		spec.Config = p.config
	}
	return spec
}

// Exports returns what the plugin exports, or false while that is not known.
func (p *Plugin) Exports() (shared.Exports, bool) {
	p.sup.life.mu.Lock()
	defer p.sup.life.mu.Unlock()
	return p.sup.code.exports, p.sup.code.known
}

// Ready starts the plugin if it is not running and returns when it is ready or has failed to start. It only returns the error
// of ctx.
func (p *Plugin) Ready(ctx context.Context) error { return p.sup.await(ctx) }

// Health returns the health of the plugin.
func (p *Plugin) Health() Health { return p.sup.health(p.sup.opts.Session.ID).Health }

// Sandbox returns how the current child is confined. It is nil if there is no child, or if the child is not confined. Health tells the same,
// and measures the child, which takes longer than a call.
func (p *Plugin) Sandbox() *sandbox.Report {
	p.sup.life.mu.Lock()
	defer p.sup.life.mu.Unlock()
	if p.sup.life.cur == nil {
		return nil
	}
	return p.sup.life.cur.exports.Sandbox
}

// Down returns why the plugin is no longer called, or nil.
func (p *Plugin) Down() error { return p.sup.life.downReason() }

// Fired reports whether a plugin with once set has already run at this point.
func (p *Plugin) Fired(point hookpoint.Name) bool { return p.sup.fired.has(point) }

// SetFired replaces the set of points at which a plugin with once set has already run. It is called when a session is resumed.
func (p *Plugin) SetFired(points ...hookpoint.Name) { p.sup.fired.replace(points) }

// Handle calls one hook. It returns nil without a call if the plugin's condition is false or if a plugin with once set has
// already run. A guard that fails closed returns a blocking result in addition to the error.
func (p *Plugin) Handle(ctx context.Context, point hookpoint.Name, in any) (any, error) {
	s, spec := p.sup, p.Spec()
	in, base, err := withConfig(in, spec.Config)
	if err != nil {
		return nil, err
	}
	pass, err := s.pass(ctx, spec, point, base)
	if err != nil || !pass {
		return p.failed(spec, point, err)
	}
	select {
	case s.hooking <- struct{}{}:
		defer func() { <-s.hooking }()
	case <-ctx.Done():
		return p.failed(spec, point, ctx.Err())
	}
	made := s.do(ctx, shared.HookCall{Point: point, Context: in, Env: s.opts.callEnv(ctx, spec)})
	if made.Err != nil {
		s.log.returned(made.Err)
		if blocked, err := p.failed(spec, point, made.Err); blocked != nil || err == nil {
			return blocked, err
		}
		return made.Out, made.Err
	}
	return made.Out, nil
}

// Dropped counts inputs that the plugin did not receive because it was too slow.
func (p *Plugin) Dropped(_ hookpoint.Name, inputs int) { p.sup.stats.droppedInputs(inputs) }

// returned writes an error that a hook returned to the plugin's log, because the user does not see it elsewhere.
func (l *logFile) returned(err error) {
	if e, ok := errors.AsType[*Error](err); ok && e.Returned() {
		l.printf("[aura] %v", err)
	}
}

// failed converts a failure of a guard that fails closed into a result that blocks. A cancelled call does not block, because
// the tool call no longer exists.
//
// When a plugin goes down permanently, a notice reports it. Later calls therefore return no error.
func (p *Plugin) failed(spec Spec, point hookpoint.Name, err error) (any, error) {
	var e *Error
	if spec.Manifest.OnFailure != manifest.FailClosed && errors.As(err, &e) && e.Kind == KindDown && p.Down() != nil {
		return nil, nil //nolint:nilerr // told already, see above
	}
	row := hookpoint.Of(point)
	p.warnOpen(spec, row, err)
	if err == nil || !spec.blocksAt(row) || errors.Is(err, context.Canceled) {
		return nil, err
	}
	return row.Blocked(fmt.Sprintf("guard %q is down and fails closed, so %s: %v", spec.Name, row.Prevents, Reason(err))), err
}

// warnOpen reports a guard that returned an error and fails open. It does so once, since such errors are otherwise only in the log.
func (p *Plugin) warnOpen(spec Spec, row hookpoint.Point, err error) {
	e, ok := errors.AsType[*Error](err)
	if !ok || !e.Returned() || !row.CanBlock() || spec.blocksAt(row) {
		return
	}
	block := "set on_failure: closed in its plugin.yaml"
	if strings.HasSuffix(spec.Dir, ".py") {
		block = "make it a directory with __init__.py and a plugin.yaml that has on_failure: closed"
	}
	p.sup.reports.failedOpen.Do(func() {
		p.sup.reports.notify(NoticeWarning, fmt.Sprintf("guard %q failed, so tool calls run without its check: %v; to block them, %s. `aura plugins logs %s` shows further failures",
			spec.Name, Reason(err), block, spec.Name))
	})
}

// pass reports whether the plugin's condition and its once setting permit the call.
func (s *supervisor) pass(ctx context.Context, spec Spec, point hookpoint.Name, base sdk.Context) (bool, error) {
	if spec.Manifest.Once && s.fired.has(point) {
		return false, nil
	}
	ok, err := spec.Manifest.Condition.Eval(ctx, ConditionState(base, s.opts.Workdir, s.opts.around(spec).Shell))
	if err != nil {
		return false, &Error{Plugin: spec.Name, Doing: fmt.Sprintf("evaluating condition %q", spec.Manifest.Condition), Kind: KindPlugin, Err: err}
	}
	if !ok {
		return false, nil
	}
	return !spec.Manifest.Once || s.fired.add(point), nil
}

// withConfig returns a copy of a hook's context that contains the plugin's own configuration, and the embedded base context.
func withConfig(in any, config map[string]any) (any, sdk.Context, error) {
	v := reflect.New(reflect.TypeOf(in)).Elem()
	v.Set(reflect.ValueOf(in))
	field := v.FieldByName("Context")
	base, ok := reflect.TypeAssert[sdk.Context](field)
	if !ok {
		return nil, base, fmt.Errorf("calling a hook: %T embeds no context", in)
	}
	base.PluginConfig = config
	field.Set(reflect.ValueOf(base))
	return v.Interface(), base, nil
}

// ConditionState returns the state that conditions are evaluated against. shell runs the command of a bash: term.
func ConditionState(c sdk.Context, workdir string, shell func(context.Context, string, string) (bool, error)) condition.State {
	return condition.State{
		TodoTotal: c.TodoTotal, TodoPending: c.TodoPending, TodoInProgress: c.TodoInProgress,
		Auto: c.Auto, ContextPercent: contextPercent(c.Tokens), Messages: c.MessageCount,
		ToolErrors: c.Stats.ToolErrors, ToolCalls: c.Stats.ToolCalls, Turns: c.Stats.Turns,
		Compactions: c.Stats.Compactions, Iteration: c.Iteration, TokensTotal: c.Stats.TokensIn + c.Stats.TokensOut,
		Model: condition.Model{
			Name: c.ModelInfo.Name, ContextLength: c.ModelInfo.ContextLength,
			ParameterCount: c.ModelInfo.ParameterCount, Capabilities: c.ModelInfo.Capabilities,
		},
		Workdir: workdir, Shell: shell,
	}
}

// contextPercent returns the share of the context window in use. Other than Percent it is over 100 if the estimate exceeds the window.
func contextPercent(t sdk.TokenState) float64 {
	if t.Percent < 100 || t.Max <= 0 {
		return t.Percent
	}
	return 100 * float64(t.Estimate) / float64(t.Max)
}

// Execute runs a tool of the plugin.
func (p *Plugin) Execute(ctx context.Context, tool string, sc sdk.Context, args map[string]any) (string, error) {
	spec := p.Spec()
	sc.PluginConfig = spec.Config
	made := p.sup.do(ctx, shared.ToolCall{Tool: tool, Context: sc, Args: args, Env: p.sup.opts.callEnv(ctx, spec)})
	out, _ := made.Out.(string)
	return out, made.Err
}

// Paths returns which files a call of a tool of the plugin would touch.
func (p *Plugin) Paths(ctx context.Context, tool string, args map[string]any) (sdk.ToolPaths, error) {
	made := p.sup.do(ctx, shared.PathsCall{Tool: tool, Args: args})
	out, _ := made.Out.(sdk.ToolPaths)
	return out, made.Err
}

// Command runs a slash command of the plugin.
func (p *Plugin) Command(ctx context.Context, name string, sc sdk.Context, args string) (sdk.CommandResult, error) {
	spec := p.Spec()
	sc.PluginConfig = spec.Config
	made := p.sup.do(ctx, shared.CommandCall{Name: name, Context: sc, Args: args, Env: p.sup.opts.callEnv(ctx, spec)})
	out, _ := made.Out.(sdk.CommandResult)
	out.Output = limit.Cut(out.Output, limit.Injection, "the output of a command")
	return out, made.Err
}
