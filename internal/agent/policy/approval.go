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

// Approvals holds the approvals of a session. The zero value is empty and ready to use. It is safe for concurrent use.
type Approvals struct {
	mu   sync.Mutex
	kept []Approval
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
