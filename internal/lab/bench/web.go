package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/system/state"
)

const (
	// webSessions is how many sessions aura web shows, and webPlugins how many plugins each of them has.
	webSessions, webPlugins = 50, 10
	// webTime is how long aura web is watched in each state.
	webTime = 20 * time.Second
	// webLoad is how many messages are written before the memory is compared. It is what 50 busy sessions write in some minutes.
	webLoad = 20_000
	// webUpdates is how many messages are timed on their way to a page.
	webUpdates = 40
)

// crowd is many sessions that this program simulates: their journals are real, and their sockets report what those of a session do.
type crowd struct {
	dir       string
	begun     time.Time
	journals  []*session.Journal
	listeners []net.Listener
	serving   sync.WaitGroup
	// calls is how many calls each plugin has had.
	calls atomic.Int64
}

// web measures aura web beside many sessions.
func (l *bench) web(ctx context.Context) (err error) {
	c := &crowd{begun: time.Now()}
	// The path of a socket must be short.
	if c.dir, err = os.MkdirTemp("", "aw"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	cmd, address, token, err := l.startWeb(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = cmd.Process.Signal(syscall.SIGINT); _ = cmd.Wait() }()
	rows := [][]string{{"aura web beside " + strconv.Itoa(webSessions) + " sessions and " + strconv.Itoa(webSessions*webPlugins) + " plugins", "processor", "private memory", "wanted"}}
	watch := func(what, wanted string) error {
		row, err := watchWeb(ctx, cmd.Process.Pid, what, wanted)
		rows = append(rows, row)
		return err
	}
	if err := watch("no page is open", "≤ 2 %"); err != nil {
		return err
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	pages, arrived := strings.TrimSuffix(address, "/"), make(chan time.Time, 100)
	if err := c.read(reading, pages, token, arrived); err != nil {
		return err
	}
	if err := watch("three pages are open, the sessions are idle", "≤ 2 %"); err != nil {
		return err
	}
	busy, end := context.WithCancel(ctx)
	working := c.work(busy)
	for range 2 {
		if err := watch("three pages are open, all sessions work", "≤ 5 %"); err != nil {
			end()
			return err
		}
	}
	end()
	if err := <-working; err != nil {
		return err
	}
	growth, err := c.growth(ctx, cmd.Process.Pid)
	if err != nil {
		return err
	}
	rows = append(rows, []string{"memory after " + strconv.Itoa(2*webLoad) + " more messages, against after " + strconv.Itoa(webLoad), "", fmt.Sprintf("%.2f", growth), "≤ 1.2"})
	delays, err := c.timeUpdates(ctx, arrived)
	if err != nil {
		return err
	}
	rows = append(rows, []string{"a message until the page has it, median", middle(delays).Round(time.Millisecond).String(), "", ""},
		[]string{"a message until the page has it, 99 of 100", percentile99(delays).Round(time.Millisecond).String(), "", "≤ 500ms"})
	l.table("Pages in a browser (sessions and plugins are simulated by their sockets and journals)", rows)
	return nil
}

// watchWeb returns a row about the processor time and the memory of a process.
func watchWeb(ctx context.Context, pid int, what, wanted string) ([]string, error) {
	before, err := processorTime(pid)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := sleep(ctx, webTime); err != nil {
		return nil, err
	}
	after, err := processorTime(pid)
	if err != nil {
		return nil, err
	}
	memory, _, err := rollup(pid)
	return []string{what, fmt.Sprintf("%.2f %%", 100*float64(after-before)/float64(time.Since(begun))), fmt.Sprintf("%.1f MB", float64(memory)/1e6), wanted}, err
}

// growth writes many messages twice, and returns the memory of aura web after the second time against that after the first.
func (c *crowd) growth(ctx context.Context, pid int) (float64, error) {
	var memory [2]float64
	for i := range memory {
		for n := range webLoad {
			c.calls.Add(1)
			if err := errors.Join(ctx.Err(), c.journals[n%webSessions].Append(llm.Message{Role: llm.RoleUser, Content: "one more message"})); err != nil {
				return 0, err
			}
		}
		var err error
		if memory[i], err = meanMemory(ctx, pid); err != nil {
			return 0, err
		}
	}
	return memory[1] / memory[0], nil
}

// meanMemory returns the mean of the private memory of a process over some seconds, in which its garbage is collected a few times.
func meanMemory(ctx context.Context, pid int) (float64, error) {
	const samples = 25
	sum := 0.0
	for range samples {
		if err := sleep(ctx, 400*time.Millisecond); err != nil {
			return 0, err
		}
		memory, _, err := rollup(pid)
		if err != nil {
			return 0, err
		}
		sum += float64(memory) / samples
	}
	return sum, nil
}

// startWeb opens the crowd, starts aura web in its directory, and returns the address and the token. The caller ends aura web.
func (l *bench) startWeb(ctx context.Context, c *crowd) (cmd *exec.Cmd, address, token string, err error) {
	if err := c.open(); err != nil {
		return nil, "", "", err
	}
	home := c.dir
	cmd = exec.CommandContext(ctx, l.Bin("aura"), "web")
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state"), "PATH=" + os.Getenv("PATH")}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, "", "", errors.Join(fmt.Errorf("starting aura web: %w", err), cmd.Wait())
	}
	address, token, _ = strings.Cut(strings.TrimSpace(line), "#")
	return cmd, address, token, nil
}

// read opens the lists of sessions and plugins and the page of the first session. It sends the time of each of its timed messages.
func (c *crowd) read(ctx context.Context, pages, token string, arrived chan<- time.Time) error {
	for _, path := range []string{"/sessions", "/plugins"} {
		if err := follow(ctx, pages+path, token, func([]byte) {}); err != nil {
			return err
		}
	}
	return follow(ctx, pages+"/sessions/"+c.journals[0].ID(), token, func(line []byte) {
		if bytes.Contains(line, []byte("timed message")) {
			arrived <- time.Now()
		}
	})
}

// timeUpdates writes messages, and returns how long each took until a page had it.
func (c *crowd) timeUpdates(ctx context.Context, arrived <-chan time.Time) ([]time.Duration, error) {
	var delays []time.Duration
	for i := range webUpdates {
		sent := time.Now()
		if err := c.journals[0].Append(llm.Message{Role: llm.RoleUser, Content: fmt.Sprintf("timed message %d", i)}); err != nil {
			return nil, err
		}
		select {
		case at := <-arrived:
			delays = append(delays, at.Sub(sent))
		case <-time.After(10 * time.Second):
			return nil, errors.New("a message does not reach the page")
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return delays, nil
}

// sleep waits, and returns early with an error if ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// follow reads the changes of a page until ctx ends.
func follow(ctx context.Context, address, token string, each func([]byte)) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	q.Header.Set("Aura-Token", token)
	q.Header.Set("Accept", "application/x-ndjson")
	answer, err := http.DefaultClient.Do(q) //nolint:bodyclose // the goroutine below closes it
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("%s: %s", address, answer.Status), answer.Body.Close())
	}
	go func() {
		defer func() { _ = answer.Body.Close() }()
		for lines := bufio.NewReaderSize(answer.Body, 1<<20); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			each(line)
		}
	}()
	return nil
}

// open writes the journals and opens the sockets.
func (c *crowd) open() error {
	journals := state.Locate(filepath.Join(c.dir, "state"), "", c.dir).Sessions()
	bases := host.RuntimeDirs(c.dir, "")
	if err := os.MkdirAll(bases[0], 0o700); err != nil {
		return err
	}
	for i := range webSessions {
		j, err := session.Create(journals, session.Meta{Provider: "script", Model: "m", Workdir: c.dir, Agent: "main"})
		if err != nil {
			return err
		}
		c.journals = append(c.journals, j)
		for n := range 20 {
			if err := j.Append(llm.Message{Role: llm.RoleUser, Content: fmt.Sprintf("message %d of session %d", n, i)}); err != nil {
				return err
			}
		}
		dir := filepath.Join(bases[0], "s-"+strconv.Itoa(i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		for name, report := range map[string]func() any{"session": func() any { return c.about(j) }, "status": func() any { return c.status(j) }} {
			listener, err := net.Listen("unix", filepath.Join(dir, name))
			if err != nil {
				return err
			}
			c.listeners = append(c.listeners, listener)
			c.serving.Go(func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					_ = json.NewEncoder(conn).Encode(report()) // a reader that went away
					_ = conn.Close()
				}
			})
		}
	}
	return nil
}

func (c *crowd) about(j *session.Journal) session.Live {
	n := int(c.calls.Load())
	return session.Live{ID: j.ID(), Pid: os.Getpid(), Workdir: c.dir, Agent: "main", Provider: "script", Model: "m", State: session.ActivityIdle, Turn: n, Context: n, Limit: 100_000, TokensIn: n, TokensOut: n}
}

func (c *crowd) status(j *session.Journal) []host.Status {
	var out []host.Status
	for i := range webPlugins {
		var s host.Status
		s.Name, s.Session, s.State, s.Pid, s.SessionPid, s.Project = fmt.Sprintf("plugin%d", i), j.ID(), host.StateReady, 1000+i, os.Getpid(), c.dir
		s.Calls, s.Uptime, s.P50, s.P99, s.MemoryBytes, s.Log = c.calls.Load(), time.Since(c.begun).Seconds(), 210, 900, 3_100_000, filepath.Join(c.dir, "plugin.log")
		out = append(out, s)
	}
	return out
}

// work makes all sessions work until ctx ends: each writes a message every second, and each plugin is called.
func (c *crowd) work(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() {
		pause := time.NewTicker(time.Second / webSessions)
		defer pause.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				done <- nil
				return
			case <-pause.C:
			}
			c.calls.Add(1)
			if err := c.journals[n%webSessions].Append(llm.Message{Role: llm.RoleUser, Content: "one more message"}); err != nil {
				done <- err
				return
			}
		}
	}()
	return done
}

func (c *crowd) close() error {
	var faults []error
	for _, l := range c.listeners {
		faults = append(faults, l.Close())
	}
	c.serving.Wait()
	for _, j := range c.journals {
		faults = append(faults, j.Close(session.End{Reason: session.ReasonDone}))
	}
	return errors.Join(append(faults, os.RemoveAll(c.dir))...)
}
