// Package policy decides which tool calls run without asking, which need the user's confirmation, and which never run.
package policy

import (
	"fmt"
	"strings"
)

// Action is a policy's decision about a call.
type Action string

// The actions, from the least to the most strict.
const (
	// Auto means that the call runs without asking. It applies if neither a rule nor a default matches.
	Auto Action = "auto"
	// Confirm means that the call needs the user's confirmation.
	Confirm Action = "confirm"
	// Deny means that the call never runs.
	Deny Action = "deny"
)

// Rules holds the patterns of each action as the user writes them. A pattern is the name of a tool, or a name and a subject, as
// in "Bash:git push*". A star matches any text.
type Rules struct {
	Auto, Confirm, Deny []string
	// Default holds the actions for calls by what they do.
	Default Default
	// Origin says where the patterns are written, such as "agent coder".
	Origin string
}

// Verdict is a policy's decision about one call.
type Verdict struct {
	Action Action
	// Rule is the pattern that matched, or the name of the default that applies. It is empty if there is none.
	Rule string
	// Origin says where the rule is written.
	Origin string
}

// Policy is a compiled set of rules. It is immutable. The zero value allows every call.
type Policy struct {
	rules    []rule
	defaults []verdictOn
	// workdir is the directory that relative paths in arguments refer to. It is empty if unknown.
	workdir string
}

// In returns the policy for calls made in workdir, which must be absolute. A rule about a path then matches every spelling of
// the path: relative or absolute, and with . and .. in it.
func (p Policy) In(workdir string) Policy {
	p.workdir = workdir
	return p
}

type rule struct {
	source  string
	origin  string
	action  Action
	name    glob
	subject *glob
}

// New combines the rules of several layers. A stricter action of any layer takes precedence over a less strict action of any
// other layer.
func New(layers ...Rules) (Policy, error) {
	var p Policy
	for _, part := range []struct {
		action Action
		of     func(Rules) []string
	}{
		{Deny, func(r Rules) []string { return r.Deny }},
		{Confirm, func(r Rules) []string { return r.Confirm }},
		{Auto, func(r Rules) []string { return r.Auto }},
	} {
		for _, layer := range layers {
			for _, source := range part.of(layer) {
				made, err := newRule(source, part.action)
				if err != nil {
					return Policy{}, err
				}
				made.origin = layer.Origin
				p.rules = append(p.rules, made)
			}
		}
	}
	for _, layer := range layers {
		p.defaults = append(p.defaults, layer.Default.verdicts(layer.Origin)...)
	}
	return p, nil
}

func newRule(source string, action Action) (rule, error) {
	name, subject, specific := strings.Cut(source, ":")
	if name = strings.TrimSpace(name); name == "" {
		return rule{}, fmt.Errorf("reading the policy: %s rule %q names no tool; write it as Name or as Bash:git push*", action, source)
	}
	r := rule{source: source, action: action, name: wildcard(name)}
	if specific {
		if strings.TrimSpace(subject) == "" {
			return rule{}, fmt.Errorf("reading the policy: %s rule %q says nothing after the colon; leave the colon out to mean every call", action, source)
		}
		compiled := wildcard(strings.TrimSpace(subject))
		r.subject = &compiled
	}
	return r, nil
}

// Decide decides whether a call may run. Deny takes precedence over Confirm, and Confirm over Auto. If a shell line has several
// commands, one match is enough for Deny and Confirm, while Auto requires all of them to match.
func (p Policy) Decide(tool string, args map[string]any) Verdict {
	var said subjects
	for _, r := range p.rules {
		if !r.name.MatchString(tool) {
			continue
		}
		if r.subject != nil {
			if said == nil {
				said = p.subjectsOf(tool, args)
			}
			if !said.match(r) {
				continue
			}
		}
		return Verdict{Action: r.action, Rule: r.source, Origin: r.origin}
	}
	return Verdict{Action: Auto}
}

// Rules returns all patterns with their actions, the strictest first, and then the defaults.
func (p Policy) Rules() []Verdict {
	out := make([]Verdict, 0, len(p.rules)+len(p.defaults))
	for _, r := range p.rules {
		out = append(out, Verdict{Action: r.action, Rule: r.source, Origin: r.origin})
	}
	for _, d := range p.defaults {
		out = append(out, d.verdict)
	}
	return out
}
