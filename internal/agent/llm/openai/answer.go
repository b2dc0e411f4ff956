package openai

import (
	"bytes"
	"cmp"
	"io"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/classify"
	"github.com/idelchi/aura/internal/agent/llm/rest"
	"github.com/idelchi/aura/sdk"
)

// reader reads the chunks of one answer.
type reader struct {
	*backend.Answer
	calls []indexed
}

// indexed is a call with the index that its parts have.
type indexed struct {
	index int
	*backend.Call
}

// Reader implements backend.Protocol.
func (protocol) Reader(a *backend.Answer) func(rest.Event) error { return (&reader{Answer: a}).read }

func (r *reader) read(event rest.Event) error {
	if bytes.HasPrefix(event.Data, []byte("[DONE]")) {
		return io.EOF
	}
	var c chunk
	if err := rest.Decode(event.Data, &c); err != nil {
		return err
	}
	if strings.HasPrefix(c.Type, "response.") {
		return r.readSearch(event.Data)
	}
	if c.Type == "error" || len(c.Error) > 0 && string(c.Error) != "null" {
		return classify.Event(event.Data)
	}
	if u := c.Usage; u.PromptTokens+u.CompletionTokens > 0 {
		r.Usage = llm.Usage{Input: u.PromptTokens, Output: u.CompletionTokens, CacheRead: u.Details.CachedTokens}
	}
	for _, choice := range c.Choices {
		if choice.Index == 0 {
			r.add(choice.Delta)
			r.end(choice.FinishReason)
		}
	}
	return nil
}

func (r *reader) add(d delta) {
	// Thinking has one of two field names. Neither is part of the protocol.
	r.Think(cmp.Or(d.ReasoningContent, d.Reasoning))
	// The model's refusal is its answer.
	r.Text(d.Content + d.Refusal)
	for _, part := range d.ToolCalls {
		r.call(part)
	}
}

// call starts or continues a tool call. Some servers give every call the index 0 and distinguish calls only by their ids.
func (r *reader) call(part toolCall) {
	r.Meter.CountText(part.ID, part.Function.Name, part.Function.Arguments)
	var c *backend.Call
	for _, known := range r.calls {
		if known.index == part.Index && (part.ID == "" || known.ID == "" || known.ID == part.ID) {
			c = known.Call
		}
	}
	if c == nil {
		if r.Meter.Dropped > 0 && part.ID == "" && part.Function.Name == "" {
			// The part belongs to a dropped call.
			return
		}
		if c = r.StartCall(part.ID, part.Function.Name); c == nil {
			return
		}
		r.calls = append(r.calls, indexed{part.Index, c})
	}
	c.ID, c.Name = cmp.Or(part.ID, c.ID), cmp.Or(c.Name, part.Function.Name)
	c.Arguments.WriteString(part.Function.Arguments)
}

func (r *reader) end(reason string) {
	switch reason {
	case "":
	case "content_filter":
		r.End = &backend.End{Failure: &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: "the service's filter stopped the answer"}}
	case "length":
		r.End = &backend.End{StopReason: llm.StopLength}
	default:
		r.End = &backend.End{}
	}
}
