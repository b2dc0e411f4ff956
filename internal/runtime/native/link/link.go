// Package link is the connection of a compiled plugin to its aura-plugin-host, by the protocol of docs/guests.md. It is part of every
// compiled plugin, so it imports only the standard library and package frame.
//
// The SDK of a compiled plugin imports it. The connection is therefore open before the first line of the plugin's own code runs.
package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/idelchi/aura/shared/frame"
)

// The descriptors of the protocol.
const (
	fromHost = 3
	toHost   = 4
)

// Call is a frame from the host. Context, Args, Env and Payload are in the encoding of package exact.
type Call struct {
	ID       uint64          `json:"id"`
	Call     string          `json:"call"`
	Point    string          `json:"point"`
	Tool     string          `json:"tool"`
	Command  string          `json:"command"`
	Event    string          `json:"event"`
	Sender   string          `json:"sender"`
	Deadline string          `json:"deadline"`
	Context  json.RawMessage `json:"context"`
	Args     json.RawMessage `json:"args"`
	Env      json.RawMessage `json:"env"`
	Payload  json.RawMessage `json:"payload"`
	Of       uint64          `json:"of"`
	Load     *Load           `json:"load"`
	// Result and Failure belong to the answer to a request.
	Result  json.RawMessage `json:"result"`
	Failure *Failure        `json:"failure"`
}

// Load describes the plugin to load.
type Load struct {
	Protocol    int    `json:"protocol"`
	Name        string `json:"name"`
	Dir         string `json:"dir"`
	HomeDir     string `json:"home_dir"`
	ConfigDir   string `json:"config_dir"`
	DataDir     string `json:"data_dir"`
	MemoryBytes int64  `json:"memory_bytes"`
}

// Failure is a call or a request that did not succeed.
type Failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// Handlers returns the functions that the plugin gave to sdk.On for an event. Events returns the names of these events. The SDK sets
// both.
var (
	Handlers func(name string) []func(ctx context.Context, name, sender string, payload any) error
	Events   func() []string
)

// host is the connection; nil if the program was not started by aura-plugin-host.
var host = connect()

// ErrAlone is the error of a request without a host.
var ErrAlone = errors.New("there is no aura that could be asked")

// connection is an open connection.
type connection struct {
	writing sync.Mutex
	to      io.Writer

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan<- Call
	calls   []Call
	// arrived has room for one value, which means that calls is not empty or that the host is gone.
	arrived chan struct{}
	gone    bool
}

func connect() *connection {
	keepFromChildren(fromHost, toHost)
	from, to := open(fromHost), open(toHost)
	if from == nil || to == nil {
		return nil
	}
	c := &connection{to: to, waiting: make(map[uint64]chan<- Call), arrived: make(chan struct{}, 1)}
	go c.receive(from)
	return c
}

// open returns a descriptor of the protocol, or nil if the host did not pass it. Then the descriptor may belong to the runtime.
func open(fd uintptr) *os.File {
	f := os.NewFile(fd, "")
	if f == nil {
		return nil
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		kept = append(kept, f)
		return nil
	}
	return f
}

// kept holds files that must not be closed by the garbage collector.
var kept []*os.File

// receive reads frames until the host is gone.
func (c *connection) receive(from io.Reader) {
	for {
		text, err := frame.Read(from)
		var received Call
		if err == nil {
			err = json.Unmarshal(text, &received)
		}
		c.mu.Lock()
		if err != nil {
			c.gone = true
			for _, waiting := range c.waiting {
				close(waiting)
			}
			clear(c.waiting)
			c.mu.Unlock()
			c.signal()
			return
		}
		if received.Call != "" {
			c.calls = append(c.calls, received)
		} else if waiting := c.waiting[received.ID]; waiting != nil {
			delete(c.waiting, received.ID)
			waiting <- received
		}
		c.mu.Unlock()
		c.signal()
	}
}

func (c *connection) signal() {
	select {
	case c.arrived <- struct{}{}:
	default:
	}
}

// Next waits for the next call. It returns false when the host is gone. Only one goroutine may call it.
func Next() (Call, bool) {
	for host != nil {
		host.mu.Lock()
		if len(host.calls) > 0 {
			next := host.calls[0]
			host.calls = host.calls[1:]
			host.mu.Unlock()
			return next, true
		}
		gone := host.gone
		host.mu.Unlock()
		if gone {
			break
		}
		<-host.arrived
	}
	return Call{}, false
}

// Connected reports whether the program was started by aura-plugin-host.
func Connected() bool { return host != nil }

// Send sends a frame. An error that is not frame.ErrTooLarge means that the host is gone.
func Send(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return send(text)
}

// SendResult sends the result of a call, which is JSON, without a copy of it.
func SendResult(id uint64, result []byte) error {
	return send(fmt.Appendf(nil, `{"id":%d,"result":`, id), result, []byte("}"))
}

func send(parts ...[]byte) error {
	if host == nil {
		return ErrAlone
	}
	host.writing.Lock()
	defer host.writing.Unlock()
	return frame.Write(host.to, parts...)
}

// Ask sends a request and waits for its answer. The keys of the request are those of docs/guests.md, without the id.
func Ask(request map[string]any) (json.RawMessage, error) {
	if host == nil {
		return nil, ErrAlone
	}
	answered := make(chan Call, 1)
	host.mu.Lock()
	host.last++
	id := host.last
	if !host.gone {
		host.waiting[id] = answered
	} else {
		close(answered)
	}
	host.mu.Unlock()
	request["id"] = id
	if err := Send(request); err != nil {
		host.mu.Lock()
		delete(host.waiting, id)
		host.mu.Unlock()
		return nil, err
	}
	answer, ok := <-answered
	switch {
	case !ok:
		return nil, errors.New("aura is gone")
	case answer.Failure != nil:
		return nil, errors.New(answer.Failure.Message)
	default:
		return answer.Result, nil
	}
}

// Tell sends a request that has no answer.
func Tell(request map[string]any) {
	// The error of a connection that is gone: the process is about to end.
	_ = Send(request)
}

// Alone returns an error that says what was not possible without a host.
func Alone(doing string) error { return fmt.Errorf("%s: %w", doing, ErrAlone) }
