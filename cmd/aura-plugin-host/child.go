package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/idelchi/aura/internal/build"
	"github.com/idelchi/aura/internal/interp"
	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/shared"
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

// run is the whole program. It returns when aura has closed the connection, or with what kept it from serving.
func run(args []string, stdout, stderr io.Writer) int {
	// Until the plugin is loaded nearly everything that is allocated stays. Nobody reads a profile of it.
	debug.SetGCPercent(-1)
	narrow()
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

// errByHand means that nobody passed the descriptors that aura passes.
var errByHand = errors.New("not started by aura")

// child becomes what the launch specification says and serves it.
func child() error {
	spec, err := receive()
	if err != nil {
		return err
	}
	sandbox.Rename("aura-plugin-host")
	var call shared.OnceCall
	if spec.Once {
		// All of it is read, so that the plugin finds its standard input empty, as always.
		if call, err = shared.ReadOnceCall(os.Stdin); err != nil {
			return err
		}
	}
	out, err := separate()
	if err != nil {
		return err
	}
	watch(spec.Isolated)
	limit(spec)
	p := newPlugin(out, interp.Options{
		Name: spec.Name, Dir: spec.Dir, Unsafe: spec.Unsafe, Tool: spec.Tool,
		Stdout: out.stdout, Stderr: out.stderr,
	})
	if spec.Once {
		return p.once(spec, call)
	}
	// The socket is open by now and nothing of the plugin is read yet.
	return shared.Serve(p, spec, func() {
		if p.confine(spec) {
			go p.load()
		}
	})
}

// receive reads the launch specification.
func receive() (shared.LaunchSpec, error) {
	keepFromChildren(shared.LaunchFD, shared.LifelineFD)
	f := launchFile()
	if f == nil {
		return shared.LaunchSpec{}, errByHand
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		// The number may belong to something of the runtime's, so it is not closed.
		return shared.LaunchSpec{}, errByHand
	}
	closeInherited(shared.LifelineFD + 1)
	spec, err := shared.ReadLaunchSpec(f)
	return spec, errors.Join(err, endLaunch(f))
}

// streams are the files by which this process speaks. The plugin is given stdout and stderr and may close them.
type streams struct {
	stdout, stderr *os.File
}

// restore undoes what go-plugin does when it begins to serve: it sends what is printed over the connection, which aura does not
// read.
func (s streams) restore() { os.Stdout, os.Stderr = s.stdout, s.stderr }
