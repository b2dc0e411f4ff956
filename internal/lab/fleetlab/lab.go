// Package fleetlab runs a fleet on this machine, with real servers and workers, and breaks it: it kills workers and servers, cuts the
// network and fills a disk. In the end each task must have one result. A test runs it with few tasks, and 'make fleet' with many.
package fleetlab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/idelchi/aura/internal/fleet/queue"
)

// Options describe a run.
type Options struct {
	// Bin has aura and aura-plugin-host. Dir is an empty directory.
	Bin, Dir string
	// Servers is 1 or 3.
	Servers, Workers, Slots, Tasks int
	// Warm is how many tasks are begun before the time of the others is taken.
	Warm int
	// Takeover is after how much silence of a worker others get its tasks. Zero means the default.
	Takeover time.Duration
	// Kills is how many workers are killed, one after the other. ServerKills is the same for servers.
	Kills, ServerKills int
	// Cut cuts the network of one worker for a while. FullDisk fills the disk of one worker for a while.
	Cut, FullDisk bool
	Seed          uint64
	Out           io.Writer
}

// Outcome is what was observed.
type Outcome struct {
	Results int
	// Writes is how often a result was stored. Requests is the number of model calls of all tasks.
	Writes, Requests int
	// Repeated is how many tasks were started more than once. Deaths is how many times a worker ended.
	Repeated, Deaths int
	Took             time.Duration
	// Worked is the time from the beginning of the first task after the warm ones to the end of the last.
	Worked time.Duration
	// Bad lists what must not be.
	Bad []string
}

// token protects the servers of a run.
const token = "token of the lab"

// batchName is the name of the batch.
const batchName = "lab"

// turns is how many model calls a task needs: two with a tool call, and one with the answer.
const turns = 3

type lab struct {
	Options

	began   time.Time
	random  *rand.Rand
	ports   []int
	routes  []int
	servers []*program
	proxy   *proxy

	mu      sync.Mutex
	workers map[string]*program
	count   int
	// cutNow and fullNow are set while a network is cut and a disk is full.
	cutNow, fullNow bool
}

// Run runs a fleet with faults. It returns an error if the run itself failed, not if the outcome is bad.
func Run(ctx context.Context, o Options) (out Outcome, err error) {
	l := &lab{Options: o, began: time.Now(), random: rand.New(rand.NewPCG(o.Seed, 7)), workers: map[string]*program{}} //nolint:gosec // the seed repeats a run
	defer func() { out.Bad = append(out.Bad, l.end()...) }()
	if err := l.prepare(); err != nil {
		return out, err
	}
	if err := l.serve(ctx); err != nil {
		return out, err
	}
	if l.proxy, err = newProxy(fmt.Sprintf("127.0.0.1:%d", l.ports[0])); err != nil {
		return out, err
	}
	defer l.proxy.close()
	pin, err := queue.ReadPin(filepath.Join(l.Dir, "state", "aura", "fleet", "pin"))
	if err != nil {
		return out, err
	}
	q, err := queue.Open(ctx, queue.Options{URL: l.urls(), User: "aura", Token: token, Pins: []string{pin}})
	if err != nil {
		return out, err
	}
	defer q.Close()
	submitted := time.Now()
	if text, err := l.aura(ctx, "fleet", "submit", "--server", l.urls(), filepath.Join(l.Dir, batchName+".jsonl")); err != nil {
		return out, fmt.Errorf("submitting: %w: %s", err, text)
	}
	for i := range l.Workers {
		kind := plain
		switch {
		case i == 0 && l.Cut:
			kind = cuttable
		case i == 1 && l.FullDisk:
			kind = smallDisk
		}
		if err := l.work(ctx, kind); err != nil {
			return out, err
		}
	}
	if err := l.watch(ctx, q); err != nil {
		return out, err
	}
	out.Took = time.Since(submitted)
	return out, l.judge(ctx, q, &out)
}

// say reports what happens, with the time since the beginning.
func (l *lab) say(format string, args ...any) {
	fmt.Fprintf(l.Out, "%6.1fs  %s\n", time.Since(l.began).Seconds(), fmt.Sprintf(format, args...))
}

// prepare writes the configuration and the batch.
func (l *lab) prepare() error {
	for name, content := range map[string]string{
		"config/config/providers/lab.yaml": "lab: {type: script, file: lab-script.yaml}\n",
		"config/config/lab-script.yaml": `continue: true
turns:
  - text: one
    tool_calls: [{name: Write, arguments: {path: one.txt, content: "1\n"}}]
  - text: two
    tool_calls: [{name: Write, arguments: {path: two.txt, content: "2\n"}}]
  - text: finished
`,
	} {
		path := filepath.Join(l.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
	}
	for _, dir := range []string{"home", "cache", "state", "work"} {
		if err := os.MkdirAll(filepath.Join(l.Dir, dir), 0o700); err != nil {
			return err
		}
	}
	var lines strings.Builder
	fmt.Fprintf(&lines, "{\"batch\":%q}\n", batchName)
	for i := range l.Tasks {
		fmt.Fprintf(&lines, "{\"id\":\"t%05d\",\"prompts\":[\"task %d\"],\"provider\":\"lab\",\"collect\":[\"*.txt\"]}\n", i, i)
	}
	return os.WriteFile(filepath.Join(l.Dir, batchName+".jsonl"), []byte(lines.String()), 0o600)
}

// serve starts the servers and waits until they are ready.
func (l *lab) serve(ctx context.Context) error {
	for range 2 * l.Servers {
		port, err := freePort()
		if err != nil {
			return err
		}
		if len(l.ports) < l.Servers {
			l.ports = append(l.ports, port)
		} else {
			l.routes = append(l.routes, port)
		}
	}
	for i := range l.Servers {
		p, err := l.server(i)
		if err != nil {
			return err
		}
		l.servers = append(l.servers, p)
	}
	for _, p := range l.servers {
		if err := p.await(ctx, "ready"); err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) server(i int) (*program, error) {
	args := []string{"fleet", "serve", "--listen", fmt.Sprintf("127.0.0.1:%d", l.ports[i]), "--dir", filepath.Join(l.Dir, fmt.Sprintf("data%d", i))}
	if l.Takeover > 0 {
		args = append(args, "--takeover", l.Takeover.String())
	}
	if l.Servers > 1 {
		args = append(args, "--name", fmt.Sprintf("s%d", i), "--cluster-listen", fmt.Sprintf("127.0.0.1:%d", l.routes[i]))
		for j, port := range l.routes {
			if j != i {
				args = append(args, "--route", fmt.Sprintf("127.0.0.1:%d", port))
			}
		}
	}
	return l.start(args)
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = listener.Close() }()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.New("a listener without a port")
	}
	return address.Port, nil
}

func (l *lab) urls() string {
	var out []string
	for _, port := range l.ports {
		out = append(out, fmt.Sprintf("nats://127.0.0.1:%d", port))
	}
	return strings.Join(out, ",")
}

// kind is what is special about a worker.
type kind int

const (
	plain kind = iota
	cuttable
	smallDisk
)

// diskSize is the size of the disk that can be full, in bytes.
const diskSize = 32 << 20

// work starts a worker.
func (l *lab) work(ctx context.Context, k kind) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	name, dir, server := fmt.Sprintf("w%d", l.count), filepath.Join(l.Dir, "work"), l.urls()
	switch k {
	case plain:
	case cuttable:
		name, server = fmt.Sprintf("cut%d", l.count), "nats://"+l.proxy.address()
	case smallDisk:
		name, dir = fmt.Sprintf("disk%d", l.count), filepath.Join(l.Dir, "disk")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	args := []string{
		"fleet", "work", "--server", server, "--slots", fmt.Sprint(l.Slots), "--name", name, "--dir", dir, "--home", "", "--config", filepath.Join(l.Dir, "config"), "--grace", "5s",
	}
	var p *program
	var err error
	if k == smallDisk {
		p, err = l.launch("unshare", append([]string{"--user", "--map-root-user", "--mount", "sh", "-c", fmt.Sprintf(`mount -t tmpfs -o size=%d tmpfs "$0" && exec "$@"`, diskSize), dir, filepath.Join(l.Bin, "aura")}, args...))
	} else {
		p, err = l.start(args)
	}
	if err != nil {
		return err
	}
	p.kind = k
	l.workers[name] = p
	if k == smallDisk {
		// Its disk exists when it has begun.
		return p.await(ctx, "worker "+name)
	}
	return nil
}

func (l *lab) environ() []string {
	return []string{
		"HOME=" + filepath.Join(l.Dir, "home"), "XDG_STATE_HOME=" + filepath.Join(l.Dir, "state"), "XDG_CACHE_HOME=" + filepath.Join(l.Dir, "cache"),
		"PATH=" + os.Getenv("PATH"), "AURA_FLEET_TOKEN=" + token, "TMPDIR=" + os.TempDir(), "GOGC=400", "GORACE=" + os.Getenv("GORACE"),
	}
}

// aura runs aura to its end.
func (l *lab) aura(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(l.Bin, "aura"), args...)
	cmd.Env, cmd.Dir = l.environ(), l.Dir
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// end ends all programs in an orderly way, and returns what is left of them.
func (l *lab) end() []string {
	var bad []string
	l.mu.Lock()
	list := []*program{}
	for _, p := range l.workers {
		list = append(list, p)
	}
	l.mu.Unlock()
	list = append(list, l.servers...)
	for _, p := range list {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.ended:
		case <-time.After(time.Minute):
			bad = append(bad, "a program did not end at SIGTERM:\n"+p.text())
			p.kill()
		}
	}
	return append(bad, l.strays()...)
}

// strays returns the processes that still run a program of the lab.
func (l *lab) strays() []string {
	if runtime.GOOS != "linux" {
		return nil
	}
	var found []string
	// A process that was killed by the death of its parent may need a moment.
	for range 100 {
		found = nil
		links, _ := filepath.Glob("/proc/[0-9]*/exe")
		for _, link := range links {
			if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, l.Bin+"/") {
				environ, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "environ")) // the process may be gone
				if strings.Contains(string(environ), l.Dir) {
					found = append(found, "a process is left: "+filepath.Base(filepath.Dir(link)))
				}
			}
		}
		if found == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return found
}
