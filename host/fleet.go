package host

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// Fleet holds the plugins of one session. Its methods may be called from several goroutines. Close releases everything that the
// fleet created.
type Fleet struct {
	opts *Options

	// launching waits for the goroutines that start children.
	launching sync.WaitGroup

	mu      sync.Mutex
	plugins map[string]*Plugin
}

// Start starts the plugins in parallel and returns when the exports of each plugin are known: immediately if they are cached,
// otherwise when the plugin has loaded or failed to load. A plugin that fails is reported by a notice and does not affect the
// others.
func Start(ctx context.Context, o Options, specs []Spec) (*Fleet, error) {
	f := &Fleet{opts: &o, plugins: make(map[string]*Plugin)}
	for _, spec := range specs {
		if f.plugins[spec.Name] != nil {
			f.Close()
			return nil, fmt.Errorf("starting plugins: two are named %q", spec.Name)
		}
		f.plugins[spec.Name] = f.prepare(spec)
	}
	// From now on, other processes may ask for the plugins' health, and for restarts.
	o.Session.publish(f)
	if err := f.launch(ctx, f.Plugins()); err != nil {
		f.Close()
		return nil, err
	}
	flush(f.Plugins())
	return f, nil
}

// flush waits until everything that happened to plugins is reported.
func flush(plugins []*Plugin) {
	for _, p := range plugins {
		p.sup.reports.flush()
	}
}

// prepare creates the supervisor of a plugin without starting anything.
func (f *Fleet) prepare(spec Spec) *Plugin {
	log, err := openLog(spec.LogFile)
	log.hide(f.opts.Secrets)
	s := newSupervisor(f.opts, spec, log)
	s.peers = f.Plugins
	if f.opts.Observer.OnLog != nil && log != nil {
		log.leveled = s.reports.logLine
	}
	if err != nil {
		s.reports.notify(NoticeWarning, fmt.Sprintf("plugin %q: its output is not kept: %v", spec.Name, err))
	}
	if spec.Err != nil {
		err := &Error{Plugin: spec.Name, Doing: "reading manifest", Kind: KindLoad, Err: spec.Err}
		if _, sound := errors.AsType[*manifest.RefusedError](spec.Err); sound {
			err.Doing = ""
		}
		s.life.down = err
		s.stats.exited(spec.Err.Error())
		s.reports.notify(NoticeLoad, err.Error())
	}
	return &Plugin{sup: s}
}

// launch reads the cached exports and starts the children, beginning with those that a caller waits for. A guest costs an
// interpreter of its own, so a child with a guest whose exports are cached starts only at its first call.
func (f *Fleet) launch(ctx context.Context, plugins []*Plugin) error {
	keys := make([]string, len(plugins))
	var group sync.WaitGroup
	for i, p := range plugins {
		group.Go(func() { keys[i] = p.sup.recall() })
	}
	group.Wait()
	if f.opts.Dormant {
		return ctx.Err()
	}
	order := make([]int, len(plugins))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return plugins[order[a]].urgency() < plugins[order[b]].urgency() })
	// Starting more children than this at once only slows them down while they load.
	slots := semaphore.NewWeighted(int64(2 * runtime.NumCPU()))
	f.launching.Go(func() {
		for _, i := range order {
			p := plugins[i]
			if (f.opts.Lazy || p.Spec().Guest != nil) && p.urgency() > urgent || slots.Acquire(p.sup.life.ctx, 1) != nil {
				continue
			}
			p.sup.start()
			p.sup.life.pending.Go(func() {
				// Whether the child is ready or the session ends does not matter here.
				_, _ = p.sup.life.awaitEnd(context.Background(), StateStarting)
				slots.Release(1)
				p.sup.memorize(keys[i])
			})
		}
	})
	for _, i := range order {
		if plugins[i].urgency() == urgent {
			if err := plugins[i].sup.await(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// The urgency of a plugin at start. urgent: its exports or the availability of its tool must be determined. soon: it takes part in the
// first model call. later: all others.
const (
	urgent = iota
	soon
	later
)

func (p *Plugin) urgency() int {
	exports, known := p.Exports()
	switch {
	case p.Spec().Err != nil:
		return later
	case !known, exports.HasAvailable():
		return urgent
	}
	if slices.ContainsFunc(exports.Hooks, func(n hookpoint.Name) bool { return hookpoint.Of(n).InModelCall }) {
		return soon
	}
	return later
}

// Plugins returns the plugins in the order of their names.
func (f *Fleet) Plugins() []*Plugin {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]*Plugin, 0, len(f.plugins))
	for _, p := range f.plugins {
		out = append(out, p)
	}
	sort.Slice(out, func(a, b int) bool { return out[a].Name() < out[b].Name() })
	return out
}

// At returns the plugins that take part in a hook point, in the order of their names. A guard that fails closed takes part even
// if it could not be loaded, provided that its source defines the hook.
func (f *Fleet) At(point hookpoint.Name) []*Plugin {
	var out []*Plugin
	for _, p := range f.Plugins() {
		if p.takesPart(point) {
			out = append(out, p)
		}
	}
	return out
}

func (p *Plugin) takesPart(point hookpoint.Name) bool {
	exports, known := p.Exports()
	spec := p.Spec()
	closed := spec.blocksAt(hookpoint.Of(point))
	if p.Down() != nil && !closed {
		return false
	}
	if !known {
		return closed && (spec.Python() || pluginsource.Defines(spec.Dir, string(point)))
	}
	return slices.Contains(exports.Hooks, point)
}

// blocksAt reports whether the plugin blocks at a point when it fails.
func (s Spec) blocksAt(point hookpoint.Point) bool {
	return s.Manifest.OnFailure == manifest.FailClosed && point.CanBlock()
}

// Health reports on every plugin, in the order of their names.
func (f *Fleet) Health() []PluginHealth {
	out := []PluginHealth{}
	for _, p := range f.Plugins() {
		out = append(out, p.sup.health(f.opts.Session.ID))
	}
	return out
}

// Close kills all children and returns when all their resources are released.
func (f *Fleet) Close() {
	for _, p := range f.Plugins() {
		p.sup.life.end()
	}
	f.launching.Wait()
	var group sync.WaitGroup
	for _, p := range f.Plugins() {
		group.Go(p.sup.close)
	}
	group.Wait()
}

// recall reads the cached exports of a plugin and returns its cache key.
func (s *supervisor) recall() string {
	spec := s.life.currentSpec()
	if spec.Err != nil {
		return ""
	}
	tree := versionOf(spec.Dir)
	if tree == "" {
		return "" // loading will report what is wrong with the files
	}
	key, err := cacheKey(s.opts, spec, tree)
	if err != nil {
		return ""
	}
	exports, ok := recall(s.opts, key)
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	if !ok {
		s.code.recalled(tree, nil)
		return key
	}
	s.code.recalled(tree, &exports)
	s.reports.warn(exports.Warnings)
	return key
}

// memorize caches the exports of the loaded child.
func (s *supervisor) memorize(key string) {
	s.life.mu.Lock()
	exports, loaded := s.code.exports, s.code.loaded
	s.life.mu.Unlock()
	if !loaded {
		return
	}
	if err := remember(s.opts, key, exports); err != nil {
		s.log.printf("[aura] %v", err)
	}
}

// await starts the child and returns when it is ready or has failed to start. It only returns the error of ctx.
func (s *supervisor) await(ctx context.Context) error {
	s.start()
	// A plugin that does not start is reported by a notice.
	_, _ = s.life.awaitEnd(ctx, StateStarting)
	s.reports.flush()
	return ctx.Err()
}
