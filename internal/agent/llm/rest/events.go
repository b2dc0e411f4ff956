package rest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
)

// Event is one event of a stream.
type Event struct {
	// Name is empty if the service names none.
	Name string
	Data []byte
}

// Stream makes a request and returns the events of its answer. An error is the last that it yields.
func (c Client) Stream(ctx context.Context, address string, send any) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		response, err := c.do(ctx, http.MethodPost, address, send)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer func() { _ = response.Body.Close() }()
		for event, err := range Events(response.Body) {
			if err != nil {
				err = c.failed("reading the answer", err)
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

// Events reads the events of a stream in the format text/event-stream, without ids and pauses. It yields an event that the
// stream ends with although no empty line follows. The reader limits how long an event is.
func Events(from io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var event Event
		var hasData bool
		for in := bufio.NewReader(from); ; {
			line, err := in.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Event{}, err)
				return
			}
			end := err != nil
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			if len(line) > 0 {
				hasData = event.field(line, hasData)
			}
			if len(line) > 0 && !end {
				continue
			}
			if hasData && !yield(event, nil) || end {
				return
			}
			event, hasData = Event{}, false
		}
	}
}

// field adds a line to an event. It returns whether the event has data by now, given whether it had some before.
func (e *Event) field(line []byte, hasData bool) bool {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		e.Name = string(value)
	case "data":
		if hasData {
			e.Data = append(e.Data, '\n')
		}
		e.Data = append(e.Data, value...)
		return true
	}
	return hasData
}
