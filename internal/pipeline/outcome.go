package pipeline

import "github.com/idelchi/aura/internal/hookpoint"

// The types of what handlers want are those of the table of hook points, whose rows fold them.
type (
	Outcome   = hookpoint.Outcome
	Injection = hookpoint.Injection
	Notice    = hookpoint.Notice
	Block     = hookpoint.Block
	Verdict   = hookpoint.Verdict
)
