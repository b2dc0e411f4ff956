package shared

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
)

// The first fields of the handshake: the version of go-plugin's protocol, and that of aura's.
const (
	coreProtocol = 1
	// Protocol changes with every incompatible change of the wire.
	Protocol = 1
)

// Serve runs the child's side until the connection is closed. It speaks go-plugin's protocol without go-plugin, whose server links
// much that a child does not need: a line on handshake says where the child listens, and the rest is gRPC. aura treats the services that go-plugin's
// server has in addition, for output and for further connections, as absent. serving is called when the socket is open.
func Serve(impl Served, spec LaunchSpec, requests *Requester, handshake io.Writer, serving func()) error {
	listener, err := listen(spec.SocketDir)
	if err != nil {
		return fmt.Errorf("opening a socket for plugin %q: %w", spec.Name, err)
	}
	// An interrupt is meant for aura, which then decides what becomes of its children.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	server := newGRPCServer(impl, requests)
	serving()
	addr := listener.Addr()
	if _, err := fmt.Fprintf(handshake, "%d|%d|%s|%s|grpc|\n", coreProtocol, Protocol, addr.Network(), addr); err != nil {
		return fmt.Errorf("announcing the socket of plugin %q: %w", spec.Name, err)
	}
	if err := server.Serve(listener); err != nil {
		return fmt.Errorf("serving plugin %q: %w", spec.Name, err)
	}
	return nil
}

// listen opens the socket in the directory, which aura makes for each child. On Windows aura connects by TCP.
func listen(dir string) (net.Listener, error) {
	if runtime.GOOS == "windows" {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	return net.Listen("unix", filepath.Join(dir, "plugin"))
}
