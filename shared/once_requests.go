package shared

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/idelchi/aura/shared/wire"
)

// maxRequest is the largest request of a child that runs one call, and the largest answer to it, in bytes. Values and payloads are much
// smaller.
const maxRequest = 1 << 20

// OnceLink is what connects a child that runs one call with aura. It carries the child's answers and, between them, the requests of the
// plugin. aura answers the requests on the child's standard input, after the call.
type OnceLink struct {
	replies io.Reader
	// ctx is done when aura answers no more.
	ctx context.Context //nolint:containedctx // as in a stream of gRPC
	end context.CancelFunc

	// mu is held while something is written.
	mu      sync.Mutex
	answers io.Writer
}

// NewOnceLink returns a link that writes to answers and reads replies. The caller calls Serve.
func NewOnceLink(replies io.Reader, answers io.Writer) *OnceLink {
	l := &OnceLink{replies: replies, answers: answers}
	l.ctx, l.end = context.WithCancel(context.Background())
	return l
}

// Serve receives the answers to requests until there are no more.
func (l *OnceLink) Serve(requests *Requester) error {
	defer l.end()
	return requests.serve(l)
}

// Answer writes an answer to the call.
func (l *OnceLink) Answer(a OnceAnswer) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := a.WriteTo(l.answers)
	return err
}

// Send writes a request.
func (l *OnceLink) Send(r *wire.Request) error {
	body, err := wire.Marshal(r)
	if err != nil {
		return err
	}
	if len(body) > maxRequest {
		return fmt.Errorf("the request has %d bytes, more than the limit of %d MiB", len(body), maxRequest>>20)
	}
	head, err := json.Marshal(answerHead{Request: len(body)})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.answers.Write(append(append(head, '\n'), body...))
	return err
}

// Recv reads the answer to a request.
func (l *OnceLink) Recv() (*wire.Answer, error) {
	var size [4]byte
	if _, err := io.ReadFull(l.replies, size[:]); err != nil {
		return nil, err
	}
	body := make([]byte, min(binary.BigEndian.Uint32(size[:]), maxRequest))
	if _, err := io.ReadFull(l.replies, body); err != nil {
		return nil, noEOF(err)
	}
	answer := &wire.Answer{}
	return answer, wire.Unmarshal(body, answer)
}

// Context returns a context that is done when aura answers no more.
func (l *OnceLink) Context() context.Context { return l.ctx }

// onceReplies is where aura writes its answers to the requests of a child that runs one call.
type onceReplies struct{ w io.Writer }

// Send writes one answer.
func (r onceReplies) Send(a *wire.Answer) error {
	body, err := wire.Marshal(a)
	if err == nil && len(body) > maxRequest {
		failure := &wire.Failure{Kind: string(FailureError), Message: []byte("the answer is too large")}
		body, err = wire.Marshal(&wire.Answer{ID: a.ID, Reply: &wire.Reply{Failure: failure}})
	}
	if err != nil {
		return err
	}
	_, err = r.w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)) //nolint:gosec // at most maxRequest
	return err
}

// Serve makes Next handle the requests of the plugin. The answers are written to replies.
func (a *OnceAnswers) Serve(services Services, replies io.Writer) {
	a.serving = &serving{services: services, stream: onceReplies{replies}}
}

// serve handles a request of the given size.
func (a *OnceAnswers) serve(ctx context.Context, size int) error {
	if size > maxRequest {
		return fmt.Errorf("a request has %d bytes, more than the limit of %d MiB", size, maxRequest>>20)
	}
	var body bytes.Buffer
	if _, err := io.CopyN(&body, a.r, int64(size)); err != nil {
		return noEOF(err)
	}
	if a.serving == nil {
		return errors.New("nobody answers requests")
	}
	request := &wire.Request{}
	if err := wire.Unmarshal(body.Bytes(), request); err != nil {
		return err
	}
	a.serving.answer(ctx, request)
	return nil
}
