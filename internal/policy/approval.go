package policy

import (
	"slices"
	"sync"
)

// Approval is what somebody agrees to for the rest of a session: calls of one tool that one Confirm rule stops, and that are about
// certain subjects. It lifts nothing but that rule. A Deny rule is looked at first, so no approval reaches it.
type Approval struct {
	Tool, Rule string
	// Subjects are compared as they are: a command line, a directory, or the arguments as JSON.
	Subjects []string
}

// Approvals are those of a session. The zero value has none. Several goroutines may use it.
type Approvals struct {
	mu   sync.Mutex
	kept map[approved]bool
}

// approved is an approval of one subject.
type approved struct{ tool, rule, subject string }

// Add keeps an approval.
func (a *Approvals) Add(given Approval) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept == nil {
		a.kept = map[approved]bool{}
	}
	for _, subject := range given.Subjects {
		a.kept[approved{given.Tool, given.Rule, subject}] = true
	}
}

// Cover reports whether all subjects of a call have been approved, for its tool and its rule. A call without subjects never is.
func (a *Approvals) Cover(call Approval) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(call.Subjects) > 0 && !slices.ContainsFunc(call.Subjects, func(subject string) bool {
		return !a.kept[approved{call.Tool, call.Rule, subject}]
	})
}
