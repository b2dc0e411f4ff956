//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// editor is a client of the Go SDK that runs aura acp. Each message in both directions is checked against the published schema.
type editor struct {
	*aura
	// ctx ends when the test has waited long enough.
	ctx  context.Context //nolint:containedctx // it is that of the test
	conn *acp.ClientSideConnection
	in   io.WriteCloser
	wire *wire

	mu      sync.Mutex
	updates []acp.SessionNotification
	states  []string
	// came is closed and replaced when something comes.
	came chan struct{}
	// permit answers permission requests; nil cancels them.
	permit func(context.Context, acp.RequestPermissionRequest) string
	// fill returns the value of a form with a message.
	fill func(message string) string
	// asked is for permit: it can be closed when the user is asked.
	asked chan struct{}
	// buffers holds the texts of files that are not saved, by path.
	buffers map[string]string
}

// edit starts aura acp and initializes it. The flags are those of aura acp.
func (p *project) edit(flags ...string) *editor {
	p.t.Helper()
	return p.editWith(acp.ClientCapabilities{}, flags...)
}

func (p *project) editWith(able acp.ClientCapabilities, flags ...string) *editor {
	p.t.Helper()
	e := p.launch(flags...)
	got, err := e.conn.Initialize(e.ctx, acp.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: able})
	p.check(err)
	if got.ProtocolVersion != 1 || !got.AgentCapabilities.LoadSession {
		p.t.Fatalf("initialize: %+v", got)
	}
	return e
}

// launch starts aura acp.
func (p *project) launch(flags ...string) *editor {
	p.t.Helper()
	running, in, out := p.piped(append([]string{"acp"}, flags...)...)
	e := &editor{aura: running, in: in, wire: newWire(p.t), came: make(chan struct{}), asked: make(chan struct{}), buffers: map[string]string{}}
	var end context.CancelFunc
	e.ctx, end = context.WithTimeout(p.t.Context(), 2*patience)
	p.t.Cleanup(end)
	e.conn = acp.NewClientSideConnection(e, e.wire.sending(in), e.wire.receiving(out))
	e.conn.SetLogger(slog.New(slog.DiscardHandler))
	return e
}

// piped starts aura with pipes as its standard input and output.
func (p *project) piped(args ...string) (a *aura, in io.WriteCloser, out io.Reader) {
	p.t.Helper()
	cmd := p.command(args...)
	errs, err := os.Create(filepath.Join(p.dir, "stderr.txt"))
	p.check(err)
	fromAura, stdout, err := os.Pipe()
	p.check(err)
	stdin, toAura, err := os.Pipe()
	p.check(err)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, errs
	p.check(errors.Join(cmd.Start(), stdin.Close(), stdout.Close(), errs.Close()))
	p.t.Cleanup(func() { _ = errors.Join(toAura.Close(), fromAura.Close()) })
	return p.running(cmd), toAura, fromAura
}

// open opens a session in the project.
func (e *editor) open(servers ...acp.McpServer) acp.SessionId {
	e.t.Helper()
	got, err := e.conn.NewSession(e.ctx, acp.NewSessionRequest{Cwd: e.dir, McpServers: append([]acp.McpServer{}, servers...)})
	e.check(err)
	return got.SessionId
}

// prompt sends a prompt and returns why the turn ended.
func (e *editor) prompt(id acp.SessionId, text string) acp.StopReason {
	e.t.Helper()
	got, err := e.conn.Prompt(e.ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
	if err != nil {
		e.t.Fatalf("prompt %q: %v\n%s", text, err, e.stderr())
	}
	return got.StopReason
}

// quit closes the input, waits until aura ends, and checks that nothing is left.
func (e *editor) quit() {
	e.t.Helper()
	e.check(e.in.Close())
	if code := e.wait(); code != 0 {
		e.t.Errorf("exit code %d\n%s", code, e.stderr())
	}
	e.noTrace()
}

// SessionUpdate implements acp.Client.
func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.note(func() { e.updates = append(e.updates, n) })
	return nil
}

// HandleExtensionMethod implements acp.ExtensionMethodHandler.
func (e *editor) HandleExtensionMethod(_ context.Context, method string, params json.RawMessage) (any, error) {
	e.note(func() { e.states = append(e.states, method+" "+string(params)) })
	return nil, nil
}

func (e *editor) note(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
	close(e.came)
	e.came = make(chan struct{})
}

// RequestPermission implements acp.Client.
func (e *editor) RequestPermission(ctx context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	if e.permit != nil {
		if option := e.permit(ctx, r); option != "" {
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(acp.PermissionOptionId(option))}, nil
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

// ReadTextFile implements acp.Client.
func (e *editor) ReadTextFile(_ context.Context, r acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if text, ok := e.buffers[r.Path]; ok {
		return acp.ReadTextFileResponse{Content: text}, nil
	}
	content, err := os.ReadFile(r.Path)
	return acp.ReadTextFileResponse{Content: string(content)}, err
}

// WriteTextFile implements acp.Client: it saves the buffer.
func (e *editor) WriteTextFile(_ context.Context, r acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	e.note(func() { delete(e.buffers, r.Path) })
	return acp.WriteTextFileResponse{}, os.WriteFile(r.Path, []byte(r.Content), 0o644)
}

var errUnused = errors.New("aura does not use terminals of the client")

// CreateTerminal implements acp.Client.
func (*editor) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, errUnused
}

// KillTerminal implements acp.Client.
func (*editor) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, errUnused
}

// TerminalOutput implements acp.Client.
func (*editor) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, errUnused
}

// ReleaseTerminal implements acp.Client.
func (*editor) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, errUnused
}

// WaitForTerminalExit implements acp.Client.
func (*editor) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, errUnused
}

// seen returns the updates of a session so far as one line of text each, without the lists that every session begins with.
func (e *editor) seen(id acp.SessionId) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for _, n := range e.updates {
		if n.SessionId == id {
			if line := shownAs(n.Update); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

// shows waits until the updates of a session contain these texts, in this order.
func (e *editor) shows(id acp.SessionId, texts ...string) {
	e.t.Helper()
	e.until(strings.Join(texts, ", then "), func() bool {
		all := strings.Join(e.seen(id), "\n")
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
		return "plan: " + compactJSON(u.Plan.Entries)
	case u.ToolCall != nil:
		c := u.ToolCall
		return "call " + string(c.ToolCallId) + " " + string(c.Kind) + " " + string(c.Status) + ": " + c.Title + " " + compactJSON(c.Locations)
	case u.ToolCallUpdate != nil:
		c := u.ToolCallUpdate
		out := "update " + string(c.ToolCallId)
		if c.Status != nil {
			out += " " + string(*c.Status)
		}
		return out + ": " + compactJSON(c.Content)
	case u.CurrentModeUpdate != nil:
		return "mode: " + string(u.CurrentModeUpdate.CurrentModeId)
	case u.SessionInfoUpdate != nil:
		return "info: " + compactJSON(u.SessionInfoUpdate)
	default:
		return ""
	}
}

func compactJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// TestACP runs a conversation with tools in an editor, to its end.
func TestACP(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("main.go", "package main\n")
	p.write(".aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml}\n")
	p.write(".aura/config/talk.yaml", `model: {name: scripted, context_length: 8192, capabilities: [tools, thinking]}
turns:
  - {text: Reading., thinking: "Which file?", tool_calls: [{name: Read, arguments: {path: main.go}}]}
  - {tool_calls: [{name: Edit, arguments: {path: main.go, old: package main, new: package other}}]}
  - {text: Done.}
`)
	e := p.edit()
	id := e.open()
	if stop := e.prompt(id, "go"); stop != acp.StopReasonEndTurn {
		t.Errorf("it stopped because of %s", stop)
	}
	e.shows(id,
		"thought: Which file?", "agent: Reading.", `call call1 read in_progress: Read main.go [{"path":"`+p.path("main.go")+`"}]`, "update call1 completed: ", "package main",
		"call call2 edit in_progress: Edit main.go", "update call2 completed: ", `"newText":"package other\n","oldText":"package main\n","path":"`+p.path("main.go")+`","type":"diff"`,
		"agent: Done.", `info: {"sessionUpdate":"session_info_update","title":"go"`)
	_, err := e.conn.CloseSession(e.ctx, acp.CloseSessionRequest{SessionId: id})
	p.check(err)
	if _, err := e.conn.Prompt(e.ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("hi")}}); err == nil {
		t.Error("a closed session took a prompt")
	}
	e.quit()
	complete(t, p.saved())
}
