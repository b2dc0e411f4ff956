// Package client connects aura to a child, by go-plugin and gRPC.
package client

import (
	"context"
	"strings"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/idelchi/aura/shared"
	"github.com/idelchi/aura/shared/wire"
)

// Handshake returns what go-plugin expects of every child.
func Handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{ProtocolVersion: shared.ProtocolVersion, MagicCookieKey: "AURA_PLUGIN_HOST", MagicCookieValue: "interpreted"}
}

// Plugins returns go-plugin's map of what a child serves.
func Plugins() plugin.PluginSet { return plugin.PluginSet{shared.PluginKey: &dispenser{}} }

// dispenser makes the client of a connection.
type dispenser struct{ plugin.NetRPCUnsupportedPlugin }

// GRPCServer is the child's side, which go-plugin does not serve.
func (*dispenser) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return status.Error(codes.Unimplemented, "aura serves no plugin")
}

// GRPCClient returns the plugin as a shared.Remote.
func (*dispenser) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return New(conn), nil
}

// New returns the plugin at the other end of a connection.
func New(conn grpc.ClientConnInterface) shared.Remote { return shared.NewRemote(connection{conn}) }

// connection is a connection of gRPC.
type connection struct{ rpc grpc.ClientConnInterface }

// Invoke makes one call.
func (c connection) Invoke(ctx context.Context, call *wire.Call) (*wire.Reply, error) {
	reply := &wire.Reply{}
	if err := c.rpc.Invoke(ctx, wire.MethodInvoke, call, reply); err != nil {
		return nil, err
	}
	return reply, nil
}

// Serve opens the stream of the plugin's requests.
func (c connection) Serve(ctx context.Context) (shared.AnswerStream, error) {
	s, err := c.rpc.NewStream(ctx, &grpc.StreamDesc{StreamName: "Serve", ServerStreams: true, ClientStreams: true}, wire.MethodServe)
	return stream{s}, err
}

type stream struct{ rpc grpc.ClientStream }

// Send sends an answer.
func (s stream) Send(a *wire.Answer) error { return s.rpc.SendMsg(a) }

// Recv receives a request.
func (s stream) Recv() (*wire.Request, error) {
	request := &wire.Request{}
	return request, s.rpc.RecvMsg(request)
}

// DialOptions returns the options of the connection. By default, gRPC measures the connection with a ping beside most calls and enlarges the
// windows by that, which a socket between two processes does not need. Streams of go-plugin's own services are refused here and never reach the
// child. They carry output, which aura reads elsewhere, and announce further connections, which nobody makes; go-plugin treats a child without
// these services as an old one.
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(shared.MaxFrame), grpc.MaxCallSendMsgSize(shared.MaxFrame), grpc.ForceCodecV2(codec{})),
		grpc.WithInitialWindowSize(shared.Window), grpc.WithInitialConnWindowSize(shared.Window),
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
