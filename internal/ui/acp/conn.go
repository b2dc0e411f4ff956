package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// conn is the connection with a client: messages as lines of JSON.
type conn struct {
	in *lines
	// lost is called when nothing can be written any more.
	lost func(error)
	// queue holds the lines to write. gone is closed when nobody waits any more for a client that does not read. written is closed
	// when no more is written.
	queue         chan []byte
	gone, written chan struct{}
	left          sync.Once

	mu      sync.Mutex
	asked   int
	waiting map[string]chan message
}

// queued is how many lines wait for a client that reads slowly, before those who send wait too.
const queued = 16

func newConn(in io.Reader, out io.Writer, lost func(error)) *conn {
	c := &conn{
		in: newLines(in, limit.ACPMessage), lost: lost, waiting: map[string]chan message{},
		queue: make(chan []byte, queued), gone: make(chan struct{}), written: make(chan struct{}),
	}
	go c.write(out)
	return c
}

// write writes lines until end. If the client does not read and never ends, the goroutine ends with the program.
func (c *conn) write(out io.Writer) {
	defer close(c.written)
	broken := false
	for line := range c.queue {
		if line == nil {
			return
		}
		if broken {
			continue // whoever sends does not wait for a client that is gone
		}
		if _, err := out.Write(line); err != nil {
			broken = true
			c.lost(fmt.Errorf("writing to the client: %w", err))
		}
	}
}

// leave lets nobody wait any more for a client that does not read.
func (c *conn) leave() { c.left.Do(func() { close(c.gone) }) }

// end writes what is queued. What is sent later is dropped.
func (c *conn) end() {
	defer c.leave()
	select {
	case c.queue <- nil:
	case <-c.gone:
		return
	}
	select {
	case <-c.written:
	case <-c.gone:
	}
}

// next returns the next message of the client. An error of the protocol is for the client, and the message after it can be read.
func (c *conn) next() (message, error) {
	var line []byte
	for len(line) == 0 {
		read, err := c.in.next()
		if errors.Is(err, errLong) {
			return message{}, failure(codeInvalidRequest, "a message has at most %s; this one was dropped", limit.Size(limit.ACPMessage))
		}
		if err != nil {
			return message{}, err
		}
		line = bytes.TrimSpace(read)
	}
	return parse(line)
}

// parse reads a message. The id of a message that is refused is kept if it can be read.
func parse(line []byte) (message, error) {
	var m message
	err := json.Unmarshal(line, &m)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return message{}, failure(codeParse, "the line is not JSON: %s", err)
	case err != nil || m.JSONRPC != "2.0" || !validID(m.ID):
		if !validID(m.ID) {
			m.ID = nil
		}
		return message{ID: m.ID}, failure(codeInvalidRequest, "the line is not a message of JSON-RPC 2.0")
	default:
		return m, nil
	}
}

// validID reports whether an id is absent, a string, a number or null.
func validID(id json.RawMessage) bool {
	var value any
	if len(id) > 0 && json.Unmarshal(id, &value) != nil {
		return false
	}
	switch value.(type) {
	case nil, string, float64:
		return true
	default:
		return false
	}
}

// send sends a message. Messages are written in the order in which they are sent.
func (c *conn) send(m message) {
	m.JSONRPC = "2.0"
	line, err := event.JSON(m)
	if err != nil {
		c.lost(fmt.Errorf("encoding %s: %w", m.Method, err))
		return
	}
	select {
	case c.queue <- append(plaintext.JSON(line), '\n'):
	case <-c.gone:
	}
}

// notify sends a notification.
func (c *conn) notify(method string, params any) {
	raw, err := event.JSON(params)
	if err != nil {
		c.lost(fmt.Errorf("encoding %s: %w", method, err))
		return
	}
	c.send(message{Method: method, Params: raw})
}

// reply answers a request. A nil id answers a message whose id is not known.
func (c *conn) reply(id json.RawMessage, result any, err error) {
	m := message{ID: id}
	if len(id) == 0 {
		m.ID = json.RawMessage("null")
	}
	if err != nil {
		m.Error = protocolError(err)
		m.Error = &Error{Code: m.Error.Code, Message: plaintext.Show(m.Error.Message), Data: m.Error.Data}
	} else if m.Result, err = event.JSON(result); err != nil {
		m.Error = failure(codeInternal, "encoding the answer: %s", err)
	}
	c.send(m)
}

// call asks the client and waits for its answer, or until ctx ends. An answer that comes later is dropped.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	raw, err := event.JSON(params)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", method, err)
	}
	answer := make(chan message, 1)
	c.mu.Lock()
	c.asked++
	id := strconv.Itoa(c.asked)
	c.waiting[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
	}()
	c.send(message{ID: json.RawMessage(id), Method: method, Params: raw})
	select {
	case <-ctx.Done():
		c.withdraw(id)
		return context.Cause(ctx)
	case m := <-answer:
		if m.Error != nil {
			return fmt.Errorf("the client answered %s with an error: %s", method, plaintext.Line(m.Error.Message))
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("reading the client's answer to %s: %w", method, err)
		}
		return nil
	}
}

// withdraw tells the client that a request needs no answer any more. A client that reads so slowly that lines wait learns it by what follows.
func (c *conn) withdraw(id string) {
	line := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{"requestId":%s}}`+"\n", methodCancelRequest, id)
	select {
	case c.queue <- []byte(line):
	default:
	}
}

// answered takes the answer to a request of aura. An answer that nobody waits for is dropped.
func (c *conn) answered(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if waiting, ok := c.waiting[string(m.ID)]; ok {
		delete(c.waiting, string(m.ID))
		waiting <- m
	}
}
