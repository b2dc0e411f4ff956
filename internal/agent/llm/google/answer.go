package google

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/classify"
	"github.com/idelchi/aura/internal/agent/llm/rest"
	"github.com/idelchi/aura/sdk"
)

// Reader implements backend.Protocol.
func (protocol) Reader(a *backend.Answer) func(rest.Event) error {
	return func(event rest.Event) error {
		var c chunk
		if err := rest.Decode(event.Data, &c); err != nil {
			return err
		}
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return classify.Event(event.Data)
		}
		addChunk(a, c)
		return nil
	}
}

func addChunk(a *backend.Answer, c chunk) {
	if u := c.Usage; u != nil {
		a.Usage = llm.Usage{Input: u.Prompt + u.ToolUsePrompt, Output: u.Candidates + u.Thoughts, CacheRead: u.CachedContent, Searches: a.Usage.Searches}
	}
	if len(c.Candidates) > 0 {
		candidate := c.Candidates[0]
		for _, part := range candidate.Content.Parts {
			addPart(a, part)
		}
		// Several chunks may have the same queries.
		a.Usage.Searches = max(a.Usage.Searches, len(candidate.Grounding.Queries))
		for _, found := range candidate.Grounding.Chunks {
			a.Find(found.Web.Title, found.Web.URI)
		}
		if candidate.FinishReason != "" {
			a.End = end(candidate.FinishReason, candidate.FinishMessage)
		}
	}
	if f := c.Feedback; f != nil && f.BlockReason != "" {
		message := "the service's filter refused the request: " + cmp.Or(f.BlockReasonMessage, f.BlockReason)
		a.End = &backend.End{Failure: &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: message}}
	}
}

func addPart(a *backend.Answer, part part) {
	switch call := part.FunctionCall; {
	case call != nil:
		arguments := string(call.Args)
		if arguments == "null" {
			arguments = ""
		}
		a.Meter.CountText(call.ID, call.Name, arguments, string(part.ThoughtSignature))
		if c := a.StartCall(call.ID, call.Name); c != nil {
			c.Default, c.Signature = arguments, part.ThoughtSignature
		}
	case part.Thought:
		a.Think(part.Text)
	default:
		a.Text(part.Text)
	}
}

// filters holds the finish reasons that mean that a filter stopped the answer.
var filters = []string{"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}

// end converts the service's reason to stop. Its explanation may be empty.
func end(reason, explanation string) *backend.End {
	described := strings.TrimSuffix(reason+": "+explanation, ": ")
	switch {
	case slices.Contains(filters, reason):
		return &backend.End{Failure: &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: "the service's filter stopped the answer: " + described}}
	case reason == "MAX_TOKENS":
		return &backend.End{StopReason: llm.StopLength}
	case reason == "STOP":
		return &backend.End{}
	default:
		return &backend.End{IfEmpty: &llm.Error{Message: "the model stopped without an answer: " + described}}
	}
}
