package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/shared"
	"github.com/idelchi/aura/shared/serve"
)

// The exit codes.
const (
	exitDone    = 0
	exitFailure = 1
	exitUsage   = 2
)

const usage = `aura-plugin-host runs one plugin of aura. aura starts it when it needs it; by hand it does nothing.

  --version   print the version, and that of the plugin SDK
  --help      print this text
`

// run is the whole program. It returns when aura has closed the connection, or when the process could not serve.
func run(args []string, stdout, stderr io.Writer) int {
	// Until the plugin is loaded, nearly all allocated memory stays in use, so collecting garbage is useless. Memory profiles
	// are never read.
	debug.SetGCPercent(-1)
	runtime.MemProfileRate = 0
	switch {
	case len(args) == 0:
	case args[0] == "--version":
		_, _ = fmt.Fprintln(stdout, "aura-plugin-host version", build.Read())
		return exitDone
	case args[0] == "--help" || args[0] == "-h":
		_, _ = io.WriteString(stdout, usage)
		return exitDone
	default:
		_, _ = fmt.Fprintf(stderr, "aura-plugin-host: unknown argument %q\n\n%s", args[0], usage)
		return exitUsage
	}
	err := child()
	if errors.Is(err, errByHand) {
		_, _ = io.WriteString(stderr, usage)
		return exitUsage
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "aura-plugin-host:", err)
		return exitFailure
	}
	return exitDone
}

// standard holds the files of the descriptors 0 to 2, which the runtime would close as soon as nobody refers to them.
var standard = [...]*os.File{os.Stdin, os.Stdout, os.Stderr}

// errByHand reports that the descriptors that aura passes are missing.
var errByHand = errors.New("not started by aura")

// child reads the launch specification and serves the plugin that it describes.
func child() error {
	spec, err := receive()
	if err != nil {
		return err
	}
	processors.Store(int64(spec.Processors))
	sandbox.Rename("aura-plugin-host")
	var call shared.OnceCall
	if spec.Once {
		if call, err = shared.ReadOnceCall(os.Stdin); err != nil {
			return err
		}
	}
	out, handshake, err := separate()
	if err != nil {
		return err
	}
	os.Stdout, os.Stderr = out.stdout, out.stderr
	defer runtime.KeepAlive(standard)
	watch(spec.Isolated)
	limit(spec)
	requests := shared.NewRequester()
	p := newPlugin(out, spec, requests)
	if spec.Once {
		// The plugin finds an empty standard input, as always.
		replies, err := takeInput()
		if err != nil {
			return err
		}
		link := shared.NewOnceLink(replies, handshake)
		// The error says that aura is gone.
		go func() { _ = link.Serve(requests) }()
		return p.once(spec, call, link)
	}
	// At this point the socket is open, and no file of the plugin has been read yet.
	return serve.Serve(serve.Options{
		Server: shared.NewServer(p, requests), SocketDir: spec.SocketDir, Handshake: handshake, Listening: func() {
			if p.confine(spec) {
				go p.load()
			}
		},
	})
}

// receive reads the launch specification.
func receive() (shared.LaunchSpec, error) {
	keepFromChildren(shared.LifelineFD, shared.LaunchFD)
	f := launchFile()
	if f == nil {
		return shared.LaunchSpec{}, errByHand
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		// The descriptor may belong to the Go runtime, so it is not closed.
		return shared.LaunchSpec{}, errByHand
	}
	spec, err := shared.ReadLaunchSpec(f)
	end := shared.GrantsFD
	if spec.Sandbox != nil {
		spec.Sandbox.Receive(shared.GrantsFD)
		for range spec.Sandbox.Files() {
			keepFromChildren(end)
			end++
		}
	}
	closeInherited(end)
	return spec, errors.Join(err, endLaunch(f))
}

// streams holds the output files of this process. The plugin receives stdout and stderr and may close them.
type streams struct {
	stdout, stderr *os.File
}
