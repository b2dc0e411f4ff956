package host

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/shared"
)

// hostName is the name of a child in process lists. A child may be started from a descriptor, which has no useful name.
const hostName = "aura-plugin-host"

// maxHandshake is the longest handshake line that aura accepts, in bytes.
const maxHandshake = 4096

// markName is the variable that identifies the descendants of a child where there is no process namespace.
const markName = "AURA_PLUGIN_HOST"

// hostProcess is one child process. It implements go-plugin's runner, which only reads the handshake from it. The caller that
// starts it must kill it.
type hostProcess struct {
	binary  string
	workdir string
	env     []string
	spec    shared.LaunchSpec
	log     *logFile
	// input is the child's standard input. If it is nil, standard input is empty.
	input *os.File

	stdout *os.File
	tail   *lastOutput

	mu     sync.Mutex
	proc   *process.Process // nil until the child runs
	killed bool
}

func newProcess(binary, workdir string, env []string, spec shared.LaunchSpec, log *logFile) *hostProcess {
	return &hostProcess{binary: binary, workdir: workdir, env: env, spec: spec, log: log, tail: newLastOutput()}
}

// Start starts the child and sends it its launch specification.
func (p *hostProcess) Start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	stdoutR, stdout, err1 := os.Pipe()
	launch, launchW, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		closeAll(stdoutR, stdout, launch, launchW)
		return fmt.Errorf("making a pipe for the child: %w", err)
	}
	visit, err := p.connect()
	if err == nil {
		err = p.run(p.specification(stdoutR, stdout, launch))
	}
	visit.Sent()
	closeAll(stdout, launch)
	if err != nil {
		visit.Close()
		closeAll(stdoutR, launchW)
		return err
	}
	if visit != nil {
		go func() {
			<-p.exited()
			visit.Close()
		}()
	}
	p.stdout = stdoutR
	err = p.spec.Encode(launchW)
	if launchIsLifeline {
		go func() {
			<-p.exited()
			_ = launchW.Close()
		}()
		return err
	}
	return errors.Join(err, launchW.Close())
}

// connect gives the child a way to the network, if its policy has rules for it.
func (p *hostProcess) connect() (*sandbox.Visit, error) {
	if p.spec.Sandbox == nil {
		return nil, nil
	}
	policy, visit, err := p.spec.Sandbox.Connect()
	p.spec.Sandbox = &policy
	return visit, err
}

// specification describes the child's process. If the system permits it, the child is the first process of a namespace, so that
// all its descendants die with it, whatever they do. A child that confines itself also has its own mounts. aura always reads
// the child's output, so that printing never blocks the child.
func (p *hostProcess) specification(stdoutR, stdout, launch *os.File) process.Spec {
	s := process.Spec{
		Path: p.binary, Args: []string{hostName}, Dir: p.workdir, Env: p.env,
		Stdout: stdout, Stderr: io.MultiWriter(p.tail, p.log), ReadEnds: []*os.File{stdoutR},
		Isolation: process.OwnProcesses, Weaker: sandbox.KeepPrograms, Reaper: true, Mark: markName,
	}
	var granted []*os.File
	if p.spec.Sandbox != nil {
		s.Isolation, granted = process.OwnMounts, p.spec.Sandbox.Files()
	}
	if p.input != nil {
		s.Stdin = p.input
	}
	pass(&s, launch, granted)
	return s
}

// run starts the process, unless it was already killed, and records the isolation that the child must know about.
func (p *hostProcess) run(s process.Spec) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return fmt.Errorf("starting plugin %q: cancelled", p.spec.Name)
	}
	proc, err := process.Start(s)
	if err != nil {
		return fmt.Errorf("starting %s: %w", p.binary, err)
	}
	p.proc = proc
	p.spec.Isolated, p.spec.PrivateMounts = proc.Isolation() >= process.OwnProcesses, proc.Isolation() >= process.OwnMounts
	return nil
}

// running returns the process, or nil until the child runs.
func (p *hostProcess) running() *process.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.proc
}

// exited returns a channel that is closed when the child and all its descendants are gone and its output has been read. The
// channel is nil until the child runs.
func (p *hostProcess) exited() <-chan struct{} {
	if proc := p.running(); proc != nil {
		return proc.Exited()
	}
	return nil
}

// kill kills the child with all its descendants and returns when they are gone. A process that has not been started yet never
// starts.
func (p *hostProcess) kill() {
	p.mu.Lock()
	p.killed = true
	proc := p.proc
	p.mu.Unlock()
	if proc != nil {
		proc.Kill()
		<-proc.Exited()
	}
}

func (p *hostProcess) dead() bool {
	select {
	case <-p.exited():
		return true
	default:
		return false
	}
}

// pid returns the process ID, or 0 until the child runs.
func (p *hostProcess) pid() int {
	if proc := p.running(); proc != nil {
		return proc.Pid()
	}
	return 0
}

// Kill implements go-plugin's runner by calling kill.
func (p *hostProcess) Kill(context.Context) error {
	p.kill()
	return nil
}

// Wait returns when the child is gone.
func (p *hostProcess) Wait(context.Context) error {
	<-p.exited()
	return p.running().Wait()
}

// Stdout returns a reader that contains only the handshake line.
func (p *hostProcess) Stdout() io.ReadCloser {
	line, err := bufio.NewReader(io.LimitReader(p.stdout, maxHandshake)).ReadString('\n')
	_ = p.stdout.Close()
	if err != nil {
		line = ""
	}
	return io.NopCloser(strings.NewReader(line))
}

// Stderr returns an empty reader, because package process reads the real standard error.
func (p *hostProcess) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Name returns the plugin's name.
func (p *hostProcess) Name() string { return p.spec.Name }

// ID returns the child's process ID.
func (p *hostProcess) ID() string {
	if pid := p.pid(); pid != 0 {
		return strconv.Itoa(pid)
	}
	return ""
}

// Diagnose returns the last output of the child.
func (p *hostProcess) Diagnose(context.Context) string { return p.lastWords() }

// PluginToHost accepts only a socket in the directory that this child was given, or a TCP address on this machine.
func (p *hostProcess) PluginToHost(network, addr string) (string, string, error) {
	if network == "unix" && filepath.Dir(addr) != p.spec.SocketDir {
		return "", "", fmt.Errorf("connecting to plugin %q: address %q is outside of its socket directory", p.spec.Name, addr)
	}
	if network == "tcp" && !strings.HasPrefix(addr, "127.0.0.1:") {
		return "", "", fmt.Errorf("connecting to plugin %q: address %q is not on this machine", p.spec.Name, addr)
	}
	return network, addr, nil
}

// HostToPlugin returns the address unchanged, because both sides see the same addresses.
func (p *hostProcess) HostToPlugin(network, addr string) (string, string, error) {
	return network, addr, nil
}

// closeAll closes the files that were opened.
func closeAll(files ...*os.File) {
	for _, f := range files {
		// Closing a nil file returns an error, which is harmless.
		_ = f.Close()
	}
}
