// Package telemetry exports what a session does as traces and metrics, with OTLP over HTTP, if the environment of the process
// asks for it by the standard OTEL_* variables. The position in the trace travels with the context, so concurrent tool calls and
// subagents have the right parents.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/idelchi/aura/internal/base/redact"
)

// How long the end of a session waits for the collector: for one that has not answered yet, or failed last, and for one that took what
// was sent last. With everything around it, a dead collector delays the end by at most 50 ms.
const (
	ExitTime     = 40 * time.Millisecond
	AnsweredTime = 2 * time.Second
)

// flushTime is how long the spans of an interaction are waited for in the background. After that, they are sent with later ones.
const flushTime = 10 * time.Second

// contentVariable is the standard variable that allows the export of prompts, answers, arguments and results.
const contentVariable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

// Tracer exports the spans and metrics of one session. Its methods may be called from any goroutine. A nil Tracer exports nothing.
type Tracer struct {
	secrets *redact.Current
	// content is set if texts of the conversation are exported.
	content bool
	// above is the position in the trace that aura was started in. first is the position of the first interaction.
	above context.Context //nolint:containedctx // only its position in the trace is used
	first trace.SpanContext
	begun atomic.Bool

	spans    trace.Tracer
	tracing  *sdktrace.TracerProvider
	metering *sdkmetric.MeterProvider
	// meters is set if metrics are exported.
	meters   bool
	tokens   metric.Int64Histogram
	duration metric.Float64Histogram
	calls    metric.Int64Counter
	callTime metric.Float64Histogram
	callWait metric.Float64Histogram
	restarts metric.Int64Counter

	// ended counts the spans to export, exported those that the collector took.
	ended, exported atomic.Int64
	// answered is set while the collector has taken the newest export.
	answered atomic.Bool
	// failure is the newest reason why an export failed. metricsLost is set while the newest export of metrics has failed.
	failure     atomic.Pointer[string]
	metricsLost atomic.Bool
	// flushing is set while the spans of an interaction are sent.
	flushing atomic.Bool

	mu sync.Mutex
	// children holds the number of the process that a plugin was called in last.
	children map[string]int
}

// quiet keeps the libraries from writing to standard error, which belongs to the front end. Tracer counts failed exports itself.
var quiet = sync.OnceFunc(func() {
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
})

// Open returns the tracer that the environment asks for. It returns nil if the environment asks for none; then nothing is started.
func Open(ctx context.Context, version string, secrets *redact.Current) (*Tracer, error) {
	tracing, err1 := wanted(traces)
	metering, err2 := wanted(metrics)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("exporting traces and metrics: %w", err)
	}
	if !tracing && !metering {
		return nil, nil //nolint:nilnil // a nil Tracer works
	}
	quiet()
	t := &Tracer{
		secrets: secrets, content: strings.EqualFold(variable(contentVariable), "true"), above: outer(), children: make(map[string]int),
	}
	t.first = firstPosition(t.above)
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "aura"), attribute.String("service.version", version)),
		resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil && about == nil {
		return nil, fmt.Errorf("exporting traces and metrics: %w", err)
	}
	if err := t.openTraces(ctx, tracing, about); err != nil {
		return nil, fmt.Errorf("exporting traces: %w", err)
	}
	if err := t.openMetrics(ctx, metering, about); err != nil {
		return nil, errors.Join(fmt.Errorf("exporting metrics: %w", err), t.tracing.Shutdown(ctx))
	}
	return t, nil
}

func (t *Tracer) openTraces(ctx context.Context, on bool, about *resource.Resource) error {
	options := []sdktrace.TracerProviderOption{sdktrace.WithResource(about), sdktrace.WithIDGenerator(ids{})}
	if on {
		exporter, err := otlptracehttp.New(ctx)
		if err != nil {
			return err
		}
		options = append(options, sdktrace.WithBatcher(spanExporter{exporter, t}), sdktrace.WithSpanProcessor(countEnded{t}))
	} else {
		options = append(options, sdktrace.WithSampler(sdktrace.NeverSample()))
	}
	t.tracing = sdktrace.NewTracerProvider(options...)
	t.spans = t.tracing.Tracer(scope, trace.WithSchemaURL(schemaURL))
	return nil
}

func (t *Tracer) openMetrics(ctx context.Context, on bool, about *resource.Resource) error {
	options := []sdkmetric.Option{sdkmetric.WithResource(about)}
	if on {
		exporter, err := otlpmetrichttp.New(ctx)
		if err != nil {
			return err
		}
		options = append(options, sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metricExporter{exporter, t})))
		t.meters = true
	}
	t.metering = sdkmetric.NewMeterProvider(options...)
	m := t.metering.Meter(scope, metric.WithSchemaURL(schemaURL))
	var errs [6]error
	t.tokens, errs[0] = m.Int64Histogram(metricTokens, metric.WithUnit("{token}"), metric.WithDescription("Tokens of a model call"))
	t.duration, errs[1] = m.Float64Histogram(metricDuration, metric.WithUnit("s"), metric.WithDescription("Duration of an interaction, a model call or a tool call"))
	t.calls, errs[2] = m.Int64Counter(metricCalls, metric.WithUnit("{call}"), metric.WithDescription("Calls of plugins"))
	t.callTime, errs[3] = m.Float64Histogram(metricCallTime, metric.WithUnit("s"), metric.WithDescription("How long a plugin worked on a call"))
	t.callWait, errs[4] = m.Float64Histogram(metricCallWait, metric.WithUnit("s"), metric.WithDescription("How long a call waited for the process of the plugin"))
	t.restarts, errs[5] = m.Int64Counter(metricsRestarts, metric.WithUnit("{restart}"), metric.WithDescription("Restarts of plugins"))
	return errors.Join(errs[:]...)
}

// countEnded counts the spans that are to be exported. It sends the first one at once, to learn early whether the collector answers. It
// comes after the processor that keeps the spans.
type countEnded struct{ t *Tracer }

func (c countEnded) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() && c.t.ended.Add(1) == 1 {
		c.t.flush()
	}
}

func (countEnded) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (countEnded) ForceFlush(context.Context) error                { return nil }
func (countEnded) Shutdown(context.Context) error                  { return nil }

// spanExporter counts the spans that the collector took.
type spanExporter struct {
	sdktrace.SpanExporter
	t *Tracer
}

func (e spanExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		e.t.exported.Add(int64(len(spans)))
	}
	e.t.failed(err)
	return err
}

// metricExporter notes whether the collector took the metrics. Metrics are sums: a later export makes up for one that failed.
type metricExporter struct {
	sdkmetric.Exporter
	t *Tracer
}

func (e metricExporter) Export(ctx context.Context, m *metricdata.ResourceMetrics) error {
	err := e.Exporter.Export(ctx, m)
	e.t.metricsLost.Store(err != nil)
	e.t.failed(err)
	return err
}

func (t *Tracer) failed(err error) {
	t.answered.Store(err == nil)
	if err != nil {
		text := t.secrets.Get().String(err.Error())
		t.failure.Store(&text)
	}
}

// flush begins to send the spans of an interaction that has ended, so that the end of the session has little left to send.
func (t *Tracer) flush() {
	if !t.flushing.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer t.flushing.Store(false)
		ctx, cancel := context.WithTimeout(context.Background(), flushTime)
		defer cancel()
		// The exporter notes the failures.
		_ = t.tracing.ForceFlush(ctx)
	}()
}

// Close begins to send what is left. The returned function waits until the collector has it, for a limited time, and returns a
// notice about what was lost; empty if nothing was.
func (t *Tracer) Close() (wait func() string) {
	if t == nil {
		return func() string { return "" }
	}
	limit := ExitTime
	if t.answered.Load() {
		limit = AnsweredTime
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.metricsLost.Store(t.meters) // until the collector has the last ones
	var both sync.WaitGroup
	// Failed exports are counted by the exporters; a shutdown that is cut off leaves its spans uncounted.
	both.Go(func() { _ = t.tracing.Shutdown(ctx) })
	both.Go(func() {
		t.metricsLost.Store(t.metering.Shutdown(ctx) != nil)
	})
	done := make(chan struct{})
	go func() {
		both.Wait()
		close(done)
	}()
	return func() string {
		defer cancel()
		select {
		case <-done:
			return t.lost(true, limit)
		case <-time.After(limit):
			return t.lost(false, limit)
		}
	}
}

// lost describes what did not reach the collector. done reports whether the collector answered everything within the limit.
func (t *Tracer) lost(done bool, limit time.Duration) string {
	var what []string
	if ended := t.ended.Load(); ended > t.exported.Load() {
		what = append(what, fmt.Sprintf("%d of %d spans", ended-t.exported.Load(), ended))
	}
	if t.metricsLost.Load() {
		what = append(what, "the newest metrics")
	}
	if len(what) == 0 {
		return ""
	}
	reason := fmt.Sprintf("it did not answer within %s", limit)
	if failure := t.failure.Load(); failure != nil {
		reason = *failure
	} else if done {
		reason = "there were too many at once"
	}
	return fmt.Sprintf("telemetry: the collector did not get %s: %s; check OTEL_EXPORTER_OTLP_ENDPOINT", strings.Join(what, " and "), reason)
}
