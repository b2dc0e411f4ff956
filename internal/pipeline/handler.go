// Package pipeline runs the handlers of a hook point and folds what they return into one outcome. It knows neither
// processes nor terminals.
package pipeline

import (
	"context"

	"github.com/idelchi/aura/internal/hookpoint"
)

// Handler is whoever takes part in a hook point, such as a plugin.
type Handler interface {
	// Name identifies the handler to the user. Handlers are called and folded in the order of their names, or in
	// that of the source where the point's row asks for another order.
	Name() string
	// Handle takes the point's context type by value and returns its result type. A nil result means that the handler did not
	// take part this time. An error never stops the conversation; a result beside it still counts (a guard that failed closed
	// says so by a result that blocks).
	Handle(ctx context.Context, point hookpoint.Name, in any) (any, error)
}

// Source yields the handlers of a hook point. The answer may differ from call to call, as
// plugins are reloaded.
type Source interface {
	Handlers(point hookpoint.Name) []Handler
}
