//go:build linux

package editor

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

	"github.com/idelchi/aura/internal/lab/e2e/harness"

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
	p := harness.NewProject(t)
	plays(p, `  - {tool_calls: [{name: TodoCreate, arguments: {items: [{content: Look}, {content: Write, status: in_progress}]}}]}
  - {tool_calls: [{name: TodoProgress, arguments: {id: 1, status: completed}}]}
  - {tool_calls: [{name: Bash, arguments: {command: "echo out1; until test -e go; do sleep 0.01; done; echo out2"}}], usage: {input: 100, output: 20}}
  - {text: Done.}
  - {text: Survived.}
  - {text: Custom.}
`)
	p.Plugin("noisy", "name: noisy\ndescription: Makes noise\n", noisyPlugin)
	p.Write(".aura/config/hooks/print.yaml", "print: {event: pre, matcher: Bash, command: echo printed by a hook; echo printed >&2}\n")
	p.Write(".aura/config/modes/careful.md", "---\nname: careful\ndescription: Asks first\n---\nBe careful.\n")
	p.Write(".aura/config/agents/main.md", "---\nname: main\ndescription: The first\ndefault: true\n---\nYou help.\n")
	p.Write(".aura/config/agents/other.md", "---\nname: other\ndescription: Another\n---\nYou help too.\n")
	p.Write(".aura/config/commands/greet.md", "---\nname: greet\ndescription: Greets somebody\nhints: [NAME]\n---\nSay hello to $1.\n")
	e := p.Edit()
	opened, err := e.Conn.NewSession(e.Ctx, acp.NewSessionRequest{Cwd: p.Dir, McpServers: []acp.McpServer{}})
	p.Check(err)
	id := opened.SessionId
	if got := harness.CompactJSON(opened); !strings.Contains(got, `"currentModeId":"none"`) || !strings.Contains(got, `"id":"careful"`) || !strings.Contains(got, `"id":"agent"`) ||
		!strings.Contains(got, `"currentValue":"test/scripted"`) {
		t.Errorf("opened %s", got)
	}
	e.Until("the commands", func() bool {
		all := e.Every("available_commands_update")
		return strings.Contains(all, `"description":"Greets somebody","input":{"hint":"NAME"},"name":"greet"`) &&
			strings.Contains(all, `"description":"Makes noise","input":{"hint":"LOUDNESS"},"name":"noise"`) && strings.Contains(all, `"name":"reload"`)
	})
	ended := e.Send(id, "work")
	e.Shows(id, "plugin noisy: noticed work", `plan: [{"content":"Look","priority":"medium","status":"pending"}`, "plugin noisy adds a message", "injected",
		`plan: [{"content":"Look","priority":"medium","status":"completed"}`, "call call3 execute in_progress: Bash echo out1", "update call3 in_progress", "out1")
	p.Write("go", "")
	if got := <-ended; got != "end_turn 0" {
		t.Errorf("the prompt ended with %s", got)
	}
	e.Shows(id, "update call3 completed", "out2", "agent: Done.")
	if all := e.Every("usage_update"); !strings.Contains(all, `"size":8192`) || !strings.Contains(all, `"tokensOut":54`) {
		t.Errorf("usage: %s", all)
	}

	// A crash in the middle of a turn.
	if stop := e.Prompt(id, "crash"); stop != acp.StopReasonEndTurn {
		t.Errorf("after a crash: %s", stop)
	}
	e.Shows(id, "plugin noisy: ", "boom", "agent: Survived.")
	e.Until("the states of the plugin", func() bool {
		e.Mu.Lock()
		defer e.Mu.Unlock()
		all := strings.Join(e.States, "\n")
		return strings.Contains(all, "_aura/plugin_state") && strings.Contains(all, `"state":"restarting"`) && strings.Contains(all, string(id))
	})
	raw, err := e.Conn.CallExtension(e.Ctx, "_aura/plugins", map[string]any{"sessionId": id})
	p.Check(err)
	if !strings.Contains(string(raw), `"name":"noisy"`) || !strings.Contains(string(raw), `"restarts":1`) {
		t.Errorf("the health is %s", raw)
	}

	// Commands: of a plugin, in Markdown, and built-in ones.
	e.Prompt(id, "/noise very loud")
	e.Shows(id, "noise: very loud")
	e.Prompt(id, "/greet Ann")
	e.Shows(id, "user: Say hello to Ann.", "agent: Custom.")
	e.Prompt(id, "/nonsense")
	e.Shows(id, "aura: ", "nonsense")
	p.Write(".aura/config/commands/later.md", "---\nname: later\ndescription: Came later\n---\nHi.\n")
	e.Prompt(id, "/reload")
	e.Shows(id, "reloaded: plugins 2 replaced")
	e.Until("the new command", func() bool { return strings.Contains(e.Every("available_commands_update"), `"name":"later"`) })

	// Modes and options, also by a command.
	_, err = e.Conn.SetSessionMode(e.Ctx, acp.SetSessionModeRequest{SessionId: id, ModeId: "careful"})
	p.Check(err)
	e.Shows(id, "mode: careful")
	e.Prompt(id, "/mode none")
	e.Shows(id, "mode: careful", "mode: none")
	for option, value := range map[string]string{"agent": "other", "think": "high", "model": "test/scripted", "mode": "careful"} {
		got, err := e.Conn.SetSessionConfigOption(e.Ctx, setOption(id, option, value))
		if err != nil || !strings.Contains(harness.CompactJSON(got), `"currentValue":"`+value+`"`) {
			t.Errorf("option %s: %s, %v", option, harness.CompactJSON(got), err)
		}
	}
	for option, value := range map[string]string{"agent": "nobody", "think": "hard", "model": "other", "mode": "careful none", "colour": "red"} {
		if _, err := e.Conn.SetSessionConfigOption(e.Ctx, setOption(id, option, value)); harness.CodeOf(err) != -32602 {
			t.Errorf("option %s as %s: %v", option, value, err)
		}
	}
	e.Prompt(id, "/exit")
	if _, err := e.Conn.Prompt(e.Ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("hi")}}); harness.CodeOf(err) != -32002 {
		t.Errorf("after /exit: %v", err)
	}
	e.Quit()
}

func setOption(id acp.SessionId, option, value string) acp.SetSessionConfigOptionRequest {
	return acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{
		SessionId: id, ConfigId: acp.SessionConfigId(option), Value: acp.SessionConfigValueId(value),
	}}
}

// TestACPSideBySide runs two sessions at once, each with its own plugin processes, models and directories.
func TestACPSideBySide(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	plays(p, "  - {text: One., delay: 1h}\n")
	p.Plugin("noisy", "name: noisy\n", noisyPlugin)
	p.Write("sub/.aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml}\n")
	p.Write("sub/.aura/config/talk.yaml", "turns:\n  - {text: Two.}\n")
	e := p.Edit()
	first, second := e.Open(), e.Open()
	third, err := e.Conn.NewSession(e.Ctx, acp.NewSessionRequest{Cwd: p.Path("sub"), McpServers: []acp.McpServer{}})
	p.Check(err)
	waits := e.Send(first, "wait")
	saves(p, "wait")
	if stop := e.Prompt(third.SessionId, "go"); stop != acp.StopReasonEndTurn {
		t.Errorf("beside another: %s", stop)
	}
	e.Shows(third.SessionId, "agent: Two.")
	pids := map[float64]bool{}
	for _, id := range []acp.SessionId{first, second} {
		raw, err := e.Conn.CallExtension(e.Ctx, "_aura/plugins", map[string]any{"sessionId": id})
		p.Check(err)
		var got struct{ Plugins []map[string]any }
		p.Check(json.Unmarshal(raw, &got))
		pid, _ := got.Plugins[0]["pid"].(float64)
		pids[pid] = true
	}
	if len(pids) != 2 {
		t.Errorf("the plugins of two sessions have the processes %v: %s", pids, e.Stderr())
	}
	_, err = e.Conn.CloseSession(e.Ctx, acp.CloseSessionRequest{SessionId: second})
	p.Check(err)
	_, err = e.Conn.CloseSession(e.Ctx, acp.CloseSessionRequest{SessionId: first})
	p.Check(err)
	if got := <-waits; got != "cancelled 0" {
		t.Errorf("the prompt of a closed session ended with %s", got)
	}
	e.Quit()
}

// TestACPContent sends each kind of content.
func TestACPContent(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	encoded := base64.StdEncoding.EncodeToString(picture.Bytes())
	sound := base64.StdEncoding.EncodeToString([]byte("RIFF\x04\x00\x00\x00WAVEfmt "))
	text := func(uri, content string) acp.ContentBlock {
		return acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: uri, Text: content}})
	}
	p := harness.NewProject(t)
	p.Write("secret.txt", "the secret\n")
	for name, row := range map[string]struct {
		block acp.ContentBlock
		// want is a part of the prompt in the journal, or code is that of the error.
		want string
		code int
	}{
		"resource":    {text("file://"+p.Path("x.go"), "see @secret.txt"), `<file path=\"` + p.Path("x.go") + `\">\nsee @secret.txt\n</file>`, 0},
		"link":        {acp.ResourceLinkBlock("note", "file://"+strings.ReplaceAll(p.Path("note file.txt"), " ", "%20")), "the note", 0},
		"web link":    {acp.ResourceLinkBlock("page", "https://example.com/@secret.txt"), `<link name=\"page\" uri=\"https://example.com/@secret.txt\" />`, 0},
		"directory":   {acp.ResourceLinkBlock("dir", "file://"+p.Dir), `<link name=\"dir\"`, 0},
		"missing":     {acp.ResourceLinkBlock("none", "file://"+p.Path("missing")), `look\n\n@\"` + p.Path("missing") + `\"`, 0},
		"image":       {acp.ImageBlock(encoded, "image/png"), `"media_type":"image/png"`, 0},
		"no image":    {acp.ImageBlock(base64.StdEncoding.EncodeToString([]byte("text")), "image/png"), "", -32602},
		"not base64":  {acp.ImageBlock("%%%", "image/png"), "", -32602},
		"audio":       {acp.AudioBlock(sound, "audio/wav"), `"media_type":"audio/wav"`, 0},
		"no audio":    {acp.AudioBlock(base64.StdEncoding.EncodeToString([]byte("text")), "audio/wav"), "", -32602},
		"not escaped": {text("zed://x", "/exit"), `<file path=\"zed://x\">\n/exit\n</file>`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := harness.NewProject(t)
			q.Write(".aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml}\n")
			q.Write(".aura/config/talk.yaml", "model: {name: scripted, capabilities: [tools, vision, audio]}\nturns:\n  - {text: Seen.}\n")
			q.Write("note file.txt", "the note\n")
			if name == "link" { // to a file of the session's own project
				row.block.ResourceLink.Uri = strings.ReplaceAll(row.block.ResourceLink.Uri, p.Dir, q.Dir)
			}
			e := q.Edit()
			id := e.Open()
			got, err := e.Conn.Prompt(e.Ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("look"), row.block}})
			if harness.CodeOf(err) != row.code || err == nil && got.StopReason != acp.StopReasonEndTurn {
				t.Errorf("%v, %v", got.StopReason, err)
			}
			e.Quit()
			if row.code != 0 {
				return
			}
			messages := harness.CompactJSON(q.Saved().Messages)
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
	p := harness.NewProject(t)
	plays(p, "  - {text: Hi.}\n")
	p.Write(".aura/config/mcp/bad.yaml", "bad: {command: touch, args: [started]}\n")
	e := harness.Launch(p, "--trust=false")
	_, err := e.Conn.Initialize(e.Ctx, acp.InitializeRequest{ProtocolVersion: 1})
	p.Check(err)
	_, err = e.Conn.NewSession(e.Ctx, acp.NewSessionRequest{Cwd: p.Dir, McpServers: []acp.McpServer{}})
	if harness.CodeOf(err) != -32603 || !strings.Contains(err.Error(), "is not trusted") || !strings.Contains(err.Error(), "aura trust") {
		t.Errorf("opening an untrusted directory: %v", err)
	}
	if _, err := os.Stat(p.Path("started")); err == nil {
		t.Error("its server was started")
	}
	e.Quit()
}

// TestACPClientMCP passes an MCP server: it is used only if the user allows it.
func TestACPClientMCP(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string]bool{"allowed": true, "not allowed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(harness.Saver())
			defer server.Close()
			p := harness.NewProject(t)
			plays(p, "  - {tool_calls: [{name: mcp__theirs__save, arguments: {target_files: [x], note: y}}]}\n  - {text: Done.}\n")
			if allowed {
				p.Write("home/.aura/config/features/acp.yaml", "acp: {client_mcp: true}\n")
			}
			e := p.Edit()
			id := e.Open(
				acp.McpServer{Http: &acp.McpServerHttpInline{Name: "theirs", Url: server.URL, Type: "http", Headers: []acp.HttpHeader{}}},
				acp.McpServer{Stdio: &acp.McpServerStdio{Name: "program", Command: "touch", Args: []string{p.Path("started")}, Env: []acp.EnvVariable{}}},
			)
			e.Prompt(id, "go")
			_, err := os.Stat(p.Path("started"))
			if allowed {
				e.Shows(id, "update call1 completed", "saved")
				if err != nil {
					t.Error("the program was not started")
				}
			} else {
				e.Shows(id, `MCP server "theirs" of the editor was left out: set acp.client_mcp: true`, `MCP server "program" of the editor was left out`, "update call1 failed")
				if err == nil {
					t.Error("the program was started")
				}
			}
			e.Quit()
		})
	}
}

// TestACPClientFiles reads and changes a file with unsaved changes: the editor saves it first, only if the user allows it.
func TestACPClientFiles(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string]bool{"allowed": true, "not allowed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			p.Write("main.go", "saved text\n")
			p.Write("clean.go", "clean\r\n")
			plays(p, `  - {tool_calls: [{name: Read, arguments: {path: main.go}}, {name: Read, arguments: {path: clean.go}}, {name: Read, arguments: {path: none.go}}]}
  - {tool_calls: [{name: Edit, arguments: {path: main.go, old: text, new: words}}]}
  - {text: Done.}
`)
			if allowed {
				p.Write("home/.aura/config/features/acp.yaml", "acp: {client_files: true}\n")
			}
			e := p.EditWith(acp.ClientCapabilities{Fs: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}})
			e.Buffers[p.Path("main.go")] = "unsaved text\n"
			e.Buffers[p.Path("clean.go")] = "clean\n"
			id := e.Open()
			e.Prompt(id, "go")
			want, written := "saved words\n", 0
			if allowed {
				want, written = "unsaved words\n", 1
			}
			if got := string(p.Read("main.go")); got != want || e.Wire.Counted("params of fs/write_text_file") != written {
				t.Errorf("the file is %q, and the editor saved %d times", got, e.Wire.Counted("params of fs/write_text_file"))
			}
			if !allowed && e.Wire.Counted("params of fs/read_text_file") != 0 {
				t.Error("the editor was asked for files")
			}
			e.Quit()
		})
	}
}
