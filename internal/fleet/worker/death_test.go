//go:build linux

package worker_test

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/fleet/server"
	"github.com/idelchi/aura/internal/fleet/worker"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/state"
	"github.com/idelchi/aura/sdk"
)

// mortal is the variable that makes the test program a worker. It has the options of the worker.
const mortal = "AURA_TEST_WORKER"

func TestMain(m *testing.M) {
	var err error
	switch options := os.Getenv(mortal); {
	case len(os.Args) > 1 && os.Args[1] == "run":
		err = fakeAura(os.Args[2:])
	case options != "":
		err = mortalWorker(options)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// life is what a worker in a process of its own needs.
type life struct {
	URL, Dir, Name string
	// Starts is a file to which each task adds a line. Checkpoints is where tasks wait for their checkpoints; it may be empty.
	Starts, Checkpoints string
}

func mortalWorker(options string) error {
	var l life
	if err := json.Unmarshal([]byte(options), &l); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	q, err := queue.Open(ctx, queue.Options{URL: l.URL, User: "aura", Token: "token", Plaintext: true})
	if err != nil {
		return err
	}
	defer q.Close()
	return worker.Run(ctx, worker.Options{
		Queue: q, ID: l.Name, Slots: 1, Dir: l.Dir, Aura: os.Args[0], Args: []string{"--starts=" + l.Starts, "--checkpoints=" + l.Checkpoints},
		Environ: os.Environ(), UntilEmpty: true, Tell: func(text string) { fmt.Fprintln(os.Stderr, text) },
	})
}

// fakeAura answers each prompt with two model calls and uses 60 tokens. Like aura, it saves the session, and fails without a prompt.
func fakeAura(args []string) error {
	flags := map[string]string{}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		flags[name] = value
	}
	var prompts []string
	for in := json.NewDecoder(os.Stdin); ; {
		var text string
		if err := in.Decode(&text); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		prompts = append(prompts, text)
	}
	starts, err := os.OpenFile(flags["--starts"], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(starts, "%d prompts\n", len(prompts))
	if err = errors.Join(err, starts.Close()); err != nil {
		return err
	}
	if len(prompts) == 0 {
		return errors.New("run needs a prompt: standard input is empty")
	}
	var checkpoints net.Conn
	if address := flags["--checkpoints"]; address != "" {
		if checkpoints, err = net.Dial("tcp", address); err != nil {
			return err
		}
	}
	j, stats, err := fakeSession(flags["--resume"])
	if err != nil {
		return err
	}
	for _, text := range prompts {
		if err := answer(j, &stats, text); err != nil {
			return err
		}
		if checkpoints != nil {
			if _, err := io.ReadFull(checkpoints, make([]byte, 1)); err != nil {
				return err
			}
		}
	}
	return j.Close(session.End{Reason: session.ReasonDone, Stats: event.Saved(stats, nil)})
}

func fakeSession(resume string) (*session.Journal, sdk.Stats, error) {
	workdir, err := os.Getwd()
	if err != nil {
		return nil, sdk.Stats{}, err
	}
	dir := state.Locate(os.Getenv("XDG_STATE_HOME"), "", workdir).Sessions()
	var saved session.Session
	var j *session.Journal
	if resume == "" {
		j, err = session.Create(dir, session.Meta{Workdir: workdir, Provider: "p", Model: "m"})
	} else {
		j, saved, err = session.Reopen(filepath.Join(dir, resume+session.Ext))
	}
	if err != nil {
		return nil, sdk.Stats{}, err
	}
	fmt.Printf("{\"type\":\"session\",\"id\":%q,\"provider\":\"p\",\"model\":\"m\"}\n", j.ID())
	stats := new(sdk.Stats)
	if saved.End != nil {
		if stats, _, err = event.Recalled(saved.End.Stats); err != nil {
			return nil, sdk.Stats{}, err
		}
	}
	return j, *cmp.Or(stats, new(sdk.Stats)), nil
}

func answer(j *session.Journal, stats *sdk.Stats, prompt string) error {
	fmt.Println(`{"type":"message","role":"user"}` + "\n" + `{"type":"request","iteration":1}`)
	file := make([]byte, 200<<10)
	_, _ = rand.Read(file) // it never fails
	err := errors.Join(
		j.Append(llm.Message{Role: llm.RoleUser, Content: prompt}),
		j.Append(llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "Write"}}}),
		os.WriteFile("file", file, 0o600),
		j.Append(llm.Message{Role: llm.RoleTool, ToolCallID: "1"}),
		j.Append(llm.Message{Role: llm.RoleAssistant, Content: "finished"}),
	)
	stats.TokensIn, stats.TokensOut = stats.TokensIn+50, stats.TokensOut+10
	done, failed := json.Marshal(event.Finished(*stats, nil))
	// They are written at once, so that the next checkpoint has the whole prompt.
	fmt.Println(`{"type":"request","iteration":2}` + "\n" + `{"type":"message","role":"assistant","content":"finished"}` + "\n" + `{"type":"done",` + string(done[1:]))
	return errors.Join(err, failed)
}

// tap stands between a worker and its server. It sees each record that the worker writes.
type tap struct {
	server string
	listener,
	checkpoints net.Listener
	stored chan struct{}
	// fatal is the number of the record before which kill is called, counted from 1.
	fatal int
	kill  func()

	mu      sync.Mutex
	records []string
	dead    bool
}

func newTap(t *testing.T, server string, fatal int) *tap {
	t.Helper()
	p := &tap{server: server, fatal: fatal, stored: make(chan struct{}, 100)}
	var err, failed error
	p.listener, err = net.Listen("tcp", "127.0.0.1:0")
	p.checkpoints, failed = net.Listen("tcp", "127.0.0.1:0")
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(p.listener.Close(), p.checkpoints.Close()) })
	go serve(p.listener, p.connect)
	go serve(p.checkpoints, func(task net.Conn) {
		for range p.stored {
			if _, err := task.Write([]byte{1}); err != nil {
				return
			}
		}
	})
	return p
}

func serve(l net.Listener, handle func(net.Conn)) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = conn.Close() }()
			handle(conn)
		}()
	}
}

// connect passes on what a worker sends, message by message, until its hour has come.
func (p *tap) connect(client net.Conn) {
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(client, server) }()
	for in := bufio.NewReader(client); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		var payload []byte
		words := strings.Fields(line)
		if verb := words[0]; verb == "PUB" || verb == "HPUB" {
			size, err := strconv.Atoi(words[len(words)-1])
			if err != nil {
				return
			}
			payload = make([]byte, size+len("\r\n"))
			if _, err := io.ReadFull(in, payload); err != nil {
				return
			}
			if !p.pass(words[1], string(payload)) {
				return
			}
		}
		if _, err := server.Write(append([]byte(line), payload...)); err != nil {
			return
		}
	}
}

// pass reports whether a message is passed on. It kills the worker before its fatal record.
func (p *tap) pass(subject, payload string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead || !isRecord(subject, payload) {
		return !p.dead
	}
	p.records = append(p.records, subject)
	if p.dead = len(p.records) == p.fatal; p.dead {
		p.kill()
	} else if strings.Contains(payload, `"checkpoint":`) {
		p.stored <- struct{}{}
	}
	return !p.dead
}

// isRecord reports whether a message changes what the queue knows about a task. Heartbeats, what a worker reports about itself, and the
// removal of a checkpoint that nobody needs do not.
func isRecord(subject, payload string) bool {
	switch {
	case strings.HasPrefix(subject, "$JS.ACK."):
		return !strings.HasPrefix(payload, "+WPI")
	case strings.HasPrefix(subject, "$KV."):
		return !strings.HasPrefix(subject, "$KV.aura-workers.")
	default:
		return strings.HasPrefix(subject, "$O.") && !strings.Contains(payload, `"deleted":true`)
	}
}

// certainRecords is how many records a worker of the test's task writes at least.
const certainRecords = 10

// TestWorkerDies kills the worker of a task before each record that it writes, one in each run. Another worker then ends the task. The
// result is always the same, and what the task used is counted once.
func TestWorkerDies(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "git")
	records := outlive(t, 0)
	if len(records) < certainRecords {
		t.Fatalf("the worker wrote only %q", records)
	}
	for i, subject := range records {
		t.Run(fmt.Sprintf("%d %s", i+1, strings.Join(strings.SplitN(subject, ".", 4)[:3], ".")), func(t *testing.T) {
			t.Parallel()
			outlive(t, i+1)
		})
	}
}

// outlive runs a task with a worker that is killed before its record of the given number, and then with another one. It returns the
// records of the first.
func outlive(t *testing.T, fatal int) []string {
	t.Helper()
	s, err := server.Start(server.Options{Listen: "127.0.0.1:0", Dir: t.TempDir(), User: "aura", Token: "token", Plaintext: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	q, err := queue.Create(t.Context(), queue.Options{URL: s.URL(), User: "aura", Token: "token", Plaintext: true}, queue.Shape{Takeover: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	task := fleet.Task{Version: fleet.Format, Batch: "b", ID: "a", Prompts: []string{"one", "two"}, Collect: []string{"file"}}
	if _, err := q.Submit(t.Context(), "b", fleet.Limits{Tokens: 1000}, []fleet.Task{task}); err != nil {
		t.Fatal(err)
	}
	tap := newTap(t, strings.TrimPrefix(s.URL(), "nats://"), fatal)
	first := life{URL: "nats://" + tap.listener.Addr().String(), Dir: t.TempDir(), Name: "first", Starts: filepath.Join(t.TempDir(), "starts"), Checkpoints: tap.checkpoints.Addr().String()}
	cmd := live(t, first)
	// The worker may reach its end before Start returns.
	tap.mu.Lock()
	err = cmd.Start()
	tap.kill = func() { _ = cmd.Process.Kill() }
	tap.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	tap.mu.Lock()
	killed := tap.dead
	tap.mu.Unlock()
	// Two checkpoints may become one on a loaded machine, so a worker may end before it writes the records with the last numbers.
	if (err != nil) != killed || !killed && fatal > 0 && fatal <= certainRecords {
		t.Fatalf("the worker ended with %v, killed: %v", err, killed)
	}
	if killed {
		second := life{URL: s.URL(), Dir: t.TempDir(), Name: "second", Starts: first.Starts}
		if err := live(t, second).Run(); err != nil {
			t.Fatalf("the second worker ended with %v", err)
		}
	}
	checkOutlived(t, q, first.Starts)
	tap.mu.Lock()
	defer tap.mu.Unlock()
	return tap.records
}

// live returns a worker that was not started.
func live(t *testing.T, l life) *exec.Cmd {
	t.Helper()
	options, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), mortal+"="+string(options)), testOutput{t}
	return cmd
}

type testOutput struct{ t *testing.T }

func (o testOutput) Write(p []byte) (int, error) {
	o.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

func checkOutlived(t *testing.T, q *queue.Queue, starts string) {
	t.Helper()
	r, _ := result(t, q, "a")
	if r.Status != fleet.StatusDone || r.Error != "" || r.Final != "finished" || r.Tokens != 120 || r.Requests < 4 || r.Provider != "p" || r.Patch.Size == 0 || r.Journal.Size == 0 || len(r.Files) != 1 {
		r.Patch.Data, r.Journal.Data = nil, nil
		t.Errorf("got %+v", r)
	}
	if s, err := q.Spent(t.Context(), "b"); err != nil || s.Tokens != 120 {
		t.Errorf("the batch used %+v, %v", s, err)
	}
	if n, err := q.Waiting(t.Context()); err != nil || n != 0 {
		t.Errorf("%d tasks wait, %v", n, err)
	}
	if text, err := os.ReadFile(starts); err != nil || strings.Contains(string(text), "0 prompts") {
		t.Errorf("aura was started with %q, %v", text, err)
	}
}
