//go:build linux

package editor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// rawClient writes lines to aura acp as they are, and reads what comes back. Each line of aura is checked against the schema.
type rawClient struct {
	*harness.Aura
	in   io.WriteCloser
	out  *bufio.Reader
	wire *harness.Wire
}

func raw(p *harness.Project) *rawClient {
	p.T.Helper()
	running, in, out := harness.Piped(p, "acp")
	w := harness.NewWire(p.T)
	return &rawClient{Aura: running, in: in, out: bufio.NewReader(w.Receiving(out)), wire: w}
}

// write writes a text. The requests in it are noted, so that their answers can be checked.
func (c *rawClient) put(text string) {
	c.T.Helper()
	for line := range strings.Lines(text) {
		c.wire.Expect(line)
	}
	_, err := io.WriteString(c.in, text)
	c.Check(err)
}

// answer reads until the answer with an id, and returns its result or error as JSON.
func (c *rawClient) answer(id string) string {
	c.T.Helper()
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			c.T.Fatalf("reading the answer to %s: %v\n%s", id, err, c.Stderr())
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		c.Check(json.Unmarshal(line, &m))
		if m.Method == "" && string(m.ID) == id {
			return string(m.Result) + string(m.Error)
		}
	}
}

// ask sends a request and returns the answer.
func (c *rawClient) ask(id, method, params string) string {
	c.T.Helper()
	c.put(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, params))
	return c.answer(id)
}

func (c *rawClient) begin() {
	c.T.Helper()
	if got := c.ask("0", "initialize", `{"protocolVersion":1}`); !strings.Contains(got, `"protocolVersion":1`) {
		c.T.Errorf("initialize: %s", got)
	}
}

func (c *rawClient) finish() {
	c.T.Helper()
	c.Check(c.in.Close())
	_, err := io.Copy(io.Discard, c.out)
	c.Check(err)
	if code := c.Wait(); code != 0 {
		c.T.Errorf("exit code %d\n%s", code, c.Stderr())
	}
	c.NoTrace()
}

// TestACPHostile sends what no client should send. aura answers with an error, and serves what comes after.
func TestACPHostile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100<<20)
	for name, row := range map[string]struct {
		send, id, want string
	}{
		"not JSON":         {"{nonsense\n", "null", `"code":-32700`},
		"half a message":   {`{"jsonrpc":"2.0","id":1` + "\n", "null", `"code":-32700`},
		"a list":           {"[]\n", "null", `"code":-32600`},
		"a number":         {"7\n", "null", `"code":-32600`},
		"another version":  {`{"jsonrpc":"1.0","id":"a","method":"session/list"}` + "\n", `"a"`, `"code":-32600`},
		"an odd id":        {`{"jsonrpc":"2.0","id":{},"method":"session/list"}` + "\n", "null", `"code":-32600`},
		"nothing":          {`{"jsonrpc":"2.0"}` + "\n", "null", `"code":-32600`},
		"unknown method":   {`{"jsonrpc":"2.0","id":1,"method":"session/fly"}` + "\n", "1", `"code":-32601`},
		"unknown _method":  {`{"jsonrpc":"2.0","id":1,"method":"_other/thing","params":{}}` + "\n", "1", `"code":-32601`},
		"no parameters":    {`{"jsonrpc":"2.0","id":1,"method":"session/new"}` + "\n", "1", `"code":-32602`},
		"odd parameters":   {`{"jsonrpc":"2.0","id":1,"method":"session/new","params":[1]}` + "\n", "1", `"code":-32602`},
		"relative cwd":     {`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":".","mcpServers":[]}}` + "\n", "1", `"code":-32602`},
		"missing cwd":      {`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/none","mcpServers":[]}}` + "\n", "1", `"code":-32602`},
		"unknown session":  {`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}` + "\n", "1", `"code":-32002`},
		"unknown cursor":   {`{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cursor":"-1"}}` + "\n", "1", `"code":-32602`},
		"authenticate":     {`{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"x"}}` + "\n", "1", `"code":-32602`},
		"initialize twice": {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n", "1", `"code":-32600`},
		"100 MB":           {`{"jsonrpc":"2.0","id":1,"method":"` + long + `"}` + "\n", "null", `"code":-32600`},
		"an answer":        {`{"jsonrpc":"2.0","id":77,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"x"}` + "\n", "1", `"code":-32601`},
		"notifications": {
			strings.Repeat(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}`+"\n"+`{"jsonrpc":"2.0","method":"_x"}`+"\n\n", 5000) +
				`{"jsonrpc":"2.0","id":1,"method":"x"}` + "\n", "1", `"code":-32601`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			c := raw(p)
			c.begin()
			c.put(row.send)
			if got := c.answer(row.id); !strings.Contains(got, row.want) {
				t.Errorf("answered %s, want %s", got, row.want)
			}
			if got := c.ask("9", "session/list", "{}"); !strings.Contains(got, `"sessions":[]`) {
				t.Errorf("afterwards: %s", got)
			}
			c.finish()
		})
	}
}

// TestACPVersions initializes with versions that aura does not speak: it answers with the one that it speaks.
func TestACPVersions(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]string{
		`{"protocolVersion":0}`: `"protocolVersion":1`, `{"protocolVersion":2}`: `"protocolVersion":1`, `{"protocolVersion":65535}`: `"protocolVersion":1`,
		`{"protocolVersion":"1"}`: `"code":-32602`, `{}`: `"code":-32602`,
	} {
		p := harness.NewProject(t)
		c := raw(p)
		if got := c.ask("1", "session/list", "{}"); !strings.Contains(got, `"code":-32600`) {
			t.Errorf("before initialize: %s", got)
		}
		if got := c.ask("2", "initialize", params); !strings.Contains(got, want) {
			t.Errorf("initialize with %s: %s", params, got)
		}
		c.finish()
	}
}

// TestACPHalfLine ends the input within a message, which does nothing.
func TestACPHalfLine(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	c := raw(p)
	c.begin()
	c.put(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, p.Dir))
	c.finish()
	p.Wants(p.Stderr(), "the client ended within a message")
}

// TestACPFlood sends far more requests than aura takes at a time: each is answered, those beyond the limit with an error.
func TestACPFlood(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	plays(p, "  - {text: Wait., delay: 1h}\n")
	c := raw(p)
	c.begin()
	c.put(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", p.Dir))
	var opened struct{ SessionID string }
	p.Check(json.Unmarshal([]byte(c.answer("1")), &opened))
	prompt := fmt.Sprintf(`"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}}`+"\n", opened.SessionID)
	mode := fmt.Sprintf(`"method":"session/set_mode","params":{"sessionId":%q,"modeId":"x"}}`+"\n", opened.SessionID)
	first := `{"jsonrpc":"2.0","id":2,` + prompt
	var all strings.Builder
	all.WriteString(first)
	for i := range 500 {
		// These wait for the prompt, so that they fill what aura takes at a time.
		fmt.Fprintf(&all, `{"jsonrpc":"2.0","id":%d,%s`, 100+i, mode)
	}
	all.WriteString(first)
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(c.in, all.String())
		written <- err
	}()
	refused := 0
	for i := 63; i < 500; i++ {
		if strings.Contains(c.answer(fmt.Sprint(100+i)), "takes no more at a time") {
			refused++
		}
	}
	if refused != 437 {
		t.Errorf("%d requests were refused, want 437", refused)
	}
	if got := c.answer("2"); !strings.Contains(got, "not answered yet") {
		t.Errorf("an id that is in use: %s", got)
	}
	p.Check(<-written)
	c.wire.Expect(first)
	for i := range 63 {
		c.wire.Expect(fmt.Sprintf(`{"id":%d,"method":"session/set_mode"}`, 100+i))
	}
	c.put(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", opened.SessionID))
	if got := c.answer("2"); !strings.Contains(got, `"stopReason":"cancelled"`) {
		t.Errorf("the prompt ended with %s", got)
	}
	for i := range 63 {
		if got := c.answer(fmt.Sprint(100 + i)); !strings.Contains(got, `"code":-32602`) {
			t.Errorf("a mode that does not exist: %s", got)
		}
	}
	c.finish()
}

// TestACPCancelRequest cancels a request by its id: the opening of a session, and a prompt.
func TestACPCancelRequest(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	plays(p, "  - {text: Wait., delay: 1h}\n")
	p.Write(".aura/config/mcp/slow.yaml", "slow: {command: sh, args: [-c, 'touch begun; sleep 1000']}\n")
	c := raw(p)
	c.begin()
	c.put(fmt.Sprintf(`{"jsonrpc":"2.0","id":"open","method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", p.Dir))
	p.Until("the server", func() bool { return p.Read("begun") != nil })
	c.put(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"open"}}` + "\n")
	if got := c.answer(`"open"`); !strings.Contains(got, `"code":-32800`) {
		t.Errorf("a cancelled opening: %s", got)
	}
	c.finish()
}

// TestACPDeaf ends the input of aura and never reads what aura writes, which is more than a pipe holds. aura ends all the same.
func TestACPDeaf(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	plays(p, "  - {text: \""+strings.Repeat("many words ", 20_000)+"\"}\n")
	c := raw(p)
	c.begin()
	c.put(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", p.Dir))
	var opened struct{ SessionID string }
	p.Check(json.Unmarshal([]byte(c.answer("1")), &opened))
	c.put(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}}`+"\n", opened.SessionID))
	saves(p, "go")
	p.Check(c.in.Close())
	if code := c.Wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, c.Stderr())
	}
	p.NoTrace()
}

// TestACPSignals ends aura by signals while a tool runs.
func TestACPSignals(t *testing.T) {
	t.Parallel()
	for sig, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130, syscall.SIGHUP: 129} {
		p := harness.NewProject(t)
		plays(p, "  - {tool_calls: [{name: Bash, arguments: {command: touch run; sleep 1000}}]}\n")
		e := p.Edit()
		id := e.Open()
		e.Send(id, "go")
		p.Until("the tool", func() bool { return p.Read("run") != nil })
		e.Signal(sig)
		if got := e.Wait(); got != code {
			t.Errorf("%v: exit code %d, want %d", sig, got, code)
		}
		p.NoTrace()
		harness.Complete(t, p.Saved())
	}
}
