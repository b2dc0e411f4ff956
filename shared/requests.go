package shared

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared/wire"
)

// The verbs of requests.
const (
	verbEmit   = "emit"
	verbListen = "listen"
	verbState  = "state"
)

// emitFrame is the body of an emit request.
type emitFrame struct {
	_       struct{} `cbor:",toarray"`
	Name    string
	Payload []byte
}

// EncodePayload encodes the payload of an event. It fails if the payload is too large or contains something that cannot be sent.
func EncodePayload(payload any) ([]byte, error) {
	if err := cyclic(reflect.ValueOf(payload), 0); err != nil {
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

// Requester is the child's side of Services. Requests wait until aura has opened the stream for them.
type Requester struct {
	// opened is closed when stream is set.
	opened chan struct{}

	// sending is held while a request is sent, which may take until aura reads again. It is never taken while mu is held, because
	// answers must be received meanwhile.
	sending sync.Mutex

	mu      sync.Mutex
	stream  grpc.BidiStreamingServer[wire.Answer, wire.Request]
	last    uint64
	waiting map[uint64]chan<- *wire.Reply
}

// NewRequester returns a Requester that is not connected yet.
func NewRequester() *Requester {
	return &Requester{opened: make(chan struct{}), waiting: make(map[uint64]chan<- *wire.Reply)}
}

// serve receives the answers until the connection ends.
func (r *Requester) serve(stream grpc.BidiStreamingServer[wire.Answer, wire.Request]) error {
	r.mu.Lock()
	if r.stream != nil {
		r.mu.Unlock()
		return status.Error(codes.AlreadyExists, "the plugin's requests are served already")
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
		if waiting := r.forget(answer.GetId()); waiting != nil {
			waiting <- answer.GetReply()
		}
	}
}

// post sends a request. If answered is nil, the request needs no answer.
func (r *Requester) post(ctx context.Context, verb string, body any, answered chan<- *wire.Reply) (id uint64, err error) {
	b, err := encode(body)
	if err != nil {
		return 0, err
	}
	select {
	case <-r.opened:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if answered != nil {
		id = r.expect(answered)
	}
	r.sending.Lock()
	defer r.sending.Unlock()
	if err := r.stream.Send(&wire.Request{Id: id, Verb: verb, Body: b}); err != nil {
		r.forget(id)
		return 0, fmt.Errorf("asking aura: %w", err)
	}
	return id, nil
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

// Emit sends an event and does not wait.
func (r *Requester) Emit(ctx context.Context, name string, payload []byte) error {
	_, err := r.post(ctx, verbEmit, emitFrame{Name: name, Payload: payload}, nil)
	return err
}

// Listen adds an event to those that the plugin handles. It does not wait.
func (r *Requester) Listen(ctx context.Context, name string) error {
	_, err := r.post(ctx, verbListen, name, nil)
	return err
}

// State changes or reads a store.
func (r *Requester) State(ctx context.Context, request StateRequest) (StateAnswer, error) {
	answered := make(chan *wire.Reply, 1)
	id, err := r.post(ctx, verbState, request, answered)
	if err != nil {
		return StateAnswer{}, err
	}
	var out StateAnswer
	select {
	case reply := <-answered:
		if f := reply.GetFailure(); f != nil {
			return out, errors.New(string(f.GetMessage()))
		}
		return out, decode(reply.GetBody(), &out)
	case <-ctx.Done():
		r.forget(id)
		return out, ctx.Err()
	}
}

func (s *server) Serve(stream grpc.BidiStreamingServer[wire.Answer, wire.Request]) error {
	return s.requests.serve(stream)
}

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
	states := make(chan *wire.Request, stateRequests)
	var worker sync.WaitGroup
	worker.Go(func() {
		for request := range states {
			if stream.Send(&wire.Answer{Id: request.GetId(), Reply: stateReply(ctx, services, request)}) != nil {
				cancel() // the connection is gone
			}
		}
	})
	defer worker.Wait()
	defer close(states)
	for {
		request, err := stream.Recv()
		if err != nil {
			return err
		}
		seen(len(request.GetBody()))
		switch request.GetVerb() {
		case verbEmit:
			var f emitFrame
			if err = decode(request.GetBody(), &f); err == nil {
				err = services.Emit(ctx, f.Name, f.Payload)
			}
		case verbListen:
			var name string
			if err = decode(request.GetBody(), &name); err == nil {
				err = services.Listen(ctx, name)
			}
		case verbState:
			select {
			case states <- request:
			case <-ctx.Done():
				return ctx.Err()
			}
		default:
			err = fmt.Errorf("unknown verb %q", request.GetVerb())
		}
		if err != nil {
			return fmt.Errorf("serving a plugin's request: %w", err)
		}
	}
}

func stateReply(ctx context.Context, services Services, request *wire.Request) *wire.Reply {
	var asked StateRequest
	err := decode(request.GetBody(), &asked)
	var answer StateAnswer
	if err == nil {
		answer, err = services.State(ctx, asked)
	}
	var body []byte
	if err == nil {
		body, err = encode(answer)
	}
	if err != nil {
		return &wire.Reply{Failure: &wire.Failure{Kind: string(FailureError), Message: []byte(err.Error())}}
	}
	return &wire.Reply{Body: body}
}
