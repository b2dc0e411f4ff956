package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/mcpauth"
	"github.com/idelchi/aura/internal/base/limit"
)

// web connects to a service over HTTP. It adds the configured headers to each request, and stop cancels all requests.
type web struct {
	name    string
	url     string
	tokens  *mcpauth.Tokens
	headers map[string]string
	base    *http.Transport
	// listen is how long a service may take to start the stream of its own messages.
	listen time.Duration
	once   sync.Once
	dead   chan struct{}
	gate   *gate
}

func newWeb(s Server, p pace) *web {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		base = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	base = base.Clone()
	base.MaxResponseHeaderBytes = limit.MCPHeader
	return &web{name: s.Name, url: s.URL, tokens: s.logins(), headers: s.Headers, base: base, listen: p.listen, dead: make(chan struct{})}
}

func (w *web) transport(g *gate) sdk.Transport {
	w.gate = g
	return &sdk.StreamableClientTransport{
		Endpoint: w.url, MaxEventSize: limit.MCPMessage, HTTPClient: &http.Client{Transport: w, CheckRedirect: sameHost},
	}
}

// sameHost rejects redirects to another host, because the headers usually contain secrets.
func sameHost(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		return fmt.Errorf("it redirects to %s://%s: use that as the url if you trust it", req.URL.Scheme, req.URL.Host)
	}
	if len(via) >= 10 {
		return errors.New("it redirects without end")
	}
	return nil
}

// stop waits until the session is closed, at most for grace, and then cancels all requests.
func (w *web) stop(closed <-chan struct{}, grace time.Duration) {
	w.once.Do(func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-closed:
		case <-timer.C:
		}
		close(w.dead)
		w.base.CloseIdleConnections()
	})
}

func (w *web) story() string { return "" }

// RoundTrip implements http.RoundTripper. If the stream of the service's own messages does not start in time, or starts after
// stop, RoundTrip answers as if the service had no such stream.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	go func() {
		select {
		case <-w.dead:
			cancel()
		case <-ctx.Done():
		}
	}()
	out := req.Clone(ctx)
	for name, value := range w.headers {
		out.Header.Set(name, value)
	}
	if req.Method == http.MethodGet {
		return w.listening(out, cancel)
	}
	// Each answer to a request of the service is a request of its own.
	answered, err := isAnswer(out)
	if err != nil {
		cancel()
		return nil, err
	}
	resp, err := w.authorized(out)
	if answered {
		w.gate.answered()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return w.limitBody(resp, cancel), nil
}

func (w *web) listening(req *http.Request, cancel context.CancelFunc) (*http.Response, error) {
	late := time.AfterFunc(w.listen, cancel)
	resp, err := w.authorized(req)
	inTime := late.Stop()
	switch {
	case err == nil && inTime:
		return w.limitBody(resp, cancel), nil
	case err == nil:
		_ = resp.Body.Close()
		return refusal(req), nil
	case !inTime || w.isDead():
		return refusal(req), nil
	default:
		cancel()
		return nil, err
	}
}

func (w *web) isDead() bool {
	select {
	case <-w.dead:
		return true
	default:
		return false
	}
}

// refusal returns the response of a service that has no messages of its own.
func refusal(req *http.Request) *http.Response {
	const code = http.StatusMethodNotAllowed
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}
}

// limitBody limits the size of a body and cancels the request's context when the body is closed. Of a stream, it limits each event, and lets
// only those pass that the gate admits.
func (w *web) limitBody(resp *http.Response, release context.CancelFunc) *http.Response {
	b := &body{ReadCloser: resp.Body, left: limit.MCPMessage, release: release}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		b.left, b.ReadCloser = -1, &events{from: resp.Body, lines: bufio.NewReaderSize(resp.Body, eventBuffer), gate: w.gate}
	}
	resp.Body = b
	return resp
}

// body limits how many bytes of an answer may be read. A negative left means no limit.
type body struct {
	io.ReadCloser

	left    int
	release context.CancelFunc
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, fmt.Errorf("the answer has more than the limit of %s", limit.Size(limit.MCPMessage))
	}
	if b.left > 0 {
		p = p[:min(len(p), b.left)]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left > 0 {
		b.left -= n
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.release()
	return b.ReadCloser.Close()
}
