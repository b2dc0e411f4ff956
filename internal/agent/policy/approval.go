package policy

import (
	"slices"
	"sync"
)

// Approval is a user's consent to calls of one tool. It affects only the Confirm rule that asked. Deny rules are checked first, so
// an approval never overrides them.
type Approval struct {
	// Tool is the name of the tool, and Source who provides it: a tool of the same name from elsewhere is not approved.
	Tool   string `json:"tool"`
	Source string `json:"source"`
	// Rule is the rule that asked. It is empty if the tool itself requires approval.
	Rule string `json:"rule,omitempty"`
	// Dir is the working directory of the call: the same command, or the same relative path, means something else elsewhere.
	Dir string `json:"dir"`
	// Pattern describes the calls. Call.Check says how it is compared with a call.
	Pattern string `json:"pattern"`
}

// Approves returns the approval of a call and of all calls that a pattern covers. It fails if the pattern does not cover the call.
func (c Call) Approves(pattern string) (Approval, error) {
	return Approval{Tool: c.Tool, Source: c.Source, Rule: c.Rule, Dir: c.Workdir, Pattern: pattern}, c.Check(pattern)
}

// Refusing returns what is remembered if the user refuses exactly this access.
func (c Call) Refusing() Approval {
	subject := c.Host
	if c.Path != "" {
		subject = c.Path
	}
	return Approval{Tool: c.Tool, Source: c.Source, Rule: c.Rule, Dir: c.Workdir, Pattern: c.Tool + ":" + subject}
}

// Describe says which rule the approval lifts, and who provides the tool unless that is aura.
func (a Approval) Describe() string {
	text := "lifts rule " + a.Rule
	if a.Rule == "" {
		text = "the tool requires approval"
	}
	if a.Source != builtinSource {
		text += ", " + a.Source
	}
	return text
}

// builtinSource is the source of aura's own tools.
const builtinSource = "built-in"

// concerns reports whether an approval is about the tool, the rule and the working directory of a call.
func (a Approval) concerns(c Call) bool {
	return a.Tool == c.Tool && a.Source == c.Source && a.Rule == c.Rule && a.Dir == c.Workdir
}

// Cover reports whether approvals cover a call. Several approvals may cover the commands of a shell line, or the files of a call,
// together.
func Cover(given []Approval, c Call) bool {
	var patterns []string
	for _, a := range given {
		if a.concerns(c) {
			patterns = append(patterns, a.Pattern)
		}
	}
	return c.covered(patterns)
}

// Approvals holds the approvals of a session, and the accesses that the user refused. The zero value is empty and ready to use. It is safe for
// concurrent use.
type Approvals struct {
	// asking is held while the user is asked about an access, so that an answer counts for the questions that wait.
	asking sync.Mutex

	mu      sync.Mutex
	kept    []Approval
	refused []Refusal
}

// Refusal is an access beyond the sandbox that the user refused for the session.
type Refusal struct {
	Approval

	// Reason is what the user said; it may be empty.
	Reason string
}

// Asking keeps other questions about accesses waiting until the result is called.
func (a *Approvals) Asking() (end func()) {
	a.asking.Lock()
	return a.asking.Unlock
}

// Add stores an approval.
func (a *Approvals) Add(given Approval) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.kept, given) {
		a.kept = append(a.kept, given)
	}
}

// Remove removes an approval. It returns false if there is no such approval.
func (a *Approvals) Remove(given Approval) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := len(a.kept)
	a.kept = slices.DeleteFunc(a.kept, func(one Approval) bool { return one == given })
	return len(a.kept) < before
}

// All returns the approvals in the order in which they were given.
func (a *Approvals) All() []Approval {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.kept)
}

// maxRefusals is how many refusals are remembered. The oldest is forgotten first.
const maxRefusals = 1000

// Refuse remembers that the user refused an access.
func (a *Approvals) Refuse(r Refusal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused = append(a.refused, r)
	a.refused = a.refused[max(0, len(a.refused)-maxRefusals):]
}

// Refused returns the refusal that covers a call. Who may not read a path may not write it either.
func (a *Approvals) Refused(c Call) (Refusal, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	asks := []Call{c}
	if c.Tool == WriteTool {
		c.Tool = ReadTool
		asks = append(asks, c)
	}
	for _, r := range a.refused {
		if slices.ContainsFunc(asks, func(c Call) bool { return Cover([]Approval{r.Approval}, c) }) {
			return r, true
		}
	}
	return Refusal{}, false
}

// Refusals returns what the user refused, in the order in which it was refused.
func (a *Approvals) Refusals() []Refusal {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.refused)
}

// Forget forgets a refusal. It returns false if there is no such refusal.
func (a *Approvals) Forget(given Refusal) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := len(a.refused)
	a.refused = slices.DeleteFunc(a.refused, func(one Refusal) bool { return one == given })
	return len(a.refused) < before
}
