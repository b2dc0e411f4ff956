package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// reading is a file that was read as if the model had asked for it.
type reading struct {
	content string
	// file is set for a media file. parts are the files of a result.
	file       *tool.File
	parts      []llm.Part
	injections []injection
	err        error
	// refused is set if the call did not run.
	refused bool
}

// shellTool is the tool that runs the shell lines of a prompt, with this argument.
const (
	shellTool = "Bash"
	shellArg  = "command"
)

// runLine runs a shell line of a prompt.
func (x *executor) runLine(ctx context.Context, line string) reading {
	t, err := x.offer.find(shellTool)
	if err != nil {
		return reading{err: err, refused: true}
	}
	return x.perform(ctx, t, map[string]any{shellArg: line}, func(*call) {})
}

// readFile reads a file as if the model had asked for it: plugins, the policy and hooks are consulted, and the tool is confined
// as usual. Because the model did not ask, the read is not recorded as a tool call in the history or in the statistics. A plugin
// that replaces the result also replaces an image. A plugin that changes the path gets no file that only the user may name.
func (x *executor) readFile(ctx context.Context, path string, named bool) reading {
	reader := x.personas.current().Reader
	if reader == nil {
		return reading{err: errors.New("there is no tool that reads files")}
	}
	return x.perform(ctx, reader, map[string]any{"path": path}, func(p *call) {
		p.files, p.named = true, named && p.args["path"] == path
	})
}

// perform runs a tool as if the model had asked for it, but for a prompt. allow is called once everybody has agreed to the call.
func (x *executor) perform(ctx context.Context, t tool.Tool, args map[string]any, allow func(p *call)) reading {
	raw, err := json.Marshal(args)
	if err != nil {
		return reading{err: err, refused: true}
	}
	p := &call{request: llm.ToolCall{Name: t.Definition().Name, Arguments: raw}, tool: t, args: args, state: x.state()}
	if err := x.consult(ctx, p); err != nil {
		return reading{injections: p.injections, err: err, refused: true}
	}
	allow(p)
	x.execute(ctx, []*call{p})
	x.review(ctx, p)
	failure := ""
	if p.err != nil {
		failure = p.err.Error()
	}
	out := x.hooks.run(ctx, hookpoint.AfterToolExecution, func(state sdk.Context) any {
		return sdk.AfterToolContext{
			Context: state, ToolName: p.request.Name, ToolResult: joined(p.output, p.note), ToolError: failure, ToolDuration: p.duration,
		}
	})
	read := reading{file: p.file, parts: p.parts, err: p.err, injections: append(p.injections, queue(hookpoint.AfterToolExecution, out)...)}
	content := joined(x.short(p.output), p.note)
	if out.Output != nil {
		content, read.file, read.parts = x.short(*out.Output), nil, nil
	}
	read.content = strings.ToValidUTF8(content, "\uFFFD")
	return read
}
