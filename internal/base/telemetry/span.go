package telemetry

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/idelchi/aura/internal/base/limit"
)

type tracerKey struct{}

// Into returns a context whose interactions are traced.
func (t *Tracer) Into(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, tracerKey{}, t)
}

// First returns a context at the position of the first interaction, for the environment of what is started before it.
func (t *Tracer) First(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return trace.ContextWithSpanContext(ctx, t.first)
}

// Span is an interaction, a model call or a tool call that runs. A nil Span does nothing.
type Span struct {
	t       *Tracer
	span    trace.Span
	started time.Time
	// whole is set for an interaction that no other one contains.
	whole bool
	// shared holds the attributes that the metrics have too.
	shared []attribute.KeyValue
}

// Into returns a context whose spans are children of this span.
func (s *Span) Into(ctx context.Context) context.Context {
	if s == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, s.span)
}

// Speaker is who answers.
type Speaker struct{ Agent, Provider, Model string }

// Agent begins the span of an interaction. conversation is the id of the session.
func Agent(ctx context.Context, who Speaker, conversation, prompt string) (context.Context, *Span) {
	t, ok := ctx.Value(tracerKey{}).(*Tracer)
	if !ok {
		return ctx, nil
	}
	from := ctx
	whole := !trace.SpanContextFromContext(ctx).IsValid()
	if whole {
		from = trace.ContextWithSpanContext(ctx, trace.SpanContextFromContext(t.above))
		if t.begun.CompareAndSwap(false, true) {
			from = context.WithValue(from, firstKey{}, t.first)
		}
	}
	s := t.begin(from, opAgent, who.Agent, attribute.String(keyAgent, who.Agent), attribute.String(keyProvider, who.Provider), attribute.String(keyModel, who.Model))
	s.whole = whole
	s.span.SetAttributes(attribute.String(keyConversation, conversation))
	s.messages(keyInput, "user", prompt)
	return s.Into(ctx), s
}

// Chat begins the span of a model call.
func Chat(ctx context.Context, who Speaker) (context.Context, *Span) {
	t, ok := ctx.Value(tracerKey{}).(*Tracer)
	if !ok {
		return ctx, nil
	}
	s := t.begin(ctx, opChat, who.Model, attribute.String(keyProvider, who.Provider), attribute.String(keyModel, who.Model))
	return s.Into(ctx), s
}

// Tool begins the span of a tool call.
func Tool(ctx context.Context, name, id string) *Span {
	t, ok := ctx.Value(tracerKey{}).(*Tracer)
	if !ok {
		return nil
	}
	s := t.begin(ctx, opTool, name, attribute.String(keyTool, name))
	s.span.SetAttributes(attribute.String(keyToolCall, id))
	return s
}

func (t *Tracer) begin(ctx context.Context, operation, of string, shared ...attribute.KeyValue) *Span {
	shared = append(shared, attribute.String(keyOperation, operation))
	for i, kv := range shared {
		shared[i] = attribute.String(string(kv.Key), t.text(kv.Value.AsString()))
	}
	name, kind := operation, trace.SpanKindInternal
	if of != "" {
		name += " " + t.text(of)
	}
	if operation == opChat {
		kind = trace.SpanKindClient
	}
	s := &Span{t: t, started: time.Now(), shared: shared}
	_, s.span = t.spans.Start(ctx, name, trace.WithTimestamp(s.started), trace.WithSpanKind(kind), trace.WithAttributes(shared...))
	return s
}

// text returns a text without secrets, bounded.
func (t *Tracer) text(text string) string {
	return limit.Cut(t.secrets.Get().String(text), limit.SpanText, "a text in a trace")
}

// messages adds a message as content, if content is exported.
func (s *Span) messages(key, role, text string) {
	if !s.t.content || text == "" {
		return
	}
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type message struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	if encoded, err := json.Marshal([]message{{role, []part{{"text", s.t.text(text)}}}}); err == nil { // texts can always be encoded
		s.span.SetAttributes(attribute.String(key, string(encoded)))
	}
}

// Answer adds the answer of a model call. stop is the reason why the model stopped.
func (s *Span) Answer(text, stop string, tokensIn, tokensOut int) {
	if s == nil {
		return
	}
	s.span.SetAttributes(attribute.Int(keyTokensIn, tokensIn), attribute.Int(keyTokensOut, tokensOut))
	if stop != "" {
		s.span.SetAttributes(attribute.StringSlice(keyStop, []string{s.t.text(stop)}))
	}
	s.messages(keyOutput, "assistant", text)
	for kind, count := range map[string]int{"input": tokensIn, "output": tokensOut} {
		s.t.tokens.Record(context.Background(), int64(count), metric.WithAttributes(append(slices.Clip(s.shared), attribute.String(keyTokenType, kind))...))
	}
}

// Result adds the arguments and the result of a tool call.
func (s *Span) Result(arguments, result string) {
	if s == nil || !s.t.content {
		return
	}
	s.span.SetAttributes(attribute.String(keyArguments, s.t.text(arguments)), attribute.String(keyResult, s.t.text(result)))
}

// End ends the span. class is the kind of err; a text of the error is content.
func (s *Span) End(err error, class string) {
	if s == nil {
		return
	}
	shared := s.shared
	if err != nil {
		shared = append(slices.Clip(shared), attribute.String(keyError, class))
		s.t.fail(s.span, class, err.Error())
	}
	ended := time.Now()
	s.span.End(trace.WithTimestamp(ended))
	if s.whole {
		s.t.flush()
	}
	s.t.duration.Record(context.Background(), ended.Sub(s.started).Seconds(), metric.WithAttributes(shared...))
}

// fail marks a span as failed. The text is exported only with content.
func (t *Tracer) fail(span trace.Span, class, text string) {
	span.SetAttributes(attribute.String(keyError, class))
	if !t.content {
		text = ""
	}
	span.SetStatus(codes.Error, t.text(text))
}

// Call is a finished call of a plugin.
type Call struct {
	Plugin, Point, Outcome string
	// Error is why the call failed; empty if it did not.
	Error string
	// Waited is the time until the process could be called, Took how long it worked.
	Waited, Took time.Duration
	// Process is the number of the process among those of the plugin; 0 for a process for one call.
	Process int
}

// Plugin exports a call of a plugin that has just ended. The call belongs to the span in ctx.
func (t *Tracer) Plugin(ctx context.Context, c Call) {
	if t == nil {
		return
	}
	now := time.Now()
	attributes := []attribute.KeyValue{attribute.String(keyPlugin, c.Plugin), attribute.String(keyPoint, c.Point), attribute.String(keyOutcome, c.Outcome)}
	if !trace.SpanContextFromContext(ctx).IsValid() {
		ctx = trace.ContextWithSpanContext(ctx, trace.SpanContextFromContext(t.above))
	}
	_, span := t.spans.Start(ctx, opPlugin+" "+c.Plugin+" "+c.Point, trace.WithTimestamp(now.Add(-c.Waited-c.Took)), trace.WithAttributes(attributes...))
	span.SetAttributes(attribute.Float64(keyWait, milliseconds(c.Waited)), attribute.Float64(keyRun, milliseconds(c.Took)),
		attribute.Int(keyProcess, c.Process), attribute.Bool(keyRestarted, t.restarted(c)))
	if c.Error != "" {
		t.fail(span, c.Outcome, c.Error)
	}
	span.End(trace.WithTimestamp(now))
	with := metric.WithAttributes(attributes...)
	t.calls.Add(ctx, 1, with)
	t.callTime.Record(ctx, c.Took.Seconds(), with)
	t.callWait.Record(ctx, c.Waited.Seconds(), with)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// restarted reports whether the plugin has another process than at its last call.
func (t *Tracer) restarted(c Call) bool {
	if c.Process == 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before, called := t.children[c.Plugin]
	t.children[c.Plugin] = c.Process
	return called && before != c.Process
}

// Restarted counts a restart of a plugin.
func (t *Tracer) Restarted(plugin string) {
	if t != nil {
		t.restarts.Add(context.Background(), 1, metric.WithAttributes(attribute.String(keyPlugin, plugin)))
	}
}
