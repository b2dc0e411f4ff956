package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

// Attachment is a file that is sent with a prompt. Text becomes part of the prompt's text. An image or a PDF file becomes a part
// of the message; if it cannot be sent, the prompt is refused.
type Attachment struct {
	// Path names a file that the persona's Reader reads.
	Path string
	// Required is for a file that the user named by itself, not within the text of a prompt. The sandbox lets Reader read the file
	// wherever it is. If it cannot be read, the prompt is refused. Without Required, the file is left out with a notice.
	Required bool
	// Data is an image or a PDF file without a path, such as a pasted image. Path and Required are not used then.
	Data []byte
}

// attach returns the message of a prompt with its attachments, and the messages that plugins add in response. The text of a
// file is what the model would see if it read the file.
func (c *Conversation) attach(ctx context.Context, prompt string, attached []Attachment) (llm.Message, []injection, error) {
	m := llm.Message{Role: llm.RoleUser, Content: prompt}
	var queued []injection
	for _, a := range attached {
		if a.Data != nil {
			if err := c.addPart(ctx, &m, pastedName(a.Data, len(m.Parts)+1), a.Data); err != nil {
				return m, queued, err
			}
			continue
		}
		read := c.readFile(ctx, a.Path, a.Required)
		queued = append(queued, read.injections...)
		switch {
		case read.err != nil && (a.Required || read.file != nil || ctx.Err() != nil):
			return m, queued, fmt.Errorf("attaching %s: %w", a.Path, read.err)
		case read.err != nil:
			c.cfg.Emit(event.Notice{Text: fmt.Sprintf("%s is not attached: %v", a.Path, read.err)})
			continue
		case read.file != nil:
			if err := c.addPart(ctx, &m, a.Path, read.file.Data); err != nil {
				return m, queued, err
			}
		default:
			m.Content = fmt.Sprintf("%s\n\n<file path=%q>\n%s\n</file>", strings.TrimRight(m.Content, "\n"), a.Path, strings.TrimRight(read.content, "\n"))
		}
		c.cfg.Emit(event.Progress{Tool: c.personas.current().Reader.Definition().Name, Text: "attached " + a.Path})
	}
	return m, queued, nil
}

// addPart adds an image or a PDF file to a message. The text of the message names the file, so that the model can tell several
// files apart, and so that plugins and summaries know of the file.
func (c *Conversation) addPart(ctx context.Context, m *llm.Message, name string, data []byte) error {
	mediaType, err := mediaOf(data, len(data))
	if err == nil {
		err = c.Refusal(ctx, mediaType)
	}
	part := llm.Part{Name: name, Type: mediaType, Data: data}
	if err == nil {
		err = checkParts(append(slices.Clip(m.Parts), part))
	}
	if err != nil {
		return fmt.Errorf("attaching %s: %w", name, err)
	}
	m.Parts = append(m.Parts, part)
	m.Content = fmt.Sprintf("%s\n\n<file path=%q type=%q />", strings.TrimRight(m.Content, "\n"), name, part.Type)
	return nil
}

// pastedName returns a name for the n-th part of a message, which has no file.
func pastedName(data []byte, n int) string {
	mediaType := files.MediaType(data)
	if mediaType == "" {
		return "the pasted data"
	}
	return fmt.Sprintf("pasted-%d.%s", n, path.Base(mediaType))
}

// reading is a file that was read as if the model had asked for it.
type reading struct {
	content string
	// file is set for an image or a PDF file.
	file       *tool.File
	injections []injection
	err        error
}

// readFile reads a file as if the model had asked for it: plugins, the policy and hooks are consulted, and the tool is confined
// as usual. Because the model did not ask, the read is not recorded as a tool call in the history or in the statistics. A plugin
// that replaces the result also replaces an image. A plugin that changes the path gets no file that only the user may name.
func (c *Conversation) readFile(ctx context.Context, path string, named bool) reading {
	reader := c.personas.current().Reader
	if reader == nil {
		return reading{err: errors.New("there is no tool that reads files")}
	}
	args := map[string]any{"path": path}
	raw, err := json.Marshal(args)
	if err != nil {
		return reading{err: err}
	}
	p := &call{request: llm.ToolCall{Name: reader.Definition().Name, Arguments: raw}, tool: reader, args: args, state: c.Context(), files: true}
	if err := c.consult(ctx, p); err != nil {
		return reading{injections: p.injections, err: err}
	}
	p.named = named && p.args["path"] == path
	c.execute(ctx, []*call{p})
	c.review(ctx, p)
	failure := ""
	if p.err != nil {
		failure = p.err.Error()
	}
	out := c.hooks.run(ctx, hookpoint.AfterToolExecution, func(state sdk.Context) any {
		return sdk.AfterToolContext{
			Context: state, ToolName: p.request.Name, ToolResult: joined(p.output, p.note), ToolError: failure, ToolDuration: p.duration,
		}
	})
	read := reading{file: p.file, err: p.err, injections: append(p.injections, queue(hookpoint.AfterToolExecution, out)...)}
	content := joined(c.short(p.output), p.note)
	if out.Output != nil {
		content, read.file = c.short(*out.Output), nil
	}
	read.content = strings.ToValidUTF8(content, "\uFFFD")
	return read
}
