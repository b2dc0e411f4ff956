package mcp

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"

	"github.com/idelchi/aura/internal/limit"
)

// serverProcess is a running server. Its creator calls stop.
type serverProcess struct {
	stdin, stdout *os.File
	last          *lastWords
	group         *group
	// exited is closed when the program is gone and what it left behind has been killed; exit is valid from then on.
	exited chan struct{}
	exit   error
	once   sync.Once
	reader sync.WaitGroup
}

// startProcess starts a server. On an error nothing is left open or running.
func startProcess(s Server, o Options) (*serverProcess, error) {
	env := environ(o.Environ, s.Env)
	path, err := interp.LookPathDir(o.Workdir, expand.ListEnviron(env...), s.Command)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: append([]string{s.Command}, s.Args...), Env: append([]string{}, env...), Dir: o.Workdir}
	var ours, theirs files
	p := &serverProcess{exited: make(chan struct{})}
	var stderr *os.File
	cmd.Stdin, p.stdin = pipe(&theirs, &ours)
	p.stdout, cmd.Stdout = pipe(&ours, &theirs)
	stderr, cmd.Stderr = pipe(&ours, &theirs)
	if err = errors.Join(ours.err, theirs.err); err == nil {
		err = p.run(cmd)
	}
	theirs.close()
	if err != nil {
		ours.close()
		return nil, err
	}
	p.last = &lastWords{from: stderr}
	p.reader.Go(p.last.read)
	return p, nil
}

// run starts the program and has its end awaited. The thread that starts it stays with it: on Linux the program is
// killed with that thread, which must therefore not end before aura.
func (p *serverProcess) run(cmd *exec.Cmd) error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		g, err := startGroup(cmd)
		p.group = g
		started <- err
		if err != nil {
			return
		}
		p.exit = cmd.Wait()
		g.kill()
		close(p.exited)
	}()
	return <-started
}

func (p *serverProcess) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: p.stdout, Writer: p.stdin, MaxLineLength: limit.MCPMessage}
}

// stop asks the program to end by closing its input, then by a signal, and kills what is left of it. When it returns,
// the program's group is gone.
func (p *serverProcess) stop(_ <-chan struct{}, grace time.Duration) {
	p.once.Do(func() {
		_ = p.stdin.Close()
		if !p.gone(grace) {
			p.group.terminate()
			p.gone(grace)
		}
		p.group.kill()
		<-p.exited
		p.group.close()
		_ = p.stdout.Close()
		p.last.end()
		p.reader.Wait()
	})
}

// gone waits for the program to end for a time, and reports whether it did.
func (p *serverProcess) gone(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// story says how the program ended, if it did, and what it printed last.
func (p *serverProcess) story() string {
	var out []string
	select {
	case <-p.exited:
		out = append(out, "it ended: "+ending(p.exit))
	default:
	}
	if said := p.last.text(); said != "" {
		out = append(out, fmt.Sprintf("its last words: %q", said))
	}
	return strings.Join(out, "; ")
}

func ending(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// files are the ends of pipes that one side owns, and the first error of opening one.
type files struct {
	open []*os.File
	err  error
}

// pipe opens a pipe from which one side reads and to which the other writes.
func pipe(reader, writer *files) (*os.File, *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		reader.err = fmt.Errorf("opening a pipe: %w", err)
		return nil, nil
	}
	reader.open, writer.open = append(reader.open, r), append(writer.open, w)
	return r, w
}

func (f *files) close() {
	for _, each := range f.open {
		_ = each.Close()
	}
}

// maxLastWords is how many bytes of what a program prints on stderr are kept.
const maxLastWords = 2 << 10

// lastWords keeps the end of a stream.
type lastWords struct {
	from *os.File
	mu   sync.Mutex
	kept []byte
}

// read reads until the last writer is gone or end is called. It closes the stream.
func (l *lastWords) read() {
	defer func() { _ = l.from.Close() }()
	buf := make([]byte, 8<<10)
	for {
		n, err := l.from.Read(buf)
		l.mu.Lock()
		l.kept = append(l.kept, buf[:n]...)
		if over := len(l.kept) - maxLastWords; over > 0 {
			l.kept = append(l.kept[:0], l.kept[over:]...)
		}
		l.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// lastRead is how long the stream of a program that is gone is still read: what it has printed is there already, but a
// process that left the group may hold the other end for ever.
const lastRead = 100 * time.Millisecond

// end has read return soon. On Windows no process leaves the group, so that its end is also that of the stream.
func (l *lastWords) end() { _ = l.from.SetReadDeadline(time.Now().Add(lastRead)) }

func (l *lastWords) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(l.kept), ""))
}
