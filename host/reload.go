package host

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
)

// Reloaded says what a reload did, by names in order.
type Reloaded struct {
	// Replaced plugins run from their present files; their package-level state is new.
	Replaced []string
	Added    []string
	Removed  []string
	// Kept plugins did not load from their present files and go on as they were.
	Kept map[string]error
}

// Reload starts a new generation of every plugin in specs, checks that it loads, and only then lets it take over. A plugin
// that does not load keeps its old child. What a plugin that runs once has done stays done. The error is ctx's alone.
func (f *Fleet) Reload(ctx context.Context, specs []Spec) (Reloaded, error) {
	r := Reloaded{Kept: make(map[string]error)}
	var added []*Plugin
	var group sync.WaitGroup
	var mu sync.Mutex
	wanted := make(map[string]bool, len(specs))
	for _, spec := range specs {
		wanted[spec.Name] = true
		p := f.lookup(spec.Name)
		if p == nil {
			added = append(added, f.add(spec))
			r.Added = append(r.Added, spec.Name)
			continue
		}
		group.Go(func() {
			err := p.sup.replace(ctx, spec)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				r.Kept[spec.Name] = err
				return
			}
			r.Replaced = append(r.Replaced, spec.Name)
		})
	}
	group.Wait()
	sort.Strings(r.Replaced)
	for _, p := range f.Plugins() {
		if !wanted[p.Name()] {
			r.Removed = append(r.Removed, p.Name())
			f.remove(p)
		}
	}
	return r, errors.Join(f.launch(ctx, added), ctx.Err())
}

func (f *Fleet) lookup(name string) *Plugin {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.plugins[name]
}

func (f *Fleet) add(spec Spec) *Plugin {
	p := f.prepare(spec)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plugins[spec.Name] = p
	return p
}

func (f *Fleet) remove(p *Plugin) {
	f.mu.Lock()
	delete(f.plugins, p.Name())
	f.mu.Unlock()
	p.sup.end()
	f.launching.Wait()
	p.sup.close()
}

// replace loads the plugin anew beside the old child and swaps them.
func (s *supervisor) replace(ctx context.Context, spec Spec) error {
	err := spec.Err
	var c *child
	if err == nil {
		c, err = s.startSuited(ctx, spec)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.keep(err)
		}
		return err
	}
	s.mu.Lock()
	s.generation++
	generation := s.generation
	s.spec = spec
	s.budget = budget{}
	s.known = false // so that warnings of the new files are told
	s.mu.Unlock()
	s.install(c, generation)
	return nil
}

// keep tells that the old child goes on, or that the plugin stays down.
func (s *supervisor) keep(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := "the running one is kept"
	if s.cur == nil {
		rest = "it stays down"
	}
	s.notify(NoticeReload, fmt.Sprintf("plugin %q does not load any more, so %s: %v", s.spec.Name, rest, plain(err)))
}
