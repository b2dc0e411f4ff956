// Package policy decides which tool calls run without asking, which need a yes, and which never run.
package policy

import (
	"fmt"
	"regexp"
	"strings"
)

// Action is what a policy says of a call.
type Action string

// The actions, from the mildest to the strictest.
const (
	// Auto runs without asking. It is what holds for a call that no rule names.
	Auto Action = "auto"
	// Confirm needs somebody's yes.
	Confirm Action = "confirm"
	// Deny never runs.
	Deny Action = "deny"
)

// Rules are patterns per action, as a user writes them: the name of a tool, or a name and what the call is about, as in
// "Bash:git push*". A star stands for any text.
type Rules struct {
	Auto, Confirm, Deny []string
}

// Verdict is what a policy says of one call.
type Verdict struct {
	Action Action
	// Rule is the pattern that decided; empty if none did.
	Rule string
}

// Policy is a set of rules, ready to be asked. The zero value lets everything run. It does not change.
type Policy struct {
	rules []rule
	// workdir is where relative paths among the arguments start; empty if that is not known.
	workdir string
}

// In is the policy for calls that are made in a directory, which is absolute. A rule about a path then holds however the path
// is written: relative or absolute, and with . and .. in it.
func (p Policy) In(workdir string) Policy {
	p.workdir = workdir
	return p
}

type rule struct {
	source  string
	action  Action
	name    *regexp.Regexp
	subject *regexp.Regexp
}

// New puts the rules of several layers together. A stricter action of any layer goes before a milder one of any other.
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
				p.rules = append(p.rules, made)
			}
		}
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
		r.subject = wildcard(strings.TrimSpace(subject))
	}
	return r, nil
}

// wildcard matches all of a text, in which a star stands for anything, line breaks included.
func wildcard(pattern string) *regexp.Regexp {
	parts := strings.Split(pattern, "*")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(parts, `.*`) + `$`)
}

// Decide says whether a call may run. Deny goes before Confirm, and Confirm before Auto. Of a shell line with several
// commands one is enough to deny it or to ask, while Auto wants all of them to fit.
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
		return Verdict{Action: r.action, Rule: r.source}
	}
	return Verdict{Action: Auto}
}

// Rules lists all patterns with their actions, the strictest first.
func (p Policy) Rules() []Verdict {
	out := make([]Verdict, 0, len(p.rules))
	for _, r := range p.rules {
		out = append(out, Verdict{Action: r.action, Rule: r.source})
	}
	return out
}
