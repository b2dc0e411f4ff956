package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/system/process"
)

// maxLastWords is how many bytes of a program's stderr are kept.
const maxLastWords = 2 << 10

// serverProcess is a running server. The creator must call stop.
type serverProcess struct {
	*process.Process
	stdin, stdout *os.File
	last          *process.Tail
	once          sync.Once
}

// startProcess starts a server. If it fails, nothing is left open or running.
func startProcess(ctx context.Context, s Server, o Options) (*serverProcess, error) {
	launch := s.launch()
	env := launch.Environ(environ(o.Environ, s.Env))
	path, err := interp.LookPathDir(o.Workdir, expand.ListEnviron(env...), s.Command)
	if err == nil {
		err = launch.Check(path)
	}
	if err != nil {
		return nil, err
	}
	stdin, toStdin, err1 := os.Pipe()
	fromStdout, stdout, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		closeAll(stdin, toStdin, fromStdout, stdout)
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	p := &serverProcess{stdin: toStdin, stdout: fromStdout, last: &process.Tail{Max: maxLastWords}}
	spec := process.Spec{
		Path: path, Args: append([]string{s.Command}, s.Args...), Env: env, Dir: o.Workdir,
		Stdin: stdin, Stdout: stdout, Stderr: p.last, Guard: true, Mark: "AURA_MCP",
	}
	if o.Executable != "" {
		spec = spec.Reaped(o.Executable)
	}
	p.Process, err = launch.Start(ctx, spec)
	closeAll(stdin, stdout)
	if err != nil {
		closeAll(toStdin, fromStdout)
		return nil, err
	}
	return p, nil
}

// launch returns the server's Launch with every function set.
func (s Server) launch() Launch {
	out := Launch{}
	if s.Launch != nil {
		out = *s.Launch
	}
	if out.Environ == nil {
		out.Environ = func(env []string) []string { return env }
	}
	if out.Outdated == nil {
		out.Outdated = func() string { return "" }
	}
	if out.Check == nil {
		out.Check = func(string) error { return nil }
	}
	if out.Start == nil {
		out.Start = func(_ context.Context, s process.Spec) (*process.Process, error) { return process.Start(s) }
	}
	return out
}

// closeAll closes the files that were opened.
func closeAll(files ...*os.File) {
	for _, f := range files {
		// Close of a nil file only returns an error.
		_ = f.Close()
	}
}

func (p *serverProcess) transport(g *gate) sdk.Transport {
	return gatedTransport{&sdk.IOTransport{Reader: p.stdout, Writer: p.stdin, MaxLineLength: limit.MCPMessage}, g}
}

// stop closes the program's input, then sends a signal, and finally kills the program. When stop returns, the program and its
// descendants have ended.
func (p *serverProcess) stop(_ <-chan struct{}, grace time.Duration) {
	p.once.Do(func() {
		p.Stop(grace, func() { _ = p.stdin.Close() }, p.Terminate)
		_ = p.stdout.Close()
	})
}

// story describes how the program ended, if it did, and its last output.
func (p *serverProcess) story() string {
	var out []string
	select {
	case <-p.Exited():
		out = append(out, "it ended: "+ending(p.Wait()))
	default:
	}
	if said := lastWords(p.last); said != "" {
		out = append(out, fmt.Sprintf("its last words: %q", said))
	}
	return strings.Join(out, "; ")
}

func ending(err error) string {
	if err == nil {
		return "exit status 0"
	}
	// Shells and reapers report a signal in this way.
	const signaled, signals = 128, 64
	if code, exited := process.ExitCode(err); exited && code > signaled && code <= signaled+signals {
		return fmt.Sprintf("%v (%v)", err, syscall.Signal(code-signaled))
	}
	return err.Error()
}

// lastWords returns the last output of a program, without invalid UTF-8.
func lastWords(last *process.Tail) string {
	return strings.TrimSpace(strings.ToValidUTF8(last.String(), ""))
}
