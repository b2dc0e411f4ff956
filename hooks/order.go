package hooks

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// order sorts the names of all hooks so that each hook comes after its dependencies. Otherwise hooks are sorted by name.
func order(entries map[string]Entry) ([]string, error) {
	names := slices.Sorted(maps.Keys(entries))
	for _, name := range names {
		if err := checkDepends(entries, entries[name]); err != nil {
			return nil, err
		}
	}
	var done []string
	for len(names) > 0 {
		i := slices.IndexFunc(names, func(name string) bool {
			return !slices.ContainsFunc(entries[name].Depends, func(dep string) bool { return slices.Contains(names, dep) })
		})
		if i < 0 {
			return nil, cycle(entries, names)
		}
		done = append(done, names[i])
		names = slices.Delete(names, i, i+1)
	}
	return done, nil
}

// checkDepends rejects dependencies that do not exist or that belong to the other event.
func checkDepends(entries map[string]Entry, e Entry) error {
	for _, name := range e.Depends {
		dep, known := entries[name]
		way := e.Name + " -> " + name
		switch {
		case !known:
			return &Error{Hook: e.Name, Field: "depends", Value: name, Err: fmt.Errorf(
				"unknown hook %q (%s); known: %s", name, way, strings.Join(slices.Sorted(maps.Keys(entries)), ", "))}
		case dep.Event != e.Event && dep.Event != "" && e.Event != "":
			return &Error{Hook: e.Name, Field: "depends", Value: name, Err: fmt.Errorf(
				"hook %q has event %s, hook %q has event %s (%s): a hook can wait for hooks of its own event only",
				e.Name, e.Event, name, dep.Event, way)}
		}
	}
	return nil
}

// cycle returns the error for hooks that depend on each other in a cycle. The chain in the error begins and ends with the same
// hook.
func cycle(entries map[string]Entry, waiting []string) error {
	chain := waiting[:1:1]
	for {
		last := chain[len(chain)-1]
		deps := entries[last].Depends
		next := deps[slices.IndexFunc(deps, func(dep string) bool { return slices.Contains(waiting, dep) })]
		if i := slices.Index(chain, next); i >= 0 {
			chain = append(chain[i:], next)
			return &Error{Hook: last, Field: "depends", Value: next, Err: fmt.Errorf(
				"hook %q waits for itself: %s", next, strings.Join(chain, " -> "))}
		}
		chain = append(chain, next)
	}
}
