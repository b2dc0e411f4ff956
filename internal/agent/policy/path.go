package policy

import "errors"

// ReadTool and WriteTool stand for reading a path, and for reading and writing it, among the tools of approvals. No tool can have these names.
const (
	ReadTool  = "sandbox.read"
	WriteTool = "sandbox.write"
	// PathRule is the rule that asks about paths: the policy of the sandbox.
	PathRule = "sandbox"
)

// ErrNotAsked is the error of a front end whose user is not asked such questions.
var ErrNotAsked = errors.New("such questions are not asked here")

// OutsideText says what the decision Outside grants.
const OutsideText = "run this one call outside of the sandbox, without limits: it reaches all that you do"

// Access is what a program wants beyond the limits of the sandbox. Its texts are for the user.
type Access struct {
	// What is the access, such as "connect to example.org:443". Why has a line for each further fact: who wants it, which rule refuses it, and
	// what follows a yes.
	What string
	Why  []string
	// Grant is set if the access itself can be allowed.
	Grant bool
	// Outside is set if the call can run without the sandbox instead.
	Outside bool
}

// Offers reports whether a decision can answer the question.
func (q Question) Offers(d Decision) bool {
	switch d {
	case Reject:
		return true
	case Once:
		return q.Access == nil || q.Access.Grant
	case Session, Always:
		return q.Pattern != "" && q.Offers(Once)
	case Outside:
		return q.Access != nil && q.Access.Outside
	default:
		return false
	}
}

// Editable reports whether the user can edit the pattern. That of a path is the path itself.
func (q Question) Editable() bool { return q.About.Path == "" }
