package host

import (
	"context"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/idelchi/aura/shared"
)

// pluginKey is the name under which a child serves its one plugin.
const pluginKey = "plugin"

// handshake returns the version that a child must have. The cookie is go-plugin's way of keeping a child from being started by hand; a
// child of aura needs its launch specification.
func handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{ProtocolVersion: shared.Protocol, MagicCookieKey: "AURA_PLUGIN_HOST", MagicCookieValue: "interpreted"}
}

// plugins returns go-plugin's map of what can be served.
func plugins() plugin.PluginSet { return plugin.PluginSet{pluginKey: adapter{}} }

// adapter connects to a child for go-plugin.
type adapter struct{ plugin.NetRPCUnsupportedPlugin }

// GRPCServer does nothing: shared.Serve is the server.
func (adapter) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error { return nil }

// GRPCClient returns the child's plugin.
func (adapter) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return shared.NewRemote(conn), nil
}
