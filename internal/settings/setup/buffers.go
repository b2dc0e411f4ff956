package setup

import (
	"context"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/agent/tool"
)

// buffered returns a tool whose files the editor saves before the tool runs. The tool then reads and changes what the user sees. A
// tool that names no files is returned unchanged, as is every tool if the user does not allow it.
func (m member) buffered(t tool.Tool) tool.Tool {
	if _, ok := tool.As[tool.Pather](t); !ok || m.source.SaveBuffers == nil || !m.features.Acp.ClientFiles {
		return t
	}
	return buffered{Tool: t, save: m.source.SaveBuffers}
}

type buffered struct {
	tool.Tool
	save func(ctx context.Context, paths []string) error
}

// Unwrap returns the wrapped tool.
func (b buffered) Unwrap() tool.Tool { return b.Tool }

// Execute lets the editor save the files that the call touches, and then runs the tool. Only files that the fence let pass get here.
func (b buffered) Execute(ctx context.Context, call tool.Call) (string, error) {
	if call.Paths == nil {
		pather, _ := tool.As[tool.Pather](b.Tool)
		paths, err := pather.Paths(ctx, call.Args)
		if err != nil {
			return "", fmt.Errorf("asking which files the call will touch: %w", err)
		}
		call.Paths = &paths
	}
	if err := b.save(ctx, slices.Concat(call.Paths.Read, call.Paths.Write, call.Paths.Record, call.Paths.Guard)); err != nil {
		return "", err
	}
	return b.Tool.Execute(ctx, call)
}
