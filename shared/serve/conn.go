package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"

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
