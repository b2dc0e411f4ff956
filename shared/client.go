package shared

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared/wire"
)

// The verbs of the wire protocol.
const (
	verbLoad    = "load"
	verbHook    = "hook"
	verbExecute = "execute"
	verbPaths   = "paths"
	verbCommand = "command"
	verbEvent   = "event"
	verbQuiesce = "quiesce"
	verbStats   = "stats"
)

// Conn is a connection to a child.
type Conn interface {
	// Invoke makes one call.
	Invoke(ctx context.Context, call *wire.Call) (*wire.Reply, error)
	// Serve opens the stream of what the plugin asks of aura. It ends with ctx.
	Serve(ctx context.Context) (AnswerStream, error)
}

// AnswerStream is aura's side of the stream that carries requests of the plugin, and the answers.
type AnswerStream interface {
	Send(a *wire.Answer) error
	Recv() (*wire.Request, error)
}

// NewRemote returns the plugin at the other end of a connection.
func NewRemote(conn Conn) Remote { return newClient(conn) }

// client is aura's side of one child. An error that is a *Failure came from the plugin; any other error came from the wire.
type client struct {
	rpc Conn
	out *sender
	// most is the size of the largest call, in bytes.
	most int
}

func newClient(conn Conn) *client { return &client{rpc: conn, out: newSender(), most: MaxMessage} }

func (c *client) Load(ctx context.Context) (Exports, error) {
	var out Exports
	err := c.invoke(ctx, &wire.Call{Verb: verbLoad}, &out)
	// Setting unread needs no lock, because the child is not called before it is loaded.
	c.out.unread = out.Unread
	return out, err
}

func (c *client) Hook(ctx context.Context, call HookCall) (any, error) {
	point, err := lookup(call.Point)
	if err != nil {
		return nil, err
	}
	out := reflect.New(point.Result)
	err = c.send(ctx, &wire.Call{Verb: verbHook, Point: string(call.Point)}, out.Interface(), func(s *sender, f fit) (any, func(bool), error) {
		return s.packHook(f.hook(call))
	})
	if err != nil && out.Elem().IsZero() {
		return nil, err
	}
	return out.Elem().Interface(), err
}

func (c *client) Execute(ctx context.Context, call ToolCall) (string, error) {
	var out string
	err := c.send(ctx, &wire.Call{Verb: verbExecute}, &out, func(s *sender, f fit) (any, func(bool), error) {
		frame, ack := s.pack(f.context(call.Context))
		return toolFrame{Tool: call.Tool, Context: frame, Args: call.Args, Env: call.Env}, ack, nil
	})
	return out, err
}

func (c *client) Paths(ctx context.Context, call PathsCall) (sdk.ToolPaths, error) {
	var out sdk.ToolPaths
	err := c.send(ctx, &wire.Call{Verb: verbPaths}, &out, func(*sender, fit) (any, func(bool), error) {
		return call, func(bool) {}, nil
	})
	return out, err
}

func (c *client) Event(ctx context.Context, e EventCall) error {
	var out bool
	return c.send(ctx, &wire.Call{Verb: verbEvent}, &out, func(*sender, fit) (any, func(bool), error) {
		return e, func(bool) {}, nil
	})
}

func (c *client) Command(ctx context.Context, call CommandCall) (sdk.CommandResult, error) {
	var out sdk.CommandResult
	err := c.send(ctx, &wire.Call{Verb: verbCommand}, &out, func(s *sender, f fit) (any, func(bool), error) {
		frame, ack := s.pack(f.context(call.Context))
		return commandFrame{Name: call.Name, Context: frame, Args: call.Args, Env: call.Env}, ack, nil
	})
	return out, err
}

func (c *client) Quiesce(ctx context.Context) error {
	var out bool
	return c.invoke(ctx, &wire.Call{Verb: verbQuiesce}, &out)
}

func (c *client) Stats(ctx context.Context) (Stats, error) {
	var out Stats
	err := c.invoke(ctx, &wire.Call{Verb: verbStats}, &out)
	return out, err
}

// packing creates the body of a call, with its lists reduced by f, and a function that must be called when the call is over.
type packing func(s *sender, f fit) (body any, ack func(answered bool), err error)

// send encodes the body and makes the call. Once the child has answered, even with a failure, send acknowledges the history in
// the call, because the child has read it by then.
func (c *client) send(ctx context.Context, call *wire.Call, out any, pack packing) error {
	ack, err := c.body(call, pack)
	if err != nil {
		return err
	}
	err = c.invoke(ctx, call, out)
	failure, failed := err.(*Failure) //nolint:errorlint // invoke returns a *Failure unwrapped
	ack(err == nil || failed && failure.Kind != FailureWire)
	return err
}

// body sets the body of a call. A body that is too large is created again with shorter lists, so that the plugin, which may be
// a guard, is called anyway.
func (c *client) body(call *wire.Call, pack packing) (func(bool), error) {
	body, ack, err := pack(c.out, asItIs)
	if err == nil {
		call.Body, err = encode(body)
	}
	size := len(call.Body)
	for i := 0; err == nil && len(call.Body) > c.most; i++ {
		ack(false)
		if i == len(oversizeFits) {
			return nil, fmt.Errorf("sending %s: %d bytes are more than the limit of %d MiB for one call", call.Verb, size, MaxMessage>>20)
		}
		body, ack, err = pack(&sender{unread: c.out.unread, apart: true}, oversizeFits[i])
		if err == nil {
			call.Body, err = encode(body)
		}
	}
	if err != nil && ack != nil {
		ack(false)
	}
	if _, ok := errors.AsType[*unsendableError](err); ok {
		err = fmt.Errorf("sending the call to the plugin: %w", err)
	}
	return ack, err
}

func (c *client) invoke(ctx context.Context, call *wire.Call, out any) error {
	reply, err := c.rpc.Invoke(ctx, call)
	if err != nil {
		seen(len(call.Body))
		return err
	}
	seen(len(call.Body) + len(reply.Body))
	if f := reply.Failure; f != nil && len(reply.Body) == 0 {
		return &Failure{Kind: FailureKind(f.Kind), Message: string(f.Message)}
	}
	if err := decode(reply.Body, out); err != nil {
		return fmt.Errorf("reading the plugin's answer: %w", err)
	}
	if f := reply.Failure; f != nil {
		return &Failure{Kind: FailureKind(f.Kind), Message: string(f.Message)}
	}
	return nil
}
