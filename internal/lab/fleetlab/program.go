package fleetlab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// program is a process that runs until it is ended.
type program struct {
	cmd *exec.Cmd
	// kind is for workers.
	kind  kind
	ended chan struct{}
	err   error

	mu    sync.Mutex
	lines []string
	more  chan struct{}
}

func (l *lab) start(args []string) (*program, error) {
	return l.launch(filepath.Join(l.Bin, "aura"), args)
}

func (l *lab) launch(name string, args []string) (*program, error) {
	p := &program{cmd: exec.Command(name, args...), ended: make(chan struct{}), more: make(chan struct{}, 1)} //nolint:gosec // the lab's own programs
	p.cmd.Env, p.cmd.Dir = l.environ(), l.Dir
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	err = p.cmd.Start()
	_ = w.Close()
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	go p.read(r)
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

const keptLines = 500

func (p *program) read(r *os.File) {
	defer func() { _ = r.Close() }()
	for lines := bufio.NewScanner(r); lines.Scan(); {
		p.mu.Lock()
		p.lines = append(p.lines, lines.Text())
		p.lines = p.lines[max(len(p.lines)-keptLines, 0):]
		p.mu.Unlock()
		select {
		case p.more <- struct{}{}:
		default:
		}
	}
}

func (p *program) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// await waits until the program has written a line that begins so.
func (p *program) await(ctx context.Context, line string) error {
	for {
		if strings.Contains("\n"+p.text(), "\n"+line) {
			return nil
		}
		select {
		case <-p.more:
		case <-p.ended:
			return fmt.Errorf("it ended: %w\n%s", p.err, p.text())
		case <-ctx.Done():
			return fmt.Errorf("%w while waiting for %q\n%s", context.Cause(ctx), line, p.text())
		}
	}
}

func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}
