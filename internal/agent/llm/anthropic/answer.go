package anthropic

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
	"github.com/idelchi/aura/sdk"
)

// answer collects the events of a stream.
type answer struct {
	onDelta func(llm.Delta)
	names   dialogue.Names

	blocks []*received
	usage  usage
	stop   string
	// why is the service's explanation of a refusal.
	why string
	// ended is set once the answer is complete. over is set once the stream has no more events.
	ended, over bool
	meter       dialogue.Meter
}

// dropped is the kind of a block that is omitted from the response.
const dropped = "dropped"

// received is a content block that is being received.
type received struct {
	index     int
	kind      string
	id, name  string
	text      strings.Builder
	signature strings.Builder
	data      string
	// given is the input in the start event of the block.
	given json.RawMessage
}

func (a *answer) addEvent(event event) {
	switch event.Type {
	case "message_start":
		a.usage = event.Message.Usage
	case "content_block_start":
		a.begin(event)
	case "content_block_delta":
		a.add(event)
	case "message_delta":
		a.stop, a.why = event.Delta.StopReason, event.Delta.StopDetails.Explanation
		a.count(event.Usage)
		a.ended = a.ended || a.stop != ""
	case "message_stop":
		a.ended, a.over = true, true
	}
}

func (a *answer) begin(event event) {
	from := event.ContentBlock
	raw := string(from.Input)
	a.meter.CountText(from.ID, from.Name, from.Data, from.Signature, raw)
	a.meter.Part()
	b := &received{index: event.Index, kind: from.Type, id: from.ID, name: from.Name, data: from.Data}
	b.signature.WriteString(from.Signature)
	if from.Type == "tool_use" && !a.meter.Call() {
		b.kind = dropped
	}
	if raw != "{}" {
		b.given = json.RawMessage(raw)
	}
	a.blocks = append(a.blocks, b)
	a.say(b, from.Text+from.Thinking)
}

// add appends to the newest block with the event's index.
func (a *answer) add(event event) {
	for _, b := range slices.Backward(a.blocks) {
		if b.index == event.Index {
			a.meter.CountText(event.Delta.Signature)
			b.signature.WriteString(event.Delta.Signature)
			a.say(b, event.Delta.Text+event.Delta.Thinking+event.Delta.PartialJSON)
			return
		}
	}
}

func (a *answer) say(b *received, text string) {
	a.meter.CountText(text)
	if b.kind != dropped {
		b.text.WriteString(text)
	}
	switch {
	case text == "":
	case b.kind == "text":
		a.onDelta(llm.Delta{Text: text})
	case b.kind == "thinking":
		a.onDelta(llm.Delta{Thinking: text})
	}
}

// count applies the totals that the end of a message reports.
func (a *answer) count(u totals) {
	a.usage.Output = u.Output
	for into, total := range map[*int]*int{&a.usage.Input: u.Input, &a.usage.CacheWrite: u.CacheWrite, &a.usage.CacheRead: u.CacheRead} {
		if total != nil {
			*into = *total
		}
	}
}

// response builds the response. It returns an error for a refusal and for a full context, even after some text.
func (a *answer) response() (llm.Response, error) {
	out := llm.Response{Dropped: a.meter.Dropped, Message: llm.Message{Role: llm.RoleAssistant, CreatedAt: time.Now()}}
	switch a.stop {
	case "refusal":
		message := "the service's filter refused to answer"
		if a.why != "" {
			message = fmt.Sprintf("%s: %s", message, a.why)
		}
		return llm.Response{}, &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: message}
	case "model_context_window_exceeded":
		return llm.Response{}, &llm.Error{Type: sdk.ErrorTypeContextExhausted, Message: "the answer did not fit into the model's context"}
	case "max_tokens":
		out.StopReason = llm.StopLength
	case "tool_use":
		out.StopReason = llm.StopTools
	default:
		out.StopReason = llm.StopEnd
	}
	var content, thinking strings.Builder
	for _, b := range a.blocks {
		switch b.kind {
		case "text":
			content.WriteString(b.text.String())
		case "thinking":
			thinking.WriteString(b.text.String())
		}
		a.collect(&out.Message, b)
	}
	out.Message.Content, out.Message.Thinking = content.String(), thinking.String()
	u := a.usage
	out.Usage = llm.Usage{Input: u.Input + u.CacheWrite + u.CacheRead, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
	return out, nil
}

func (a *answer) collect(m *llm.Message, b *received) {
	text := b.text.String()
	switch b.kind {
	case "thinking":
		m.ThinkingBlocks = append(m.ThinkingBlocks, llm.ThinkingBlock{Text: text, Signature: b.signature.String()})
	case "redacted_thinking":
		m.ThinkingBlocks = append(m.ThinkingBlocks, llm.ThinkingBlock{Redacted: b.data})
	case "tool_use":
		arguments := cmp.Or(text, string(b.given), "{}")
		m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: b.id, Name: a.names.Own(b.name), Arguments: json.RawMessage(arguments)})
	}
}
