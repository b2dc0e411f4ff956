package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/idelchi/aura/internal/base/redact"
)

// The signals that aura exports, as the names of variables spell them.
const (
	traces  = "TRACES"
	metrics = "METRICS"
)

// variable returns a variable of the process. The exporters read the process's environment too, so it cannot be a copy of that.
func variable(name string) string {
	return os.Getenv(name) //nolint:forbidigo // see above: the configuration does not even have these variables
}

// wanted reports whether the environment of the process asks for a signal: by an address, or by the name of the exporter.
func wanted(signal string) (bool, error) {
	if strings.EqualFold(variable("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	name := "OTEL_" + signal + "_EXPORTER"
	switch by := variable(name); by {
	case "none":
		return false, nil
	case "otlp":
	case "":
		if ofSignal(signal, "ENDPOINT") == "" {
			return false, nil
		}
	default:
		return false, fmt.Errorf("%s is %q: use otlp or none", name, by)
	}
	if protocol := ofSignal(signal, "PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q: use http/protobuf", protocol)
	}
	return true, nil
}

// ofSignal returns a variable of the exporter of a signal, or else that of all signals.
func ofSignal(signal, name string) string {
	return cmp.Or(variable("OTEL_EXPORTER_OTLP_"+signal+"_"+name), variable("OTEL_EXPORTER_OTLP_"+name))
}

// defaultCollector is where the exporters send to if nothing names an address.
const defaultCollector = "http://localhost:4318"

// Collectors returns the addresses that Open would export to and that the environment names.
func Collectors() []string {
	var out []string
	for _, signal := range []string{traces, metrics} {
		if asked, err := wanted(signal); err == nil && asked {
			out = append(out, cmp.Or(ofSignal(signal, "ENDPOINT"), defaultCollector))
		}
	}
	return out
}

// Secrets returns the secret values among the variables of the exporters: the values of headers, and passwords in addresses.
func Secrets() []string {
	var out []string
	for _, signal := range []string{"", "TRACES_", "METRICS_", "LOGS_"} {
		out = append(out, redact.Address(variable("OTEL_EXPORTER_OTLP_"+signal+"ENDPOINT"))...)
		out = append(out, headerSecrets(variable("OTEL_EXPORTER_OTLP_"+signal+"HEADERS"))...)
	}
	return out
}

// headerSecrets returns the values in a list such as "Authorization=Bearer%20x,Tenant=y", as they are written and decoded.
func headerSecrets(list string) []string {
	var out []string
	for pair := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			continue
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		out = append(out, redact.Headers(map[string]string{name: value})...)
		if decoded, err := url.PathUnescape(value); err == nil && decoded != value {
			out = append(out, redact.Headers(map[string]string{name: decoded})...)
		}
	}
	return out
}

// format is the W3C format of trace contexts.
var format propagation.TraceContext

// Meta returns the position in the trace as fields named traceparent and tracestate. It is nil if nothing is traced.
func Meta(ctx context.Context) map[string]string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return nil
	}
	out := propagation.MapCarrier{}
	format.Inject(ctx, out)
	return out
}

// Environ returns the position in the trace as variables for a child process. It is nil if nothing is traced.
func Environ(ctx context.Context) []string {
	var out []string
	for name, value := range Meta(ctx) {
		out = append(out, strings.ToUpper(name)+"="+value)
	}
	return out
}

// outer returns the position in the trace that aura was started in, from the variables TRACEPARENT and TRACESTATE.
func outer() context.Context {
	return format.Extract(context.Background(), propagation.MapCarrier{"traceparent": variable("TRACEPARENT"), "tracestate": variable("TRACESTATE")})
}
