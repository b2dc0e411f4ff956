package shared

import (
	"context"
	"sync"

	"github.com/idelchi/aura/shared/wire"
)

// local is a connection to a server in this process. It encodes all messages. Package serve tests a real connection.
type local struct {
	server  *Server
	running sync.WaitGroup
	ctx     context.Context //nolint:containedctx // as in a stream of gRPC
}

// copied returns a message as the other side decodes it.
func copied[M wire.Message](m, to M) (M, error) {
	b, err := wire.Marshal(m)
	if err == nil {
		err = wire.Unmarshal(b, to)
	}
	return to, err
}

// Invoke returns when ctx is done, even if the server continues.
func (l *local) Invoke(ctx context.Context, call *wire.Call) (*wire.Reply, error) {
	call, err := copied(call, &wire.Call{})
	if err != nil {
		return nil, err
	}
	type answer struct {
		reply *wire.Reply
		err   error
	}
	done := make(chan answer, 1)
	l.running.Go(func() {
		reply, err := l.server.Invoke(ctx, call)
		if err == nil {
			reply, err = copied(reply, &wire.Reply{})
		}
		done <- answer{reply, err}
	})
	select {
	case a := <-done:
		return a.reply, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Serve opens a stream.
func (l *local) Serve(ctx context.Context) (AnswerStream, error) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(l.ctx, cancel)
	s := &localStream{ctx: ctx, requests: make(chan *wire.Request), answers: make(chan *wire.Answer)}
	l.running.Go(func() {
		defer stop()
		defer cancel()
		_ = l.server.Serve(requestEnd{s}) // it ends with the context
	})
	return answerEnd{s}, nil
}

type localStream struct {
	ctx      context.Context //nolint:containedctx // as in a stream of gRPC
	requests chan *wire.Request
	answers  chan *wire.Answer
}

func pass[M wire.Message](ctx context.Context, m, to M, c chan<- M) error {
	m, err := copied(m, to)
	if err != nil {
		return err
	}
	select {
	case c <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func receive[M wire.Message](ctx context.Context, c <-chan M) (M, error) {
	select {
	case m := <-c:
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type requestEnd struct{ *localStream }

func (s requestEnd) Send(r *wire.Request) error  { return pass(s.ctx, r, &wire.Request{}, s.requests) }
func (s requestEnd) Recv() (*wire.Answer, error) { return receive(s.ctx, s.answers) }
func (s requestEnd) Context() context.Context    { return s.ctx }

type answerEnd struct{ *localStream }

func (s answerEnd) Send(a *wire.Answer) error    { return pass(s.ctx, a, &wire.Answer{}, s.answers) }
func (s answerEnd) Recv() (*wire.Request, error) { return receive(s.ctx, s.requests) }
