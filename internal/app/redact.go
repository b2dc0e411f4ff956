package app

import (
	"slices"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/redact"
)

// hider removes secrets from events. It belongs to events, which calls it for one event at a time.
type hider struct {
	secrets *redact.Current
	// text and thinking are the streams of the model's current message. running holds the streams of running tools, by the ids of
	// their calls.
	text, thinking *redact.Stream
	running        map[string]*redact.Stream
}

func newHider(secrets *redact.Current) *hider {
	return &hider{secrets: secrets, text: secrets.Stream(), thinking: secrets.Stream(), running: map[string]*redact.Stream{}}
}

// hide returns the events to show for one event. In a stream, it holds back text that may be the beginning of a secret until it
// is clear that the text is not a secret.
func (h *hider) hide(ev event.Event) []event.Event {
	switch e := ev.(type) {
	case event.Delta:
		return h.delta(e)
	case event.Progress:
		return h.progress(e)
	case event.Message, event.Request, event.Error, event.Done:
		return append(h.flush(), redacted(h.secrets.Get(), ev))
	case event.ToolResult:
		return append(h.finish(e), redacted(h.secrets.Get(), ev))
	default:
		return []event.Event{redacted(h.secrets.Get(), ev)}
	}
}

func (h *hider) delta(e event.Delta) (out []event.Event) {
	// Text ends thinking, and thinking ends text.
	if e.Text != "" {
		out = deltas(event.Delta{Thinking: h.thinking.End()})
	}
	if e.Thinking != "" {
		out = append(out, deltas(event.Delta{Text: h.text.End()})...)
	}
	return append(out, deltas(event.Delta{Text: h.text.Next(e.Text), Thinking: h.thinking.Next(e.Thinking)})...)
}

// flush ends the streams of the model's message.
func (h *hider) flush() []event.Event {
	return deltas(event.Delta{Text: h.text.End(), Thinking: h.thinking.End()})
}

func deltas(e event.Delta) []event.Event {
	if e == (event.Delta{}) {
		return nil
	}
	return []event.Event{e}
}

func (h *hider) progress(e event.Progress) []event.Event {
	r := h.secrets.Get()
	if e.ID == "" || r == nil {
		e.Text = r.String(e.Text)
		return []event.Event{e}
	}
	if h.running[e.ID] == nil {
		h.running[e.ID] = h.secrets.Stream()
	}
	if e.Text = h.running[e.ID].Next(e.Text); e.Text == "" {
		return nil
	}
	return []event.Event{e}
}

// finish ends the stream of a tool.
func (h *hider) finish(e event.ToolResult) []event.Event {
	running := h.running[e.ID]
	if running == nil {
		return nil
	}
	delete(h.running, e.ID)
	if text := running.End(); text != "" {
		return []event.Event{event.Progress{Tool: e.Name, ID: e.ID, Text: text}}
	}
	return nil
}

// redacted returns an event that is not part of a stream without secrets.
func redacted(r *redact.Redactor, ev event.Event) event.Event {
	if r == nil {
		return ev
	}
	switch e := ev.(type) {
	case event.Message:
		e.Content, e.Shown, e.Thinking = r.String(e.Content), r.String(e.Shown), r.String(e.Thinking)
		e.Attachments = slices.Clone(e.Attachments)
		for i := range e.Attachments {
			e.Attachments[i].Name = r.String(e.Attachments[i].Name)
		}
		return e
	case event.Injection:
		e.Content = r.String(e.Content)
		return e
	case event.Approval:
		e.Arguments, e.Pattern, e.Reason = r.JSON(e.Arguments), r.String(e.Pattern), r.String(e.Reason)
		return e
	case event.ToolCall:
		e.Arguments = r.JSON(e.Arguments)
		return e
	case event.ToolResult:
		e.Content, e.Note, e.Error, e.Diff = r.String(e.Content), r.String(e.Note), r.String(e.Error), r.String(e.Diff)
		e.RefusedBy = r.String(e.RefusedBy)
		return e
	case event.Command:
		e.Output = r.String(e.Output)
		return e
	case event.Notice:
		e.Text = r.String(e.Text)
		return e
	case event.PluginError:
		e.Error = r.String(e.Error)
		return e
	case event.Error:
		e.Message = r.String(e.Message)
		return e
	case event.Network:
		e.Host, e.Rule = r.String(e.Host), r.String(e.Rule)
		return e
	case event.Compaction:
		e.Error = r.String(e.Error)
		return e
	default:
		return ev
	}
}
