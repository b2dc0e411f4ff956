package anthropic

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/classify"
	"github.com/idelchi/aura/internal/agent/llm/rest"
	"github.com/idelchi/aura/sdk"
)

// reader reads the events of one answer.
type reader struct {
	*backend.Answer
	blocks []*received
	usage  usage
}

// received is a content block that is being received.
type received struct {
	index int
	kind  string
	// call is set for a tool call that is not dropped, and thought for thinking.
	call    *backend.Call
	thought *backend.Thought
}

// Reader implements backend.Protocol.
func (*protocol) Reader(a *backend.Answer) func(rest.Event) error { return (&reader{Answer: a}).read }

func (r *reader) read(from rest.Event) error {
	switch from.Name {
	case "", "ping":
		return nil
	case "error":
		return classify.Event(from.Data)
	}
	// The usage at the end of an answer contains only what has changed.
	e := event{Usage: r.usage}
	if err := rest.Decode(from.Data, &e); err != nil {
		return err
	}
	switch e.Type {
	case "message_start":
		r.setUsage(e.Message.Usage)
	case "content_block_start":
		r.begin(e)
	case "content_block_delta":
		r.add(e)
	case "message_delta":
		r.setUsage(e.Usage)
		if e.Delta.StopReason != "" {
			r.End = end(e.Delta.StopReason, e.Delta.StopDetails.Explanation)
		}
	case "message_stop":
		if r.End == nil {
			r.End = end("", "")
		}
		return io.EOF
	}
	return nil
}

func (r *reader) setUsage(u usage) {
	r.usage = u
	r.Usage = llm.Usage{Input: u.Input + u.CacheWrite + u.CacheRead, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Searches: u.ServerTool.Searches}
}

func (r *reader) begin(e event) {
	from := e.ContentBlock
	input := string(from.Input)
	r.Meter.CountText(from.ID, from.Name, from.Data, from.Signature, input)
	r.Meter.Part()
	b := &received{index: e.Index, kind: from.Type}
	switch b.kind {
	case "tool_use":
		b.call = r.StartCall(from.ID, from.Name)
		if b.call != nil && input != "{}" {
			b.call.Default = input
		}
	case "thinking":
		b.thought = &backend.Thought{}
		b.thought.Signature.WriteString(from.Signature)
		r.Thoughts = append(r.Thoughts, b.thought)
	case "web_search_tool_result":
		r.searched(from.Content)
	case "redacted_thinking":
		r.Thoughts = append(r.Thoughts, &backend.Thought{Redacted: from.Data})
	}
	r.blocks = append(r.blocks, b)
	r.extend(b, from.Text+from.Thinking)
}

// searchFailures maps the service's names for failures of a search to errors.
var searchFailures = map[string]*llm.Error{
	"too_many_requests": {Type: sdk.ErrorTypeRateLimit, Message: "the service searches for too many requests at the moment"},
	"unavailable":       {Type: sdk.ErrorTypeServer, Message: "the search of the service is not available at the moment"},
	"query_too_long":    {Message: "the query is too long: search for fewer words"},
}

// searched adds what a search found, or its error.
func (r *reader) searched(content json.RawMessage) {
	var pages []page
	if json.Unmarshal(content, &pages) == nil {
		for _, p := range pages {
			r.Find(p.Title, p.URL)
		}
		return
	}
	var failed searchError
	if json.Unmarshal(content, &failed) != nil || failed.Code == "" {
		return
	}
	r.SearchFailure = &llm.Error{Message: "the search failed: " + failed.Code}
	if known, ok := searchFailures[failed.Code]; ok {
		r.SearchFailure = new(*known)
	}
}

// add appends to the newest block with the event's index.
func (r *reader) add(e event) {
	for _, b := range slices.Backward(r.blocks) {
		if b.index == e.Index {
			r.Meter.CountText(e.Delta.Signature)
			if b.thought != nil {
				b.thought.Signature.WriteString(e.Delta.Signature)
			}
			r.extend(b, e.Delta.Text+e.Delta.Thinking+e.Delta.PartialJSON)
			return
		}
	}
}

func (r *reader) extend(b *received, text string) {
	switch {
	case b.kind == "text":
		r.Text(text)
	case b.thought != nil:
		r.Think(text)
		b.thought.Text.WriteString(text)
	default:
		r.Meter.CountText(text)
		if b.call != nil {
			b.call.Arguments.WriteString(text)
		}
	}
}

// end converts the service's reason to stop. Its explanation of a refusal may be empty.
func end(reason, explanation string) *backend.End {
	switch reason {
	case "refusal":
		message := strings.TrimSuffix("the service's filter refused to answer: "+explanation, ": ")
		return &backend.End{Failure: &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: message}}
	case "model_context_window_exceeded":
		return &backend.End{Failure: &llm.Error{Type: sdk.ErrorTypeContextExhausted, Message: "the answer did not fit into the model's context"}}
	case "max_tokens", "pause_turn":
		// A paused answer could be continued only with the service's own blocks, so it counts as cut.
		return &backend.End{StopReason: llm.StopLength}
	case "tool_use":
		return &backend.End{StopReason: llm.StopTools}
	default:
		return &backend.End{StopReason: llm.StopEnd}
	}
}
