package pipeline

import (
	"context"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

// Observe returns a source of the same handlers that calls after when a handler has returned. At chained points, after runs
// before the next handler is called. took reports whether the handler took part.
func Observe(src Source, after func(handler string, took bool)) Source {
	return observed{src: src, after: after}
}

type observed struct {
	src   Source
	after func(handler string, took bool)
}

// Handlers returns the handlers of the source.
func (o observed) Handlers(point hookpoint.Name) []Handler {
	if o.src == nil {
		return nil
	}
	var out []Handler
	for _, h := range o.src.Handlers(point) {
		out = append(out, observedHandler{Handler: h, after: o.after})
	}
	return out
}

type observedHandler struct {
	Handler

	after func(handler string, took bool)
}

// Rank returns the rank of the handler.
func (h observedHandler) Rank() int {
	rank, _ := place(h.Handler)
	return rank
}

// Directory returns the directory of the handler.
func (h observedHandler) Directory() string {
	_, directory := place(h.Handler)
	return directory
}

// Extension reports whether the handler is an extension.
func (h observedHandler) Extension() bool { return isExtension(h.Handler) }

// Handle calls the handler.
func (h observedHandler) Handle(ctx context.Context, point hookpoint.Name, in any) (any, error) {
	took := true // unless the handler says otherwise, also if it panics
	defer func() { h.after(h.Name(), took) }()
	result, err := h.Handler.Handle(ctx, point, in)
	took = result != nil || err != nil
	return result, err
}
