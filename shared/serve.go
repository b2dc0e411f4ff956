package shared

import (
	"fmt"
	"os"
	"strconv"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
)

// Serve runs the child's side until the connection is closed. It prints the handshake on os.Stdout. The variables that
// go-plugin reads are set only while it starts. They are removed from the environment before serving is called, which happens
// before the first call can arrive.
func Serve(impl Served, spec LaunchSpec, requests *Requester, serving func()) error {
	vars := map[string]string{
		Handshake().MagicCookieKey: Handshake().MagicCookieValue,
		"PLUGIN_PROTOCOL_VERSIONS": strconv.Itoa(int(Handshake().ProtocolVersion)),
		plugin.EnvUnixSocketDir:    spec.SocketDir,
	}
	before := make(map[string]string)
	for k, v := range vars {
		if old, ok := os.LookupEnv(k); ok { //nolint:forbidigo // go-plugin takes its settings from there
			before[k] = old
		}
		if err := os.Setenv(k, v); err != nil {
			return fmt.Errorf("preparing to serve plugin %q: %w", spec.Name, err)
		}
	}
	ready := func() {
		for k := range vars {
			if old, ok := before[k]; ok {
				_ = os.Setenv(k, old)
			} else {
				_ = os.Unsetenv(k)
			}
		}
		serving()
	}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: Handshake(),
		Plugins:         plugin.PluginSet{PluginKey: &adapter{impl: impl, requests: requests, serving: ready}},
		GRPCServer:      newGRPCServer,
		Logger:          hclog.New(&hclog.LoggerOptions{Level: hclog.Error, Output: os.Stderr}),
	})
	return nil
}
