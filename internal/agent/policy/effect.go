package policy

import "fmt"

// Effect is what a call does to the world.
type Effect string

// The effects, from the least to the greatest.
const (
	// Read changes nothing.
	Read Effect = "read"
	// Edit changes files that the sandbox lets a file tool change, and nothing else.
	Edit Effect = "edit"
	// Run is everything else: a command, and every call of which nobody knows what it changes.
	Run Effect = "run"
)

// Default holds the actions for calls of an effect. An empty action is none.
type Default struct{ Edit, Run Action }

// DefaultPrefix begins the names of defaults in verdicts and approvals.
const DefaultPrefix = "default."

// verdictOn is the verdict about calls of an effect.
type verdictOn struct {
	effect  Effect
	verdict Verdict
}

func (d Default) verdicts(origin string) []verdictOn {
	var out []verdictOn
	for _, one := range []verdictOn{{Edit, Verdict{Action: d.Edit}}, {Run, Verdict{Action: d.Run}}} {
		if one.verdict.Action != "" {
			one.verdict.Rule, one.verdict.Origin = DefaultPrefix+string(one.effect), origin
			out = append(out, one)
		}
	}
	return out
}

// DecideCall decides about a call by the rules, and then by the defaults. effect is asked only if a default may decide. A default that denies holds
// like a Deny rule. A default that confirms holds for calls without a rule, so that an Auto rule lifts it.
func (p Policy) DecideCall(tool string, args map[string]any, effect func() Effect) Verdict {
	said := p.Decide(tool, args)
	if said.Action == Deny || len(p.defaults) == 0 {
		return said
	}
	of := effect()
	for _, action := range []Action{Deny, Confirm} {
		for _, d := range p.defaults {
			if d.effect == of && d.verdict.Action == action && (action == Deny || said.Rule == "") {
				return d.verdict
			}
		}
	}
	return said
}

// ParseAction returns the action of a word; empty for none.
func ParseAction(word string) (Action, error) {
	switch a := Action(word); a {
	case "", Auto, Confirm, Deny:
		return a, nil
	default:
		return "", fmt.Errorf("%q is neither %s, %s nor %s", word, Auto, Confirm, Deny)
	}
}
