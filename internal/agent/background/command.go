package background

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/idelchi/aura/internal/agent/tool"
)

// longest is the timeout of a command without one, in seconds. It is the largest that Bash takes.
const longest = 86400

// Argument is the argument of Bash that asks for a background command.
const Argument = "background"

// Tool returns Bash as a tool that starts its calls with background as commands of the Set. Everything that bash does for a call is done for
// them too; only the model does not wait.
func (s *Set) Tool(bash tool.Tool) tool.Tool { return starter{Tool: bash, set: s} }

type starter struct {
	tool.Tool
	set *Set
}

// Unwrap returns the tool itself.
func (b starter) Unwrap() tool.Tool { return b.Tool }

// Execute runs a call, or starts it.
func (b starter) Execute(ctx context.Context, call tool.Call) (string, error) {
	if wanted, _ := call.Args[Argument].(bool); !wanted {
		return b.Tool.Execute(ctx, call)
	}
	args := maps.Clone(call.Args)
	delete(args, Argument)
	if _, ok := args["timeout"]; !ok {
		args["timeout"] = float64(longest)
	}
	command, _ := args["command"].(string)
	id, err := b.set.Begin(command, func(ctx context.Context, progress func(string)) (string, error) {
		return b.Tool.Execute(ctx, tool.Call{Args: args, Progress: progress, Sandbox: tool.Sandbox{Unattended: true}})
	})
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(fmt.Sprintf("%s runs in the background. %s returns its new output, %s ends it. A note says when it has ended.", id, OutputName, KillName)), nil
}
