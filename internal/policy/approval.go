package policy

import (
	"slices"
	"sync"
)

// Approval is a user's consent for the rest of a session. It covers calls of one tool that one Confirm rule stops, for certain
// subjects. It affects only that rule. Deny rules are checked first, so an approval never overrides them.
type Approval struct {
	Tool, Rule string
	// Subjects are compared exactly. A subject is a command line, a directory, or the arguments as JSON.
	Subjects []string
}

// Approvals holds the approvals of a session. The zero value is empty and ready to use. It is safe for concurrent use.
type Approvals struct {
	mu   sync.Mutex
	kept map[approved]bool
}

// approved is the approval of one subject.
type approved struct{ tool, rule, subject string }

// Add stores an approval.
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

// Cover reports whether all subjects of a call are approved for its tool and rule. It is false for a call without subjects.
func (a *Approvals) Cover(call Approval) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(call.Subjects) > 0 && !slices.ContainsFunc(call.Subjects, func(subject string) bool {
		return !a.kept[approved{call.Tool, call.Rule, subject}]
	})
}
