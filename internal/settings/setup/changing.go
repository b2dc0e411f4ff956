package setup

import (
	"context"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
)

// Announce is called before a call that may change files. The call does not run if it returns an error. status receives lines that say how far it
// is; it may be nil.
type Announce func(ctx context.Context, status func(string)) error

// changing returns a tool that announces each of its calls that may change files.
func changing(t tool.Tool, announce Announce) tool.Tool {
	if announce == nil {
		return t
	}
	return changingTool{Tool: t, announce: announce}
}

type changingTool struct {
	tool.Tool
	announce Announce
}

// Unwrap returns the tool itself.
func (t changingTool) Unwrap() tool.Tool { return t.Tool }

// Execute announces the call, and then runs the tool.
func (t changingTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	if t.mayChange(ctx, call) {
		if err := t.announce(ctx, call.Status); err != nil {
			return "", err
		}
	}
	return t.Tool.Execute(ctx, call)
}

// mayChange reports whether a call may change files. A built-in tool names those that it changes, except Bash. Nobody knows it of the others.
func (t changingTool) mayChange(ctx context.Context, call tool.Call) bool {
	d := t.Definition()
	if d.Source != tool.SourceBuiltin || d.Name == builtin.BashName {
		return true
	}
	pather, ok := tool.As[tool.Pather](t.Tool)
	if !ok {
		return false // it uses no files
	}
	paths, err := pather.Paths(ctx, call.Args)
	return err != nil || len(paths.Write)+len(paths.Clear) > 0
}
