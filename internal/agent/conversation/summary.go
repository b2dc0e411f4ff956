package conversation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tokens"
	"github.com/idelchi/aura/sdk"
)

const (
	// summaryHead is the prefix of every summary. It informs the model, and it identifies the summary in a restored history.
	summaryHead = "[Summary of the conversation up to here; the messages themselves are gone]\n\n"

	// summaryPrompt instructs a model how to summarise.
	summaryPrompt = `You keep the minutes of a conversation between a user and a coding agent. The conversation has grown too long, and your
text will take the place of all that you are shown. Whoever reads it has nothing else to go on with.

Write down, without preamble:
- what the user wants, the latest request in the user's own words, with every condition and preference stated;
- what was decided, and why;
- which files, commands, names, numbers and error messages matter, spelled exactly;
- what has been done, what failed, and what remains to be done next.

Leave out greetings, repetitions and whatever is settled and no longer needed. Do not answer the user and do not go on with
the work.`
)

// clips lists how many bytes of a tool's result the summarising model receives. The next smaller value is used when the text is
// too long.
var clips = []int{4000, 1000, 100}

// textClip is how many bytes of any other message the summarising model receives.
const textClip = 64 << 10

// summarise returns the summary of entries that a model writes.
func (s *shortener) summarise(ctx context.Context, older []entry) (string, error) {
	by, prompt, err := s.summariser(ctx)
	if err != nil {
		return "", err
	}
	messages := s.seen(ctx, older)
	if ctx.Err() != nil {
		return "", interrupted(ctx)
	}
	var summary string
	for _, clip := range clips {
		summary, err = s.minutes(ctx, by, prompt, parts(messages, clip, by.window()))
		if classOf(err) != sdk.ErrorTypeContextExhausted {
			break
		}
	}
	return summary, err
}

// seen returns entries as a model call would send them: plugins transform the whole history, and what belongs to the entries is
// returned. Messages that are sent once are left out.
func (s *shortener) seen(ctx context.Context, older []entry) []llm.Message {
	messages, entries := s.transcript.request(s.window.system())
	system := len(messages) - entries
	transformed, at := s.hooks.transformed(ctx, messages, s.window.counted)
	var out []llm.Message
	for i, m := range transformed {
		switch from := at[i] - system; {
		case from >= len(older):
			return out
		case at[i] >= 0 && from < 0, from >= 0 && older[from].eject:
		default:
			out = append(out, m)
		}
	}
	return out
}

// summariser returns the persona that summarises, and its prompt.
func (s *shortener) summariser(ctx context.Context) (speaker, string, error) {
	settings, by := s.personas.compaction(), s.personas.current()
	prompt := settings.Prompt
	if settings.By != nil {
		var err error
		if by, err = s.personas.describe(ctx, *settings.By); err != nil {
			return by, "", err
		}
		if prompt == "" {
			prompt = by.System
		}
	}
	if prompt == "" {
		prompt = summaryPrompt
	}
	return by, prompt, nil
}

// minutes summarises a text part by part. Each part is sent with the summary of the parts before it.
func (s *shortener) minutes(ctx context.Context, by speaker, prompt string, parts []string) (string, error) {
	var summary string
	for _, part := range parts {
		if summary != "" {
			part = "What came before, summarised:\n\n" + summary + "\n\nHow it went on:\n\n" + part
		}
		request := llm.Request{Model: by.modelName(), Generation: by.Generation, Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: prompt},
			{Role: llm.RoleUser, Content: part},
		}}
		response, _, err := s.caller.call(ctx, by, request, func(llm.Delta) {})
		if err != nil {
			return "", fmt.Errorf("summarising with %s: %w", by.title(), err)
		}
		s.caller.charge(by, request, response)
		if summary = strings.TrimSpace(response.Message.Content); summary == "" {
			return "", fmt.Errorf("summarising with %s: %w", by.title(), errors.New("the summary is empty"))
		}
	}
	return summary, nil
}

// openTodos returns the todos for the end of a summary, because the calls that created them are gone. It returns "" if no todo
// is open.
func (s *shortener) openTodos() string {
	if s.todos.Counts().Open() == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\nTodos:\n")
	for _, item := range s.todos.Items() {
		fmt.Fprintf(&b, "%d. [%s] %s\n", item.ID, item.Status, item.Content)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// parts converts messages to text, in parts that each fit into two thirds of the window. A window of 0 is unlimited.
func parts(messages []llm.Message, clip, window int) []string {
	limit := window * 2 / 3
	var out []string
	var part strings.Builder
	size := 0
	for _, m := range messages {
		text := written(m, clip)
		if limit > 0 {
			text, _ = tokens.Clip(text, limit)
		}
		n := tokens.Estimate(text)
		if limit > 0 && size > 0 && size+n > limit {
			out = append(out, part.String())
			part.Reset()
			size = 0
		}
		part.WriteString(text)
		size += n
	}
	return append(out, part.String())
}

// written returns a message as a paragraph of text. Thinking is left out.
func written(m llm.Message, clip int) string {
	var b strings.Builder
	if m.Role == llm.RoleTool {
		fmt.Fprintf(&b, "result of %s: %s\n", m.ToolName, clipped(m.Content, clip))
	} else if m.Content != "" {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, clipped(m.Content, textClip))
	}
	for _, call := range m.ToolCalls {
		fmt.Fprintf(&b, "%s calls %s with %s\n", m.Role, call.Name, clipped(string(call.Arguments), clip))
	}
	b.WriteString("\n")
	return b.String()
}

// clipped returns at most n bytes of a text, followed by a note of how many bytes are missing.
func clipped(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + fmt.Sprintf(" [%d bytes left out]", len(text)-n)
}
