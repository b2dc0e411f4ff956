// Package pipeline runs the handlers of a hook point and folds their results into one outcome. It does not depend on processes
// or terminals.
package pipeline

import (
	"context"
	"slices"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

// Handler takes part in a hook point. A plugin is a handler.
type Handler interface {
	// Name identifies the handler to the user.
	Name() string
	// Handle takes the point's context type by value and returns its result type. A nil result means that the handler did not
	// take part this time. An error never stops the conversation. A result returned with an error is still used: a guard that
	// failed closed returns a result that blocks.
	Handle(ctx context.Context, point hookpoint.Name, in any) (any, error)
}

// Extension is a Handler to which the rules of Aar apply if Extension returns true: it sees every tool call, also one whose tool does not
// exist or whose arguments are invalid, and it is not asked about a call that is blocked already.
type Extension interface {
	Extension() bool
}

func isExtension(h Handler) bool {
	e, ok := h.(Extension)
	return ok && e.Extension()
}

// Extensions returns a source of those handlers of src that are extensions.
func Extensions(src Source) Source { return extensions{src} }

type extensions struct{ src Source }

// Handlers returns the extensions among the handlers of the source.
func (e extensions) Handlers(point hookpoint.Name) []Handler {
	if e.src == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(e.src.Handlers(point)), func(h Handler) bool { return !isExtension(h) })
}

// Source returns the handlers of a hook point, in any order. The handlers may differ from call to call, because plugins are reloaded.
type Source interface {
	Handlers(point hookpoint.Name) []Handler
}
