package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/lab"
)

const (
	// short and long are the numbers of messages of the sessions that are compared.
	short, long = 10, 10_000
	// keys is how many keys are timed.
	keys = 400
	// idleTime is how long the screen is watched while nothing happens.
	idleTime = 5 * time.Second
	// tokenRate is how many tokens per second the model streams, and streamTime for how long.
	tokenRate  = 2000
	streamTime = 5 * time.Second
	// crashing is how many plugins crash together.
	crashing = 10
)

// screenFigures are the measurements of one session.
type screenFigures struct {
	key99   time.Duration
	memory  int64
	idle    float64
	frames  float64
	bytes   float64
	crash99 time.Duration
}

// screen compares the interactive screen of a short session with that of a long one.
func (l *bench) screen(ctx context.Context) (err error) {
	server, url, err := streamServer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	var figures []screenFigures
	for _, messages := range []int{short, long} {
		project := filepath.Join(l.Dir, "screen-"+strconv.Itoa(messages))
		if err := l.screenProject(ctx, project, url, messages); err != nil {
			return err
		}
		f, err := l.watch(ctx, project)
		if err != nil {
			return fmt.Errorf("a session of %d messages: %w", messages, err)
		}
		figures = append(figures, f)
	}
	a, b := figures[0], figures[1]
	millis := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1e3) }
	ratio := func(a, b float64) string { return fmt.Sprintf("%.2f", b/a) }
	l.table("The interactive screen", [][]string{
		{"what", strconv.Itoa(short) + " messages", strconv.Itoa(long) + " messages", "ratio", "wanted"},
		{"key to frame, p99", millis(a.key99), millis(b.key99), ratio(float64(a.key99), float64(b.key99)), "≤ 16 ms"},
		{"PSS of aura", fmt.Sprintf("%.1f MB", float64(a.memory)/1e6), fmt.Sprintf("%.1f MB", float64(b.memory)/1e6), ratio(float64(a.memory), float64(b.memory)), "≤ 1.3"},
		{"processor time while idle", fmt.Sprintf("%.2f %%", a.idle), fmt.Sprintf("%.2f %%", b.idle), "", "< 1 %"},
		{fmt.Sprintf("frames per second at %d tokens/s", tokenRate), fmt.Sprintf("%.0f", a.frames), fmt.Sprintf("%.0f", b.frames), ratio(a.frames, b.frames), "≤ 60"},
		{"bytes per frame", fmt.Sprintf("%.0f", a.bytes), fmt.Sprintf("%.0f", b.bytes), ratio(a.bytes, b.bytes), "≈ 1"},
		{fmt.Sprintf("key to frame while %d plugins crash, p99", crashing), millis(a.crash99), millis(b.crash99), ratio(float64(a.crash99), float64(b.crash99)), "< 50 ms"},
	})
	return nil
}

// streamServer serves a model that streams tokenRate tokens per second. A prompt with "quick" gets one word.
func streamServer() (*http.Server, string, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"streaming","object":"model"}]}`)
			return
		}
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		say := func(text string) {
			fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"streaming\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
		}
		at := bytes.LastIndex(body.Bytes(), []byte(`"user"`))
		if bytes.Contains(body.Bytes()[max(at, 0):], []byte("stream")) {
			const beats = 100 // per second
			tick := time.NewTicker(time.Second / beats)
			defer tick.Stop()
			for i := range int(streamTime.Seconds() * beats) {
				<-tick.C
				for range tokenRate / beats {
					say("word ")
				}
				if i%10 == 9 {
					say("\n\n")
				}
				w.(http.Flusher).Flush()
			}
		}
		say("Done.")
		fmt.Fprint(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"streaming\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	})}
	go func() { _ = server.Serve(listener) }()
	return server, "http://" + listener.Addr().String() + "/v1", nil
}

// crasherSource is a plugin that crashes when a prompt asks for it.
const crasherSource = `package %s

import (
	"context"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func BeforeChat(_ context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	if strings.Contains(c.Turns[len(c.Turns)-1].Content, "crash") {
		go func() { panic("crash") }()
		select {}
	}
	return sdk.Result{}, nil
}
`

// screenProject creates a project with a saved session of so many messages.
func (l *bench) screenProject(ctx context.Context, dir, url string, messages int) error {
	files := map[string]string{
		".aura/config/providers/p.yaml": fmt.Sprintf("p: {type: openai, url: %q, token: none}\nq: {type: script, file: q.yaml}\n", url),
		".aura/config/agents/a.md":      "---\nname: a\ndefault: true\nmodel: {provider: p, name: streaming, context: 100000000}\n---\n",
		".aura/config/agents/b.md":      "---\nname: b\nmodel: {provider: q, context: 100000000}\n---\n",
	}
	var script strings.Builder
	script.WriteString("model: {name: talker, context_length: 100000000}\nturns:\n")
	args := []string{"run", "--trust", "--agent", "b", "--without-plugins", "--max-steps", "1000000"}
	for i := range messages / 2 {
		fmt.Fprintf(&script, "  - text: \"Answer %d: some words about what was asked, as a model would write them.\"\n", i)
		args = append(args, "question "+strconv.Itoa(i))
	}
	files[".aura/config/q.yaml"] = script.String()
	for i := range crashing {
		name := fmt.Sprintf("crasher%d", i)
		files[".aura/plugins/"+name+"/go.mod"] = "module " + name + "\n\ngo 1.25\n"
		files[".aura/plugins/"+name+"/plugin.yaml"] = "description: crashes\n"
		files[".aura/plugins/"+name+"/main.go"] = fmt.Sprintf(crasherSource, name)
	}
	if err := lab.WriteFiles(dir, files); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, l.Bin("aura"), args...)
	cmd.Dir, cmd.Env = dir, l.screenEnv(dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("preparing a session: %w\n%s", err, out[max(0, len(out)-1000):])
	}
	return nil
}

func (l *bench) screenEnv(dir string) []string {
	return append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "state"), "TERM=xterm-256color", "TMUX=", "TERM_PROGRAM=")
}

// terminalEnd is the other end of the terminal of a screen.
type terminalEnd struct {
	file *os.File

	mu     sync.Mutex
	frames int
	bytes  int
	// last holds the end of the output. changed is closed at the next frame.
	last    []byte
	changed chan struct{}
}

// The end of a frame, and the question of the screen where the cursor is.
var (
	frameEnd = []byte("\x1b[?2026l")
	question = []byte("\x1b[6n")
)

func (t *terminalEnd) read() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := t.file.Read(buffer)
		t.mu.Lock()
		t.bytes += n
		t.last = append(t.last, buffer[:n]...)
		if over := len(t.last) - 64<<10; over > 0 {
			t.last = slices.Clone(t.last[over:])
		}
		if count := bytes.Count(buffer[:n], frameEnd); count > 0 {
			t.frames += count
			close(t.changed)
			t.changed = make(chan struct{})
		}
		t.mu.Unlock()
		for range bytes.Count(buffer[:n], question) {
			_, _ = t.file.WriteString("\x1b[20;100R")
		}
		if err != nil {
			return
		}
	}
}

func (t *terminalEnd) next() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

func (t *terminalEnd) counts() (frames, size int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.frames, t.bytes
}

// await waits until the output contains a text.
func (t *terminalEnd) await(text string) error {
	deadline := time.After(2 * time.Minute)
	for {
		next := t.next()
		t.mu.Lock()
		found := bytes.Contains(t.last, []byte(text))
		t.mu.Unlock()
		if found {
			return nil
		}
		select {
		case <-next:
		case <-deadline:
			return fmt.Errorf("the screen never showed %q", text)
		}
	}
}

// forget drops the output so far, so that await finds later output only.
func (t *terminalEnd) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = nil
}

// times types keys and returns the times until the next frame.
func (t *terminalEnd) times(count int) ([]time.Duration, error) {
	var out []time.Duration
	for i := range count {
		next, key := t.next(), "x"
		if i%2 == 1 {
			key = "\x7f"
		}
		begin := time.Now()
		if _, err := t.file.WriteString(key); err != nil {
			return nil, err
		}
		select {
		case <-next:
			out = append(out, time.Since(begin))
		case <-time.After(10 * time.Second):
			return nil, errors.New("a key had no effect")
		}
		time.Sleep(20 * time.Millisecond) // as fast as people type
	}
	return out, nil
}

func percentile99(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)*99/100]
}

// watch opens the saved session on a terminal and measures.
func (l *bench) watch(ctx context.Context, project string) (f screenFigures, err error) {
	cmd := exec.CommandContext(ctx, l.Bin("aura"), "--trust", "--agent", "a", "--continue")
	cmd.Dir, cmd.Env = project, l.screenEnv(project)
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		return f, err
	}
	t := &terminalEnd{file: file, changed: make(chan struct{})}
	go t.read()
	defer func() {
		_, _ = file.WriteString("\x03\x03\x03\x04")
		err = errors.Join(err, cmd.Wait(), file.Close())
	}()
	if err := t.await("10 plugins ready"); err != nil {
		return f, err
	}
	times, err := t.times(keys)
	if err != nil {
		return f, err
	}
	f.key99 = percentile99(times)
	time.Sleep(idleTime) // memory is returned to the system some time after the last work
	if f.idle, err = idleShare(cmd.Process.Pid); err != nil {
		return f, err
	}
	if _, f.memory, err = rollup(cmd.Process.Pid); err != nil {
		return f, err
	}
	t.forget()
	frames, size := t.counts()
	begin := time.Now()
	if _, err := file.WriteString("stream\r"); err != nil {
		return f, err
	}
	if err := t.await("Done."); err != nil {
		return f, err
	}
	nowFrames, nowSize := t.counts()
	f.frames = float64(nowFrames-frames) / time.Since(begin).Seconds()
	f.bytes = float64(nowSize-size) / float64(nowFrames-frames)
	if _, err := file.WriteString("crash\r"); err != nil {
		return f, err
	}
	if times, err = t.times(100); err != nil {
		return f, err
	}
	f.crash99 = percentile99(times)
	return f, nil
}

// idleShare returns the processor time of a process while nothing happens, in percent.
func idleShare(pid int) (float64, error) {
	before, err := ticks(pid)
	if err != nil {
		return 0, err
	}
	time.Sleep(idleTime)
	after, err := ticks(pid)
	const perSecond = 100
	return float64(after-before) / perSecond / idleTime.Seconds() * 100, err
}

// ticks returns the processor time of a process, in hundredths of a second.
func ticks(pid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	return user + system, errors.Join(err1, err2)
}
