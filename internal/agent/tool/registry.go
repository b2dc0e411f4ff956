package tool

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
)

// Registry holds the tools of a session by name. One goroutine fills it; afterwards it is safe for concurrent reading. A reload
// builds a new Registry.
type Registry struct {
	entries map[string]entry
}

type entry struct {
	tool       Tool
	definition Definition
	schema     *Schema
	// displaced is set once the tool has replaced another tool.
	displaced bool
}

// ConflictError reports that two tools have the same name.
type ConflictError struct {
	Name string
	// First and Second are the origins of the two tools.
	First, Second string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("registering tool %q of %s: %s has a tool of that name; rename one of them, "+
		"or set override: true for the one that shall win, in its plugin.yaml or for its name in config/tools", e.Name, e.Second, e.First)
}

// NewRegistry returns a registry with the given tools. It returns the first error of registering them.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{}
	for _, t := range tools {
		if err := r.Register(t); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// usable matches the tool names that every provider accepts.
var usable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) })

const usableNames = "a name consists of at most 64 letters, digits, - and _"

// Register adds a tool. It returns a *ConflictError if the name is in use, or is reserved for a built-in tool of other
// sessions, unless one of the two tools overrides the other. A new tool with Override replaces any other tool. An old tool with
// Override wins against one new tool, if it has replaced no tool yet.
func (r *Registry) Register(t Tool) error {
	d := t.Definition()
	if !usable().MatchString(d.Name) {
		return fmt.Errorf("registering tool %q of %s: %s", d.Name, d.From(), usableNames)
	}
	schema, err := Compile(d.Parameters)
	if err != nil {
		return fmt.Errorf("registering tool %q of %s: %w", d.Name, d.From(), err)
	}
	fresh := entry{tool: t, definition: d, schema: schema}
	if old, taken := r.entries[d.Name]; taken {
		switch {
		case d.Override:
			fresh.displaced = true
		case old.definition.Override && !old.displaced:
			fresh = old
			fresh.displaced = true
		default:
			return &ConflictError{Name: d.Name, First: old.definition.From(), Second: d.From()}
		}
	} else if reserved(d) {
		return &ConflictError{Name: d.Name, First: Definition{}.From(), Second: d.From()}
	}
	if r.entries == nil {
		r.entries = map[string]entry{}
	}
	r.entries[d.Name] = fresh
	return nil
}

// From returns the origin of a tool, such as `plugin "notepad"`.
func (d Definition) From() string {
	if d.Origin == "" {
		return "aura itself"
	}
	return fmt.Sprintf("%s %q", d.Source, d.Origin)
}

// Lookup returns the tool with the given name.
func (r *Registry) Lookup(name string) (Tool, bool) {
	if r == nil {
		return nil, false
	}
	e, ok := r.entries[name]
	return e.tool, ok
}

// List returns all tools, sorted by name. The caller owns the slice.
func (r *Registry) List() []Tool {
	if r == nil {
		return nil
	}
	out := make([]Tool, 0, len(r.entries))
	for _, name := range slices.Sorted(maps.Keys(r.entries)) {
		out = append(out, r.entries[name].tool)
	}
	return out
}

// Offered returns the definitions of the tools that may be offered to a model, sorted by name. It omits the opt-in tools.
func (r *Registry) Offered() []Definition {
	var out []Definition
	for _, t := range r.List() {
		if d := t.Definition(); !d.OptIn {
			out = append(out, d)
		}
	}
	return out
}

// Validate checks arguments against the schema of a tool.
func (r *Registry) Validate(name string, args map[string]any) error {
	if r == nil {
		return errors.New("no tools are registered")
	}
	e, ok := r.entries[name]
	if !ok {
		return fmt.Errorf("no tool is named %q", name)
	}
	return e.schema.Validate(args)
}
