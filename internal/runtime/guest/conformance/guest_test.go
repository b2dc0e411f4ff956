//go:build unix

package conformance

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

// This is a small guest, which runs one plugin. It uses nothing of aura, as a guest in another language could not either.

// small is the guest. Only writing is shared by its goroutines.
type small struct {
	writing sync.Mutex
	out     *os.File

	mu      sync.Mutex
	waiting map[uint64]chan struct{}
}

// smallCall is a call of the host.
type smallCall struct {
	ID      uint64          `json:"id"`
	Call    string          `json:"call"`
	Point   string          `json:"point"`
	Tool    string          `json:"tool"`
	Command string          `json:"command"`
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload"`
	Of      uint64          `json:"of"`
	Args    json.RawMessage `json:"args"`
	Env     map[string]string
	Context struct {
		ToolName string
		Content  string
	} `json:"context"`
}

// guestMain serves until the input ends.
func guestMain() int {
	g := &small{out: os.NewFile(4, "to the host"), waiting: map[uint64]chan struct{}{}}
	in := bufio.NewReader(os.NewFile(3, "from the host"))
	for {
		var size uint32
		if binary.Read(in, binary.BigEndian, &size) != nil {
			return 0
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(in, text); err != nil {
			return 1
		}
		var c smallCall
		if err := json.Unmarshal(text, &c); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		g.begin(c)
	}
}

// begin cancels a call, or runs one in a goroutine of its own. Events run at once, in order.
func (g *small) begin(c smallCall) {
	switch c.Call {
	case "":
		return // the answer to a request
	case "cancel":
		g.mu.Lock()
		defer g.mu.Unlock()
		if cancelled := g.waiting[c.Of]; cancelled != nil {
			close(cancelled)
			delete(g.waiting, c.Of)
		}
		return
	case "event":
		g.send(fmt.Sprintf(`{"ask":"emit","event":"conformance:pong","payload":%s}`, c.Payload))
		g.send(fmt.Sprintf(`{"id":%d,"result":null}`, c.ID))
		return
	}
	cancelled := make(chan struct{})
	g.mu.Lock()
	g.waiting[c.ID] = cancelled
	g.mu.Unlock()
	go func() {
		g.send(fmt.Sprintf(`{"id":%d,%s}`, c.ID, g.run(c, cancelled)))
		g.mu.Lock()
		delete(g.waiting, c.ID)
		g.mu.Unlock()
	}()
}

// run returns the result or the failure of a call.
func (g *small) run(c smallCall, cancelled <-chan struct{}) string {
	for name, value := range c.Env {
		_ = os.Setenv(name, value)
	}
	switch {
	case c.Call == "load":
		return `"result":` + smallExports
	case c.Point == "BeforeToolExecution" && c.Context.ToolName == "forbidden":
		return `"result":{"Block":true,"Result":{"Message":"no"}}`
	case c.Point == "UserMessage":
		return `"result":{"Content":` + quoted(strings.ToUpper(c.Context.Content)) + `}`
	case c.Call == "hook":
		return `"result":null`
	case c.Call == "command" && c.Command == "shout":
		var args string
		_ = json.Unmarshal(c.Args, &args)
		return `"result":{"Output":` + quoted(strings.ToUpper(args)) + `}`
	case c.Call == "execute":
		return g.tool(c, cancelled)
	default:
		return `"failure":{"kind":"unsupported","message":` + quoted("there is no "+c.Command) + `}`
	}
}

func (g *small) tool(c smallCall, cancelled <-chan struct{}) string {
	var args map[string]json.RawMessage
	_ = json.Unmarshal(c.Args, &args)
	text := func(name string) (s string) {
		_ = json.Unmarshal(args[name], &s)
		return s
	}
	switch c.Tool {
	case "emit":
		// The value is passed on as it came, which is exact.
		g.send(fmt.Sprintf(`{"ask":"emit","event":"conformance:value","payload":%s}`, args["value"]))
		return `"result":""`
	case "fail":
		return `"failure":{"kind":"error","message":` + quoted(text("message")) + `}`
	case "wait":
		<-cancelled
		return `"result":"cancelled"`
	case "print":
		fmt.Println(text("text"))
		return `"result":""`
	case "length":
		return fmt.Sprintf(`"result":"%d"`, len(text("text")))
	case "env":
		return `"result":` + quoted(os.Getenv(text("name")))
	default:
		return `"failure":{"kind":"unsupported","message":` + quoted("there is no "+c.Tool) + `}`
	}
}

// send writes a frame.
func (g *small) send(text string) {
	g.writing.Lock()
	defer g.writing.Unlock()
	_, _ = g.out.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
}

// quoted returns a text in the exact encoding.
func quoted(s string) string {
	if !utf8.ValidString(s) {
		return `{"$text":"` + base64.StdEncoding.EncodeToString([]byte(s)) + `"}`
	}
	b, _ := json.Marshal(s)
	return string(b)
}

const smallExports = `{"hooks":["BeforeToolExecution","UserMessage"],"system_prompt":"This is a conformance test.","listens":["conformance:ping"],
"commands":[{"name":"shout"}],"tools":[{"name":"emit","parameters":{"type":"object"}},{"name":"fail","parameters":{"type":"object"}},
{"name":"wait","parameters":{"type":"object"}},{"name":"print","parameters":{"type":"object"}},{"name":"length","parameters":{"type":"object"}},
{"name":"env","parameters":{"type":"object"}}]}`
