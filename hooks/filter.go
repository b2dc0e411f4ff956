package hooks

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/system/shell"
)

// Filter selects hooks by patterns of their names. * matches any text.
type Filter struct {
	// Origin is the owner of the filter, such as `agent "Coder"`. It is part of the reason that a user sees.
	Origin string
	// Enabled keeps only the hooks that match. If it is empty, all hooks are kept.
	Enabled []string
	// Disabled removes the hooks that match. It takes precedence over Enabled.
	Disabled []string
}

// Excluded is a hook that is not active.
type Excluded struct {
	Entry

	// Reason is a clause such as `it depends on go:fix, which is not active`.
	Reason string
	// Pruned is set if the hook itself is not excluded, but a hook that it depends on is.
	Pruned bool
}

// exclude returns the reason why the filter removes a hook, or "" if it does not.
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

// split separates ordered hooks into active and excluded hooks. A hook is excluded if one of its dependencies is.
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

// Warnings describes problems that do not prevent using the hooks: a hook whose command cannot be parsed never blocks a call,
// and a hook that depends on an inactive hook never runs.
func (r Runner) Warnings() []string {
	var out []string
	for _, e := range r.Active() {
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
