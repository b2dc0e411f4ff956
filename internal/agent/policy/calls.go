package policy

import "strings"

// Calls selects calls by patterns as they are in rules. It is immutable. The zero value selects nothing.
type Calls struct {
	one, all Policy
}

// NewCalls compiles patterns.
func NewCalls(patterns []string) (Calls, error) {
	one, err := New(Rules{Deny: patterns})
	if err != nil {
		return Calls{}, err
	}
	all, err := New(Rules{Auto: patterns})
	return Calls{one, all}, err
}

// In returns the selection for calls made in workdir. See Policy.In.
func (c Calls) In(workdir string) Calls { return Calls{c.one.In(workdir), c.all.In(workdir)} }

// Touch reports whether a pattern matches a call, or one command of its shell line.
func (c Calls) Touch(tool string, args map[string]any) bool {
	return c.one.Decide(tool, args).Rule != ""
}

// MayTouch is like Touch, but also selects a shell line whose text does not show all that it runs, if a pattern is about shell lines.
func (c Calls) MayTouch(tool string, args map[string]any) bool {
	if c.Touch(tool, args) {
		return true
	}
	named := false
	for _, r := range c.one.rules {
		named = named || r.name.MatchString(tool)
	}
	return named && tool == ShellTool && !simple(args)
}

// Cover reports whether a pattern matches all that a call does: a shell line with several commands needs a pattern that matches all of them, and a line
// whose text does not show all that it runs is not covered.
func (c Calls) Cover(tool string, args map[string]any) bool {
	rule := c.all.Decide(tool, args).Rule
	return rule != "" && (tool != ShellTool || !strings.Contains(rule, ":") || simple(args))
}

// simple reports whether the text of a call's shell line shows all that it runs.
func simple(args map[string]any) bool {
	line, _ := args["command"].(string)
	_, ok := simpleCommands(line)
	return ok
}
