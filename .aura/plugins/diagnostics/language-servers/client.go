package language_servers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// queued is how many messages may wait for a server that does not read.
const queued = 256

// client talks to one process of a language server.
type client struct {
	language language
	root     string
	process  *exec.Cmd
	in       io.WriteCloser
	out      io.ReadCloser
	stderr   *tail
	// messages are written by a goroutine, since a server that hangs does not read.
	messages chan []byte
	// gone is closed when the process has ended; failure says why.
	gone    chan struct{}
	failure error
	stop    sync.Once
	// pulls is set if the server answers requests for diagnostics.
	pulls bool

	mu        sync.Mutex
	last      int
	waiting   map[string]chan answer
	published map[string]publication
	// news is closed, and replaced, with each publication.
	news chan struct{}
}

// answer is the answer to a request.
type answer struct {
	result json.RawMessage
	err    error
}

// publication is what a server has published last about a file. number counts its publications, hasVersion says whether it names versions.
type publication struct {
	number      int
	version     int
	hasVersion  bool
	diagnostics []diagnostic
}

// startClient starts a server and waits until it is initialized.
func startClient(ctx context.Context, l language, root string) (*client, error) {
	c := &client{
		language: l, root: root, process: exec.Command(l.command[0], l.command[1:]...), stderr: &tail{},
		messages: make(chan []byte, queued), gone: make(chan struct{}),
		waiting: map[string]chan answer{}, published: map[string]publication{}, news: make(chan struct{}),
	}
	c.process.Env = append(os.Environ(), l.env...)
	c.process.Dir, c.process.Stderr, c.process.WaitDelay = root, c.stderr, time.Second
	var err error
	if c.in, err = c.process.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.process.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := c.process.Start(); err != nil {
		return nil, err
	}
	go c.write()
	go c.read()
	if err := c.initialize(ctx); err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

// kill ends the process and waits for the end.
func (c *client) kill() {
	c.end(errors.New("it was stopped"))
	<-c.gone
}

// end ends the process. The first reason is kept.
func (c *client) end(why error) {
	c.stop.Do(func() {
		c.failure = why
		// A process that has ended by itself cannot be killed. Its descendants may hold the pipes.
		_ = c.process.Process.Kill()
		_ = c.in.Close()
		_ = c.out.Close()
	})
}

// write writes what is queued, until the process ends.
func (c *client) write() {
	for {
		select {
		case body := <-c.messages:
			if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
				return // the reader finds out why
			}
		case <-c.gone:
			return
		}
	}
}

// read handles what the server sends, until the process ends.
func (c *client) read() {
	from := bufio.NewReader(c.out)
	var err error
	for err == nil {
		var body []byte
		if body, err = readMessage(from); err == nil {
			err = c.handle(body)
		}
	}
	c.end(err)
	ended := c.process.Wait()
	if errors.Is(c.failure, io.EOF) {
		c.failure = errors.New("it ended")
		if ended != nil {
			c.failure = fmt.Errorf("it ended with %v", ended)
		}
	}
	if said := c.stderr.last(); said != "" {
		c.failure = fmt.Errorf("%w: %s", c.failure, said)
	}
	close(c.gone)
}

// handle handles one message.
func (c *client) handle(body []byte) error {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return fmt.Errorf("it sent no JSON: %w", err)
	}
	switch {
	case m.Method == "textDocument/publishDiagnostics":
		return c.publish(m.Params)
	case m.Method != "" && len(m.ID) > 0:
		c.reply(m.ID, m.Method, m.Params)
	case m.Method == "":
		c.mu.Lock()
		wait := c.waiting[string(m.ID)]
		delete(c.waiting, string(m.ID))
		c.mu.Unlock()
		if wait == nil {
			return nil // nobody waits for it any more
		}
		if m.Error != nil {
			wait <- answer{err: &refusal{code: m.Error.Code, message: m.Error.Message}}
		} else {
			wait <- answer{result: m.Result}
		}
	}
	return nil
}

// refusal is an answer that is an error.
type refusal struct {
	code    int
	message string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("it answered with the error %d: %s", r.code, r.message)
}

// reply answers a request of the server. What it does not need is an unknown method.
func (c *client) reply(id json.RawMessage, method string, params json.RawMessage) {
	out := map[string]any{"jsonrpc": "2.0", "id": id, "result": nil}
	switch method {
	case "workspace/configuration":
		var asked struct {
			Items []struct {
				Section string `json:"section"`
			} `json:"items"`
		}
		if err := json.Unmarshal(params, &asked); err != nil {
			asked.Items = nil
		}
		values := []any{}
		for _, item := range asked.Items {
			values = append(values, c.language.settings[item.Section])
		}
		out["result"] = values
	case "workspace/workspaceFolders":
		out["result"] = c.folders()
	case "workspace/applyEdit":
		out["result"] = map[string]any{"applied": false}
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create", "window/showMessageRequest",
		"workspace/diagnostic/refresh":
	default:
		delete(out, "result")
		out["error"] = map[string]any{"code": -32601, "message": "this client has no " + method}
	}
	c.queue(out)
}

func (c *client) folders() []any {
	return []any{map[string]any{"uri": uriOf(c.root), "name": "root"}}
}

// publish keeps what the server says about a file.
func (c *client) publish(params json.RawMessage) error {
	var p struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return fmt.Errorf("it sent diagnostics that cannot be read: %w", err)
	}
	path := pathOf(p.URI)
	c.mu.Lock()
	defer c.mu.Unlock()
	next := publication{number: c.published[path].number + 1, diagnostics: belongingTo(path, p.Diagnostics)}
	if p.Version != nil {
		next.version, next.hasVersion = *p.Version, true
	}
	c.published[path] = next
	close(c.news)
	c.news = make(chan struct{})
	return nil
}

// publication returns what was published last about a file.
func (c *client) publication(path string) publication {
	p, _ := c.current(path)
	return p
}

// current is publication with the channel that is closed when there is more.
func (c *client) current(path string) (publication, chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.published[path], c.news
}

// notify sends a notification.
func (c *client) notify(method string, params any) {
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	c.queue(m)
}

// queue puts a message in line. A server that has let so many wait hangs, which the next question finds.
func (c *client) queue(m map[string]any) {
	body, err := json.Marshal(m)
	if err != nil {
		return // it consists of maps and texts only
	}
	select {
	case c.messages <- body:
	default:
		c.end(errors.New("it does not read"))
	}
}

// send sends a request. The answer arrives in the channel.
func (c *client) send(method string, params any) chan answer {
	arrived := make(chan answer, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[fmt.Sprint(id)] = arrived
	c.mu.Unlock()
	m := map[string]any{"jsonrpc": "2.0", "id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	c.queue(m)
	return arrived
}

// await waits for the answer to a request.
func (c *client) await(ctx context.Context, arrived chan answer) (json.RawMessage, error) {
	select {
	case a := <-arrived:
		return a.result, a.err
	case <-c.gone:
		return nil, c.failure
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// tail keeps the end of what a server writes to standard error.
type tail struct {
	mu   sync.Mutex
	text string
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text += string(p)
	if len(t.text) > 2000 {
		t.text = t.text[len(t.text)-2000:]
	}
	return len(p), nil
}

// last returns the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(t.text)
	text = text[strings.LastIndex(text, "\n")+1:]
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return text
}
