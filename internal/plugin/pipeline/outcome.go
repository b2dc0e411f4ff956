package pipeline

import "github.com/idelchi/aura/internal/plugin/hookpoint"

// The rows of the table in hookpoint fold the results of handlers, so the types belong to hookpoint.
type (
	// Outcome is the combined request of all handlers of a hook point.
	Outcome = hookpoint.Outcome
	// Injection is a message that a handler adds to the history.
	Injection = hookpoint.Injection
	// Notice is a text for the user. It is never sent to a model.
	Notice = hookpoint.Notice
	// Verdict is what one handler returned.
	Verdict = hookpoint.Verdict
)
