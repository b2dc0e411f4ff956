package pipeline

import "github.com/idelchi/aura/internal/hookpoint"

// What handlers want is folded by the rows of the table of hook points, so the types are the table's.
type (
	// Outcome is what all handlers of a hook point want together.
	Outcome = hookpoint.Outcome
	// Injection is a message that a handler adds to the history.
	Injection = hookpoint.Injection
	// Notice is a text for the user that no model sees.
	Notice = hookpoint.Notice
	// Block says why something must not happen.
	Block = hookpoint.Block
	// Verdict is what one handler returned.
	Verdict = hookpoint.Verdict
)
