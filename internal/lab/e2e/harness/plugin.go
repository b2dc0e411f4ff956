//go:build linux

package harness

import (
	"os"
	"strings"
)

// Declarations of plugins: a hook that does nothing, and a tool without a function.
const (
	IdleHook = `func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{}, nil }`
	Tool     = `func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: "Spin", Description: "Spins", Parameters: sdk.ToolParameters{Type: "object"}} }`
)

// Source returns the source of a plugin "bad" with these declarations.
func Source(declarations ...string) string {
	return "package bad\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\nvar _ = fmt.Sprint\n\n" +
		strings.Join(declarations, "\n\n") + "\n"
}

// TalkWith returns the base conversation with another second turn.
func TalkWith(second string) string {
	return `model: {name: talker, family: script, parameter_count: 8000000000, context_length: 8192, capabilities: [tools]}
turns:
  - text: "First I look around."
    tool_calls: [{name: Ls, arguments: {path: .}}]
  - text: "Then I look again."
    ` + second + `
  - text: "All done."
`
}

// HolderSource is a plugin that holds the conversation after its first tool call until the file release exists.
const HolderSource = `package holder

import (
	"context"
	"os"
	"time"

	"github.com/idelchi/aura/sdk"
)

func AfterToolExecution(ctx context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	if c.Stats.ToolCalls > 1 {
		return sdk.Result{}, nil
	}
	if err := os.WriteFile("held.txt", nil, 0o600); err != nil {
		return sdk.Result{}, err
	}
	for ctx.Err() == nil {
		if _, err := os.Stat("release"); err == nil {
			return sdk.Result{}, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return sdk.Result{}, ctx.Err()
}
`

// Held starts a session that waits after its first tool call. The returned function ends the wait.
func (p *Project) Held() (release func()) {
	p.T.Helper()
	p.Plugin("holder", "description: Holds the conversation\ntimeout: 20m\n", HolderSource)
	a := p.Start("run", "go")
	p.Until("held.txt", func() bool { _, err := os.Stat(p.Path("held.txt")); return err == nil })
	return func() {
		p.T.Helper()
		p.Write("release", "")
		if code := a.Wait(); code != 0 {
			p.T.Errorf("the session ended with exit code %d\n%s", code, p.Stderr())
		}
	}
}
