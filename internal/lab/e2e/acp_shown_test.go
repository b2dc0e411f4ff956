//go:build linux

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// A plugin that shows a notice, adds a message, has a command, and crashes when a prompt asks for it.
const noisyPlugin = `package noisy

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func init() { fmt.Println("printed while loading") }

func BeforeChat(_ context.Context, in sdk.BeforeChatContext) (sdk.Result, error) {
	fmt.Println("printed")
	os.Stdout.WriteString("{\"jsonrpc\":\"2.0\"}\n")
	text := in.Turns[len(in.Turns)-1].Content
	if strings.Contains(text, "crash") {
		go func() { panic("boom") }()
		select {}
	}
	switch in.Iteration {
	case 1:
		return sdk.Result{Notice: "noticed " + text}, nil
	case 2:
		return sdk.Result{Message: "injected"}, nil
	default:
		return sdk.Result{}, nil
	}
}

func Command() sdk.CommandSchema {
	return sdk.CommandSchema{Name: "noise", Description: "Makes noise", Hints: []string{"LOUDNESS"}}
}

func ExecuteCommand(_ context.Context, args string, _ sdk.Context) (sdk.CommandResult, error) {
	return sdk.CommandResult{Output: "noise: " + args}, nil
}
`

// TestACPShown checks that everything that happens in a session reaches the client: plans, notices and messages of plugins, the output
// of running tools, commands, modes, options, usage, the states of plugins. Nothing that plugins and hooks print gets between.
func TestACPShown(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.plays(`  - {tool_calls: [{name: TodoCreate, arguments: {items: [{content: Look}, {content: Write, status: in_progress}]}}]}
  - {tool_calls: [{name: TodoProgress, arguments: {id: 1, status: completed}}]}
  - {tool_calls: [{name: Bash, arguments: {command: "echo out1; until test -e go; do sleep 0.01; done; echo out2"}}], usage: {input: 100, output: 20}}
  - {text: Done.}
  - {text: Survived.}
  - {text: Custom.}
`)
	p.plugin("noisy", "name: noisy\ndescription: Makes noise\n", noisyPlugin)
	p.write(".aura/config/hooks/print.yaml", "print: {event: pre, matcher: Bash, command: echo printed by a hook; echo printed >&2}\n")
	p.write(".aura/config/modes/careful.md", "---\nname: careful\ndescription: Asks first\n---\nBe careful.\n")
	p.write(".aura/config/agents/main.md", "---\nname: main\ndescription: The first\ndefault: true\n---\nYou help.\n")
	p.write(".aura/config/agents/other.md", "---\nname: other\ndescription: Another\n---\nYou help too.\n")
	p.write(".aura/config/commands/greet.md", "---\nname: greet\ndescription: Greets somebody\nhints: [NAME]\n---\nSay hello to $1.\n")
	e := p.edit()
	opened, err := e.conn.NewSession(e.ctx, acp.NewSessionRequest{Cwd: p.dir, McpServers: []acp.McpServer{}})
	p.check(err)
	id := opened.SessionId
	if got := compactJSON(opened); !strings.Contains(got, `"currentModeId":"none"`) || !strings.Contains(got, `"id":"careful"`) || !strings.Contains(got, `"id":"agent"`) ||
		!strings.Contains(got, `"currentValue":"test/scripted"`) {
		t.Errorf("opened %s", got)
	}
	e.until("the commands", func() bool {
		all := e.every("available_commands_update")
		return strings.Contains(all, `"description":"Greets somebody","input":{"hint":"NAME"},"name":"greet"`) &&
			strings.Contains(all, `"description":"Makes noise","input":{"hint":"LOUDNESS"},"name":"noise"`) && strings.Contains(all, `"name":"reload"`)
	})
	ended := e.send(id, "work")
	e.shows(id, "plugin noisy: noticed work", `plan: [{"content":"Look","priority":"medium","status":"pending"}`, "plugin noisy adds a message", "injected",
		`plan: [{"content":"Look","priority":"medium","status":"completed"}`, "call call3 execute in_progress: Bash echo out1", "update call3 in_progress", "out1")
	p.write("go", "")
	if got := <-ended; got != "end_turn 0" {
		t.Errorf("the prompt ended with %s", got)
	}
	e.shows(id, "update call3 completed", "out2", "agent: Done.")
	if all := e.every("usage_update"); !strings.Contains(all, `"size":8192`) || !strings.Contains(all, `"tokensOut":54`) {
		t.Errorf("usage: %s", all)
	}

	// A crash in the middle of a turn.
	if stop := e.prompt(id, "crash"); stop != acp.StopReasonEndTurn {
		t.Errorf("after a crash: %s", stop)
	}
	e.shows(id, "plugin noisy: ", "boom", "agent: Survived.")
	e.until("the states of the plugin", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		all := strings.Join(e.states, "\n")
		return strings.Contains(all, "_aura/plugin_state") && strings.Contains(all, `"state":"restarting"`) && strings.Contains(all, string(id))
	})
	raw, err := e.conn.CallExtension(e.ctx, "_aura/plugins", map[string]any{"sessionId": id})
	p.check(err)
	if !strings.Contains(string(raw), `"name":"noisy"`) || !strings.Contains(string(raw), `"restarts":1`) {
		t.Errorf("the health is %s", raw)
	}

	// Commands: of a plugin, in Markdown, and built-in ones.
	e.prompt(id, "/noise very loud")
	e.shows(id, "noise: very loud")
	e.prompt(id, "/greet Ann")
	e.shows(id, "user: Say hello to Ann.", "agent: Custom.")
	e.prompt(id, "/nonsense")
	e.shows(id, "aura: ", "nonsense")
	p.write(".aura/config/commands/later.md", "---\nname: later\ndescription: Came later\n---\nHi.\n")
	e.prompt(id, "/reload")
	e.shows(id, "reloaded: plugins 2 replaced")
	e.until("the new command", func() bool { return strings.Contains(e.every("available_commands_update"), `"name":"later"`) })

	// Modes and options, also by a command.
	_, err = e.conn.SetSessionMode(e.ctx, acp.SetSessionModeRequest{SessionId: id, ModeId: "careful"})
	p.check(err)
	e.shows(id, "mode: careful")
	e.prompt(id, "/mode none")
	e.shows(id, "mode: careful", "mode: none")
	for option, value := range map[string]string{"agent": "other", "think": "high", "model": "test/scripted", "mode": "careful"} {
		got, err := e.conn.SetSessionConfigOption(e.ctx, setOption(id, option, value))
		if err != nil || !strings.Contains(compactJSON(got), `"currentValue":"`+value+`"`) {
			t.Errorf("option %s: %s, %v", option, compactJSON(got), err)
		}
	}
	for option, value := range map[string]string{"agent": "nobody", "think": "hard", "model": "other", "mode": "careful none", "colour": "red"} {
		if _, err := e.conn.SetSessionConfigOption(e.ctx, setOption(id, option, value)); codeOf(err) != -32602 {
			t.Errorf("option %s as %s: %v", option, value, err)
		}
	}
	e.prompt(id, "/exit")
	if _, err := e.conn.Prompt(e.ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("hi")}}); codeOf(err) != -32002 {
		t.Errorf("after /exit: %v", err)
	}
	e.quit()
}

func setOption(id acp.SessionId, option, value string) acp.SetSessionConfigOptionRequest {
	return acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{
		SessionId: id, ConfigId: acp.SessionConfigId(option), Value: acp.SessionConfigValueId(value),
	}}
}

// every returns all updates of a kind as JSON.
func (e *editor) every(kind string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for _, n := range e.updates {
		if text := compactJSON(n.Update); strings.Contains(text, `"sessionUpdate":"`+kind+`"`) {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// TestACPSideBySide runs two sessions at once, each with its own plugin processes, models and directories.
func TestACPSideBySide(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.plays("  - {text: One., delay: 1h}\n")
	p.plugin("noisy", "name: noisy\n", noisyPlugin)
	p.write("sub/.aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml}\n")
	p.write("sub/.aura/config/talk.yaml", "turns:\n  - {text: Two.}\n")
	e := p.edit()
	first, second := e.open(), e.open()
	third, err := e.conn.NewSession(e.ctx, acp.NewSessionRequest{Cwd: p.path("sub"), McpServers: []acp.McpServer{}})
	p.check(err)
	waits := e.send(first, "wait")
	p.saves("wait")
	if stop := e.prompt(third.SessionId, "go"); stop != acp.StopReasonEndTurn {
		t.Errorf("beside another: %s", stop)
	}
	e.shows(third.SessionId, "agent: Two.")
	pids := map[float64]bool{}
	for _, id := range []acp.SessionId{first, second} {
		raw, err := e.conn.CallExtension(e.ctx, "_aura/plugins", map[string]any{"sessionId": id})
		p.check(err)
		var got struct{ Plugins []map[string]any }
		p.check(json.Unmarshal(raw, &got))
		pid, _ := got.Plugins[0]["pid"].(float64)
		pids[pid] = true
	}
	if len(pids) != 2 {
		t.Errorf("the plugins of two sessions have the processes %v: %s", pids, e.stderr())
	}
	_, err = e.conn.CloseSession(e.ctx, acp.CloseSessionRequest{SessionId: second})
	p.check(err)
	_, err = e.conn.CloseSession(e.ctx, acp.CloseSessionRequest{SessionId: first})
	p.check(err)
	if got := <-waits; got != "cancelled 0" {
		t.Errorf("the prompt of a closed session ended with %s", got)
	}
	e.quit()
}

// TestACPContent sends each kind of content.
func TestACPContent(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	encoded := base64.StdEncoding.EncodeToString(picture.Bytes())
	text := func(uri, content string) acp.ContentBlock {
		return acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: uri, Text: content}})
	}
	p := newProject(t)
	p.write("secret.txt", "the secret\n")
	for name, row := range map[string]struct {
		block acp.ContentBlock
		// want is a part of the prompt in the journal, or code is that of the error.
		want string
		code int
	}{
		"resource":    {text("file://"+p.path("x.go"), "see @secret.txt"), `<file path=\"` + p.path("x.go") + `\">\nsee @secret.txt\n</file>`, 0},
		"link":        {acp.ResourceLinkBlock("note", "file://"+strings.ReplaceAll(p.path("note file.txt"), " ", "%20")), "the note", 0},
		"web link":    {acp.ResourceLinkBlock("page", "https://example.com/@secret.txt"), `<link name=\"page\" uri=\"https://example.com/@secret.txt\" />`, 0},
		"directory":   {acp.ResourceLinkBlock("dir", "file://"+p.dir), `<link name=\"dir\"`, 0},
		"missing":     {acp.ResourceLinkBlock("none", "file://"+p.path("missing")), `look\n\n@\"` + p.path("missing") + `\"`, 0},
		"image":       {acp.ImageBlock(encoded, "image/png"), `"media_type":"image/png"`, 0},
		"no image":    {acp.ImageBlock(base64.StdEncoding.EncodeToString([]byte("text")), "image/png"), "", -32602},
		"not base64":  {acp.ImageBlock("%%%", "image/png"), "", -32602},
		"audio":       {acp.AudioBlock(encoded, "audio/wav"), "", -32602},
		"not escaped": {text("zed://x", "/exit"), `<file path=\"zed://x\">\n/exit\n</file>`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newProject(t)
			q.write(".aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml}\n")
			q.write(".aura/config/talk.yaml", "model: {name: scripted, capabilities: [tools, vision]}\nturns:\n  - {text: Seen.}\n")
			q.write("note file.txt", "the note\n")
			if name == "link" { // to a file of the session's own project
				row.block.ResourceLink.Uri = strings.ReplaceAll(row.block.ResourceLink.Uri, p.dir, q.dir)
			}
			e := q.edit()
			id := e.open()
			got, err := e.conn.Prompt(e.ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("look"), row.block}})
			if codeOf(err) != row.code || err == nil && got.StopReason != acp.StopReasonEndTurn {
				t.Errorf("%v, %v", got.StopReason, err)
			}
			e.quit()
			if row.code != 0 {
				return
			}
			messages := compactJSON(q.saved().Messages)
			want := strings.ReplaceAll(strings.ReplaceAll(row.want, "<", `\u003c`), ">", `\u003e`)
			if !strings.Contains(messages, want) || strings.Contains(messages, "the secret") {
				t.Errorf("no %s in %s", want, messages)
			}
		})
	}
}

// TestACPTrust opens a directory that is not trusted: the error says what to do, and nothing of it runs.
func TestACPTrust(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.plays("  - {text: Hi.}\n")
	p.write(".aura/config/mcp/bad.yaml", "bad: {command: touch, args: [started]}\n")
	e := p.launch("--trust=false")
	_, err := e.conn.Initialize(e.ctx, acp.InitializeRequest{ProtocolVersion: 1})
	p.check(err)
	_, err = e.conn.NewSession(e.ctx, acp.NewSessionRequest{Cwd: p.dir, McpServers: []acp.McpServer{}})
	if codeOf(err) != -32603 || !strings.Contains(err.Error(), "is not trusted") || !strings.Contains(err.Error(), "aura trust") {
		t.Errorf("opening an untrusted directory: %v", err)
	}
	if _, err := os.Stat(p.path("started")); err == nil {
		t.Error("its server was started")
	}
	e.quit()
}

// TestACPClientMCP passes an MCP server: it is used only if the user allows it.
func TestACPClientMCP(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string]bool{"allowed": true, "not allowed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(saver())
			defer server.Close()
			p := newProject(t)
			p.plays("  - {tool_calls: [{name: mcp__theirs__save, arguments: {target_files: [x], note: y}}]}\n  - {text: Done.}\n")
			if allowed {
				p.write("home/.aura/config/features/acp.yaml", "acp: {client_mcp: true}\n")
			}
			e := p.edit()
			id := e.open(
				acp.McpServer{Http: &acp.McpServerHttpInline{Name: "theirs", Url: server.URL, Type: "http", Headers: []acp.HttpHeader{}}},
				acp.McpServer{Stdio: &acp.McpServerStdio{Name: "program", Command: "touch", Args: []string{p.path("started")}, Env: []acp.EnvVariable{}}},
			)
			e.prompt(id, "go")
			_, err := os.Stat(p.path("started"))
			if allowed {
				e.shows(id, "update call1 completed", "saved")
				if err != nil {
					t.Error("the program was not started")
				}
			} else {
				e.shows(id, `MCP server "theirs" of the editor was left out: set acp.client_mcp: true`, `MCP server "program" of the editor was left out`, "update call1 failed")
				if err == nil {
					t.Error("the program was started")
				}
			}
			e.quit()
		})
	}
}

// TestACPClientFiles reads and changes a file with unsaved changes: the editor saves it first, only if the user allows it.
func TestACPClientFiles(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string]bool{"allowed": true, "not allowed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.write("main.go", "saved text\n")
			p.write("clean.go", "clean\r\n")
			p.plays(`  - {tool_calls: [{name: Read, arguments: {path: main.go}}, {name: Read, arguments: {path: clean.go}}, {name: Read, arguments: {path: none.go}}]}
  - {tool_calls: [{name: Edit, arguments: {path: main.go, old: text, new: words}}]}
  - {text: Done.}
`)
			if allowed {
				p.write("home/.aura/config/features/acp.yaml", "acp: {client_files: true}\n")
			}
			e := p.editWith(acp.ClientCapabilities{Fs: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}})
			e.buffers[p.path("main.go")] = "unsaved text\n"
			e.buffers[p.path("clean.go")] = "clean\n"
			id := e.open()
			e.prompt(id, "go")
			want, written := "saved words\n", 0
			if allowed {
				want, written = "unsaved words\n", 1
			}
			if got := string(p.read("main.go")); got != want || e.wire.counted("params of fs/write_text_file") != written {
				t.Errorf("the file is %q, and the editor saved %d times", got, e.wire.counted("params of fs/write_text_file"))
			}
			if !allowed && e.wire.counted("params of fs/read_text_file") != 0 {
				t.Error("the editor was asked for files")
			}
			e.quit()
		})
	}
}
