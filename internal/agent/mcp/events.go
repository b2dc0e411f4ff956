package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/idelchi/aura/internal/base/limit"
)

// eventBuffer is how much of a stream is read at once, in bytes.
const eventBuffer = 16 << 10

// events is a stream of events without those that the gate drops. It holds at most one event.
type events struct {
	from  io.ReadCloser
	lines *bufio.Reader
	gate  *gate
	// ready is the part of an event that was admitted and not read yet.
	ready []byte
	err   error
}

// Read implements io.Reader.
func (e *events) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		var event []byte
		if event, e.err = e.next(); len(event) == 0 {
			continue
		}
		head := headOf(event)
		pass, err := e.gate.admit(head)
		if err != nil {
			e.err = err
			continue
		}
		// An event without a message has the position in the stream.
		if pass || head.method == noMessage && len(event) <= shortMessage {
			e.ready = event
		}
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// Close implements io.Closer.
func (e *events) Close() error { return e.from.Close() }

// next returns the lines up to the next blank line.
func (e *events) next() ([]byte, error) {
	var event []byte
	for begin := true; ; {
		part, err := e.lines.ReadSlice('\n')
		blank := begin && len(bytes.TrimRight(part, "\r\n")) == 0
		event = append(event, part...)
		switch {
		case len(event) > limit.MCPMessage+eventBuffer: // the lines have prefixes
			return nil, fmt.Errorf("the answer has an event of more than the limit of %s", limit.Size(limit.MCPMessage))
		case errors.Is(err, bufio.ErrBufferFull):
			begin = false
			continue
		case err != nil || blank:
			return event, err
		}
		begin = true
	}
}

// noMessage stands for the method of an event that has no message.
const noMessage = "none"

// headOf describes the message in an event.
func headOf(event []byte) header {
	var data []byte
	for line := range bytes.Lines(event) {
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, text...)
		}
	}
	var head messageHead
	if len(bytes.TrimSpace(data)) == 0 {
		return header{method: noMessage}
	}
	if json.Unmarshal(data, &head) != nil {
		return header{} // the reader reports it
	}
	out := header{method: head.Method, request: len(head.ID) > 0, size: len(event)}
	if shown[out.method] && out.size <= shortMessage {
		var of struct {
			Params json.RawMessage `json:"params"`
		}
		// What is no JSON was reported above.
		_ = json.Unmarshal(data, &of)
		out.params = of.Params
	}
	return out
}

// messageHead is the part of a message that says of which kind it is.
type messageHead struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// isAnswer reports whether a request carries an answer to a request of the service. The body can be read again afterwards.
func isAnswer(req *http.Request) (bool, error) {
	if req.Method != http.MethodPost || req.GetBody == nil {
		return false, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return false, err
	}
	defer body.Close()
	var head messageHead
	if json.NewDecoder(body).Decode(&head) != nil {
		return false, nil
	}
	return head.Method == "" && len(head.ID) > 0, nil
}
