package conversation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// Attachment is a file that is sent with a prompt. Text becomes part of the prompt's text. A media file becomes a part
// of the message; if it cannot be sent, the prompt is refused.
type Attachment struct {
	// Path names a file that the persona's Reader reads.
	Path string
	// Required is for a file that the user named by itself, not within the text of a prompt. The sandbox lets Reader read the file
	// wherever it is. If it cannot be read, the prompt is refused. Without Required, the file is left out with a notice.
	Required bool
	// Data is a media file without a path, such as a pasted image. Path and Required are not used then.
	Data []byte
	// Name names Data. By default, the name is invented.
	Name string
	// Output is the output of the command Name, which the user ran and which ended with Status. The other fields are not used then.
	Output, Status string
	// Tool runs a tool of the persona with Args and attaches its result under the name Path. If the tool fails, the result is left out with
	// a notice.
	Tool string
	Args map[string]any
	// Line is a shell line of a custom command. Its output takes the place of !`LINE` in the prompt. The other fields are not used then.
	Line string
}

// attachments reads the files of prompts, and knows which kinds of files the model takes.
type attachments struct {
	emit     func(event.Event)
	workdir  string
	personas *personas
	executor *executor
}

// promptMessage is the message of a prompt with its attachments.
type promptMessage struct {
	llm.Message
	// blocks holds the texts of attachments in the message, each followed by one line about it for people.
	blocks []string
}

// addText adds a block with the text of an attachment to the message.
func (m *promptMessage) addText(tag, key, name, text string) {
	m.addBlock(tag, fmt.Sprintf("%s=%q", key, name), name, text)
}

// addOutput adds the output of a command that the user ran. It cannot end its block.
func (m *promptMessage) addOutput(of Attachment) {
	const tag = "output"
	text := strings.ReplaceAll(of.Output, "</"+tag, `<\/`+tag)
	m.addBlock(tag, fmt.Sprintf("command=%q status=%q", of.Name, of.Status), plaintext.Line(of.Name), text)
}

func (m *promptMessage) addBlock(tag, attributes, name, text string) {
	text = strings.TrimRight(text, "\n")
	block := fmt.Sprintf("<%s %s>\n%s\n</%s>", tag, attributes, text, tag)
	m.Content = fmt.Sprintf("%s\n\n%s", strings.TrimRight(m.Content, "\n"), block)
	size := "empty"
	if text != "" {
		size = plaintext.Counted(strings.Count(text, "\n")+1, "line") + ", " + plaintext.Counted(len(text), "byte")
	}
	m.blocks = append(m.blocks, block, fmt.Sprintf("[%s %s: %s]", tag, name, size))
}

// shown returns the message for people, with one line for each text of an attachment.
func (m *promptMessage) shown() string { return strings.NewReplacer(m.blocks...).Replace(m.Content) }

// attach returns the message of a prompt with its attachments, and the messages that plugins add in response. The text of a
// file is what the model would see if it read the file.
func (a *attachments) attach(ctx context.Context, prompt string, attached []Attachment) (*promptMessage, []injection, error) {
	m := &promptMessage{Message: llm.Message{Role: llm.RoleUser, Content: prompt}}
	var queued []injection
	results := 0
	for _, file := range attached {
		if file.Line != "" {
			added, err := a.insertOutput(ctx, &m.Message, file.Line)
			queued = append(queued, added...)
			if err != nil {
				return m, queued, err
			}
			continue
		}
		if file.Output != "" {
			file.Output = shortStart(file.Output, a.personas.resultTokens())
			m.addOutput(file)
			continue
		}
		if file.Data != nil {
			if err := a.addPart(ctx, &m.Message, cmp.Or(file.Name, pastedName(file.Data, len(m.Parts)+1)), file.Data); err != nil {
				return m, queued, err
			}
			continue
		}
		if file.Tool != "" {
			results++
			queued = append(queued, a.addResult(ctx, m, file, results)...)
			continue
		}
		read := a.executor.readFile(ctx, file.Path, file.Required)
		queued = append(queued, read.injections...)
		switch {
		case read.err != nil && (file.Required || read.file != nil || ctx.Err() != nil):
			return m, queued, fmt.Errorf("attaching %s: %w", file.Path, read.err)
		case read.err != nil:
			a.emit(event.Notice{Text: fmt.Sprintf("%s is not attached: %v", file.Path, read.err)})
			continue
		case read.file != nil:
			if err := a.addPart(ctx, &m.Message, file.Path, read.file.Data); err != nil {
				return m, queued, err
			}
		default:
			m.addText("file", "path", file.Path, read.content)
		}
		a.emit(event.Progress{Tool: a.personas.current().Reader.Definition().Name, Text: "attached " + file.Path})
	}
	return m, queued, nil
}

// addResult runs a tool and adds its result, which is the n-th one, to a message.
func (a *attachments) addResult(ctx context.Context, m *promptMessage, file Attachment, n int) []injection {
	read := a.executor.runTool(ctx, file.Tool, file.Args, n)
	err := read.err
	if err == nil {
		err = checkParts(slices.Concat(m.Parts, read.parts))
	}
	if err != nil {
		a.emit(event.Notice{Text: fmt.Sprintf("%s is not attached: %v", file.Path, err)})
		return read.injections
	}
	m.addText("resource", "name", file.Path, read.content)
	m.Parts = append(m.Parts, read.parts...)
	a.emit(event.Progress{Tool: file.Tool, Text: "attached " + file.Path})
	return read.injections
}

// insertOutput runs a shell line like a tool call of the model and puts its output in the place of the line. A line that must not run
// refuses the prompt. The output of a line that fails says so.
func (a *attachments) insertOutput(ctx context.Context, m *llm.Message, line string) ([]injection, error) {
	ran := a.executor.runLine(ctx, line)
	if ran.refused || ctx.Err() != nil {
		return ran.injections, fmt.Errorf("running %q for the prompt: %w", line, ran.err)
	}
	output := strings.TrimRight(ran.content, "\n")
	if ran.err != nil {
		output = resultText(output, ran.err.Error())
	}
	written := "!`" + line + "`"
	if !strings.Contains(m.Content, written) {
		// A plugin has changed the prompt.
		output = joined(m.Content, output)
		written = m.Content
	}
	m.Content = strings.Replace(m.Content, written, output, 1)
	return ran.injections, nil
}

// addPart adds a media file to a message. The text of the message names the file, so that the model can tell several
// files apart, and so that plugins and summaries know of the file.
func (a *attachments) addPart(ctx context.Context, m *llm.Message, name string, data []byte) error {
	mediaType, err := mediaOf(data, len(data))
	if err == nil {
		err = a.refusal(ctx, mediaType)
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
	return fmt.Sprintf("pasted-%d.%s", n, files.Ending(mediaType))
}
