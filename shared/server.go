package shared

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/native/exact"
	"github.com/idelchi/aura/internal/stack"
	"github.com/idelchi/aura/shared/wire"
)

// Served is what a child serves: a plugin that also reports which growing lists of a context its source mentions.
type Served interface {
	Plugin
	// Touches reports whether the plugin could change the named list inside its context, or the arguments ("Args") within one.
	// It is called after Load.
	Touches(field string) bool
}

// server is the child's side.
type server struct {
	wire.UnimplementedPluginServer
	impl    Served
	in      receiver
	running running
	// requests are what the plugin asks of aura.
	requests *Requester
}

func (s *server) Invoke(ctx context.Context, call *wire.Call) (*wire.Reply, error) {
	stack.Grow()
	switch call.GetVerb() {
	case verbQuiesce:
		return s.quiesce(ctx)
	case verbStats:
		return s.reply(call, Stats{Goroutines: runtime.NumGoroutine()})
	}
	if deadline, ok := ctx.Deadline(); ok && call.GetVerb() != verbLoad {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-Grace))
		defer cancel()
	}
	defer s.running.enter()()
	defer seen(len(call.GetBody()))
	out, err := s.dispatch(ctx, call)
	if err == nil {
		return s.reply(call, out)
	}
	if bad, ok := errors.AsType[*unsendableError](err); ok {
		return &wire.Reply{Failure: unsent("reading the call", bad)}, nil
	}
	var failure *Failure
	if !errors.As(err, &failure) {
		if code := status.FromContextError(err).Code(); code != codes.Unknown {
			return nil, status.Error(code, err.Error())
		}
		return nil, status.Error(codes.Internal, err.Error())
	}
	if len(failure.Message) > MaxMessage {
		return refusal(call, len(failure.Message)), nil
	}
	return &wire.Reply{Failure: &wire.Failure{Kind: string(failure.Kind), Message: []byte(failure.Message)}}, nil
}

func (s *server) dispatch(ctx context.Context, call *wire.Call) (any, error) {
	switch call.GetVerb() {
	case verbLoad:
		return s.impl.Load(ctx)
	case verbHook:
		return s.hook(ctx, call)
	case verbExecute:
		var f toolFrame
		if err := decode(call.GetBody(), &f); err != nil {
			return nil, err
		}
		c, err := s.in.unpack(f.Context, s.impl.Touches)
		if err != nil {
			return nil, err
		}
		return s.impl.Execute(ctx, ToolCall{Tool: f.Tool, Context: c, Args: f.Args, Env: f.Env})
	case verbPaths:
		var asked PathsCall
		if err := decode(call.GetBody(), &asked); err != nil {
			return nil, err
		}
		return s.impl.Paths(ctx, asked)
	case verbEvent:
		var e EventCall
		if err := decode(call.GetBody(), &e); err != nil {
			return nil, err
		}
		return true, s.impl.Event(ctx, e)
	case verbCommand:
		var f commandFrame
		if err := decode(call.GetBody(), &f); err != nil {
			return nil, err
		}
		c, err := s.in.unpack(f.Context, s.impl.Touches)
		if err != nil {
			return nil, err
		}
		return s.impl.Command(ctx, CommandCall{Name: f.Name, Context: c, Args: f.Args, Env: f.Env})
	default:
		return nil, fmt.Errorf("serving a call: unknown verb %q", call.GetVerb())
	}
}

func (s *server) hook(ctx context.Context, call *wire.Call) (any, error) {
	var f hookFrame
	if err := decode(call.GetBody(), &f); err != nil {
		return nil, err
	}
	in, err := s.in.unpackHook(hookpoint.Name(call.GetPoint()), f, s.impl.Touches)
	if err != nil {
		return nil, err
	}
	return s.impl.Hook(ctx, in)
}

func (s *server) quiesce(ctx context.Context) (*wire.Reply, error) {
	select {
	case <-s.running.idle():
		return s.reply(&wire.Call{Verb: verbQuiesce}, true)
	case <-ctx.Done():
		return nil, status.FromContextError(ctx.Err()).Err()
	}
}

// running counts the running calls and lets a caller wait until there are none.
type running struct {
	mu    sync.Mutex
	calls int
	waits []chan struct{}
}

func (r *running) enter() (leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.calls--
		if r.calls > 0 {
			return
		}
		for _, w := range r.waits {
			close(w)
		}
		r.waits = nil
	}
}

func (r *running) idle() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := make(chan struct{})
	if r.calls == 0 {
		close(w)
	} else {
		r.waits = append(r.waits, w)
	}
	return w
}

// reply encodes an answer. An answer over the limit fails only this call.
func (s *server) reply(call *wire.Call, out any) (*wire.Reply, error) {
	if text, ok := out.(string); ok && len(text) > MaxMessage {
		// Encoding the text may need more memory than the plugin has.
		return refusal(call, len(text)), nil
	}
	err := cyclic(out)
	var body []byte
	if err == nil {
		body, err = encode(out)
	}
	if err != nil {
		return &wire.Reply{Failure: unsent("sending the answer to aura", err)}, nil
	}
	if len(body) > MaxMessage {
		return refusal(call, len(body)), nil
	}
	seen(len(body))
	return &wire.Reply{Body: body}, nil
}

// cyclic returns an error for a value that contains itself, because the codec would follow it until the process dies.
func cyclic(v any) error {
	if err := exact.CheckNesting(v); err != nil {
		return &unsendableError{err.Error()}
	}
	return nil
}

// unsent returns the failure of a call whose values cannot be sent over the wire.
func unsent(doing string, err error) *wire.Failure {
	return &wire.Failure{Kind: string(FailureWire), Message: []byte(doing + ": " + err.Error())}
}

func refusal(call *wire.Call, size int) *wire.Reply {
	text := fmt.Sprintf("answering %s: %d bytes are more than the limit of %d MiB for one answer", call.GetVerb(), size, MaxMessage>>20)
	return &wire.Reply{Failure: &wire.Failure{Kind: string(FailureSize), Message: []byte(text)}}
}

// adapter registers both sides with go-plugin.
type adapter struct {
	plugin.NetRPCUnsupportedPlugin
	impl     Served
	requests *Requester
	// serving is called once the child has read everything it needs from its environment and is about to listen.
	serving func()
}

func (a *adapter) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	wire.RegisterPluginServer(s, &server{impl: a.impl, requests: a.requests})
	if a.serving != nil {
		a.serving()
	}
	return nil
}

func (a *adapter) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return Remote(newClient(conn)), nil
}

// Plugins returns the plugin map of aura's side.
func Plugins() plugin.PluginSet {
	return plugin.PluginSet{PluginKey: &adapter{}}
}

// DialOptions returns aura's side of what newGRPCServer sets in the child: the limit of messages, with some room for the envelope, the codec and
// the windows. Streams of go-plugin's own services are refused here and never reach the child. They carry output, which aura reads elsewhere, and
// announce further connections, which nobody makes; go-plugin treats a child without these services as an old one.
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(MaxMessage+1<<20), grpc.MaxCallSendMsgSize(MaxMessage+1<<20), grpc.ForceCodecV2(wire.Codec{})),
		grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window),
		grpc.WithStreamInterceptor(ownStreams),
	}
}

// pluginServices is the beginning of the names of go-plugin's own methods.
const pluginServices = "/plugin."

func ownStreams(ctx context.Context, d *grpc.StreamDesc, conn *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if strings.HasPrefix(method, pluginServices) {
		return nil, status.Error(codes.Unimplemented, "aura does not use "+method)
	}
	return next(ctx, d, conn, method, opts...)
}

// window is how many bytes each side may send before the other has read them. By default, gRPC measures the connection with a ping beside most
// calls and enlarges the windows by that, which a socket between two processes does not need.
const window = 1 << 20

// streamWorkers is how many goroutines a child keeps for calls. A kept goroutine already has a large stack; a new one would
// have to grow its stack by copying, in every call. The stream of Serve permanently occupies one of them. Further concurrent
// calls get their own goroutines.
const streamWorkers = 3

func newGRPCServer(opts []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(opts, grpc.NumStreamWorkers(streamWorkers), grpc.ForceServerCodecV2(wire.Codec{}),
		grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(window),
		grpc.MaxRecvMsgSize(MaxMessage+1<<20), grpc.MaxSendMsgSize(MaxMessage+1<<20))...)
}
