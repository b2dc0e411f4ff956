package google

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/dialogue"
	"github.com/idelchi/aura/sdk"
)

// answer collects the chunks of a stream.
type answer struct {
	onDelta func(llm.Delta)
	names   dialogue.Names

	text, thinking strings.Builder
	calls          []llm.ToolCall
	usage          llm.Usage
	stop           genai.FinishReason
	// blocked is set if the filter blocked the prompt.
	blocked genai.BlockedReason
	// why is the service's explanation of the stop or of the block.
	why   string
	meter dialogue.Meter
}

func (a *answer) ended() bool { return a.stop != "" || a.blocked != "" }

func (a *answer) take(chunk *genai.GenerateContentResponse) {
	if u := chunk.UsageMetadata; u != nil {
		a.usage = llm.Usage{
			Input:  int(u.PromptTokenCount + u.ToolUsePromptTokenCount),
			Output: int(u.CandidatesTokenCount + u.ThoughtsTokenCount), CacheRead: int(u.CachedContentTokenCount),
		}
	}
	if f := chunk.PromptFeedback; f != nil && f.BlockReason != "" {
		a.blocked, a.why = f.BlockReason, f.BlockReasonMessage
	}
	if len(chunk.Candidates) == 0 {
		return
	}
	candidate := chunk.Candidates[0]
	if candidate.Content != nil {
		for _, part := range candidate.Content.Parts {
			a.part(part)
		}
	}
	if candidate.FinishReason != "" {
		a.stop, a.why = candidate.FinishReason, candidate.FinishMessage
	}
}

func (a *answer) part(part *genai.Part) {
	switch {
	case part.FunctionCall != nil:
		call := part.FunctionCall
		arguments, err := json.Marshal(call.Args)
		if err != nil || call.Args == nil {
			arguments = []byte("{}")
		}
		a.meter.Take(call.ID, call.Name, string(arguments), string(part.ThoughtSignature))
		if !a.meter.Call() {
			return
		}
		a.calls = append(a.calls, llm.ToolCall{ID: call.ID, Name: a.names.Own(call.Name), Arguments: arguments, Signature: part.ThoughtSignature})
	case part.Text == "":
	case part.Thought:
		a.meter.Take(part.Text)
		a.thinking.WriteString(part.Text)
		a.onDelta(llm.Delta{Thinking: part.Text})
	default:
		a.meter.Take(part.Text)
		a.text.WriteString(part.Text)
		a.onDelta(llm.Delta{Text: part.Text})
	}
}

// filters holds the finish reasons that mean that a filter stopped the answer.
var filters = []genai.FinishReason{
	genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonLanguage, genai.FinishReasonBlocklist,
	genai.FinishReasonProhibitedContent, genai.FinishReasonSPII,
}

// response builds the response. It returns an error if a filter stopped the answer, even after some text, and if the answer is
// empty for another reason than a normal stop.
func (a *answer) response() (llm.Response, error) {
	out := llm.Response{Usage: a.usage, Dropped: a.meter.Dropped, StopReason: llm.StopEnd, Message: llm.Message{
		Role: llm.RoleAssistant, Content: a.text.String(), Thinking: a.thinking.String(), ToolCalls: a.calls, CreatedAt: time.Now(),
	}}
	reason := strings.TrimSuffix(string(a.stop)+": "+a.why, ": ")
	switch {
	case a.blocked != "":
		message := "the service's filter refused the request: " + cmp.Or(a.why, string(a.blocked))
		return llm.Response{}, &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: message}
	case slices.Contains(filters, a.stop):
		return llm.Response{}, &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: "the service's filter stopped the answer: " + reason}
	case a.stop == genai.FinishReasonMaxTokens:
		out.StopReason = llm.StopLength
	case len(a.calls) > 0:
		out.StopReason = llm.StopTools
	case a.stop != genai.FinishReasonStop && out.Message.Content == "":
		return llm.Response{}, &llm.Error{Message: "the model stopped without an answer: " + reason}
	}
	return out, nil
}
