package shared

import (
	"context"
	"time"

	"github.com/idelchi/aura/sdk"
)

// Services is what aura does at the request of a plugin. The child uses it while calls run and between calls.
type Services interface {
	// Emit sends an event to the other plugins that listen to it. It does not wait for them.
	Emit(ctx context.Context, name string, payload []byte) error
	// Listen adds an event to those that the plugin handles. The events in Exports.Listens are added already.
	Listen(ctx context.Context, name string) error
	// State changes or reads one of the plugin's stores.
	State(ctx context.Context, r StateRequest) (StateAnswer, error)
	// Now returns the current time, and Rand a random number. A recording keeps the answers.
	Now(ctx context.Context) (time.Time, error)
	Rand(ctx context.Context) (uint64, error)
}

// StateRequest is one operation on a store of the plugin.
type StateRequest struct {
	Op    StateOp
	Scope sdk.Scope
	// Key is the prefix of the keys for StateList.
	Key   string
	Value string
}

// StateOp is what a StateRequest does.
type StateOp string

// The operations.
const (
	StateGet    StateOp = "get"
	StateSet    StateOp = "set"
	StateDelete StateOp = "delete"
	StateList   StateOp = "list"
)

// StateAnswer is the result of a StateRequest.
type StateAnswer struct {
	// Value and Found are the result of StateGet.
	Value string
	Found bool
	// Keys is the result of StateList, sorted.
	Keys []string
}
