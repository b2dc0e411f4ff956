package host

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"sync"

	"github.com/idelchi/aura/shared"
)

// Reloaded describes the result of a reload, with sorted names.
type Reloaded struct {
	// Replaced plugins run from their current files; their package-level state is new.
	Replaced []string
	Added    []string
	Removed  []string
	// Stopped plugins do not load without a right that was withdrawn.
	Stopped []string
	// Kept plugins could not be loaded from their current files and continue as before.
	Kept map[string]error
}

// View is a plugin in its current state, or in the state after a change.
type View struct {
	*Plugin
	// child is the child that takes over, or nil if the current one continues. spec is the specification after the change, or
	// nil if it stays the same.
	child *child
	spec  *Spec
	// stopped is why the plugin may not go on; nil if it may.
	stopped error
}

// Spec returns the specification that the plugin runs with.
func (v View) Spec() Spec {
	if v.spec == nil {
		return v.Plugin.Spec()
	}
	return *v.spec
}

// Configured returns the view of the plugin with a different configuration for its calls.
func (v View) Configured(config map[string]any) View {
	v.Plugin = v.Plugin.Configured(config)
	return v
}

// Exports returns what the plugin exports, and whether that is known.
func (v View) Exports() (shared.Exports, bool) {
	switch {
	case v.stopped != nil:
		return shared.Exports{}, false
	case v.child == nil:
		return v.Plugin.Exports()
	default:
		return v.child.exports, true
	}
}

// Change is a prepared reload: new children run next to the old ones but are not called yet. The caller must call either Commit
// or Abort, once.
type Change struct {
	fleet *Fleet
	// next holds the plugins after the change, in the order of their names. removed holds the plugins that the change removes.
	next    []View
	added   []*Plugin
	removed []*Plugin
	kept    map[string]error
}

// Prepare starts new children for the plugins in specs and waits until they have loaded. If anew is set, it does so for all
// plugins, otherwise only for those whose specification changed. The others keep their children and their package-level state.
// A plugin that fails to load keeps its old child too, unless that child has a right that was withdrawn: it is stopped. Prepare only
// returns the error of ctx, and then undoes the change.
func (f *Fleet) Prepare(ctx context.Context, around *Around, specs []Spec, anew bool) (*Change, error) {
	c := &Change{fleet: f, kept: make(map[string]error)}
	var group sync.WaitGroup
	var mu sync.Mutex
	wanted := make(map[string]bool, len(specs))
	for _, spec := range specs {
		spec.around = around
		wanted[spec.Name] = true
		p := f.lookup(spec.Name)
		if p == nil {
			p = f.prepare(spec)
			c.added, c.next = append(c.added, p), append(c.next, View{Plugin: p})
			continue
		}
		group.Go(func() {
			view, err := p.nextView(ctx, spec, anew)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				c.kept[spec.Name] = err
			}
			c.next = append(c.next, view)
		})
	}
	group.Wait()
	sort.Slice(c.next, func(a, b int) bool { return c.next[a].Name() < c.next[b].Name() })
	for _, p := range f.Plugins() {
		if !wanted[p.Name()] {
			c.removed = append(c.removed, p)
		}
	}
	if err := errors.Join(f.launch(ctx, c.added), ctx.Err()); err != nil {
		c.Abort()
		return nil, err
	}
	flush(append(f.Plugins(), c.added...))
	return c, nil
}

// nextView returns the plugin as it is after a change to spec. An error is why it continues as before.
func (p *Plugin) nextView(ctx context.Context, spec Spec, anew bool) (View, error) {
	if err := spec.consent(); err != nil {
		return View{Plugin: p, spec: &spec, stopped: err}, nil //nolint:nilerr // the view has it
	}
	if now := p.Spec(); !anew && spec.sameChild(now) && p.sup.opts.sameVariables(now, spec) {
		return View{Plugin: p, spec: &spec}, nil
	}
	start := p.sup.startAsLoaded
	if anew {
		start = p.sup.startUnderPolicy
	}
	err := spec.Err
	var next *child
	if err == nil {
		next, err = start(ctx, spec)
	}
	switch {
	case err == nil:
		return View{Plugin: p, child: next, spec: &spec}, nil
	case ctx.Err() != nil:
		return View{Plugin: p}, err
	}
	if why := refused(p.Spec(), spec, err); why != nil {
		return View{Plugin: p, spec: &spec, stopped: why}, nil //nolint:nilerr // the view has it
	}
	p.sup.reportKept(err)
	return View{Plugin: p}, err
}

// Plugins returns the plugins after the change, in the order of their names.
func (c *Change) Plugins() []View { return c.next }

// Commit makes the new children take over and stops the old ones. A plugin with once set that has already run does not run
// again.
func (c *Change) Commit() Reloaded {
	r := Reloaded{Kept: c.kept}
	c.fleet.mu.Lock()
	for _, p := range c.added {
		c.fleet.plugins[p.Name()] = p
		r.Added = append(r.Added, p.Name())
	}
	c.fleet.mu.Unlock()
	var group sync.WaitGroup
	for _, v := range c.next {
		switch {
		case v.stopped != nil:
			r.Stopped = append(r.Stopped, v.Name())
			group.Go(func() { v.sup.stopFor(*v.spec, v.stopped) })
		case v.child != nil:
			r.Replaced = append(r.Replaced, v.Name())
			group.Go(func() { v.sup.replace(v.child, *v.spec) })
		case v.spec != nil:
			v.sup.life.configure(*v.spec)
		}
	}
	group.Wait()
	for _, p := range c.removed {
		r.Removed = append(r.Removed, p.Name())
		c.fleet.remove(p)
	}
	flush(c.fleet.Plugins())
	return r
}

// Abort stops the new children. The old ones continue to run.
func (c *Change) Abort() {
	var group sync.WaitGroup
	for _, v := range c.next {
		if v.child != nil {
			group.Go(v.child.stop)
		}
	}
	for _, p := range c.added {
		p.sup.life.end()
	}
	c.fleet.launching.Wait()
	for _, p := range c.added {
		group.Go(p.sup.close)
	}
	group.Wait()
}

// Views returns the current plugins, in the order of their names.
func (f *Fleet) Views() []View {
	var out []View
	for _, p := range f.Plugins() {
		out = append(out, View{Plugin: p})
	}
	return out
}

// sameChild reports whether a child started with one spec can serve the other. The two specs must be equal, except for the
// configuration, which is sent with each call.
func (s Spec) sameChild(other Spec) bool {
	if s.Err != nil || other.Err != nil {
		return false
	}
	if !s.Native.same(other.Native) {
		return false
	}
	s.Config, other.Config, s.Verify, other.Verify, s.Consented, other.Consented, s.Native, other.Native = nil, nil, nil, nil, nil, nil, nil, nil
	s.NativeError, other.NativeError, s.around, other.around = nil, nil, nil, nil
	return reflect.DeepEqual(s, other)
}

// sameVariables reports whether a child started with one spec has the variables of the other.
func (o *Options) sameVariables(one, other Spec) bool {
	return slices.Equal(environOf(o, one), environOf(o, other))
}

func (f *Fleet) lookup(name string) *Plugin {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.plugins[name]
}

func (f *Fleet) remove(p *Plugin) {
	f.mu.Lock()
	delete(f.plugins, p.Name())
	f.mu.Unlock()
	p.sup.life.end()
	f.launching.Wait()
	p.sup.close()
}

// replace makes a child that was loaded from other files the current child.
func (s *supervisor) replace(c *child, spec Spec) {
	s.life.mu.Lock()
	s.life.renew()
	generation := s.life.generation
	s.life.spec = spec
	s.native.build = Build{}
	s.native.dropNext()
	s.code.known = false // so that warnings about the new files are reported
	s.life.mu.Unlock()
	s.install(c, generation)
}

// reportKept reports that the old child continues, or that the plugin stays down.
func (s *supervisor) reportKept(err error) {
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	rest := "the running one is kept"
	if s.life.cur == nil {
		rest = "it stays down"
	}
	s.reports.notify(NoticeReload, fmt.Sprintf("plugin %q no longer loads, so %s: %v", s.life.spec.Name, rest, Reason(err)))
}
