package backend

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
)

// Answer collects what the events of a stream add up to.
type Answer struct {
	// Meter limits the size of the answer. Text, Think and StartCall count what they add. A reader counts what else it stores.
	Meter dialogue.Meter
	Usage llm.Usage
	// End is nil until the answer is complete.
	End *End
	// Thoughts holds the thinking in the blocks that the service expects back.
	Thoughts []*Thought
	// SearchFailure is the error of a search that the service made. It is returned if nothing was found.
	SearchFailure *llm.Error

	onDelta        func(llm.Delta)
	names          dialogue.Names
	text, thinking strings.Builder
	calls          []*Call
	found          []llm.Found
}

// End is how an answer ended.
type End struct {
	// StopReason is one of llm's Stop constants. If it is empty, it depends on whether the answer has tool calls.
	StopReason string
	// Failure is the error that is returned instead of the answer, such as that of a filter.
	Failure *llm.Error
	// IfEmpty is like Failure, but only for an answer without text and tool calls.
	IfEmpty *llm.Error
}

// Thought is an llm.ThinkingBlock that is being received.
type Thought struct {
	Text, Signature strings.Builder
	Redacted        string
}

// Call is a tool call that is being received.
type Call struct {
	ID, Name  string
	Arguments strings.Builder
	// Default is used if Arguments is empty. The default of Default is an empty object.
	Default   string
	Signature []byte
}

// Text adds text.
func (a *Answer) Text(text string) {
	if text != "" {
		a.Meter.CountText(text)
		a.text.WriteString(text)
		a.onDelta(llm.Delta{Text: text})
	}
}

// Think adds thinking.
func (a *Answer) Think(text string) {
	if text != "" {
		a.Meter.CountText(text)
		a.thinking.WriteString(text)
		a.onDelta(llm.Delta{Thinking: text})
	}
}

// Find adds a page that the service found, unless it has no address or is known already.
func (a *Answer) Find(title, url string) {
	known := func(f llm.Found) bool { return f.URL == url }
	if url == "" || slices.ContainsFunc(a.found, known) {
		return
	}
	a.Meter.CountText(title, url)
	a.Meter.Part()
	a.found = append(a.found, llm.Found{Title: title, URL: url})
}

// StartCall adds a tool call. It returns nil if the call is dropped because there are too many.
func (a *Answer) StartCall(id, name string) *Call {
	if !a.Meter.Call() {
		return nil
	}
	c := &Call{ID: id, Name: name}
	a.calls = append(a.calls, c)
	return c
}

// response builds the response. It returns an error if the end of the answer reports one, even after some text.
func (a *Answer) response() (llm.Response, error) {
	m := llm.Message{Role: llm.RoleAssistant, Content: a.text.String(), Thinking: a.thinking.String(), CreatedAt: time.Now()}
	for _, t := range a.Thoughts {
		m.ThinkingBlocks = append(m.ThinkingBlocks, llm.ThinkingBlock{Text: t.Text.String(), Signature: t.Signature.String(), Redacted: t.Redacted})
	}
	for _, c := range a.calls {
		arguments := json.RawMessage(cmp.Or(c.Arguments.String(), c.Default, "{}"))
		m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: c.ID, Name: a.names.Own(c.Name), Arguments: arguments, Signature: c.Signature})
	}
	stop := llm.StopEnd
	switch {
	case a.End.Failure != nil:
		return llm.Response{}, a.End.Failure
	case a.SearchFailure != nil && len(a.found) == 0:
		return llm.Response{}, a.SearchFailure
	case a.End.IfEmpty != nil && m.Content == "" && len(m.ToolCalls) == 0:
		return llm.Response{}, a.End.IfEmpty
	case len(m.ToolCalls) > 0:
		stop = llm.StopTools
	}
	return llm.Response{Message: m, Usage: a.Usage, Found: a.found, StopReason: cmp.Or(a.End.StopReason, stop), Dropped: a.Meter.Dropped}, nil
}
