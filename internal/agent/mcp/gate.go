package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/base/limit"
)

// gate sees every message of a server before it is queued, and drops what aura has no use for. A server that sends too much is
// disconnected. So the memory that a server can use does not depend on how much it sends.
type gate struct {
	// flooded is called once, when the server sent too much.
	flooded func(why error)
	// heard receives the parameters of a notification that aura shows. It must not block, because it is called while messages are read.
	heard func(method string, params json.RawMessage)

	mu sync.Mutex
	// pending counts the requests of the server that are not answered. unasked counts the messages since the start of the minute that
	// answer no request of aura.
	pending, unasked int
	minute           time.Time
	failed           error
}

// wanted holds the notifications that aura acts on. They carry nothing but their name, so longer ones are dropped too.
var wanted = map[string]bool{
	"notifications/tools/list_changed": true, "notifications/prompts/list_changed": true, "notifications/resources/list_changed": true,
	"notifications/subscriptions/acknowledged": true,
}

// shown holds the notifications that the gate itself hands on, so that none is ever queued.
var shown = map[string]bool{methodProgress: true, methodLog: true}

const (
	methodProgress = "notifications/progress"
	methodLog      = "notifications/message"
)

// shortMessage is the maximum size of a notification, in bytes. Longer ones are dropped.
const shortMessage = 4 << 10

// header describes a message.
type header struct {
	// method is empty for an answer to a request of aura. request is set if the server waits for an answer.
	method  string
	request bool
	// size is the size of the message or of its parameters, in bytes.
	size int
	// params are the parameters of a notification of at most shortMessage bytes.
	params json.RawMessage
}

// admit reports whether a message is passed on. The error ends the connection.
func (g *gate) admit(m header) (bool, error) {
	pass, err := g.count(m)
	if err == nil && shown[m.method] && m.size <= shortMessage && !m.request && g.heard != nil {
		g.heard(m.method, m.params)
	}
	return pass, err
}

// count counts a message, and decides for admit.
func (g *gate) count(m header) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed != nil || m.method == "" {
		return g.failed == nil, g.failed
	}
	if now := time.Now(); now.Sub(g.minute) > time.Minute {
		g.minute, g.unasked = now, 0
	}
	if g.unasked++; g.unasked > limit.MCPUnasked {
		return false, g.fail(fmt.Errorf("it sent more than %d messages in a minute that aura did not ask for, which is the limit", limit.MCPUnasked))
	}
	if m.request {
		if g.pending++; g.pending > limit.MCPRequests {
			return false, g.fail(fmt.Errorf("it has more than %d requests that are not answered, which is the limit", limit.MCPRequests))
		}
		return true, nil
	}
	return wanted[m.method] && m.size <= shortMessage, nil
}

func (g *gate) fail(why error) error {
	g.failed = why
	g.flooded(why)
	return why
}

// answered records that a request of the server was answered.
func (g *gate) answered() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending = max(0, g.pending-1)
}

// failure returns why the server was disconnected, or nil.
func (g *gate) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failed
}

// gatedTransport passes the messages of a transport through a gate.
type gatedTransport struct {
	sdk.Transport
	gate *gate
}

// Connect implements sdk.Transport.
func (t gatedTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return gatedConnection{c, t.gate}, nil
}

type gatedConnection struct {
	sdk.Connection
	gate *gate
}

// Read returns the next message that the gate admits.
func (c gatedConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := c.Connection.Read(ctx)
		if err != nil {
			return nil, err
		}
		var h header
		if r, ok := m.(*jsonrpc.Request); ok {
			h = header{method: r.Method, request: r.IsCall(), size: len(r.Params), params: r.Params}
		}
		pass, err := c.gate.admit(h)
		if err != nil {
			return nil, err
		}
		if pass {
			return m, nil
		}
	}
}

// Write counts the answers to requests of the server.
func (c gatedConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		c.gate.answered()
	}
	return err
}
