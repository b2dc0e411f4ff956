package plugincall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// Replay makes the calls of a recording again, in order, and calls each with the result. names selects plugins; empty selects all. It
// makes no call if a plugin of the recording does not exist here. secrets are removed from the results, as they were from the recording.
// The plugins keep data below o.Scratch, which the caller owns.
func Replay(ctx context.Context, o Options, r *recording.Recording, names []string, secrets *redact.Redactor, each func(recording.Result) error) (err error) {
	chosen := make(map[string]bool)
	for _, name := range names {
		if !slices.Contains(r.Plugins(), name) {
			return fmt.Errorf("replaying %s: it has no call of plugin %q; it has calls of %s", r.Path, name, strings.Join(r.Plugins(), ", "))
		}
		chosen[name] = true
	}
	p := &replayed{options: o}
	defer func() {
		if closing := p.close(); err == nil {
			err = closing
		}
	}()
	caller, err := p.caller(nil, nil)
	if err != nil {
		return err
	}
	for _, name := range r.Plugins() {
		if _, err := caller.Find(name); err != nil && (len(chosen) == 0 || chosen[name]) {
			return fmt.Errorf("replaying %s: %w; --plugin NAME replays other plugins", r.Path, err)
		}
	}
	return r.Replay(ctx, chosen, secrets, p.open, each)
}

// replayed opens the plugins of a replay. Each process has a caller of its own, because its environment is its own.
type replayed struct {
	options Options
	callers []*Caller
}

func (p *replayed) close() (err error) {
	for _, c := range p.callers {
		if closing := c.Close(); err == nil {
			err = closing
		}
	}
	return err
}

func (p *replayed) caller(env []string, answers *recording.Answers) (*Caller, error) {
	o := p.options
	o.Adjust = func(h *host.Options) {
		if p.options.Adjust != nil {
			p.options.Adjust(h)
		}
		h.Environ, h.State, h.Now, h.Rand = env, answers.State, answers.Now, answers.Rand
		h.Lazy = false // the plugin asks while it is loaded, and is answered as it was then
	}
	c, err := New(o)
	if err == nil {
		p.callers = append(p.callers, c)
	}
	return c, err
}

// open is a recording.Opener.
func (p *replayed) open(ctx context.Context, plugin string, env []string, answers *recording.Answers) (recording.Child, error) {
	c, err := p.caller(env, answers)
	if err != nil {
		return nil, err
	}
	opened, err := c.Open(ctx, plugin)
	if err != nil {
		return nil, err
	}
	version, err := manifest.TreeHash(opened.Spec().Dir)
	return replayedChild{opened, version, p.options.RepeatUndeclared}, err
}

// replayedChild is a process of a replay.
type replayedChild struct {
	*Plugin
	version    string
	undeclared bool
}

func (c replayedChild) Version() string { return c.version }

// Do makes a call exactly as it is given.
func (c replayedChild) Do(ctx context.Context, call any) (any, time.Duration, error) {
	return c.plugin.Do(ctx, call)
}

// Refuses refuses the calls of tools that change something, or that do not say whether they do.
func (c replayedChild) Refuses(call *recording.Call) string {
	if call.Point != host.PointTool {
		return ""
	}
	t := c.Exports().Tool(call.Name)
	switch {
	case t == nil:
		return ""
	case len(t.SideEffects) == 0 && !c.undeclared:
		return fmt.Sprintf("tool %s does not say whether it changes something; its SideEffects can", call.Name)
	}
	for _, effect := range t.SideEffects {
		if effect != sdk.SideEffectNone && effect != sdk.SideEffectRead {
			return fmt.Sprintf("tool %s changes something (%s)", call.Name, effect)
		}
	}
	return ""
}

// Fleet starts plugins together, as a session does. The caller closes the fleet before the Caller.
func (c *Caller) Fleet(ctx context.Context, names []string) (*host.Fleet, error) {
	var options host.Options
	var specs []host.Spec
	for _, name := range names {
		e, err := c.Find(name)
		if err != nil {
			return nil, err
		}
		if e.Status == setup.StatusUnavailable {
			return nil, fmt.Errorf("starting plugin %q: %w", name, e.Err)
		}
		if options, err = c.options(&e); err != nil {
			return nil, err
		}
		specs = append(specs, e.Spec(c.opts.Config, c.opts.Unsafe))
	}
	return host.Start(ctx, options, specs)
}
