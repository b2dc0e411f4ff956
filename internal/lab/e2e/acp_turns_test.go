//go:build linux

package e2e

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// plays gives the project a model that plays a script.
func (p *project) plays(turns string) {
	p.t.Helper()
	p.write(".aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml}\n")
	p.write(".aura/config/talk.yaml", "model: {name: scripted, context_length: 8192, capabilities: [tools, thinking]}\nturns:\n"+turns)
}

// codeOf returns the code of an error of the protocol.
func codeOf(err error) int {
	if coded, ok := errors.AsType[*acp.RequestError](err); ok {
		return coded.Code
	}
	return 0
}

// send sends a prompt without waiting for its end, which comes on the channel.
func (e *editor) send(id acp.SessionId, text string) <-chan string {
	out := make(chan string, 1)
	go func() {
		got, err := e.conn.Prompt(e.ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
		out <- fmt.Sprint(got.StopReason, " ", codeOf(err))
	}()
	return out
}

// saves waits until a session of the project has a prompt in its journal, which is then sent to the model.
func (p *project) saves(prompt string) {
	p.t.Helper()
	p.until("the prompt "+prompt, func() bool {
		files, err := filepath.Glob(filepath.Join(p.state, "sessions/*.jsonl"))
		p.check(err)
		for _, file := range files {
			if strings.Contains(string(p.read(file)), `"content":"`+prompt+`"`) {
				return true
			}
		}
		return false
	})
}

func (e *editor) cancel(id acp.SessionId) {
	e.t.Helper()
	e.check(e.conn.Cancel(e.ctx, acp.CancelNotification{SessionId: id}))
}

// TestACPCancel cancels a prompt in every state. The session can be used afterwards.
func TestACPCancel(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		turns string
		// come waits until the session is in the state.
		come func(e *editor, id acp.SessionId)
		// source is that of a plugin, before is a prompt that is answered first, and prompt what is sent instead of "go".
		source, before, prompt string
	}{
		"hook": {turns: "  - {tool_calls: [{name: Ls, arguments: {path: .}}]}\n", come: hangs, source: source(
			`func AfterToolExecution(context.Context, sdk.AfterToolContext) (sdk.Result, error) { fmt.Println("here I am"); select {} }`)},
		"compaction": {turns: "  - text: Hello.\n", come: hangs, before: "hello", prompt: "/compact", source: source(
			`func BeforeCompaction(context.Context, sdk.BeforeCompactionContext) (sdk.Result, error) { fmt.Println("here I am"); select {} }`)},
		"command": {come: hangs, prompt: "/spin", source: source(`func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "spin", Description: "Spins"} }`,
			`func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) { fmt.Println("here I am"); select {} }`)},
		"model": {turns: "  - {text: One two three., delay: 1h}\n", come: func(e *editor, _ acp.SessionId) { e.saves("go") }},
		"tool": {turns: "  - {tool_calls: [{name: Bash, arguments: {command: touch run; sleep 1000}}]}\n", come: func(e *editor, _ acp.SessionId) {
			e.until("the tool", func() bool { _, err := os.Stat(e.path("run")); return err == nil })
		}},
		"approval": {turns: "  - {tool_calls: [{name: Write, arguments: {path: x, content: x}}]}\n", come: func(e *editor, _ acp.SessionId) { <-e.asked }},
		"queued":   {turns: "  - {text: One two three., delay: 1h}\n", come: func(*editor, acp.SessionId) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.plays(row.turns + "  - {text: Again.}\n")
			p.write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: [Write]}}\n")
			if row.source != "" {
				p.plugin("bad", "description: Hangs\n", row.source)
			}
			e := p.edit()
			e.permit = func(ctx context.Context, _ acp.RequestPermissionRequest) string {
				close(e.asked)
				<-ctx.Done() // the client never answers
				return "once"
			}
			id := e.open()
			e.cancel(id) // nothing runs, so it does nothing
			if row.before != "" {
				e.prompt(id, row.before)
			}
			ended := e.send(id, cmp.Or(row.prompt, "go"))
			row.come(e, id)
			if name != "queued" {
				if got := e.send(id, "second"); <-got != " -32600" {
					t.Error("a second prompt was taken")
				}
			} else {
				e.until("the prompt", func() bool { return e.wire.counted("params of session/prompt") == 1 })
			}
			e.cancel(id)
			if got := <-ended; got != "cancelled 0" {
				t.Errorf("the prompt ended with %s", got)
			}
			e.cancel(id)
			again := "again"
			if strings.Contains(row.turns, "delay") {
				again = "/name it" // whether the script went on is not known
			}
			if stop := e.prompt(id, again); stop != acp.StopReasonEndTurn {
				t.Errorf("afterwards: %s", stop)
			}
			e.quit()
			if _, err := os.Stat(p.path("x")); err == nil {
				t.Error("a call ran that nobody approved")
			}
			complete(t, p.saved())
		})
	}
}

// hangs waits until the plugin bad hangs.
func hangs(e *editor, _ acp.SessionId) { e.await(e.log("bad"), "here I am") }

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
			p := newProject(t)
			p.plays(turns + "  - {text: Again.}\n")
			p.write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: [Write]}}\n")
			p.plugin("watch", "name: watch\n", "package watch\n\nimport \"github.com/idelchi/aura/sdk\"\n\nfunc BeforeChat(sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{}, nil }\n")
			e := p.edit()
			e.permit = func(ctx context.Context, _ acp.RequestPermissionRequest) string {
				close(e.asked)
				<-ctx.Done()
				return ""
			}
			id := e.open()
			switch name {
			case "idle":
				e.prompt(id, "go")
			case "model":
				e.send(id, "go")
				p.saves("go")
			case "tool":
				e.send(id, "go")
				e.until("the tool", func() bool { _, err := os.Stat(p.path("run")); return err == nil })
			case "approval":
				e.send(id, "go")
				<-e.asked
			}
			e.quit()
			if _, err := os.Stat(p.path("x")); err == nil {
				t.Error("a call ran that nobody approved")
			}
			saved := p.saved()
			complete(t, saved)
			if saved.End == nil {
				t.Error("the session was not saved to its end")
			}
		})
	}
}

// TestACPResume kills aura in the middle of a session, and continues the session in another process: with its messages and without.
func TestACPResume(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("main.go", "package main\n")
	p.plays("  - {text: Reading., thinking: Hm., tool_calls: [{name: Read, arguments: {path: main.go}}]}\n  - {text: Read.}\n  - {text: Never., delay: 1h}\n")
	e := p.edit()
	id := e.open()
	e.prompt(id, "look")
	e.send(id, "never")
	p.saves("never")
	e.signal(syscall.SIGKILL)
	e.wait()
	p.noProcess()

	e = p.edit()
	cwd := p.dir
	list, err := e.conn.ListSessions(e.ctx, acp.ListSessionsRequest{Cwd: &cwd})
	p.check(err)
	if len(list.Sessions) != 1 || list.Sessions[0].SessionId != id || list.Sessions[0].Cwd != p.dir || *list.Sessions[0].Title != "look" {
		t.Errorf("listed %s", compactJSON(list))
	}
	for _, wrong := range []acp.SessionId{"look", id[:8], "../../etc"} {
		_, err := e.conn.LoadSession(e.ctx, acp.LoadSessionRequest{SessionId: wrong, Cwd: p.dir, McpServers: []acp.McpServer{}})
		if codeOf(err) != -32002 {
			t.Errorf("loading session %q: %v", wrong, err)
		}
	}
	_, err = e.conn.LoadSession(e.ctx, acp.LoadSessionRequest{SessionId: id, Cwd: p.dir, McpServers: []acp.McpServer{}})
	p.check(err)
	e.shows(id, "user: look", "thought: Hm.", "agent: Reading.", "call call1 read in_progress: Read main.go", "update call1 completed", "agent: Read.", "user: never")
	_, err = e.conn.LoadSession(e.ctx, acp.LoadSessionRequest{SessionId: id, Cwd: p.dir, McpServers: []acp.McpServer{}})
	if codeOf(err) != -32600 {
		t.Errorf("loading an open session: %v", err)
	}
	_, err = e.conn.CloseSession(e.ctx, acp.CloseSessionRequest{SessionId: id})
	p.check(err)
	before := len(e.seen(id))
	_, err = e.conn.ResumeSession(e.ctx, acp.ResumeSessionRequest{SessionId: id, Cwd: p.dir})
	p.check(err)
	for _, line := range e.seen(id)[before:] {
		if strings.HasPrefix(line, "user: ") {
			t.Errorf("resuming showed %q", line)
		}
	}
	e.prompt(id, "/name kept")
	e.shows(id, "the session is named kept", `"title":"kept"`)
	e.quit()
	if got := p.saved().State.Title; got != "kept" {
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
			p := newProject(t)
			p.plays(row.turns)
			p.write(".aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml, retry: {max_attempts: 1}}\n")
			var flags []string
			if row.flag != "" {
				flags = []string{row.flag}
			}
			e := p.edit(flags...)
			id := e.open()
			got, err := e.conn.Prompt(e.ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("go")}})
			if got.StopReason != row.stop || codeOf(err) != row.code {
				t.Errorf("stopped because of %q, %v", got.StopReason, err)
			}
			if err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("no %q in %v", row.says, err)
			}
			if err == nil {
				e.shows(id, row.says)
			}
			if stop := e.prompt(id, "/name it"); stop != acp.StopReasonEndTurn {
				t.Errorf("afterwards: %s", stop)
			}
			e.quit()
		})
	}
}
