// Package dialogue brings a conversation into a form that model services accept, whatever plugins, interruptions and other
// models did to it. The system prompt is separate, each tool call is followed directly by its result, and names and arguments
// are well-formed.
package dialogue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
)

// Rules holds the limits of a service. Every service allows letters, digits, underscores and hyphens in names and ids.
type Rules struct {
	// MaxID and MaxName are lengths in bytes.
	MaxID, MaxName int
}

// Prepare returns the system prompt and the other messages. In rest, each assistant message with tool calls is followed by the
// results of all of its calls, in order. There are no other results, and no empty messages.
func Prepare(messages []llm.Message, r Rules) (system string, rest []llm.Message) {
	var prompts []string
	for _, m := range messages {
		if m.Role == llm.RoleSystem && m.Content != "" {
			prompts = append(prompts, m.Content)
		}
	}
	p := preparation{rules: r, messages: messages, claimed: make([]bool, len(messages)), ids: map[string]bool{}}
	for i, m := range messages {
		p.add(i, m)
	}
	return strings.Join(prompts, "\n\n"), p.out
}

type preparation struct {
	rules    Rules
	messages []llm.Message
	// claimed marks the results that belong to a call.
	claimed []bool
	// ids holds the ids that are in use.
	ids map[string]bool
	out []llm.Message
}

func (p *preparation) add(at int, m llm.Message) {
	switch {
	case m.Role == llm.RoleSystem, p.claimed[at]:
	case m.Role == llm.RoleTool:
		p.out = append(p.out, llm.Message{Role: llm.RoleUser, Content: orphan(m)})
	case m.Role == llm.RoleAssistant && len(m.ToolCalls) > 0:
		p.calls(at, m)
	case strings.TrimSpace(m.Content) != "", m.Role == llm.RoleUser && len(m.Parts) > 0:
		m.ToolCalls = nil
		p.out = append(p.out, m)
	}
}

// orphan returns the text for a result whose call is missing. No service accepts such a result as a result.
func orphan(m llm.Message) string {
	return fmt.Sprintf("Result of the tool %s:\n%s", m.ToolName, m.Content)
}

// calls adds a message with tool calls, followed by their results.
func (p *preparation) calls(at int, m llm.Message) {
	requested := m.ToolCalls
	m.ToolCalls = slices.Clone(requested)
	results := make([]llm.Message, 0, len(requested))
	for i, call := range requested {
		sent := &m.ToolCalls[i]
		sent.ID, sent.Name, sent.Arguments = p.id(call.ID), Name(call.Name, p.rules.MaxName), Object(call.Arguments)
		result := p.result(at, call)
		result.ToolCallID, result.ToolName = sent.ID, sent.Name
		results = append(results, result)
	}
	p.out = append(append(p.out, m), results...)
}

// result finds the result of a call. It searches the messages up to the next message with calls.
func (p *preparation) result(at int, call llm.ToolCall) llm.Message {
	for i := at + 1; i < len(p.messages); i++ {
		m := p.messages[i]
		if m.Role == llm.RoleTool && m.ToolCallID == call.ID && !p.claimed[i] {
			p.claimed[i] = true
			return m
		}
		if len(m.ToolCalls) > 0 {
			break
		}
	}
	return llm.Message{Role: llm.RoleTool, Content: "There is no result: the call was interrupted."}
}

// id returns an id that the service accepts and that no other call of the conversation has.
func (p *preparation) id(id string) string {
	if id == "" {
		id = "call"
	}
	sent := clean(id, p.rules.MaxID)
	for n := 2; p.ids[sent]; n++ {
		sent = clean(fmt.Sprintf("%s_%d", id, n), p.rules.MaxID)
	}
	p.ids[sent] = true
	return sent
}
