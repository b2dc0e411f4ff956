// Package serve is the child's side of the connection with aura. It speaks go-plugin's handshake and as much of gRPC as two methods need. The
// libraries of go-plugin, gRPC and protobuf would take a child a fifth of the processor time of its start.
package serve

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/idelchi/aura/shared"
)

// Options configure Serve.
type Options struct {
	// Server makes the calls.
	Server *shared.Server
	// SocketDir is the directory of the socket. It belongs to this child alone.
	SocketDir string
	// Handshake receives the line that says where the child listens.
	Handshake io.Writer
	// Listening is called when the socket is open, before aura can connect to it.
	Listening func()
}

// Serve listens for aura and serves its calls. It returns only with an error: aura kills a child that it no longer needs.
func Serve(o Options) error {
	l, err := listen(o.SocketDir)
	if err != nil {
		return fmt.Errorf("listening for aura: %w", err)
	}
	// An interrupt is for aura, which decides what it means for plugins. It is not ignored, because programs that a plugin starts would
	// ignore it too.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	o.Listening()
	if _, err := fmt.Fprintf(o.Handshake, "%d|%d|%s|%s|grpc\n", coreProtocol, shared.ProtocolVersion, l.Addr().Network(), l.Addr()); err != nil {
		return fmt.Errorf("telling aura where the plugin listens: %w", err)
	}
	return accept(l, o.Server)
}

// coreProtocol is the version of go-plugin's handshake.
const coreProtocol = 1

// socketName is the name of the socket. It is short, because the path of a socket has few bytes.
const socketName = "s"

// listen opens the socket. go-plugin expects a port on Windows.
func listen(dir string) (net.Listener, error) {
	if runtime.GOOS == "windows" {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	return net.Listen("unix", filepath.Join(dir, socketName))
}

// workers is how many goroutines a child keeps for calls. A kept goroutine already has a large stack; a new one would have to grow its stack by
// copying, in every call. The stream of requests permanently occupies one of them. Further concurrent calls get their own goroutines.
const workers = 3

// accept serves all connections of a listener. gRPC connects again if nothing was sent for a long time.
func accept(l net.Listener, s *shared.Server) error {
	jobs := make(chan func())
	for range workers {
		go func() {
			for job := range jobs {
				job()
			}
		}()
	}
	start := func(job func()) {
		select {
		case jobs <- job:
		default:
			go job()
		}
	}
	defer close(jobs)
	var conns sync.WaitGroup
	defer conns.Wait()
	for {
		nc, err := l.Accept()
		if err != nil {
			return fmt.Errorf("listening for aura: %w", err)
		}
		conns.Go(newConn(nc, start, handler{s}.serve).run)
	}
}
