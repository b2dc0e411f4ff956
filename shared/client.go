package shared

import (
	"context"
	"fmt"
	"reflect"

	"google.golang.org/grpc"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared/wire"
)

// The verbs of the wire.
const (
	verbLoad    = "load"
	verbHook    = "hook"
	verbExecute = "execute"
	verbPaths   = "paths"
	verbCommand = "command"
	verbQuiesce = "quiesce"
)

// client is aura's side of one child. An error that is a *Failure came from the plugin; any other from the wire.
type client struct {
	rpc wire.PluginClient
	out *sender
}

func newClient(conn grpc.ClientConnInterface) *client {
	return &client{rpc: wire.NewPluginClient(conn), out: newSender()}
}

func (c *client) Load(ctx context.Context) (Exports, error) {
	var out Exports
	err := c.invoke(ctx, &wire.Call{Verb: verbLoad}, &out)
	return out, err
}

func (c *client) Hook(ctx context.Context, call HookCall) (any, error) {
	point, err := lookup(call.Point)
	if err != nil {
		return nil, err
	}
	frame, ack, err := c.out.packHook(call)
	if err != nil {
		return nil, err
	}
	out := reflect.New(point.Result)
	if err := c.send(ctx, &wire.Call{Verb: verbHook, Point: string(call.Point)}, frame, ack, out.Interface()); err != nil {
		return nil, err
	}
	return out.Elem().Interface(), nil
}

func (c *client) Execute(ctx context.Context, call ToolCall) (string, error) {
	frame, ack := c.out.pack(call.Context)
	var out string
	err := c.send(ctx, &wire.Call{Verb: verbExecute}, toolFrame{Context: frame, Args: call.Args, Env: call.Env}, ack, &out)
	return out, err
}

func (c *client) Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error) {
	var out sdk.ToolPaths
	err := c.send(ctx, &wire.Call{Verb: verbPaths}, args, func() {}, &out)
	return out, err
}

func (c *client) Command(ctx context.Context, call CommandCall) (sdk.CommandResult, error) {
	frame, ack := c.out.pack(call.Context)
	var out sdk.CommandResult
	err := c.send(ctx, &wire.Call{Verb: verbCommand}, commandFrame{Context: frame, Args: call.Args, Env: call.Env}, ack, &out)
	return out, err
}

func (c *client) Quiesce(ctx context.Context) error {
	var out bool
	return c.invoke(ctx, &wire.Call{Verb: verbQuiesce}, &out)
}

// send encodes the body, makes the call, and acknowledges the history in it once the child has answered, be it with a
// failure: it had read the call by then.
func (c *client) send(ctx context.Context, call *wire.Call, body any, ack func(), out any) error {
	var err error
	if call.Body, err = encode(body); err != nil {
		return err
	}
	if len(call.Body) > MaxMessage {
		return fmt.Errorf("sending %s: %d bytes are more than the limit of %d MiB for one call", call.GetVerb(), len(call.Body), MaxMessage>>20)
	}
	err = c.invoke(ctx, call, out)
	if _, answered := err.(*Failure); err == nil || answered { //nolint:errorlint // invoke returns a *Failure unwrapped
		ack()
	}
	return err
}

func (c *client) invoke(ctx context.Context, call *wire.Call, out any) error {
	reply, err := c.rpc.Invoke(ctx, call)
	if err != nil {
		return err
	}
	if f := reply.GetFailure(); f != nil {
		return &Failure{Kind: FailureKind(f.GetKind()), Message: string(f.GetMessage())}
	}
	return decode(reply.GetBody(), out)
}
