//go:build linux

package editor

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"
)

// plays gives the project a model that plays a script.
func plays(p *harness.Project, turns string) {
	p.T.Helper()
	p.Write(".aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml}\n")
	p.Write(".aura/config/talk.yaml", "model: {name: scripted, context_length: 8192, capabilities: [tools, thinking]}\nturns:\n"+turns)
}

// saves waits until a session of the project has a prompt in its journal, which is then sent to the model.
func saves(p *harness.Project, prompt string) {
	p.T.Helper()
	p.Until("the prompt "+prompt, func() bool {
		files, err := filepath.Glob(filepath.Join(p.State, "sessions/*.jsonl"))
		p.Check(err)
		for _, file := range files {
			if strings.Contains(string(p.Read(file)), `"content":"`+prompt+`"`) {
				return true
			}
		}
		return false
	})
}

// TestACPCancel cancels a prompt in every state. The session can be used afterwards.
func TestACPCancel(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		turns string
		// come waits until the session is in the state.
		come func(e *harness.Editor, id acp.SessionId)
		// source is that of a plugin, before is a prompt that is answered first, and prompt what is sent instead of "go".
		source, before, prompt string
	}{
		"hook": {turns: "  - {tool_calls: [{name: Ls, arguments: {path: .}}]}\n", come: hangs, source: harness.Source(
			`func AfterToolExecution(context.Context, sdk.AfterToolContext) (sdk.Result, error) { fmt.Println("here I am"); select {} }`)},
		"compaction": {turns: "  - text: Hello.\n", come: hangs, before: "hello", prompt: "/compact", source: harness.Source(
			`func BeforeCompaction(context.Context, sdk.BeforeCompactionContext) (sdk.Result, error) { fmt.Println("here I am"); select {} }`)},
		"command": {come: hangs, prompt: "/spin", source: harness.Source(`func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "spin", Description: "Spins"} }`,
			`func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) { fmt.Println("here I am"); select {} }`)},
		"model": {turns: "  - {text: One two three., delay: 1h}\n", come: func(e *harness.Editor, _ acp.SessionId) { saves(e.Project, "go") }},
		"tool": {turns: "  - {tool_calls: [{name: Bash, arguments: {command: touch run; sleep 1000}}]}\n", come: func(e *harness.Editor, _ acp.SessionId) {
			e.Until("the tool", func() bool { _, err := os.Stat(e.Path("run")); return err == nil })
		}},
		"approval": {turns: "  - {tool_calls: [{name: Write, arguments: {path: x, content: x}}]}\n", come: func(e *harness.Editor, _ acp.SessionId) { <-e.Asked }},
		"queued":   {turns: "  - {text: One two three., delay: 1h}\n", come: func(*harness.Editor, acp.SessionId) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			plays(p, row.turns+"  - {text: Again.}\n")
			p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: [Write]}}\n")
			if row.source != "" {
				p.Plugin("bad", "description: Hangs\n", row.source)
			}
			e := p.Edit()
			e.Permit = func(ctx context.Context, _ acp.RequestPermissionRequest) string {
				close(e.Asked)
				<-ctx.Done() // the client never answers
				return "once"
			}
			id := e.Open()
			e.Cancel(id) // nothing runs, so it does nothing
			if row.before != "" {
				e.Prompt(id, row.before)
			}
			ended := e.Send(id, cmp.Or(row.prompt, "go"))
			row.come(e, id)
			if name != "queued" {
				if got := e.Send(id, "second"); <-got != " -32600" {
					t.Error("a second prompt was taken")
				}
			} else {
				e.Until("the prompt", func() bool { return e.Wire.Counted("params of session/prompt") == 1 })
			}
			e.Cancel(id)
			if got := <-ended; got != "cancelled 0" {
				t.Errorf("the prompt ended with %s", got)
			}
			e.Cancel(id)
			again := "again"
			if strings.Contains(row.turns, "delay") {
				again = "/name it" // whether the script went on is not known
			}
			if stop := e.Prompt(id, again); stop != acp.StopReasonEndTurn {
				t.Errorf("afterwards: %s", stop)
			}
			e.Quit()
			if _, err := os.Stat(p.Path("x")); err == nil {
				t.Error("a call ran that nobody approved")
			}
			harness.Complete(t, p.Saved())
		})
	}
}

// hangs waits until the plugin bad hangs.
func hangs(e *harness.Editor, _ acp.SessionId) { e.Await(e.Log("bad"), "here I am") }

// TestACPVanishes ends the client in every state. Nothing that needs an approval runs, nothing is left, and the session is saved.
func TestACPVanishes(t *testing.T) {
	t.Parallel()
	for name, turns := range map[string]string{
		"idle":     "",
		"model":    "  - {text: One two three., delay: 1h}\n",
		"tool":     "  - {tool_calls: [{name: Bash, arguments: {command: touch run; sleep 1000}}]}\n",
		"approval": "  - {tool_calls: [{name: Write, arguments: {path: x, content: x}}]}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			plays(p, turns+"  - {text: Again.}\n")
			p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: [Write]}}\n")
			p.Plugin("watch", "name: watch\n", "package watch\n\nimport \"github.com/idelchi/aura/sdk\"\n\nfunc BeforeChat(sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{}, nil }\n")
			e := p.Edit()
			e.Permit = func(ctx context.Context, _ acp.RequestPermissionRequest) string {
				close(e.Asked)
				<-ctx.Done()
				return ""
			}
			id := e.Open()
			switch name {
			case "idle":
				e.Prompt(id, "go")
			case "model":
				e.Send(id, "go")
				saves(p, "go")
			case "tool":
				e.Send(id, "go")
				e.Until("the tool", func() bool { _, err := os.Stat(p.Path("run")); return err == nil })
			case "approval":
				e.Send(id, "go")
				<-e.Asked
			}
			e.Quit()
			if _, err := os.Stat(p.Path("x")); err == nil {
				t.Error("a call ran that nobody approved")
			}
			saved := p.Saved()
			harness.Complete(t, saved)
			if saved.End == nil {
				t.Error("the session was not saved to its end")
			}
		})
	}
}

// TestACPResume kills aura in the middle of a session, and continues the session in another process: with its messages and without.
func TestACPResume(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write("main.go", "package main\n")
	plays(p, "  - {text: Reading., thinking: Hm., tool_calls: [{name: Read, arguments: {path: main.go}}]}\n  - {text: Read.}\n  - {text: Never., delay: 1h}\n")
	e := p.Edit()
	id := e.Open()
	e.Prompt(id, "look")
	e.Send(id, "never")
	saves(p, "never")
	e.Signal(syscall.SIGKILL)
	e.Wait()
	p.NoProcess()

	e = p.Edit()
	cwd := p.Dir
	list, err := e.Conn.ListSessions(e.Ctx, acp.ListSessionsRequest{Cwd: &cwd})
	p.Check(err)
	if len(list.Sessions) != 1 || list.Sessions[0].SessionId != id || list.Sessions[0].Cwd != p.Dir || *list.Sessions[0].Title != "look" {
		t.Errorf("listed %s", harness.CompactJSON(list))
	}
	for _, wrong := range []acp.SessionId{"look", id[:8], "../../etc"} {
		_, err := e.Conn.LoadSession(e.Ctx, acp.LoadSessionRequest{SessionId: wrong, Cwd: p.Dir, McpServers: []acp.McpServer{}})
		if harness.CodeOf(err) != -32002 {
			t.Errorf("loading session %q: %v", wrong, err)
		}
	}
	_, err = e.Conn.LoadSession(e.Ctx, acp.LoadSessionRequest{SessionId: id, Cwd: p.Dir, McpServers: []acp.McpServer{}})
	p.Check(err)
	e.Shows(id, "user: look", "thought: Hm.", "agent: Reading.", "call call1 read in_progress: Read main.go", "update call1 completed", "agent: Read.", "user: never")
	_, err = e.Conn.LoadSession(e.Ctx, acp.LoadSessionRequest{SessionId: id, Cwd: p.Dir, McpServers: []acp.McpServer{}})
	if harness.CodeOf(err) != -32600 {
		t.Errorf("loading an open session: %v", err)
	}
	_, err = e.Conn.CloseSession(e.Ctx, acp.CloseSessionRequest{SessionId: id})
	p.Check(err)
	before := len(e.Seen(id))
	_, err = e.Conn.ResumeSession(e.Ctx, acp.ResumeSessionRequest{SessionId: id, Cwd: p.Dir})
	p.Check(err)
	for _, line := range e.Seen(id)[before:] {
		if strings.HasPrefix(line, "user: ") {
			t.Errorf("resuming showed %q", line)
		}
	}
	e.Prompt(id, "/name kept")
	e.Shows(id, "the session is named kept", `"title":"kept"`)
	e.Quit()
	if got := p.Saved().State.Title; got != "kept" {
		t.Errorf("the session is named %q", got)
	}
}

// TestACPStops ends turns in each way that the protocol has a reason or a code for.
func TestACPStops(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		turns, flag string
		stop        acp.StopReason
		code        int
		// says is a part of the error, or of an update.
		says string
	}{
		"end":      {"  - {text: Done.}\n", "", acp.StopReasonEndTurn, 0, "agent: Done."},
		"steps":    {"  - {tool_calls: [{name: Ls, arguments: {path: .}}]}\n", "--max-steps=1", acp.StopReasonMaxTurnRequests, 0, "step limit reached"},
		"budget":   {"  - {tool_calls: [{name: Ls, arguments: {path: .}}], usage: {input: 100, output: 100}}\n  - {text: No.}\n", "--token-budget=150", acp.StopReasonMaxTokens, 0, "token budget used up"},
		"filter":   {"  - {error: {type: content_filter, message: not that}}\n", "", acp.StopReasonRefusal, 0, "not that"},
		"auth":     {"  - {error: {type: auth, message: bad token}}\n", "", "", -32000, "bad token"},
		"server":   {"  - {error: {type: server, message: it burns}}\n", "", "", -32603, "it burns"},
		"unsorted": {"  - {error: {message: strange}}\n", "", "", -32603, "strange"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			plays(p, row.turns)
			p.Write(".aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml, retry: {max_attempts: 1}}\n")
			var flags []string
			if row.flag != "" {
				flags = []string{row.flag}
			}
			e := p.Edit(flags...)
			id := e.Open()
			got, err := e.Conn.Prompt(e.Ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("go")}})
			if got.StopReason != row.stop || harness.CodeOf(err) != row.code {
				t.Errorf("stopped because of %q, %v", got.StopReason, err)
			}
			if err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("no %q in %v", row.says, err)
			}
			if err == nil {
				e.Shows(id, row.says)
			}
			if stop := e.Prompt(id, "/name it"); stop != acp.StopReasonEndTurn {
				t.Errorf("afterwards: %s", stop)
			}
			e.Quit()
		})
	}
}
