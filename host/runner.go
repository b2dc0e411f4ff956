package host

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/shared"
)

// hostName is what lists of processes show of a child, which may be started from a descriptor.
const hostName = "aura-plugin-host"

// maxHandshake is the longest handshake line believed, in bytes.
const maxHandshake = 4096

// drainTime is how long after a child's death its pipes are still read. What it wrote is there at once; only a descendant
// that outlived it could keep them open.
const drainTime = 100 * time.Millisecond

// hostProcess is one child process. It implements go-plugin's runner, which reads the handshake from it and otherwise leaves it
// alone. Whoever starts it must kill it.
type hostProcess struct {
	binary  string
	workdir string
	env     []string
	spec    shared.LaunchSpec
	log     *logFile
	// input is what the child reads on its standard input. Without any that is empty.
	input []byte

	stdout   *os.File
	stderr   *os.File
	lifeline *os.File
	tail     tail
	exited   chan struct{}
	drained  chan struct{}
	// exit and state are set before exited is closed.
	exit  error
	state *os.ProcessState

	mu     sync.Mutex
	cmd    *exec.Cmd // nil until the child runs
	killed bool
}

func newProcess(binary, workdir string, env []string, spec shared.LaunchSpec, log *logFile) *hostProcess {
	return &hostProcess{
		binary: binary, workdir: workdir, env: env, spec: spec, log: log,
		exited: make(chan struct{}), drained: make(chan struct{}),
	}
}

// Start starts the child and sends it its launch specification.
func (p *hostProcess) Start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var theirs, ours []*os.File
	defer func() { closeAll(theirs) }()
	pipe := func(childReads bool) (*os.File, *os.File, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, nil, fmt.Errorf("making a pipe for the child: %w", err)
		}
		child, parent := w, r
		if childReads {
			child, parent = r, w
		}
		theirs, ours = append(theirs, child), append(ours, parent)
		return child, parent, nil
	}
	stdout, stdoutR, err1 := pipe(false)
	stderr, stderrR, err2 := pipe(false)
	launch, launchW, err3 := pipe(true)
	lifeline, lifelineW, err4 := pipe(true)
	cmd := exec.Command(p.binary)
	cmd.Args[0] = hostName
	var stdinW *os.File
	var err5 error
	if p.input != nil {
		cmd.Stdin, stdinW, err5 = pipe(true)
	}
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		closeAll(ours)
		return err
	}
	p.stdout, p.stderr, p.lifeline = stdoutR, stderrR, lifelineW
	cmd.Dir, cmd.Env = p.workdir, p.env
	cmd.Stdout, cmd.Stderr = stdout, stderr
	pass(cmd, launch, lifeline)
	if err := p.run(cmd); err != nil {
		closeAll(ours)
		return err
	}
	if stdinW != nil {
		go p.feed(stdinW)
	}
	err := p.spec.Encode(launchW)
	if launchIsLifeline {
		// The unused pipe goes; the other must stay open for as long as the child lives.
		err, p.lifeline = errors.Join(err, p.lifeline.Close()), launchW
		return err
	}
	return errors.Join(err, launchW.Close())
}

// run starts the command unless the process was killed before it began.
func (p *hostProcess) run(cmd *exec.Cmd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return fmt.Errorf("starting plugin %q: cancelled", p.spec.Name)
	}
	if err := spawn(cmd, &p.spec); err != nil {
		return fmt.Errorf("starting %s: %w", p.binary, err)
	}
	p.cmd = cmd
	go p.watch(cmd)
	go p.drain()
	return nil
}

// feed sends the child its input. A child that dies before it has read all of it is noticed elsewhere.
func (p *hostProcess) feed(stdin *os.File) {
	_, _ = stdin.Write(p.input)
	_ = stdin.Close()
}

// watch reaps the child.
func (p *hostProcess) watch(cmd *exec.Cmd) {
	p.exit = cmd.Wait()
	p.state = cmd.ProcessState
	deadline := time.Now().Add(drainTime)
	_ = p.stderr.SetReadDeadline(deadline)
	_ = p.stdout.SetReadDeadline(deadline)
	_ = p.lifeline.Close()
	close(p.exited)
}

// drain takes all that the child prints, at any speed, so that printing never blocks it.
func (p *hostProcess) drain() {
	defer close(p.drained)
	_, _ = io.CopyBuffer(io.MultiWriter(&p.tail, p.log), onlyReader{p.stderr}, make([]byte, 64<<10))
	_ = p.stderr.Close()
}

// onlyReader hides what else a file can do, so that the copy uses the buffer it was given.
type onlyReader struct{ io.Reader }

// kill ends the child with all it started and returns when it is gone. A process that has not begun never will.
func (p *hostProcess) kill() {
	p.mu.Lock()
	first := !p.killed
	p.killed = true
	cmd := p.cmd
	p.mu.Unlock()
	if cmd == nil {
		return
	}
	if first && !p.dead() {
		killTree(cmd.Process.Pid, p.spec.Isolated)
	}
	<-p.exited
	<-p.drained
}

func (p *hostProcess) dead() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// pid is 0 until the child runs.
func (p *hostProcess) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// Kill is kill for go-plugin.
func (p *hostProcess) Kill(context.Context) error {
	p.kill()
	return nil
}

// Wait returns when the child is gone.
func (p *hostProcess) Wait(context.Context) error {
	<-p.exited
	return p.exit
}

// Stdout yields the handshake line and nothing after it.
func (p *hostProcess) Stdout() io.ReadCloser {
	line, err := bufio.NewReader(io.LimitReader(p.stdout, maxHandshake)).ReadString('\n')
	_ = p.stdout.Close()
	if err != nil {
		line = ""
	}
	return io.NopCloser(strings.NewReader(line))
}

// Stderr is empty: process reads the real one itself.
func (p *hostProcess) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Name is the plugin's name.
func (p *hostProcess) Name() string { return p.spec.Name }

// ID is the child's process number.
func (p *hostProcess) ID() string {
	if pid := p.pid(); pid != 0 {
		return strconv.Itoa(pid)
	}
	return ""
}

// Diagnose returns the child's last words.
func (p *hostProcess) Diagnose(context.Context) string { return excerpt(p.tail.String()) }

// PluginToHost believes no address but a socket in the directory that this child was given.
func (p *hostProcess) PluginToHost(network, addr string) (string, string, error) {
	if network == "unix" && filepath.Dir(addr) != p.spec.SocketDir {
		return "", "", fmt.Errorf("connecting to plugin %q: address %q is outside of its socket directory", p.spec.Name, addr)
	}
	if network == "tcp" && !strings.HasPrefix(addr, "127.0.0.1:") {
		return "", "", fmt.Errorf("connecting to plugin %q: address %q is not on this machine", p.spec.Name, addr)
	}
	return network, addr, nil
}

// HostToPlugin changes nothing: both sides see the same addresses.
func (p *hostProcess) HostToPlugin(network, addr string) (string, string, error) {
	return network, addr, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
