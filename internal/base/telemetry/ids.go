package telemetry

import (
	"context"
	"crypto/rand"

	"go.opentelemetry.io/otel/trace"
)

// firstKey marks a context whose next span gets a position that was announced before.
type firstKey struct{}

// ids makes the identifiers of spans.
type ids struct{}

// NewIDs implements sdktrace.IDGenerator.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if first, ok := ctx.Value(firstKey{}).(trace.SpanContext); ok {
		return first.TraceID(), first.SpanID()
	}
	return newTrace(), newSpan()
}

// NewSpanID implements sdktrace.IDGenerator.
func (ids) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if first, ok := ctx.Value(firstKey{}).(trace.SpanContext); ok {
		return first.SpanID()
	}
	return newSpan()
}

// rand.Read never fails, and never returns zeros only, which would be invalid.
func newTrace() (id trace.TraceID) {
	_, _ = rand.Read(id[:])
	return id
}

func newSpan() (id trace.SpanID) {
	_, _ = rand.Read(id[:])
	return id
}

// firstPosition returns the position of the first interaction. MCP servers are started before it, and learn it when they start.
func firstPosition(above context.Context) trace.SpanContext {
	position := trace.SpanContextConfig{TraceID: newTrace(), SpanID: newSpan(), TraceFlags: trace.FlagsSampled}
	if outer := trace.SpanContextFromContext(above); outer.IsValid() {
		position.TraceID, position.TraceFlags, position.TraceState = outer.TraceID(), outer.TraceFlags(), outer.TraceState()
	}
	return trace.NewSpanContext(position)
}
