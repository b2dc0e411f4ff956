//go:build linux

package editor

import (
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"
)

// TestACP runs a conversation with tools in an editor, to its end.
func TestACP(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write("main.go", "package main\n")
	p.Write(".aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml}\n")
	p.Write(".aura/config/talk.yaml", `model: {name: scripted, context_length: 8192, capabilities: [tools, thinking]}
turns:
  - {text: Reading., thinking: "Which file?", tool_calls: [{name: Read, arguments: {path: main.go}}]}
  - {tool_calls: [{name: Edit, arguments: {path: main.go, old: package main, new: package other}}]}
  - {text: Done.}
`)
	e := p.Edit()
	id := e.Open()
	if stop := e.Prompt(id, "go"); stop != acp.StopReasonEndTurn {
		t.Errorf("it stopped because of %s", stop)
	}
	e.Shows(id,
		"thought: Which file?", "agent: Reading.", `call call1 read in_progress: Read main.go [{"path":"`+p.Path("main.go")+`"}]`, "update call1 completed: ", "package main",
		"call call2 edit in_progress: Edit main.go", "update call2 completed: ", `"newText":"package other\n","oldText":"package main\n","path":"`+p.Path("main.go")+`","type":"diff"`,
		"agent: Done.", `info: {"sessionUpdate":"session_info_update","title":"go"`)
	_, err := e.Conn.CloseSession(e.Ctx, acp.CloseSessionRequest{SessionId: id})
	p.Check(err)
	if _, err := e.Conn.Prompt(e.Ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("hi")}}); err == nil {
		t.Error("a closed session took a prompt")
	}
	e.Quit()
	harness.Complete(t, p.Saved())
}
