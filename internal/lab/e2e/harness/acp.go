//go:build linux

package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"
)

// Editor is a client of the Go SDK that runs aura acp. Each message in both directions is checked against the published schema.
type Editor struct {
	*Aura
	// Ctx ends when the test has waited long enough.
	Ctx  context.Context //nolint:containedctx // it is that of the test
	Conn *acp.ClientSideConnection
	in   io.WriteCloser
	Wire *Wire

	Mu      sync.Mutex
	Updates []acp.SessionNotification
	States  []string
	// came is closed and replaced when something comes.
	came chan struct{}
	// Permit answers permission requests; nil cancels them.
	Permit func(context.Context, acp.RequestPermissionRequest) string
	// Fill returns the value of a form with a message.
	Fill func(message string) string
	// Asked is for permit: it can be closed when the user is asked.
	Asked chan struct{}
	// Buffers holds the texts of files that are not saved, by path.
	Buffers map[string]string
}

// Edit starts aura acp and initializes it. The flags are those of aura acp.
func (p *Project) Edit(flags ...string) *Editor {
	p.T.Helper()
	return p.EditWith(acp.ClientCapabilities{}, flags...)
}

// EditWith starts aura for an editor with these abilities.
func (p *Project) EditWith(able acp.ClientCapabilities, flags ...string) *Editor {
	p.T.Helper()
	e := Launch(p, flags...)
	got, err := e.Conn.Initialize(e.Ctx, acp.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: able})
	p.Check(err)
	if got.ProtocolVersion != 1 || !got.AgentCapabilities.LoadSession || !got.AgentCapabilities.PromptCapabilities.Audio {
		p.T.Fatalf("initialize: %+v", got)
	}
	return e
}

// Launch starts aura acp.
func Launch(p *Project, flags ...string) *Editor {
	p.T.Helper()
	p.WithoutMode()
	running, in, out := Piped(p, append([]string{"acp"}, flags...)...)
	e := &Editor{Aura: running, in: in, Wire: NewWire(p.T), came: make(chan struct{}), Asked: make(chan struct{}), Buffers: map[string]string{}}
	var end context.CancelFunc
	e.Ctx, end = context.WithTimeout(p.T.Context(), 2*Patience)
	p.T.Cleanup(end)
	e.Conn = acp.NewClientSideConnection(e, e.Wire.sending(in), e.Wire.Receiving(out))
	e.Conn.SetLogger(slog.New(slog.DiscardHandler))
	return e
}

// Piped starts aura with pipes as its standard input and output.
func Piped(p *Project, args ...string) (a *Aura, in io.WriteCloser, out io.Reader) {
	p.T.Helper()
	cmd := p.Command(args...)
	errs, err := os.Create(filepath.Join(p.Dir, "stderr.txt"))
	p.Check(err)
	fromAura, stdout, err := os.Pipe()
	p.Check(err)
	stdin, toAura, err := os.Pipe()
	p.Check(err)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, errs
	p.Check(errors.Join(cmd.Start(), stdin.Close(), stdout.Close(), errs.Close()))
	p.T.Cleanup(func() { _ = errors.Join(toAura.Close(), fromAura.Close()) })
	return p.Running(cmd), toAura, fromAura
}

// Open opens a session in the project.
func (e *Editor) Open(servers ...acp.McpServer) acp.SessionId {
	e.T.Helper()
	got, err := e.Conn.NewSession(e.Ctx, acp.NewSessionRequest{Cwd: e.Dir, McpServers: append([]acp.McpServer{}, servers...)})
	e.Check(err)
	return got.SessionId
}

// Prompt sends a prompt and returns why the turn ended.
func (e *Editor) Prompt(id acp.SessionId, text string) acp.StopReason {
	e.T.Helper()
	got, err := e.Conn.Prompt(e.Ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
	if err != nil {
		e.T.Fatalf("prompt %q: %v\n%s", text, err, e.Stderr())
	}
	return got.StopReason
}

// Quit closes the input, waits until aura ends, and checks that nothing is left.
func (e *Editor) Quit() {
	e.T.Helper()
	e.Check(e.in.Close())
	if code := e.Wait(); code != 0 {
		e.T.Errorf("exit code %d\n%s", code, e.Stderr())
	}
	e.NoTrace()
}

// SessionUpdate implements acp.Client.
func (e *Editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.record(func() { e.Updates = append(e.Updates, n) })
	return nil
}

// HandleExtensionMethod implements acp.ExtensionMethodHandler.
func (e *Editor) HandleExtensionMethod(_ context.Context, method string, params json.RawMessage) (any, error) {
	e.record(func() { e.States = append(e.States, method+" "+string(params)) })
	return nil, nil
}

func (e *Editor) record(change func()) {
	e.Mu.Lock()
	defer e.Mu.Unlock()
	change()
	close(e.came)
	e.came = make(chan struct{})
}

// RequestPermission implements acp.Client.
func (e *Editor) RequestPermission(ctx context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	if e.Permit != nil {
		if option := e.Permit(ctx, r); option != "" {
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(acp.PermissionOptionId(option))}, nil
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

// ReadTextFile implements acp.Client.
func (e *Editor) ReadTextFile(_ context.Context, r acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	e.Mu.Lock()
	defer e.Mu.Unlock()
	if text, ok := e.Buffers[r.Path]; ok {
		return acp.ReadTextFileResponse{Content: text}, nil
	}
	content, err := os.ReadFile(r.Path)
	return acp.ReadTextFileResponse{Content: string(content)}, err
}

// WriteTextFile implements acp.Client: it saves the buffer.
func (e *Editor) WriteTextFile(_ context.Context, r acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	e.record(func() { delete(e.Buffers, r.Path) })
	return acp.WriteTextFileResponse{}, os.WriteFile(r.Path, []byte(r.Content), 0o644)
}

var errUnused = errors.New("aura does not use terminals of the client")

// CreateTerminal implements acp.Client.
func (*Editor) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, errUnused
}

// KillTerminal implements acp.Client.
func (*Editor) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, errUnused
}

// TerminalOutput implements acp.Client.
func (*Editor) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, errUnused
}

// ReleaseTerminal implements acp.Client.
func (*Editor) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, errUnused
}

// WaitForTerminalExit implements acp.Client.
func (*Editor) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, errUnused
}

// Seen returns the updates of a session so far as one line of text each, without the lists that every session begins with.
func (e *Editor) Seen(id acp.SessionId) []string {
	e.Mu.Lock()
	defer e.Mu.Unlock()
	var out []string
	for _, n := range e.Updates {
		if n.SessionId == id {
			if line := shownAs(n.Update); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

// Shows waits until the updates of a session contain these texts, in this order.
func (e *Editor) Shows(id acp.SessionId, texts ...string) {
	e.T.Helper()
	e.Until(strings.Join(texts, ", then "), func() bool {
		all := strings.Join(e.Seen(id), "\n")
		for _, text := range texts {
			_, rest, found := strings.Cut(all, text)
			if !found {
				return false
			}
			all = rest
		}
		return true
	})
}

// shownAs returns an update as a line.
func shownAs(u acp.SessionUpdate) string {
	text := func(c acp.ContentBlock) string {
		if c.Text == nil {
			return "?"
		}
		return c.Text.Text
	}
	switch {
	case u.UserMessageChunk != nil:
		return "user: " + text(u.UserMessageChunk.Content)
	case u.AgentMessageChunk != nil:
		return "agent: " + text(u.AgentMessageChunk.Content)
	case u.AgentThoughtChunk != nil:
		return "thought: " + text(u.AgentThoughtChunk.Content)
	case u.Plan != nil:
		return "plan: " + CompactJSON(u.Plan.Entries)
	case u.ToolCall != nil:
		c := u.ToolCall
		return "call " + string(c.ToolCallId) + " " + string(c.Kind) + " " + string(c.Status) + ": " + c.Title + " " + CompactJSON(c.Locations)
	case u.ToolCallUpdate != nil:
		c := u.ToolCallUpdate
		out := "update " + string(c.ToolCallId)
		if c.Status != nil {
			out += " " + string(*c.Status)
		}
		return out + ": " + CompactJSON(c.Content)
	case u.CurrentModeUpdate != nil:
		return "mode: " + string(u.CurrentModeUpdate.CurrentModeId)
	case u.SessionInfoUpdate != nil:
		return "info: " + CompactJSON(u.SessionInfoUpdate)
	default:
		return ""
	}
}

// CompactJSON returns a value as JSON on one line.
func CompactJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// Every returns all updates of a kind as JSON.
func (e *Editor) Every(kind string) string {
	e.Mu.Lock()
	defer e.Mu.Unlock()
	var out []string
	for _, n := range e.Updates {
		if text := CompactJSON(n.Update); strings.Contains(text, `"sessionUpdate":"`+kind+`"`) {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// CodeOf returns the code of an error of the protocol.
func CodeOf(err error) int {
	if coded, ok := errors.AsType[*acp.RequestError](err); ok {
		return coded.Code
	}
	return 0
}

// Send sends a prompt without waiting for its end, which comes on the channel.
func (e *Editor) Send(id acp.SessionId, text string) <-chan string {
	out := make(chan string, 1)
	go func() {
		got, err := e.Conn.Prompt(e.Ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
		out <- fmt.Sprint(got.StopReason, " ", CodeOf(err))
	}()
	return out
}

// Cancel cancels the turn of a session.
func (e *Editor) Cancel(id acp.SessionId) {
	e.T.Helper()
	e.Check(e.Conn.Cancel(e.Ctx, acp.CancelNotification{SessionId: id}))
}

// UnstableCreateElicitation implements the client's method of the protocol.
func (e *Editor) UnstableCreateElicitation(_ context.Context, r acp.UnstableCreateElicitationRequest) (acp.UnstableCreateElicitationResponse, error) {
	answer := map[string]any{"answer": e.Fill(r.Form.Message)}
	return acp.UnstableCreateElicitationResponse{Accept: &acp.UnstableCreateElicitationAccept{Action: "accept", Content: answer}}, nil
}
