package hooks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/shell"
	"github.com/idelchi/aura/internal/tool"
)

// Filter narrows the hooks by patterns of their names, in which * stands for any text.
type Filter struct {
	// Origin says whose filter it is, such as `agent "Coder"`, for the reason that a user sees.
	Origin string
	// Enabled keeps those that fit; without patterns it keeps all.
	Enabled []string
	// Disabled removes those that fit, also from what Enabled keeps.
	Disabled []string
}

// Excluded is a hook that is not in force.
type Excluded struct {
	Entry

	// Reason is a clause such as `it depends on go:fix, which is not active`.
	Reason string
	// Pruned is set if nobody excluded the hook itself, but one that it depends on.
	Pruned bool
}

// exclude says why the filter removes a hook; it is empty if it does not.
func (f Filter) exclude(name string) string {
	if len(f.Enabled) > 0 && !tool.Match(f.Enabled, name) {
		return fmt.Sprintf("%s enables only %s", f.Origin, strings.Join(f.Enabled, ", "))
	}
	for _, pattern := range f.Disabled {
		if tool.Match([]string{pattern}, name) {
			return fmt.Sprintf("%s disables %s", f.Origin, pattern)
		}
	}
	return ""
}

// split parts hooks, which are in order, into those in force and the others. A hook whose dependency is not in force is not
// either.
func split(entries []Entry, disabled map[string]bool, filters []Filter) (active []Entry, excluded []Excluded) {
	out := map[string]bool{}
	for _, e := range entries {
		reason, pruned := excludeReason(e, out, disabled, filters)
		if reason == "" {
			active = append(active, e)
			continue
		}
		out[e.Name] = true
		excluded = append(excluded, Excluded{Entry: e, Reason: reason, Pruned: pruned})
	}
	return active, excluded
}

func excludeReason(e Entry, out, disabled map[string]bool, filters []Filter) (reason string, pruned bool) {
	if disabled[e.Name] {
		return "it is disabled by its own setting", false
	}
	for _, f := range filters {
		if reason := f.exclude(e.Name); reason != "" {
			return reason, false
		}
	}
	for _, dep := range e.Depends {
		if out[dep] {
			return fmt.Sprintf("it depends on %s, which is not active", dep), true
		}
	}
	return "", false
}

// Warnings are what is wrong with the hooks although they can be used: one that the shell cannot read blocks nothing, and one that
// depends on a hook that is not active never runs.
func (r Runner) Warnings() []string {
	var out []string
	for _, e := range slices.Concat(r.Pre, r.Post) {
		if err := shell.Check(e.Command); err != nil {
			out = append(out, fmt.Sprintf("hook %q fails whenever it runs: parsing its command: %v", e.Name, err))
		}
	}
	for _, e := range r.Excluded {
		if e.Pruned {
			out = append(out, fmt.Sprintf("hook %q does not run: %s", e.Name, e.Reason))
		}
	}
	return out
}
