// Package transport is the HTTP client of the providers. It monitors a request up to the last byte of the answer and classifies
// what went wrong: a refusal, a stall, a lost connection, or an error in place of a stream.
package transport

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/classify"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
)

// DefaultIdle is the default of Options.Idle.
const DefaultIdle = 30 * time.Second

// LocalIdle is the idle timeout for a server on the user's own machine, which may need minutes to load a model or to read a
// long prompt.
const LocalIdle = 5 * time.Minute

// Options configures a client. The zero value is usable.
type Options struct {
	// Client sends the requests. It is not modified. If Client is nil, a default client is used.
	Client *http.Client
	// Idle is how long the service may be silent while more data is expected: before the answer begins, and between two pieces
	// of it. The default is DefaultIdle.
	Idle time.Duration
	// Secrets never appear in an error.
	Secrets []string
	// MaxStream, MaxEvent and MaxBody limit the bytes that are read of a stream, of one event in it, and of an answer that is
	// not a stream. The defaults are limit.Stream, limit.StreamEvent and limit.Body.
	MaxStream, MaxEvent, MaxBody int
}

// NewClient returns a client that records the outcome of each request in the Call of its context. It follows no redirects,
// because they would send the token to another host.
func NewClient(o Options) *http.Client {
	client := &http.Client{}
	if o.Client != nil {
		*client = *o.Client
	}
	if o.Idle == 0 {
		o.Idle = DefaultIdle
	}
	o.MaxStream = cmp.Or(o.MaxStream, limit.Stream)
	o.MaxEvent = cmp.Or(o.MaxEvent, limit.StreamEvent)
	o.MaxBody = cmp.Or(o.MaxBody, limit.Body)
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	client.Transport = &watched{next: next, opts: o}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

type watched struct {
	next http.RoundTripper
	opts Options
}

// RoundTrip implements http.RoundTripper. It notes every failure in the request's Call and returns it as an error.
func (w *watched) RoundTrip(req *http.Request) (*http.Response, error) {
	call := callOf(req.Context())
	at := req.URL.Scheme + "://" + req.URL.Host
	call.asked(at)
	ctx, cancel := context.WithCancel(req.Context())
	b := &body{
		call: call, ended: req.Context().Err, cancel: cancel,
		host: at, url: at + req.URL.Path, idle: w.opts.Idle, secrets: w.opts.Secrets,
		meter: meter{most: w.opts.MaxBody},
	}
	if call.stream {
		b.meter = meter{most: w.opts.MaxStream, event: w.opts.MaxEvent}
	}
	b.timer = time.AfterFunc(w.opts.Idle, b.expire)
	response, err := w.next.RoundTrip(req.WithContext(ctx))
	b.timer.Stop()
	if err != nil {
		defer cancel()
		return nil, b.fail(err)
	}
	b.from, response.Body = response.Body, b
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, b.refused(response)
	}
	b.sniff = true
	return response, nil
}

// refused reads the reason of a refusal, notes it, and closes the body.
func (b *body) refused(response *http.Response) error {
	defer func() { _ = b.Close() }()
	call := b.call
	b.call = &Call{}
	// If the reason cannot be read, the status alone is enough.
	text, _ := io.ReadAll(io.LimitReader(b, limit.ErrorBody))
	b.call = call
	failure := classify.Refusal(b.url, response.StatusCode, response.Header, text)
	if failure.Type == sdk.ErrorTypeAuth && strings.Join(b.secrets, "") == "" {
		failure.Message += ", which has none"
	}
	return b.recordFailure(failure)
}

// body is the monitored body of an answer.
type body struct {
	call *Call
	// ended returns the error of the caller's context. cancel cancels the request.
	ended  func() error
	cancel context.CancelFunc
	// host is the host that was asked, as scheme://host. url is the same with the path.
	host    string
	url     string
	idle    time.Duration
	secrets []string

	from  io.ReadCloser
	timer *time.Timer
	// stalled is set by the timer.
	stalled atomic.Bool
	// sniff requests a look at the beginning, to distinguish a stream from an error in its place.
	sniff bool
	// start holds bytes that were inspected but not yet returned by Read.
	start []byte
	// meter counts the bytes that were read.
	meter meter
}

func (b *body) expire() {
	b.stalled.Store(true)
	b.cancel()
}

// Read implements io.Reader. The time between two calls of Read does not count as silence.
func (b *body) Read(p []byte) (int, error) {
	if b.sniff {
		b.sniff = false
		if err := b.look(); err != nil {
			return 0, err
		}
	}
	if len(b.start) > 0 {
		n := copy(p, b.start)
		b.start = b.start[n:]
		return n, nil
	}
	return b.read(p)
}

func (b *body) read(p []byte) (int, error) {
	b.timer.Reset(b.idle)
	n, err := b.from.Read(p)
	b.timer.Stop()
	if over := b.meter.count(p[:n]); over != "" && b.ended() == nil {
		// The rest of the answer is not needed.
		b.cancel()
		return 0, b.recordFailure(classify.TooMuch(b.host, over))
	}
	if err != nil && err != io.EOF {
		return n, b.fail(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.timer.Stop()
	b.cancel()
	return b.from.Close()
}

// fail notes why a request or a read failed. A cancellation by the caller is not noted.
func (b *body) fail(err error) error {
	switch {
	case b.ended() != nil:
		return b.ended()
	case b.stalled.Load():
		return b.recordFailure(classify.Stalled(b.host, b.idle))
	default:
		return b.recordFailure(classify.Network(b.host, err))
	}
}

func (b *body) recordFailure(e *llm.Error) error {
	e.Message = classify.Redact(e.Message, b.secrets...)
	b.call.recordFailure(e)
	return e
}
