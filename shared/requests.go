package shared

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared/wire"
)

// The verbs of requests.
const (
	verbEmit   = "emit"
	verbListen = "listen"
	verbState  = "state"
	verbNow    = "now"
	verbRand   = "rand"
)

// emitFrame is the body of an emit request.
type emitFrame struct {
	_       struct{} `cbor:",toarray"`
	Name    string
	Payload []byte
}

// EncodePayload encodes the payload of an event. It fails if the payload is too large or contains something that cannot be sent.
func EncodePayload(payload any) ([]byte, error) {
	if err := cyclic(payload); err != nil {
		return nil, fmt.Errorf("sending an event: %w", err)
	}
	b, err := encode(payload)
	if err != nil {
		return nil, fmt.Errorf("sending an event: %w", err)
	}
	if len(b) > sdk.MaxPayload {
		return nil, fmt.Errorf("sending an event: its payload has %d bytes, more than the limit of %d KiB", len(b), sdk.MaxPayload>>10)
	}
	return b, nil
}

// DecodePayload is the inverse of EncodePayload.
func DecodePayload(b []byte) (any, error) {
	var payload any
	if err := decode(b, &payload); err != nil {
		return nil, fmt.Errorf("reading an event: %w", err)
	}
	return payload, nil
}

// RequestStream is the child's side of the stream that carries requests to aura, and the answers.
type RequestStream interface {
	Send(r *wire.Request) error
	Recv() (*wire.Answer, error)
	// Context returns a context that is done when there are no more answers.
	Context() context.Context
}

// Requester is the child's side of Services. Requests wait until aura has opened the stream for them.
type Requester struct {
	// opened is closed when stream is set.
	opened chan struct{}

	// sending is held while a request is sent, which may take until aura reads again. It is never taken while mu is held, because
	// answers must be received meanwhile.
	sending sync.Mutex

	mu      sync.Mutex
	stream  RequestStream
	last    uint64
	waiting map[uint64]chan<- *wire.Reply
}

// NewRequester returns a Requester that is not connected yet.
func NewRequester() *Requester {
	return &Requester{opened: make(chan struct{}), waiting: make(map[uint64]chan<- *wire.Reply)}
}

// serve receives the answers until the connection ends.
func (r *Requester) serve(stream RequestStream) error {
	r.mu.Lock()
	if r.stream != nil {
		r.mu.Unlock()
		return &StatusError{CodeAlreadyExists, "the plugin's requests are served already"}
	}
	r.stream = stream
	close(r.opened)
	r.mu.Unlock()
	for {
		answer, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if waiting := r.forget(answer.ID); waiting != nil {
			waiting <- answer.Reply
		}
	}
}

// ask sends a request and waits for the answer. out is a pointer to the result, or nil if there is none.
func (r *Requester) ask(ctx context.Context, verb string, body, out any) error {
	b, err := encode(body)
	if err != nil {
		return err
	}
	select {
	case <-r.opened:
	case <-ctx.Done():
		return ctx.Err()
	}
	answered := make(chan *wire.Reply, 1)
	id := r.expect(answered)
	r.sending.Lock()
	err = r.stream.Send(&wire.Request{ID: id, Verb: verb, Body: b})
	r.sending.Unlock()
	if err != nil {
		r.forget(id)
		return fmt.Errorf("asking aura: %w", err)
	}
	select {
	case reply := <-answered:
		switch {
		case reply == nil:
			return errors.New("asking aura: the answer is empty")
		case reply.Failure != nil:
			return errors.New(string(reply.Failure.Message))
		case out == nil:
			return nil
		}
		return decode(reply.Body, out)
	case <-r.stream.Context().Done():
		r.forget(id)
		return errors.New("asking aura: the connection is gone")
	case <-ctx.Done():
		r.forget(id)
		return ctx.Err()
	}
}

// expect returns the id of a request whose answer goes to answered.
func (r *Requester) expect(answered chan<- *wire.Reply) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.waiting[r.last] = answered
	return r.last
}

// forget returns who waits for the answer to a request, and no longer waits.
func (r *Requester) forget(id uint64) chan<- *wire.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := r.waiting[id]
	delete(r.waiting, id)
	return waiting
}

// Emit sends an event. When it returns, aura has passed the event on or dropped it.
func (r *Requester) Emit(ctx context.Context, name string, payload []byte) error {
	return r.ask(ctx, verbEmit, emitFrame{Name: name, Payload: payload}, nil)
}

// Listen adds an event to those that the plugin handles.
func (r *Requester) Listen(ctx context.Context, name string) error {
	return r.ask(ctx, verbListen, name, nil)
}

// State changes or reads a store.
func (r *Requester) State(ctx context.Context, request StateRequest) (StateAnswer, error) {
	var out StateAnswer
	err := r.ask(ctx, verbState, request, &out)
	return out, err
}

// Now asks for the current time.
func (r *Requester) Now(ctx context.Context) (time.Time, error) {
	var out time.Time
	err := r.ask(ctx, verbNow, nil, &out)
	return out, err
}

// Rand asks for a random number.
func (r *Requester) Rand(ctx context.Context) (uint64, error) {
	var out uint64
	err := r.ask(ctx, verbRand, nil, &out)
	return out, err
}

// Serve sends what the plugin asks of aura until the stream ends.
func (s *Server) Serve(stream RequestStream) error { return s.requests.serve(stream) }

// stateRequests is how many requests of state wait at most before aura stops reading the plugin's requests.
const stateRequests = 16

// Serve reads the plugin's requests. Events are passed on at once; requests of state run in order in a goroutine of their own, because
// they wait for the disk.
func (c *client) Serve(ctx context.Context, services Services) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.rpc.Serve(ctx)
	if err == nil {
		err = stream.Send(&wire.Answer{}) // gRPC opens a stream with its first message
	}
	if err != nil {
		return fmt.Errorf("serving a plugin's requests: %w", err)
	}
	s := serving{services: services, stream: stream}
	states := make(chan *wire.Request, stateRequests)
	var worker sync.WaitGroup
	worker.Go(func() {
		for request := range states {
			s.answer(ctx, request)
		}
	})
	defer func() {
		close(states)
		cancel() // so that a request that waits for another aura does not delay the end of this one
		worker.Wait()
	}()
	for {
		request, err := stream.Recv()
		if err != nil {
			return err
		}
		seen(len(request.Body))
		if request.Verb != verbState {
			s.answer(ctx, request)
			continue
		}
		select {
		case states <- request:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// serving is aura's side of a plugin's requests.
type serving struct {
	services Services
	stream   interface{ Send(a *wire.Answer) error }
	sending  sync.Mutex
}

// answer handles a request and sends the answer. If it cannot be sent, the connection is gone, and the next Recv says so.
func (s *serving) answer(ctx context.Context, request *wire.Request) {
	out, err := s.handle(ctx, request)
	var body []byte
	if err == nil {
		body, err = encode(out)
	}
	reply := &wire.Reply{Body: body}
	if err != nil {
		reply = &wire.Reply{Failure: &wire.Failure{Kind: string(FailureError), Message: []byte(err.Error())}}
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	_ = s.stream.Send(&wire.Answer{ID: request.ID, Reply: reply})
}

func (s *serving) handle(ctx context.Context, request *wire.Request) (any, error) {
	switch request.Verb {
	case verbEmit:
		var f emitFrame
		if err := decode(request.Body, &f); err != nil {
			return nil, err
		}
		return true, s.services.Emit(ctx, f.Name, f.Payload)
	case verbListen:
		var name string
		if err := decode(request.Body, &name); err != nil {
			return nil, err
		}
		return true, s.services.Listen(ctx, name)
	case verbState:
		var asked StateRequest
		if err := decode(request.Body, &asked); err != nil {
			return nil, err
		}
		return s.services.State(ctx, asked)
	case verbNow:
		return s.services.Now(ctx)
	case verbRand:
		return s.services.Rand(ctx)
	default:
		return nil, fmt.Errorf("asking aura: unknown request %q", request.Verb)
	}
}
