package hooks

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/policy"
)

// Definition is a hook as configured, including inherited settings.
type Definition struct {
	Name        string
	Description string
	// Event is one of the events. It may be empty for a disabled hook, which may exist only to be inherited from.
	Event string
	// Protocol is ProtocolAura or ProtocolClaude; empty means the former.
	Protocol string
	// Matcher is a regular expression for tool names, or for what else an event is about. An empty Matcher matches everything.
	Matcher string
	// Files is a pattern of filepath.Match for base names.
	Files string
	// Calls holds patterns of calls, as in the rules of a policy. If it is empty, the hook runs for every call.
	Calls []string
	// Command is a shell line. It may be empty for a disabled hook.
	Command string
	// Timeout is DefaultTimeout if it is 0.
	Timeout  time.Duration
	Depends  []string
	Silent   bool
	Disabled bool
	// Unconfined is true if the hook does not run in the sandbox. Extra lists paths that it reaches there beside those of Bash.
	Unconfined bool
	Extra      Extra
	// Env holds variables that only this hook has.
	Env map[string]string
}

// Extra lists paths that a confined hook can access. They may begin with ~, and may be relative to the working directory.
type Extra struct{ ReadOnly, ReadWrite []string }

// Error is an error in a definition.
type Error struct {
	Hook string
	// Field is the invalid key. Value is the invalid item if the key is a list.
	Field, Value string
	Err          error
}

func (e *Error) Error() string {
	return fmt.Sprintf("compiling hook %q: %s: %v", e.Hook, e.Field, e.Err)
}

// Unwrap returns the error without its location.
func (e *Error) Unwrap() error { return e.Err }

// compile checks a definition independently of the others.
func (d Definition) compile() (Entry, error) {
	e := Entry{
		Name: d.Name, Description: d.Description, Event: d.Event, Protocol: d.Protocol, Files: d.Files, Command: d.Command, Timeout: d.Timeout,
		Depends: slices.Clone(d.Depends), Silent: d.Silent, Unconfined: d.Unconfined, Extra: d.Extra, Env: d.Env,
	}
	fault := func(field string, err error) (Entry, error) {
		return Entry{}, &Error{Hook: d.Name, Field: field, Err: err}
	}
	switch {
	case d.Event == "" && !d.Disabled:
		return fault("event", fmt.Errorf("hook %q has no event: set one of %s", d.Name, known(Events())))
	case d.Event != "" && !slices.Contains(Events(), d.Event):
		return fault("event", fmt.Errorf("hook %q: unknown event %q; known: %s", d.Name, d.Event, known(Events())))
	case d.Protocol != "" && !slices.Contains(Protocols(), d.Protocol):
		return fault("protocol", fmt.Errorf("hook %q: unknown protocol %q; known: %s", d.Name, d.Protocol, known(Protocols())))
	case d.Protocol == ProtocolClaude && d.Event == EventPluginState:
		return fault("protocol", fmt.Errorf("hook %q: Claude Code has no event like %s; leave protocol out", d.Name, d.Event))
	case strings.TrimSpace(d.Command) == "" && !d.Disabled:
		return fault("command", fmt.Errorf("hook %q has no command: set one, or disable the hook if it is only inherited from", d.Name))
	case d.Timeout < 0:
		return fault("timeout", fmt.Errorf("hook %q: %s is negative", d.Name, d.Timeout))
	}
	if e.Timeout == 0 {
		e.Timeout = DefaultTimeout
	}
	if _, err := filepath.Match(d.Files, ""); err != nil {
		return fault("files", fmt.Errorf("hook %q: pattern %q: %w", d.Name, d.Files, err))
	}
	at := momentOf(d.Event)
	if len(d.Calls) > 0 {
		if d.Event != "" && !at.tool {
			return fault("calls", fmt.Errorf("hook %q: event %s is about no call; remove the key", d.Name, d.Event))
		}
		calls, err := policy.NewCalls(d.Calls)
		if err != nil {
			return fault("calls", fmt.Errorf("hook %q: %w", d.Name, err))
		}
		e.Calls = &calls
	}
	if d.Files != "" && d.Event != "" && !at.tool {
		return fault("files", fmt.Errorf("hook %q: event %s is about no files; remove the key", d.Name, d.Event))
	}
	if e.anyMatcher(d.Matcher) {
		return e, nil
	}
	if d.Event != "" && !at.tool && at.subject == "" {
		return fault("matcher", fmt.Errorf("hook %q: event %s has nothing to compare a matcher with; remove the key", d.Name, d.Event))
	}
	pattern := d.Matcher
	if d.Protocol == ProtocolClaude {
		// Claude Code compares whole names.
		pattern = "^(?:" + pattern + ")$"
	}
	var err error
	if e.Matcher, err = regexp.Compile(pattern); err != nil {
		return fault("matcher", fmt.Errorf("hook %q: %w", d.Name, err))
	}
	return e, nil
}

// anyMatcher reports whether a matcher matches everything. In Claude Code, a star alone does too.
func (e Entry) anyMatcher(matcher string) bool {
	return matcher == "" || e.Protocol == ProtocolClaude && matcher == "*"
}

// compileAll checks each definition independently and returns the hooks by name.
func compileAll(defs []Definition) (map[string]Entry, error) {
	entries := make(map[string]Entry, len(defs))
	for _, d := range sorted(defs) {
		if _, twice := entries[d.Name]; twice {
			return nil, &Error{Hook: d.Name, Field: "name", Err: errors.New("two hooks have this name")}
		}
		e, err := d.compile()
		if err != nil {
			return nil, err
		}
		entries[d.Name] = e
	}
	return entries, nil
}

func sorted(defs []Definition) []Definition {
	return slices.SortedFunc(slices.Values(defs), func(a, b Definition) int { return strings.Compare(a.Name, b.Name) })
}
