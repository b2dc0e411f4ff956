package llmtest

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
)

// Reply is an answer to play. It is sent in the order thinking, text, tool calls, each split into several events.
type Reply struct {
	Thinking string
	// Redacted is hidden thinking of an Anthropic service.
	Redacted  string
	Text      string
	ToolCalls []ToolCall
	// Found is what the service finds for a request that lets it search. SearchError is the service's name of a failed search.
	Found       []llm.Found
	SearchError string
	// Usage defaults to 10 input and 5 output tokens.
	Usage llm.Usage
	// Stop is the stop reason in the terms of the protocol. By default it is chosen to fit the reply.
	Stop string

	// Fault is the failure after the content of the reply was sent.
	Fault Fault
	// Status, if set, is sent with Header and Body instead of a stream. It may be 200.
	Status int
	Header map[string]string
	// Body is also the body of FaultError.
	Body string
	// Raw, if set, is the whole stream.
	Raw string
	// Gzip compresses the stream.
	Gzip bool
	// Arrived, if set, is called when the request arrives.
	Arrived func()
}

// ToolCall is a tool call in a reply.
type ToolCall struct {
	// ID is generated if it is empty.
	ID, Name string
	// Offered, if set, selects one of the offered tools, counted from 1. The call uses the name under which the tool was
	// offered.
	Offered int
	// Arguments are sent unchanged.
	Arguments string
}

// Fault is a kind of failure of a stream.
type Fault int

// The kinds of failure of a stream.
const (
	// FaultNone ends the stream normally.
	FaultNone Fault = iota
	// FaultCut aborts the connection.
	FaultCut
	// FaultEnd closes the stream normally but before the answer is complete.
	FaultEnd
	// FaultStall sends nothing more until the client disconnects.
	FaultStall
	// FaultSilence never answers and waits until the client disconnects.
	FaultSilence
	// FaultError ends the stream with an error.
	FaultError
	// FaultEndless repeats the content until the client disconnects.
	FaultEndless
	// FaultLine sends a line without an end until the client disconnects.
	FaultLine
)

// Text returns a reply with a text.
func Text(text string) Reply { return Reply{Text: text} }

// Call returns a reply with a tool call.
func Call(name, arguments string) Reply {
	return Reply{ToolCalls: []ToolCall{{Name: name, Arguments: arguments}}}
}

// Fail returns a reply with a status and a body.
func Fail(status int, body string) Reply { return Reply{Status: status, Body: body} }

func (r Reply) usage() llm.Usage {
	u := r.Usage
	u.Input, u.Output = cmp.Or(u.Input, 10), cmp.Or(u.Output, 5)
	return u
}

// stop returns the stop reason. Unless Stop is set, it is calls if the reply has tool calls, or else end.
func (r Reply) stop(end, calls string) string {
	if len(r.ToolCalls) > 0 {
		end = calls
	}
	return cmp.Or(r.Stop, end)
}

// pieces splits a text into at most three pieces.
func pieces(text string) []string {
	runes := []rune(text)
	size := max(1, (len(runes)+2)/3)
	var out []string
	for len(runes) > 0 {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

// player writes one reply.
type player struct {
	server *Server
	w      http.ResponseWriter
	gone   <-chan struct{}
	// body compresses the output. If body is nil, the output is not compressed.
	body *gzip.Writer
}

func (p player) play(n int, reply Reply, req Request) {
	if reply.Arrived != nil {
		reply.Arrived()
	}
	if reply.Fault == FaultSilence {
		p.stall()
		return
	}
	for name, value := range reply.Header {
		p.w.Header().Set(name, value)
	}
	if reply.Status != 0 {
		respond(p.w, reply.Status, reply.Body)
		return
	}
	p.w.Header().Set("Content-Type", "text/event-stream")
	if reply.Gzip {
		p.w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(p.w)
		defer func() { _ = packed.Close() }()
		p.body = packed
	}
	if reply.Raw != "" {
		p.send(reply.Raw)
		return
	}
	offered := req.Tools()
	reply.ToolCalls = slices.Clone(reply.ToolCalls)
	for i, call := range reply.ToolCalls {
		reply.ToolCalls[i].ID = cmp.Or(call.ID, fmt.Sprintf("call_%d_%d", n, i+1))
		if call.Offered > 0 && call.Offered <= len(offered) {
			reply.ToolCalls[i].Name = offered[call.Offered-1]
		}
	}
	said, end := req.question.events(n, reply)
	for _, event := range said {
		p.send(event)
	}
	for reply.Fault == FaultEndless && p.present() {
		for _, event := range said {
			p.send(event)
		}
	}
	p.finish(reply, end)
}

func (p player) finish(reply Reply, end []string) {
	switch reply.Fault {
	case FaultCut:
		// The server aborts the connection without ending the answer.
		panic(http.ErrAbortHandler)
	case FaultStall:
		p.stall()
	case FaultError:
		p.send(p.server.protocol.failure(reply.Body))
	case FaultLine:
		p.send("data: ")
		for filler := strings.Repeat(" ", 1<<20); p.present(); {
			p.send(filler)
		}
	case FaultEnd, FaultEndless:
	default:
		for _, event := range end {
			p.send(event)
		}
	}
}

// present reports whether the client is still connected.
func (p player) present() bool {
	select {
	case <-p.gone:
		return false
	case <-p.server.closing:
		return false
	default:
		return true
	}
}

func (p player) stall() {
	select {
	case <-p.gone:
	case <-p.server.closing:
	}
}

// send writes and flushes. It ignores errors: present and stall detect a disconnected client.
func (p player) send(event string) {
	if p.body != nil {
		_, _ = io.WriteString(p.body, event)
		_ = p.body.Flush()
	} else {
		_, _ = io.WriteString(p.w, event)
	}
	_ = http.NewResponseController(p.w).Flush()
}
