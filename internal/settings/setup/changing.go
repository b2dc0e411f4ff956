package setup

import (
	"context"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
)

// changing returns a tool that announces each of its calls that may change files.
func changing(t tool.Tool, announce func()) tool.Tool {
	if announce == nil {
		return t
	}
	return changingTool{Tool: t, announce: announce}
}

type changingTool struct {
	tool.Tool
	announce func()
}

// Unwrap returns the tool itself.
func (t changingTool) Unwrap() tool.Tool { return t.Tool }

// Execute announces the call, and then runs the tool.
func (t changingTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	if t.mayChange(ctx, call) {
		t.announce()
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
