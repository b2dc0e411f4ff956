// Package guest speaks with a guest: a program that runs a plugin as a child process of aura-plugin-host. It is the host's side of
// the protocol of docs/guests.md, and knows nothing about the language of the plugin.
package guest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// Options describes the plugin that a guest runs.
type Options struct {
	Name string
	// Dir is the absolute path of the plugin's directory.
	Dir  string
	Tool sdk.ToolConfig
	// MemoryBytes is the memory limit of the guest; 0 if there is none.
	MemoryBytes int64
	// Services is what aura does at the plugin's request; nil if aura cannot be asked.
	Services shared.Services
}

// Client is a plugin that a guest runs. It implements shared.Served. A call returns only when the guest has answered: a guest that
// ignores the cancellation of a call can only be killed.
type Client struct {
	options Options

	// writing is held while a frame is written, which may take until the guest reads again.
	writing sync.Mutex
	to      io.Writer

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan<- message
	history history
	// gone is closed by Close.
	gone chan struct{}
}

// New returns a client that sends frames to w. Run must receive the guest's frames.
func New(w io.Writer, o Options) *Client {
	return &Client{options: o, to: w, waiting: make(map[uint64]chan<- message), gone: make(chan struct{})}
}

// errGone is the error of a call that the guest can no longer answer.
var errGone = errors.New("the guest is gone")

// Close makes all calls fail that the guest has not answered. Without it, they wait: a process that is about to end because of its guest
// must not report less than the reason.
func (c *Client) Close() { close(c.gone) }

// Run receives the frames of the guest until the stream ends or the guest breaks the protocol. It returns io.EOF or the violation.
func (c *Client) Run(r io.Reader) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	desk := newDesk(c)
	defer desk.close()
	for {
		text, err := readFrame(r)
		if ended(err) {
			return io.EOF
		}
		if err != nil {
			return fmt.Errorf("reading a frame of the guest: %w", err)
		}
		var m message
		if err := json.Unmarshal(text, &m); err != nil {
			return fmt.Errorf("reading a frame of the guest: %w, in %.60q", err, text)
		}
		if m.Ask != "" {
			if err := desk.handle(ctx, m); err != nil {
				return err
			}
			continue
		}
		waiting := c.forget(m.ID)
		if waiting == nil {
			return fmt.Errorf("reading a frame of the guest: it answers call %d, which nobody made", m.ID)
		}
		waiting <- m
	}
}

func (c *Client) forget(id uint64) chan<- message {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := c.waiting[id]
	delete(c.waiting, id)
	return waiting
}

// write sends one frame.
func (c *Client) write(frame any) error {
	text, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	return writeFrame(c.to, text)
}

// call sends a call and waits for its answer. When ctx is done, the guest is asked to cancel the call.
func (c *Client) call(ctx context.Context, frame call) (json.RawMessage, error) {
	answered := make(chan message, 1)
	c.mu.Lock()
	c.last++
	frame.ID = c.last
	c.waiting[frame.ID] = answered
	c.mu.Unlock()
	if deadline, ok := ctx.Deadline(); ok {
		frame.Deadline = deadline.Format(time.RFC3339Nano)
	}
	defer c.history.begin(frame.ID, frame.lists)()
	if err := c.write(frame); errors.Is(err, errTooLarge) {
		c.forget(frame.ID)
		return nil, &shared.Failure{Kind: shared.FailureSize, Message: fmt.Sprintf("calling %s: %v", frame.Call, err)}
	}
	// Any other error means that the guest is gone. Run notices that too, and knows more.
	stop := context.AfterFunc(ctx, func() {
		// An error means that the guest is gone, which ends the call too.
		_ = c.write(call{Call: callCancel, Of: frame.ID})
	})
	defer stop()
	select {
	case m := <-answered:
		return m.read()
	case <-c.gone:
		return nil, errGone
	}
}

// read returns the result and the failure of an answer.
func (m message) read() (json.RawMessage, error) {
	if m.Failure == nil {
		return m.Result, nil
	}
	kind := m.Failure.Kind
	if !slices.Contains(kinds, kind) {
		kind = shared.FailureError
	}
	return m.Result, &shared.Failure{Kind: kind, Message: m.Failure.Message}
}

// kinds are the kinds of failure that a guest can report. Any other kind counts as an error.
var kinds = []shared.FailureKind{
	shared.FailureError, shared.FailurePanic, shared.FailureGoexit, shared.FailureLoad, shared.FailureSize, shared.FailureWire, shared.FailureUnsupported,
}

// Load loads the plugin. It must be called once, before all other calls.
func (c *Client) Load(ctx context.Context) (shared.Exports, error) {
	o := c.options
	raw, err := c.call(ctx, call{Call: callLoad, Load: &loadCall{
		Protocol: Protocol, Name: o.Name, Dir: o.Dir, HomeDir: o.Tool.HomeDir, ConfigDir: o.Tool.ConfigDir, DataDir: o.Tool.DataDir,
		MemoryBytes: o.MemoryBytes,
	}})
	if err != nil {
		return shared.Exports{}, err
	}
	exports, asksLists, err := readExports(o.Name, raw)
	c.history.onRequest(asksLists)
	return exports, err
}

// Hook calls a hook of the plugin. A result beside an error is what the hook decided although a part of it failed.
func (c *Client) Hook(ctx context.Context, in shared.HookCall) (any, error) {
	point, ok := hookpoint.Lookup(in.Point)
	if !ok {
		return nil, fmt.Errorf("calling %q: no such hook point", in.Point)
	}
	out := reflect.New(point.Result)
	err := c.send(ctx, call{Call: callHook, Point: string(in.Point)}, in.Context, nil, in.Env, out.Interface())
	if err != nil && out.Elem().IsZero() {
		return nil, err
	}
	return out.Elem().Interface(), err
}

// Execute runs a tool of the plugin.
func (c *Client) Execute(ctx context.Context, in shared.ToolCall) (string, error) {
	var out string
	err := c.send(ctx, call{Call: callExecute, Tool: in.Tool}, in.Context, in.Args, in.Env, &out)
	return out, err
}

// Paths asks which files a call of a tool would touch.
func (c *Client) Paths(ctx context.Context, in shared.PathsCall) (sdk.ToolPaths, error) {
	var out sdk.ToolPaths
	err := c.send(ctx, call{Call: callPaths, Tool: in.Tool}, nil, in.Args, nil, &out)
	return out, err
}

// Command runs a slash command of the plugin.
func (c *Client) Command(ctx context.Context, in shared.CommandCall) (sdk.CommandResult, error) {
	var out sdk.CommandResult
	err := c.send(ctx, call{Call: callCommand, Command: in.Name}, in.Context, in.Args, in.Env, &out)
	return out, err
}

// Event calls the plugin's handlers of an event.
func (c *Client) Event(ctx context.Context, e shared.EventCall) error {
	payload, err := shared.DecodePayload(e.Payload)
	if err != nil {
		return &shared.Failure{Kind: shared.FailureWire, Message: err.Error()}
	}
	frame := call{Call: callEvent, Event: e.Name, Sender: e.Sender}
	if frame.Payload, err = shared.EncodeExact(payload); err != nil {
		return &shared.Failure{Kind: shared.FailureWire, Message: err.Error()}
	}
	_, err = c.call(ctx, frame)
	return err
}

// Touches returns false: the guest has copies of all lists.
func (*Client) Touches(string) bool { return false }

// send encodes the values of a call, makes the call and decodes its result into out. Values of nil are left out.
func (c *Client) send(ctx context.Context, frame call, in, args any, env map[string]string, out any) error {
	var err error
	encode := func(v any) (raw json.RawMessage) {
		if err == nil && v != nil {
			raw, err = shared.EncodeExact(v)
		}
		return raw
	}
	frame.lists, in = c.history.splitLists(in)
	frame.Context, frame.Args = encode(in), encode(args)
	if len(env) > 0 {
		frame.Env = encode(env)
	}
	if err == nil && len(frame.Context)+len(frame.Args)+len(frame.Env) > shared.MaxMessage-frameRoom {
		// The plugin, which may be a guard, is called anyway.
		frame.Context = encode(withLists(in, sdk.Context{}))
	}
	if err != nil {
		return &shared.Failure{Kind: shared.FailureWire, Message: "sending the call to the plugin: " + err.Error()}
	}
	raw, failed := c.call(ctx, frame)
	if len(raw) == 0 || failed != nil && frame.Call != callHook {
		return failed
	}
	if err := shared.DecodeExact(raw, out); err != nil {
		return &shared.Failure{Kind: shared.FailureWire, Message: "reading the plugin's answer: " + err.Error()}
	}
	return failed
}

// frameRoom is more than a frame has beside its context, arguments and environment, in bytes.
const frameRoom = 64 << 10
