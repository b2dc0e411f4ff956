package google

import (
	"cmp"
	"encoding/json"
	"slices"
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
	calls          []llm.ToolCall
	usage          llm.Usage
	stop           string
	// blocked is set if the filter blocked the prompt.
	blocked string
	// why is the service's explanation of the stop or of the block.
	why   string
	meter dialogue.Meter
}

func (a *answer) ended() bool { return a.stop != "" || a.blocked != "" }

func (a *answer) addChunk(c chunk) {
	if u := c.Usage; u != nil {
		a.usage = llm.Usage{
			Input:  u.Prompt + u.ToolUsePrompt,
			Output: u.Candidates + u.Thoughts, CacheRead: u.CachedContent,
		}
	}
	if f := c.Feedback; f != nil && f.BlockReason != "" {
		a.blocked, a.why = f.BlockReason, f.BlockReasonMessage
	}
	if len(c.Candidates) == 0 {
		return
	}
	candidate := c.Candidates[0]
	for _, part := range candidate.Content.Parts {
		a.part(part)
	}
	if candidate.FinishReason != "" {
		a.stop, a.why = candidate.FinishReason, candidate.FinishMessage
	}
}

func (a *answer) part(part part) {
	switch {
	case part.FunctionCall != nil:
		call := part.FunctionCall
		arguments := call.Args
		if len(arguments) == 0 || string(arguments) == "null" {
			arguments = json.RawMessage("{}")
		}
		a.meter.CountText(call.ID, call.Name, string(arguments), string(part.ThoughtSignature))
		if !a.meter.Call() {
			return
		}
		a.calls = append(a.calls, llm.ToolCall{ID: call.ID, Name: a.names.Own(call.Name), Arguments: arguments, Signature: part.ThoughtSignature})
	case part.Text == "":
	case part.Thought:
		a.meter.CountText(part.Text)
		a.thinking.WriteString(part.Text)
		a.onDelta(llm.Delta{Thinking: part.Text})
	default:
		a.meter.CountText(part.Text)
		a.text.WriteString(part.Text)
		a.onDelta(llm.Delta{Text: part.Text})
	}
}

// filters holds the finish reasons that mean that a filter stopped the answer.
var filters = []string{"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}

// response builds the response. It returns an error if a filter stopped the answer, even after some text, and if the answer is
// empty for another reason than a normal stop.
func (a *answer) response() (llm.Response, error) {
	out := llm.Response{Usage: a.usage, Dropped: a.meter.Dropped, StopReason: llm.StopEnd, Message: llm.Message{
		Role: llm.RoleAssistant, Content: a.text.String(), Thinking: a.thinking.String(), ToolCalls: a.calls, CreatedAt: time.Now(),
	}}
	reason := strings.TrimSuffix(a.stop+": "+a.why, ": ")
	switch {
	case a.blocked != "":
		message := "the service's filter refused the request: " + cmp.Or(a.why, a.blocked)
		return llm.Response{}, &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: message}
	case slices.Contains(filters, a.stop):
		return llm.Response{}, &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: "the service's filter stopped the answer: " + reason}
	case a.stop == "MAX_TOKENS":
		out.StopReason = llm.StopLength
	case len(a.calls) > 0:
		out.StopReason = llm.StopTools
	case a.stop != "STOP" && out.Message.Content == "":
		return llm.Response{}, &llm.Error{Message: "the model stopped without an answer: " + reason}
	}
	return out, nil
}
