package transport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/transport"
	"github.com/idelchi/aura/sdk"
)

// answer is a service with one answer. A goroutine writes its body, which ends when the request is cancelled.
type answer struct {
	status int
	header http.Header
	err    error
	// late is the delay before the answer begins.
	late time.Duration
	body func(w *io.PipeWriter)
}

func (a answer) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case <-time.After(a.late):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	if a.err != nil {
		return nil, a.err
	}
	r, w := io.Pipe()
	context.AfterFunc(req.Context(), func() { _ = w.CloseWithError(req.Context().Err()) })
	go a.body(w)
	return &http.Response{StatusCode: a.status, Header: a.header, Body: r, Request: req}, nil
}

// says writes pieces, with a pause before each, and ends the answer normally.
func says(pause time.Duration, pieces ...string) func(*io.PipeWriter) {
	return func(w *io.PipeWriter) {
		for _, piece := range pieces {
			time.Sleep(pause)
			_, _ = io.WriteString(w, piece)
		}
		_ = w.Close()
	}
}

// ask makes a request for a stream and reads the whole stream.
func ask(ctx context.Context, o transport.Options, service http.RoundTripper) (string, error) {
	o.Client = &http.Client{Transport: service}
	inner, call := transport.Stream(ctx)
	req, err := http.NewRequestWithContext(inner, http.MethodPost, "http://user:hidden@service:1/v1?key=hidden", strings.NewReader("{}"))
	if err != nil {
		return "", err
	}
	response, err := transport.NewClient(o).Do(req)
	if err != nil {
		return "", call.Err(ctx, err)
	}
	text, err := io.ReadAll(response.Body)
	if closing := response.Body.Close(); err == nil {
		err = closing
	}
	return string(text), call.Err(ctx, err)
}

func TestStream(t *testing.T) {
	t.Parallel()
	const event = "data: {}\n\n"
	cut := func(w *io.PipeWriter) {
		_, _ = io.WriteString(w, event)
		_ = w.CloseWithError(io.ErrUnexpectedEOF)
	}
	silent := func(w *io.PipeWriter) { _, _ = io.WriteString(w, event) }
	for name, test := range map[string]struct {
		service answer
		opts    transport.Options
		text    string
		class   string
		message string
	}{
		"whole":               {answer{status: 200, body: says(0, "event: a\n", event)}, transport.Options{}, "event: a\n" + event, "", ""},
		"slow, never silent":  {answer{status: 200, body: says(29*time.Second, event, event, event)}, transport.Options{}, event + event + event, "", ""},
		"comment first":       {answer{status: 200, body: says(0, ": ping\n\n", event)}, transport.Options{}, ": ping\n\n" + event, "", ""},
		"blank lines first":   {answer{status: 200, body: says(0, "\n\n", event)}, transport.Options{}, event, "", ""},
		"nothing":             {answer{status: 200, body: says(0)}, transport.Options{}, "", "", ""},
		"late, yet in time":   {answer{status: 200, late: 29 * time.Second, body: says(0, event)}, transport.Options{}, event, "", ""},
		"allowed to be late":  {answer{status: 200, late: time.Minute, body: says(0, event)}, transport.Options{Idle: time.Hour}, event, "", ""},
		"page as a refusal":   {answer{status: 404, body: says(0, "<!DOCTYPE html>")}, transport.Options{}, "", "", "http://service:1/v1 answered with a web page instead of a model's answer (404 Not Found); check the url of the provider"},
		"page of a gateway":   {answer{status: 502, body: says(0, "<html>")}, transport.Options{}, "", sdk.ErrorTypeServer, "502 Bad Gateway"},
		"page for a token":    {answer{status: 401, body: says(0, "<html>")}, transport.Options{Secrets: []string{"sk-secret"}}, "", sdk.ErrorTypeAuth, "401 Unauthorized; check the token of the provider"},
		"no token":            {answer{status: 401, body: says(0, "")}, transport.Options{Secrets: []string{""}}, "", sdk.ErrorTypeAuth, "401 Unauthorized; check the token of the provider, which has none"},
		"nothing there":       {answer{status: 404, body: says(0, "404 page not found")}, transport.Options{}, "", "", "404 Not Found: 404 page not found; http://service:1/v1 does not exist: check the url of the provider"},
		"stall at once":       {answer{status: 200, late: time.Minute}, transport.Options{}, "", sdk.ErrorTypeNetwork, "reaching http://service:1: no data for 30s; raise idle_timeout of the provider if the model needs longer"},
		"stall before a byte": {answer{status: 200, body: func(*io.PipeWriter) {}}, transport.Options{}, "", sdk.ErrorTypeNetwork, "reaching http://service:1: no data for 30s; raise idle_timeout of the provider if the model needs longer"},
		"stall in the middle": {answer{status: 200, body: silent}, transport.Options{}, event, sdk.ErrorTypeNetwork, "reaching http://service:1: no data for 30s; raise idle_timeout of the provider if the model needs longer"},
		"stall, configured":   {answer{status: 200, body: silent}, transport.Options{Idle: time.Second}, event, sdk.ErrorTypeNetwork, "reaching http://service:1: no data for 1s; raise idle_timeout of the provider if the model needs longer"},
		"late beyond wait":    {answer{status: 200, late: time.Hour}, transport.Options{Idle: time.Minute}, "", sdk.ErrorTypeNetwork, "reaching http://service:1: no data for 1m0s; raise idle_timeout of the provider if the model needs longer"},
		"cut":                 {answer{status: 200, body: cut}, transport.Options{}, event, sdk.ErrorTypeNetwork, "reaching http://service:1: the connection was closed before the answer was complete"},
		"refused connection":  {answer{err: errors.New("connection refused")}, transport.Options{}, "", sdk.ErrorTypeNetwork, "reaching http://service:1: connection refused"},
		"status":              {answer{status: 429, body: says(0, `{"error":"slow down"}`)}, transport.Options{}, "", sdk.ErrorTypeRateLimit, "429 Too Many Requests: slow down"},
		"status, then a cut":  {answer{status: 503, body: cut}, transport.Options{}, "", sdk.ErrorTypeServer, "503 Service Unavailable: data: {}"},
		"status, then stall":  {answer{status: 503, body: silent}, transport.Options{}, "", sdk.ErrorTypeServer, "503 Service Unavailable: data: {}"},
		"redirect":            {answer{status: 307, header: http.Header{"Location": {"http://elsewhere/"}}, body: says(0)}, transport.Options{}, "", "", "307 Temporary Redirect to http://elsewhere/; aura follows no redirects: check the url of the provider"},
		"error for a stream":  {answer{status: 200, body: says(0, " {\"error\":", `{"code":502,"message":"broken"}}`)}, transport.Options{}, "", sdk.ErrorTypeServer, "502 Bad Gateway: broken"},
		"error, then a cut":   {answer{status: 200, body: func(w *io.PipeWriter) { _, _ = io.WriteString(w, `{"err`); _ = w.CloseWithError(io.ErrUnexpectedEOF) }}, transport.Options{}, "", sdk.ErrorTypeNetwork, "reaching http://service:1: the connection was closed before the answer was complete"},
		"page for a stream":   {answer{status: 200, body: says(0, "<html>")}, transport.Options{}, "", "", "http://service:1/v1 answered with a web page instead of a model's answer; check the url of the provider"},
		"object for a stream": {answer{status: 200, body: says(0, `{"choices":[]}`)}, transport.Options{}, "", "", "http://service:1/v1 answered with something else than a stream; check the url of the provider"},
		"secret in a refusal": {answer{status: 400, body: says(0, `{"error":"bad: sk-secret"}`)}, transport.Options{Secrets: []string{"sk-secret"}}, "", "", "400 Bad Request: bad: [redacted]"},
		"secret in a failure": {answer{err: errors.New("proxy says sk-secret")}, transport.Options{Secrets: []string{"sk-secret"}}, "", sdk.ErrorTypeNetwork, "reaching http://service:1: proxy says [redacted]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				text, err := ask(t.Context(), test.opts, test.service)
				if text != test.text {
					t.Errorf("got the text %q, want %q", text, test.text)
				}
				if test.message == "" {
					if err != nil {
						t.Fatalf("got %v", err)
					}
					return
				}
				var failure *llm.Error
				if !errors.As(err, &failure) || failure.Type != test.class || failure.Message != test.message {
					t.Errorf("got %v, want %s: %s", err, test.class, test.message)
				}
				if strings.Contains(err.Error(), "hidden") {
					t.Errorf("shows a secret: %v", err)
				}
			})
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for name, service := range map[string]answer{
		"before the answer": {status: 200, late: time.Hour},
		"in the middle":     {status: 200, body: func(w *io.PipeWriter) { _, _ = io.WriteString(w, "data: 1\n\n") }},
		"in a refusal":      {status: 500, body: func(*io.PipeWriter) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := ask(ctx, transport.Options{}, service)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				if _, ok := errors.AsType[*llm.Error](err); ok {
					t.Errorf("the caller's own doing is classified: %v", err)
				}
				if took := time.Since(began); took != time.Second {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

// TestSlowReader checks that a slow reader is not treated as a stalled service.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := answer{status: 200, body: says(0, "data: 1\n", "data: 2\n")}
		ctx, call := transport.Stream(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://service", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.NewClient(transport.Options{Client: &http.Client{Transport: service}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		var text []byte
		for piece := make([]byte, 4); err == nil; {
			var n int
			n, err = response.Body.Read(piece)
			text = append(text, piece[:n]...)
			time.Sleep(time.Hour)
		}
		if string(text) != "data: 1\ndata: 2\n" || call.Err(t.Context(), nil) != nil {
			t.Errorf("got %q, %v", text, call.Err(t.Context(), nil))
		}
	})
}

// TestPlain checks a request whose answer is not a stream.
func TestPlain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, call := transport.Plain(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://service", nil)
		if err != nil {
			t.Fatal(err)
		}
		service := answer{status: 200, body: says(0, `{"data":[]}`)}
		response, err := transport.NewClient(transport.Options{Client: &http.Client{Transport: service}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if string(text) != `{"data":[]}` || call.Err(t.Context(), err) != nil {
			t.Errorf("got %q, %v", text, err)
		}
	})
}
