package openai

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
	"github.com/idelchi/aura/sdk"
)

// answer collects the chunks of a stream.
type answer struct {
	onDelta func(llm.Delta)
	names   dialogue.Names

	text, thinking strings.Builder
	calls          []*call
	usage          llm.Usage
	stop           string
	meter          dialogue.Meter
}

// call is a tool call that is being received.
type call struct {
	index     int
	id, name  string
	arguments strings.Builder
}

func (a *answer) addChunk(c chunk) {
	if u := c.Usage; u.PromptTokens+u.CompletionTokens > 0 {
		a.usage = llm.Usage{Input: u.PromptTokens, Output: u.CompletionTokens, CacheRead: u.Details.CachedTokens}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		a.think(choice.Delta)
		// The model's refusal is its answer.
		if text := choice.Delta.Content + choice.Delta.Refusal; text != "" {
			a.meter.CountText(text)
			a.text.WriteString(text)
			a.onDelta(llm.Delta{Text: text})
		}
		for _, part := range choice.Delta.ToolCalls {
			a.call(part)
		}
		if choice.FinishReason != "" {
			a.stop = choice.FinishReason
		}
	}
}

// think reads thinking from either of its two field names. Neither is part of the protocol.
func (a *answer) think(d delta) {
	if text := cmp.Or(d.ReasoningContent, d.Reasoning); text != "" {
		a.meter.CountText(text)
		a.thinking.WriteString(text)
		a.onDelta(llm.Delta{Thinking: text})
	}
}

// call starts or continues a tool call. Some servers give every call the index 0 and distinguish calls only by their ids.
func (a *answer) call(part toolCall) {
	a.meter.CountText(part.ID, part.Function.Name, part.Function.Arguments)
	var c *call
	for _, known := range a.calls {
		if known.index == part.Index && (part.ID == "" || known.id == "" || known.id == part.ID) {
			c = known
		}
	}
	if c == nil {
		if a.meter.Dropped > 0 && part.ID == "" && part.Function.Name == "" || !a.meter.Call() {
			// The part belongs to a dropped call, or starts one.
			return
		}
		c = &call{index: part.Index}
		a.calls = append(a.calls, c)
	}
	if part.ID != "" {
		c.id = part.ID
	}
	if c.name == "" {
		c.name = part.Function.Name
	}
	c.arguments.WriteString(part.Function.Arguments)
}

// response builds the response. It returns an error if a filter stopped the answer, even after some text.
func (a *answer) response() (llm.Response, error) {
	out := llm.Response{Usage: a.usage, Dropped: a.meter.Dropped, StopReason: llm.StopEnd, Message: llm.Message{
		Role: llm.RoleAssistant, Content: a.text.String(), Thinking: a.thinking.String(), CreatedAt: time.Now(),
	}}
	for _, c := range a.calls {
		arguments := c.arguments.String()
		if arguments == "" {
			arguments = "{}"
		}
		out.Message.ToolCalls = append(out.Message.ToolCalls, llm.ToolCall{ID: c.id, Name: a.names.Own(c.name), Arguments: json.RawMessage(arguments)})
	}
	switch {
	case a.stop == "content_filter":
		return llm.Response{}, &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: "the service's filter stopped the answer"}
	case a.stop == "length":
		out.StopReason = llm.StopLength
	case len(a.calls) > 0:
		out.StopReason = llm.StopTools
	}
	return out, nil
}
