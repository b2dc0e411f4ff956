package llmtest

import (
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/llm"
)

// Reply is an answer to play. Thinking, text and tool calls are said in that order, each split over several events.
type Reply struct {
	Thinking string
	// Redacted is thinking that an Anthropic service hides.
	Redacted  string
	Text      string
	ToolCalls []ToolCall
	// Usage is 10 tokens in and 5 out if it is zero.
	Usage llm.Usage
	// Stop is the reason to stop, as the protocol spells it; empty is the one that fits.
	Stop string

	// Fault is what becomes of the reply once all is said.
	Fault Fault
	// Status, if set, is answered with Header and Body in place of a stream. It may be 200.
	Status int
	Header map[string]string
	// Body is also that of FaultError.
	Body string
	// Raw, if set, is the whole stream.
	Raw string
	// Gzip compresses the stream.
	Gzip bool
	// Arrived, if set, is called when the request is there.
	Arrived func()
}

// ToolCall is a call to say.
type ToolCall struct {
	// ID is made up if it is empty.
	ID, Name string
	// Offered, if set, calls one of the tools that are offered, from 1, by the name under which it is.
	Offered int
	// Arguments are sent as they are.
	Arguments string
}

// Fault is a way in which a stream goes wrong.
type Fault int

// The ways in which a stream goes wrong.
const (
	// FaultNone is a stream that ends as it should.
	FaultNone Fault = iota
	// FaultCut loses the connection.
	FaultCut
	// FaultEnd ends the stream in order, yet before its end.
	FaultEnd
	// FaultStall sends nothing more, until the client goes away.
	FaultStall
	// FaultSilence never answers, until the client goes away.
	FaultSilence
	// FaultError ends the stream with an error.
	FaultError
	// FaultEndless says all of it again and again, until the client goes away.
	FaultEndless
	// FaultLine sends a line that never ends, until the client goes away.
	FaultLine
)

// Text is a reply of a text.
func Text(text string) Reply { return Reply{Text: text} }

// Call is a reply that calls a tool.
func Call(name, arguments string) Reply {
	return Reply{ToolCalls: []ToolCall{{Name: name, Arguments: arguments}}}
}

// Fail is a reply of a status and a body.
func Fail(status int, body string) Reply { return Reply{Status: status, Body: body} }

func (r Reply) usage() llm.Usage {
	u := r.Usage
	u.Input, u.Output = cmp.Or(u.Input, 10), cmp.Or(u.Output, 5)
	return u
}

// pieces cuts a text into three, or less if there is less.
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
	// body compresses what is written; nil writes it as it is.
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
	offered := p.server.protocol.offered(req)
	reply.ToolCalls = slices.Clone(reply.ToolCalls)
	for i, call := range reply.ToolCalls {
		if call.Offered > 0 && call.Offered <= len(offered) {
			reply.ToolCalls[i].Name = offered[call.Offered-1]
		}
	}
	said, end := p.server.protocol.events(n, reply, req)
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
		// The server ends the connection without ending the answer.
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

// present reports whether the client still waits.
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

// send writes and flushes. A client that is gone is found out by whoever waits for it.
func (p player) send(event string) {
	if p.body != nil {
		_, _ = io.WriteString(p.body, event)
		_ = p.body.Flush()
	} else {
		_, _ = io.WriteString(p.w, event)
	}
	_ = http.NewResponseController(p.w).Flush()
}
