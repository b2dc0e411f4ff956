package telemetry

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestWanted has a row for each rule about the variables of a signal.
func TestWanted(t *testing.T) {
	for name, row := range map[string]struct {
		env  map[string]string
		want bool
		err  string
	}{
		"nothing":          {nil, false, ""},
		"an address":       {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"}, true, ""},
		"its own address":  {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c"}, true, ""},
		"another signal":   {map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://c"}, false, ""},
		"the exporter":     {map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true, ""},
		"no exporter":      {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_TRACES_EXPORTER": "none"}, false, ""},
		"unknown exporter": {map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}, false, `OTEL_TRACES_EXPORTER is "zipkin": use otlp or none`},
		"disabled":         {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SDK_DISABLED": "True"}, false, ""},
		"the protocol":     {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, true, ""},
		"another protocol": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, "use http/protobuf"},
	} {
		t.Run(name, func(t *testing.T) {
			unset(t)
			for k, v := range row.env {
				t.Setenv(k, v)
			}
			got, err := wanted(traces)
			if got != row.want || (err == nil) != (row.err == "") || err != nil && !strings.Contains(err.Error(), row.err) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// unset removes the variables of the person who runs the tests.
func unset(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_HEADERS", "TRACEPARENT",
	} {
		t.Setenv(name, "")
	}
}

// TestSecrets finds the values of headers, encoded or not, and passwords in addresses.
func TestSecrets(t *testing.T) {
	unset(t)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20one-secret, api-key = two-secret,Accept=text/plain,broken")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x=three-secret")
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "https://me:four-secret@host")
	got := Secrets()
	for _, want := range []string{"one-secret", "two-secret", "three-secret", "four-secret"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	if slices.Contains(got, "text/plain") {
		t.Errorf("%q has a header that is not secret", got)
	}
}

// TestOff checks that nothing is opened or allocated if nobody asks for traces.
func TestOff(t *testing.T) {
	unset(t)
	tracer, err := Open(t.Context(), "1", nil)
	if tracer != nil || err != nil {
		t.Fatal(tracer, err)
	}
	failure := errors.New("x")
	if n := testing.AllocsPerRun(100, func() { everything(t.Context(), tracer, failure) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if lost := tracer.Close()(); lost != "" {
		t.Error(lost)
	}
}

// everything does once what a session does.
func everything(ctx context.Context, tracer *Tracer, failure error) {
	ctx, agent := Agent(tracer.Into(ctx), Speaker{Agent: "a"}, "s", "p")
	ctx, chat := Chat(ctx, Speaker{Model: "m"})
	chat.Answer("text", "end", 1, 2)
	chat.End(failure, "c")
	tool := Tool(chat.Into(ctx), "t", "1")
	tracer.Plugin(tool.Into(ctx), Call{Plugin: "p"})
	tracer.Restarted("p")
	_ = Environ(tracer.First(tool.Into(ctx)))
	tool.Result("a", "r")
	tool.End(nil, "")
	agent.End(nil, "")
}

// BenchmarkOff is the cost of an interaction with one of everything, if nobody asks for traces.
func BenchmarkOff(b *testing.B) {
	failure := errors.New("x")
	b.ReportAllocs()
	for b.Loop() {
		everything(b.Context(), nil, failure)
	}
}

// TestRestarted checks which calls are the first in another process of the plugin.
func TestRestarted(t *testing.T) {
	t.Parallel()
	tracer := &Tracer{children: map[string]int{}}
	for i, row := range []struct {
		call Call
		want bool
	}{
		{Call{Plugin: "a", Process: 1}, false},
		{Call{Plugin: "a", Process: 1}, false},
		{Call{Plugin: "b", Process: 2}, false},
		{Call{Plugin: "a", Process: 0}, false},
		{Call{Plugin: "a", Process: 2}, true},
		{Call{Plugin: "a", Process: 2}, false},
	} {
		if got := tracer.restarted(row.call); got != row.want {
			t.Errorf("call %d: got %v", i, got)
		}
	}
}

// TestConcurrent traces from many goroutines. The first interaction has the position that was announced, and nothing is lost.
func TestConcurrent(t *testing.T) {
	unset(t)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	tracer, err := Open(t.Context(), "1", nil)
	if err != nil {
		t.Fatal(err)
	}
	announced := Environ(tracer.First(t.Context()))
	ctx, first := Agent(tracer.Into(t.Context()), Speaker{}, "s", "p")
	if got := Environ(ctx); len(got) != 1 || !slices.Equal(got, announced) {
		t.Errorf("got %q, announced %q", got, announced)
	}
	first.End(nil, "")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { everything(t.Context(), tracer, errors.New("x")) })
	}
	all.Wait()
	if err := tracer.tracing.ForceFlush(t.Context()); err != nil {
		t.Error(err)
	}
	if ended, exported := tracer.ended.Load(), tracer.exported.Load(); ended != 1+8*4 || exported != ended {
		t.Errorf("%d spans ended, %d were exported", ended, exported)
	}
	tracer.Close()()
}
