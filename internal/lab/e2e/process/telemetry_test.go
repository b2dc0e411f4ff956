//go:build linux

package process

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	metrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector is an OTLP receiver.
type collector struct {
	*httptest.Server
	t *testing.T
	// answer decides how requests are answered; nil accepts all.
	answer func(http.ResponseWriter, *http.Request) bool

	// taken is called once, after the first request was taken; nil for nothing.
	taken func()

	mu      sync.Mutex
	spans   []*trace.Span
	metrics map[string]bool
	bodies  bytes.Buffer
	headers []http.Header
}

func newCollector(t *testing.T, answer func(http.ResponseWriter, *http.Request) bool) *collector {
	t.Helper()
	c := &collector{t: t, answer: answer, metrics: map[string]bool{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil && r.Header.Get("Content-Encoding") == "gzip" {
		var unpacked *gzip.Reader
		if unpacked, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, err = io.ReadAll(unpacked)
		}
	}
	if err != nil {
		c.t.Error(err)
		return
	}
	if c.answer != nil && !c.answer(w, r) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken != nil {
		defer c.taken()
		c.taken = nil
	}
	c.bodies.Write(body)
	c.headers = append(c.headers, r.Header)
	switch r.URL.Path {
	case "/v1/traces":
		var m traces.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &m); err != nil {
			c.t.Error(err)
		}
		for _, resource := range m.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				c.spans = append(c.spans, scope.GetSpans()...)
			}
		}
	case "/v1/metrics":
		var m metrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(body, &m); err != nil {
			c.t.Error(err)
		}
		for _, resource := range m.GetResourceMetrics() {
			for _, scope := range resource.GetScopeMetrics() {
				for _, metric := range scope.GetMetrics() {
					c.metrics[metric.GetName()] = true
				}
			}
		}
	default:
		c.t.Errorf("a request for %s", r.URL.Path)
	}
}

// all returns the spans by their ids.
func (c *collector) all() map[string]*trace.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]*trace.Span{}
	for _, s := range c.spans {
		out[string(s.GetSpanId())] = s
	}
	return out
}

// path returns the names of a span and of those above it, the span last.
func path(all map[string]*trace.Span, s *trace.Span) string {
	var names []string
	for ; s != nil; s = all[string(s.GetParentSpanId())] {
		names = append(names, s.GetName())
	}
	slices.Reverse(names)
	return strings.Join(names, " > ")
}

func attributeOf(s *trace.Span, key string) *common.AnyValue {
	for _, kv := range s.GetAttributes() {
		if kv.GetKey() == key {
			return kv.GetValue()
		}
	}
	return nil
}

// traced runs aura with variables of the user.
func traced(p *harness.Project, env []string, args ...string) int {
	p.T.Helper()
	cmd := p.Command(args...)
	cmd.Env = append(cmd.Env, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		p.T.Fatal(err)
	}
	code := p.Running(cmd).Wait()
	p.Write("stdout.txt", out.String())
	p.Write("stderr.txt", errs.String())
	return code
}

const tracingPlugin = `package watch

import (
	"context"
	"os"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func Schema() sdk.ToolSchema {
	return sdk.ToolSchema{Name: "Peek", Description: "Shows the environment.", Parameters: sdk.ToolParameters{Type: "object"}}
}

func Execute(context.Context, sdk.Context, map[string]any) (string, error) {
	return "", os.WriteFile("plugin.env", []byte(strings.Join(os.Environ(), "\n")), 0o600)
}

func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{}, nil }

func BeforeToolExecution(context.Context, sdk.BeforeToolContext) (sdk.BeforeToolResult, error) {
	return sdk.BeforeToolResult{}, nil
}

func SessionStart(context.Context, sdk.SessionStartContext) (sdk.Result, error) { return sdk.Result{}, nil }

func SessionEnd(context.Context, sdk.SessionEndContext) (sdk.Result, error) { return sdk.Result{}, nil }
`

const tracedServer = `printenv >server.env; exec ./mcpserver 'greet=cat >server.call; echo Hello!'`

const collectorSecret = "c0llector-s3cret-1"

// tracedProject returns a project whose conversation has a Bash call, a shell hook, a call of an MCP server and a subagent. The Bash
// call waits until the collector has answered.
func tracedProject(t *testing.T, c *collector) *harness.Project {
	t.Helper()
	p := harness.NewProject(t)
	c.taken = func() { p.Write("taken", "") }
	p.Plugin("watch", "description: watches\nenv: [TRACEPARENT, OTEL_EXPORTER_OTLP_HEADERS]\n", tracingPlugin)
	p.Write(".aura/config/hooks/all.yaml", "mark: {event: pre, matcher: Bash, command: 'printenv >hook.env'}\n")
	p.Write(".aura/config/mcp/servers.yaml", "greeter: {command: sh, args: [greeter.sh]}\n")
	p.Write("greeter.sh", tracedServer)
	p.Check(harness.CopyFile(filepath.Join(p.Bin, "mcpserver"), p.Path("mcpserver")))
	p.Write(".aura/config/sandbox/sandbox.yaml", "sandbox: {env: [\"OTEL_*\"]}\n")
	p.Write(".aura/config/agents/main.md", "---\nname: main\ndefault: true\nmodel: {provider: test, name: talker}\n---\nYou are a test.\n")
	p.Write(".aura/config/agents/helper.md", "---\nname: helper\nsubagent: true\ndescription: helps\nmodel: {provider: other, name: talker}\n---\nYou help.\n")
	p.Write(".aura/config/providers/other.yaml", "other: {type: script, file: other.yaml}\n")
	p.Write(".aura/config/other.yaml", `model: {name: talker, context_length: 8192, capabilities: [tools]}
turns:
  - text: Looking.
    tool_calls: [{name: Ls, arguments: {path: .}}]
  - text: Helped.
`)
	p.Write(".aura/config/talk.yaml", `model: {name: talker, context_length: 8192, capabilities: [tools]}
turns:
  - text: "First the pr1vate-answer."
    tool_calls:
      - {name: Bash, arguments: {command: "printenv >bash.env; while ! test -e taken; do sleep 0.02; done; echo pr1vate-output `+collectorSecret+`"}}
      - {name: mcp__greeter__greet, arguments: {}}
      - {name: Peek, arguments: {}}
      - {name: Task, arguments: {agent: helper, prompt: "pr1vate-errand"}}
  - text: Done.
`)
	return p
}

// TestTelemetry compares the spans that a collector got with the calls that were made.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	c := newCollector(t, nil)
	p := tracedProject(t, c)
	env := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20" + collectorSecret + ",Tenant=t1"}
	if code := traced(p, env, "run", "--json", "--events", "plugins", "The pr1vate-prompt."); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, p.Stdout(), p.Stderr())
	}
	all := c.all()
	const agent = "invoke_agent main > chat talker > "
	var paths []string
	calls, spans := 0, 0
	for _, s := range all {
		paths = append(paths, path(all, s))
		if attributeOf(s, "aura.plugin.name") != nil {
			spans++
		}
	}
	for line := range bytes.Lines(p.Stdout()) {
		var e struct{ Type string }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == "plugin_call" {
			calls++
		}
	}
	if calls == 0 || calls != spans {
		t.Errorf("%d plugin calls, but %d spans of them", calls, spans)
	}
	for _, want := range []string{
		"invoke_agent main", "invoke_agent main > chat talker", "invoke_agent main > plugin watch BeforeChat", "plugin watch SessionStart", "plugin watch SessionEnd",
		agent + "execute_tool Bash", agent + "execute_tool Bash > plugin watch BeforeToolExecution",
		agent + "execute_tool mcp__greeter__greet", agent + "execute_tool Peek > plugin watch tool",
		agent + "execute_tool Task > invoke_agent helper > chat talker > execute_tool Ls > plugin watch BeforeToolExecution",
	} {
		if !slices.Contains(paths, want) {
			t.Errorf("no span %s in\n%s", want, strings.Join(paths, "\n"))
		}
	}
	for _, name := range []string{"gen_ai.client.token.usage", "gen_ai.client.operation.duration", "aura.plugin.calls", "aura.plugin.call.duration", "aura.plugin.call.wait"} {
		if !c.metrics[name] {
			t.Errorf("no metric %s", name)
		}
	}
	for _, h := range c.headers {
		if h.Get("Authorization") != "Bearer "+collectorSecret || h.Get("Tenant") != "t1" {
			t.Errorf("headers %v", h)
		}
	}
	for _, absent := range []string{"pr1vate", collectorSecret} {
		if bytes.Contains(c.bodies.Bytes(), []byte(absent)) {
			t.Errorf("%q was exported", absent)
		}
	}
	if bytes.Contains(p.Stdout(), []byte(collectorSecret)) || bytes.Contains(p.Stderr(), []byte("telemetry")) {
		t.Errorf("%s%s", p.Stdout(), p.Stderr())
	}
	for file, parent := range map[string]string{"bash.env": "execute_tool Bash", "hook.env": "execute_tool Bash", "plugin.env": "execute_tool Peek", "server.env": "invoke_agent main", "server.call": "execute_tool mcp__greeter__greet"} {
		text := string(p.Read(file))
		if strings.Contains(text, "OTEL_EXPORTER") || strings.Contains(text, collectorSecret) {
			t.Errorf("%s has variables of the exporter:\n%s", file, text)
		}
		found := false
		for _, s := range all {
			found = found || s.GetName() == parent && strings.Contains(text, "00-"+hex.EncodeToString(s.GetTraceId())+"-"+hex.EncodeToString(s.GetSpanId())+"-01")
		}
		if !found {
			t.Errorf("%s does not name the span %s:\n%s", file, parent, text)
		}
	}
}

// TestTelemetryContent exports content on request, without secrets, as part of the trace that aura was started in.
func TestTelemetryContent(t *testing.T) {
	t.Parallel()
	c := newCollector(t, nil)
	p := tracedProject(t, c)
	const outer = "0af7651916cd43dd8448eb211c80319c"
	env := []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_EXPORTER_OTLP_HEADERS=api-key=" + collectorSecret,
		"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true", "TRACEPARENT=00-" + outer + "-b7ad6b7169203331-01",
	}
	if code := traced(p, env, "run", "The pr1vate-prompt."); code != 0 {
		t.Fatalf("exit code %d\n%s", code, p.Stderr())
	}
	for _, want := range []string{"pr1vate-prompt", "pr1vate-answer", "pr1vate-output", "pr1vate-errand"} {
		if !bytes.Contains(c.bodies.Bytes(), []byte(want)) {
			t.Errorf("%q was not exported", want)
		}
	}
	if bytes.Contains(c.bodies.Bytes(), []byte(collectorSecret)) {
		t.Error("the secret was exported")
	}
	for _, s := range c.all() {
		if hex.EncodeToString(s.GetTraceId()) != outer {
			t.Errorf("%s is in another trace", s.GetName())
		}
	}
}

// TestTelemetryLost runs conversations whose collector is gone, never answers, or fails. They end as usual, and tell once what was lost.
func TestTelemetryLost(t *testing.T) {
	t.Parallel()
	gone := newCollector(t, nil)
	gone.Close()
	release := make(chan struct{})
	hanging := newCollector(t, func(http.ResponseWriter, *http.Request) bool { <-release; return false })
	t.Cleanup(func() { close(release) }) // before the server is closed, which waits for its requests
	failing := newCollector(t, func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "broken "+collectorSecret, http.StatusInternalServerError)
		return false
	})
	for name, row := range map[string]struct{ url, want string }{
		"gone":    {gone.URL, `refused`},
		"hanging": {hanging.URL, `it did not answer within 40ms`},
		"failing": {failing.URL, `500`},
	} {
		t.Run(name, func(t *testing.T) {
			p := harness.NewProject(t)
			if code := traced(p, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + row.url, "OTEL_EXPORTER_OTLP_HEADERS=api-key=" + collectorSecret}, "run", "Go."); code != 0 {
				t.Fatalf("exit code %d\n%s", code, p.Stderr())
			}
			p.Wants(p.Stdout(), "All done.")
			p.Wants(p.Stderr(), `telemetry: the collector did not get [0-9]+ of [0-9]+ spans and the newest metrics: .*`+row.want)
			if n := bytes.Count(p.Stderr(), []byte("telemetry:")); n != 1 || bytes.Contains(p.Stderr(), []byte(collectorSecret)) {
				t.Errorf("%d notices:\n%s", n, p.Stderr())
			}
		})
	}
}

const crashingPlugin = `package crash

import (
	"context"
	"os"

	"github.com/idelchi/aura/sdk"
)

func BeforeToolExecution(context.Context, sdk.BeforeToolContext) (sdk.BeforeToolResult, error) {
	f, err := os.OpenFile("crashed", os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return sdk.BeforeToolResult{}, nil
	}
	_ = f.Close()
	go func() { panic("crashed on purpose") }()
	select {}
}
`

// TestTelemetryRestart lets a plugin crash once: the call that failed, the first call of the next process and the restart are exported.
func TestTelemetryRestart(t *testing.T) {
	t.Parallel()
	c := newCollector(t, nil)
	p := harness.NewProject(t)
	p.Plugin("crash", "description: crashes\n", crashingPlugin)
	if code := traced(p, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL}, "run", "Go."); code != 0 {
		t.Fatalf("exit code %d\n%s", code, p.Stderr())
	}
	var got []string
	for _, s := range c.spans {
		if s.GetName() == "plugin crash BeforeToolExecution" {
			outcome, restarted := attributeOf(s, "aura.plugin.outcome").GetStringValue(), attributeOf(s, "aura.plugin.restarted").GetBoolValue()
			got = append(got, fmt.Sprintf("%s %d %v %s", outcome, attributeOf(s, "aura.plugin.process").GetIntValue(), restarted, attributeOf(s, "error.type").GetStringValue()))
			if s.GetStatus().GetMessage() != "" || attributeOf(s, "aura.plugin.wait_ms") == nil || attributeOf(s, "aura.plugin.run_ms") == nil {
				t.Errorf("%v", s)
			}
		}
	}
	if want := []string{"error 1 false error", "nothing 2 true ", "nothing 2 false "}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !c.metrics["aura.plugin.restarts"] {
		t.Errorf("no metric of the restart in %v", c.metrics)
	}
}

// TestTelemetryFiles sets the variables in the files of a project: nothing is exported.
func TestTelemetryFiles(t *testing.T) {
	t.Parallel()
	c := newCollector(t, nil)
	p := harness.NewProject(t)
	p.Write("secrets.env", "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL+"\nOTEL_TRACES_EXPORTER=otlp\nTRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n")
	p.Write(".aura/config/tasks/tasks.yaml", "one: {env: {OTEL_EXPORTER_OTLP_ENDPOINT: "+c.URL+"}, commands: [Go.]}\n")
	p.Run("tasks", "run", "one")
	p.Wants(p.Stdout(), "All done.")
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_EXPORTER", "TRACEPARENT"} {
		p.Wants(p.Stderr(), `secrets\.env:[0-9]: `+name+` is ignored: .* it decides which server gets traces`)
	}
	if len(c.all()) != 0 || len(c.metrics) != 0 {
		t.Errorf("%d spans and %d metrics were exported", len(c.all()), len(c.metrics))
	}
}
