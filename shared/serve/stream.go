package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/idelchi/aura/shared"
)

// stream is one call, or the stream of requests.
type stream struct {
	conn    *conn
	id      uint32
	path    string
	timeout string
	// ctx is done when nobody waits for the stream any more.
	ctx    context.Context //nolint:containedctx // as in a stream of gRPC
	cancel context.CancelFunc

	// The lock of the connection guards these. received is what was not read yet; ended is set if the peer sends no more; gone is set if
	// nothing can be sent.
	received bytes.Buffer
	ended    bool
	gone     bool
	window   int64
	consumed uint32

	// answered is set when the header of the answer was written. The lock writing of the connection guards it.
	answered bool
}

// end is called with the lock of the connection.
func (s *stream) end() {
	s.gone = true
	s.cancel()
	delete(s.conn.streams, s.id)
}

var errGone = errors.New("the stream is closed")

// Read reads what the peer sends.
func (s *stream) Read(p []byte) (int, error) {
	c := s.conn
	c.mu.Lock()
	for s.received.Len() == 0 && !s.ended && !s.gone {
		c.changed.Wait()
	}
	if s.received.Len() == 0 {
		defer c.mu.Unlock()
		if s.gone {
			return 0, errGone
		}
		return 0, io.EOF
	}
	n, _ := s.received.Read(p) // it is not empty
	s.consumed += uint32(n)    //nolint:gosec // at most a window
	grown := s.consumed
	if grown < shared.Window/2 || s.ended || s.gone {
		c.mu.Unlock()
		return n, nil
	}
	s.consumed = 0
	c.mu.Unlock()
	return n, c.write(func() error { return c.frames.WriteWindowUpdate(s.id, grown) })
}

// grant waits until at least one of want bytes can be sent, and returns how many.
func (s *stream) grant(want int) (int, error) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for (c.window <= 0 || s.window <= 0) && !s.gone {
		c.changed.Wait()
	}
	if s.gone {
		return 0, errGone
	}
	n := min(want, c.most, int(c.window), int(s.window))
	c.window -= int64(n)
	s.window -= int64(n)
	return n, nil
}

// send sends the parts of a message one after the other. If last is set, the stream ends with a status.
func (s *stream) send(last *shared.StatusError, parts ...[]byte) error {
	c := s.conn
	c.writing.Lock()
	defer c.writing.Unlock()
	err := s.answer()
	for _, part := range parts {
		for len(part) > 0 && err == nil {
			var n int
			if n, err = s.room(len(part)); err == nil {
				err = c.frames.WriteData(s.id, false, part[:n])
				part = part[n:]
			}
		}
	}
	if err == nil && last != nil {
		err = s.finish(last)
	}
	if err != nil {
		return err
	}
	return c.out.Flush()
}

// room is grant for a caller that holds the lock writing. If it must wait, others can write meanwhile.
func (s *stream) room(want int) (int, error) {
	c := s.conn
	c.mu.Lock()
	wait := (c.window <= 0 || s.window <= 0) && !s.gone
	c.mu.Unlock()
	if !wait {
		return s.grant(want)
	}
	if err := c.out.Flush(); err != nil {
		return 0, err
	}
	c.writing.Unlock()
	defer c.writing.Lock()
	return s.grant(want)
}

// answer writes the header of the answer, once.
func (s *stream) answer() error {
	if s.answered {
		return nil
	}
	s.answered = true
	return s.fields(false, ":status", "200", "content-type", "application/grpc")
}

// finish writes the status.
func (s *stream) finish(status *shared.StatusError) error {
	fields := []string{"grpc-status", strconv.Itoa(int(status.Code))}
	if status.Message != "" {
		fields = append(fields, "grpc-message", percent(status.Message))
	}
	if err := s.fields(true, fields...); err != nil {
		return err
	}
	c := s.conn
	c.mu.Lock()
	ended := s.ended
	s.end()
	c.mu.Unlock()
	if ended {
		return nil
	}
	return c.frames.WriteRSTStream(s.id, http2.ErrCodeNo)
}

// fields writes a header or a trailer. The caller holds the lock writing.
func (s *stream) fields(last bool, pairs ...string) error {
	c := s.conn
	c.mu.Lock()
	gone, most := s.gone, c.most
	c.mu.Unlock()
	if gone {
		return errGone
	}
	c.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		if err := c.headers.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}); err != nil {
			return err
		}
	}
	first := true
	for block := c.block.Bytes(); first || len(block) > 0; first = false {
		part := block[:min(len(block), most)]
		block = block[len(part):]
		var err error
		if first {
			err = c.frames.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: part, EndStream: last, EndHeaders: len(block) == 0})
		} else {
			err = c.frames.WriteContinuation(s.id, len(block) == 0, part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// timeoutUnits are the units of the header grpc-timeout.
var timeoutUnits = map[byte]time.Duration{
	'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': time.Nanosecond,
}

// maxHours is more hours than anybody waits, and fewer than a duration can hold.
const maxHours = 1_000_000

// deadline returns the context of a call, with its deadline.
func (s *stream) deadline() (context.Context, context.CancelFunc, error) {
	none := func() {}
	if s.timeout == "" {
		return s.ctx, none, nil
	}
	last := len(s.timeout) - 1
	unit := timeoutUnits[s.timeout[last]]
	// gRPC sends eight digits at most.
	n, err := strconv.ParseUint(s.timeout[:last], 10, 27)
	if err != nil || unit == 0 {
		return s.ctx, none, &shared.StatusError{Code: shared.CodeInternal, Message: fmt.Sprintf("%q is no timeout", s.timeout)}
	}
	if unit == time.Hour && n > maxHours {
		return s.ctx, none, nil
	}
	ctx, cancel := context.WithTimeout(s.ctx, time.Duration(n)*unit)
	return ctx, cancel, nil
}
