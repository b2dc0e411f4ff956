package serve

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/idelchi/aura/shared"
	"github.com/idelchi/aura/shared/wire"
)

// handler serves the two methods of the service as gRPC defines it: each message has a head of five bytes, and the status follows the last
// message in a trailer.
type handler struct{ server *shared.Server }

// serve serves one call, or the stream of requests.
func (h handler) serve(s *stream) {
	ctx, cancel, err := s.deadline()
	defer cancel()
	var answer [][]byte
	switch {
	case err != nil:
	case s.path == wire.MethodInvoke:
		answer, err = h.invoke(ctx, s)
	case s.path == wire.MethodServe:
		err = h.requests(ctx, s)
	default:
		err = &shared.StatusError{Code: shared.CodeUnimplemented, Message: "unknown method " + s.path}
	}
	status := &shared.StatusError{}
	if err != nil && !errors.As(err, &status) {
		status = &shared.StatusError{Code: shared.CodeInternal, Message: err.Error()}
	}
	// If it cannot be sent, nobody waits for it.
	_ = s.sendMessage(status, answer...)
}

// invoke makes one call and returns the parts of the encoded answer.
func (h handler) invoke(ctx context.Context, s *stream) ([][]byte, error) {
	call := &wire.Call{}
	if err := receive(s, call); err != nil {
		return nil, err
	}
	reply, err := h.server.Invoke(ctx, call)
	if err != nil {
		return nil, err
	}
	if reply.Failure == nil && len(reply.Body) > small {
		return [][]byte{wire.ReplyHead(reply.Body), reply.Body}, nil
	}
	body, err := encode(reply)
	if err != nil {
		return nil, err
	}
	return [][]byte{body}, nil
}

// requests carries the plugin's requests until aura ends the stream.
func (h handler) requests(ctx context.Context, s *stream) error {
	if err := s.send(nil); err != nil {
		return err
	}
	return h.server.Serve(requestStream{ctx, s})
}

// requestStream is the stream of requests.
type requestStream struct {
	ctx context.Context //nolint:containedctx // as in a stream of gRPC
	s   *stream
}

// Context returns a context that is done when there are no more answers.
func (r requestStream) Context() context.Context { return r.ctx }

// Recv receives an answer.
func (r requestStream) Recv() (*wire.Answer, error) {
	answer := &wire.Answer{}
	return answer, receive(r.s, answer)
}

// Send sends a request. The caller sends one at a time.
func (r requestStream) Send(request *wire.Request) error {
	body, err := encode(request)
	if err != nil {
		return err
	}
	return r.s.sendMessage(nil, body)
}

// headSize is the size of the head of a message: whether it is compressed, and its length.
const headSize = 5

// receive reads one message. It returns io.EOF if there is none.
func receive[M wire.Message](s *stream, m M) error {
	var head [headSize]byte
	if _, err := io.ReadFull(s, head[:]); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(head[1:])
	switch {
	case head[0] != 0:
		return &shared.StatusError{Code: shared.CodeUnimplemented, Message: "a message is compressed"}
	case size > shared.MaxFrame:
		return tooLarge(int(size))
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(s, body); err != nil {
		return err
	}
	return wire.Unmarshal(body, m)
}

func tooLarge(size int) error {
	return &shared.StatusError{Code: shared.CodeResourceExhausted, Message: fmt.Sprintf("a message has %d bytes, more than the limit of %d", size, shared.MaxFrame)}
}

// encode returns a message as it is sent, without its head. It is never nil.
func encode[M wire.Message](m M) ([]byte, error) {
	body, err := wire.Marshal(m)
	if err == nil && len(body) > shared.MaxFrame {
		err = tooLarge(len(body))
	}
	return body, err
}

// sendMessage sends a message of one or two parts, unless there are none. If last is set, the stream ends with a status.
func (s *stream) sendMessage(last *shared.StatusError, parts ...[]byte) error {
	if len(parts) == 0 {
		return s.send(last)
	}
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	head := binary.BigEndian.AppendUint32([]byte{0}, uint32(size)) //nolint:gosec // at most shared.MaxFrame
	parts[0] = append(head, parts[0]...)
	return s.send(last, parts...)
}

// small is the size of an answer up to which it is copied behind its head, so that both are one frame.
const small = 8 << 10

// percent encodes the message of a status: printable ASCII stays as it is.
func percent(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c >= ' ' && c <= '~' && c != '%' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
