package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/sdk"
)

// attach returns the prompt with the contents of the files appended, and the messages that plugins add in response. The
// contents are what the model would see if it read the files. A file that cannot be read is left out with a notice.
func (c *Conversation) attach(ctx context.Context, prompt string, files []string) (string, []injection) {
	var queued []injection
	for _, path := range files {
		content, said, err := c.readFile(ctx, path)
		queued = append(queued, said...)
		if err != nil {
			c.cfg.Emit(event.Notice{Text: fmt.Sprintf("%s is not attached: %v", path, err)})
			continue
		}
		prompt = fmt.Sprintf("%s\n\n<file path=%q>\n%s\n</file>", strings.TrimRight(prompt, "\n"), path, strings.TrimRight(content, "\n"))
		c.cfg.Emit(event.Progress{Tool: c.speaker().Reader.Definition().Name, Text: "attached " + path})
	}
	return prompt, queued
}

// readFile reads a file as if the model had asked for it: plugins, the policy and hooks are consulted, and the tool is confined
// as usual. Because the model did not ask, the read is not recorded as a tool call in the history or in the statistics.
func (c *Conversation) readFile(ctx context.Context, path string) (string, []injection, error) {
	reader := c.speaker().Reader
	if reader == nil {
		return "", nil, errors.New("there is no tool that reads files")
	}
	args := map[string]any{"path": path}
	raw, err := json.Marshal(args)
	if err != nil {
		return "", nil, err
	}
	p := &call{request: llm.ToolCall{Name: reader.Definition().Name, Arguments: raw}, tool: reader, args: args, state: c.Context()}
	if err := c.consult(ctx, p); err != nil {
		return "", p.injections, err
	}
	c.execute(ctx, []*call{p})
	c.review(ctx, p)
	failure := ""
	if p.err != nil {
		failure = p.err.Error()
	}
	out := c.hook(ctx, hookpoint.AfterToolExecution, func(state sdk.Context) any {
		return sdk.AfterToolContext{
			Context: state, ToolName: p.request.Name, ToolResult: joined(p.output, p.note), ToolError: failure, ToolDuration: p.duration,
		}
	})
	content := joined(c.short(p.output), p.note)
	if out.Output != nil {
		content = c.short(*out.Output)
	}
	return strings.ToValidUTF8(content, "\uFFFD"), append(p.injections, queue(hookpoint.AfterToolExecution, out)...), p.err
}
