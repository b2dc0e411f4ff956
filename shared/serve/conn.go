package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/idelchi/aura/shared"
)

// conn is one connection of HTTP/2. One goroutine reads its frames; each call has a goroutine that writes the answer in as few writes as
// possible.
type conn struct {
	nc    net.Conn
	start func(func())
	serve func(*stream)

	// writing is held while frames are written. It comes before mu.
	writing sync.Mutex
	out     *bufio.Writer
	frames  *http2.Framer
	headers *hpack.Encoder
	block   bytes.Buffer

	mu sync.Mutex
	// changed is signalled when a window has grown, data has arrived, or a stream has ended.
	changed *sync.Cond
	streams map[uint32]*stream
	last    uint32
	// window is how many bytes can still be sent on all streams, and initial is the window of a new stream.
	window  int64
	initial int64
	// most is how many bytes a frame can have that is sent.
	most int
	// consumed counts received bytes that the peer was not told of yet.
	consumed uint32
	closed   bool
}

// defaultWindow, defaultFrame and maxWindow are defined by HTTP/2, in bytes.
const (
	defaultWindow = 65_535
	defaultFrame  = 16_384
	maxWindow     = 1<<31 - 1
)

func newConn(nc net.Conn, start func(func()), serve func(*stream)) *conn {
	c := &conn{
		nc: nc, start: start, serve: serve, out: bufio.NewWriter(nc),
		streams: map[uint32]*stream{}, window: defaultWindow, initial: defaultWindow, most: defaultFrame,
	}
	c.changed = sync.NewCond(&c.mu)
	c.headers = hpack.NewEncoder(&c.block)
	c.frames = http2.NewFramer(c.out, bufio.NewReader(nc))
	c.frames.SetReuseFrames()
	c.frames.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	return c
}

// run serves the connection until it ends.
func (c *conn) run() {
	err := c.greet()
	for err == nil {
		err = c.next()
	}
	if broken, ok := errors.AsType[http2.ConnectionError](err); ok {
		_ = c.write(func() error { return c.frames.WriteGoAway(c.last, http2.ErrCode(broken), nil) })
	}
	_ = c.nc.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, s := range c.streams {
		s.end()
	}
	c.changed.Broadcast()
}

// greet exchanges what both sides begin with.
func (c *conn) greet() error {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c.nc, preface); err != nil {
		return err
	}
	if string(preface) != http2.ClientPreface {
		return errors.New("the other side does not speak HTTP/2")
	}
	return c.write(func() error {
		return errors.Join(
			c.frames.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: shared.Window}),
			c.frames.WriteWindowUpdate(0, shared.Window-defaultWindow))
	})
}

// write writes frames and sends them.
func (c *conn) write(frames func() error) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := frames(); err != nil {
		return err
	}
	return c.out.Flush()
}

// next handles one frame. A stream that breaks the rules is reset. Any error ends the connection.
func (c *conn) next() error {
	f, err := c.frames.ReadFrame()
	if err == nil {
		err = c.handle(f)
	}
	if broken, ok := errors.AsType[http2.StreamError](err); ok {
		c.remove(broken.StreamID)
		return c.write(func() error { return c.frames.WriteRSTStream(broken.StreamID, broken.Code) })
	}
	return err
}

func (c *conn) handle(f http2.Frame) error {
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		return c.open(f)
	case *http2.DataFrame:
		return c.data(f)
	case *http2.RSTStreamFrame:
		c.remove(f.StreamID)
	case *http2.WindowUpdateFrame:
		return c.widen(f)
	case *http2.SettingsFrame:
		return c.settings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			return c.write(func() error { return c.frames.WritePing(true, f.Data) })
		}
	case *http2.PushPromiseFrame:
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	return nil
}

// open begins a stream, or ends what the peer sends on one.
func (c *conn) open(f *http2.MetaHeadersFrame) error {
	c.mu.Lock()
	if s := c.streams[f.StreamID]; s != nil {
		s.ended = true
		c.changed.Broadcast()
		c.mu.Unlock()
		return nil
	}
	if f.StreamID%2 == 0 || f.StreamID <= c.last {
		c.mu.Unlock()
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	c.last = f.StreamID
	s := &stream{conn: c, id: f.StreamID, path: f.PseudoValue("path"), ended: f.StreamEnded(), window: c.initial}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for _, h := range f.RegularFields() {
		if h.Name == "grpc-timeout" {
			s.timeout = h.Value
		}
	}
	c.streams[s.id] = s
	c.mu.Unlock()
	c.start(func() { c.serve(s) })
	return nil
}

// data takes what the peer sent. The window of the connection is opened again at once, that of a stream when the data is read.
func (c *conn) data(f *http2.DataFrame) error {
	c.mu.Lock()
	if s := c.streams[f.StreamID]; s != nil {
		s.received.Write(f.Data())
		// Padding is not read by anybody.
		s.consumed += f.Length - uint32(len(f.Data())) //nolint:gosec // a frame is small
		s.ended = s.ended || f.StreamEnded()
		c.changed.Broadcast()
	}
	c.consumed += f.Length
	grown := c.consumed
	if grown < shared.Window/2 {
		c.mu.Unlock()
		return nil
	}
	c.consumed = 0
	c.mu.Unlock()
	return c.write(func() error { return c.frames.WriteWindowUpdate(0, grown) })
}

// widen enlarges a window for sending.
func (c *conn) widen(f *http2.WindowUpdateFrame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.changed.Broadcast()
	if f.StreamID == 0 {
		if c.window += int64(f.Increment); c.window > maxWindow {
			return http2.ConnectionError(http2.ErrCodeFlowControl)
		}
		return nil
	}
	if s := c.streams[f.StreamID]; s != nil {
		if s.window += int64(f.Increment); s.window > maxWindow {
			return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeFlowControl}
		}
	}
	return nil
}

// settings applies the peer's settings and confirms them.
func (c *conn) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	table := uint32(0)
	err := f.ForeachSetting(func(s http2.Setting) error {
		if err := s.Valid(); err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch s.ID {
		case http2.SettingInitialWindowSize:
			for _, stream := range c.streams {
				stream.window += int64(s.Val) - c.initial
			}
			c.initial = int64(s.Val)
			c.changed.Broadcast()
		case http2.SettingMaxFrameSize:
			c.most = int(s.Val)
		case http2.SettingHeaderTableSize:
			table = s.Val
		default:
			// The other settings are about what a server may begin, and this one begins nothing.
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.write(func() error {
		if table > 0 {
			c.headers.SetMaxDynamicTableSizeLimit(table)
		}
		return c.frames.WriteSettingsAck()
	})
}

// remove forgets a stream.
func (c *conn) remove(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.streams[id]; s != nil {
		s.end()
		c.changed.Broadcast()
	}
}

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
