package cli

import (
	"slices"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// hooksRun is the activity of a session between announced events, while plugins and shell hooks run.
const hooksRun = "hooks"

// spinner follows the events and shows what aura is waiting for.
type spinner struct {
	// screen displays the activity. If it is nil, nothing is shown.
	screen *terminal.Screen
	// calls holds the running tool calls, oldest first.
	calls []event.ToolCall
	// bytes is how much of an answer has arrived.
	bytes int
	now   terminal.Activity
}

// after records an event. tail is the model's text that is not shown yet.
func (w *spinner) after(e event.Event, tail string) {
	if w.screen == nil {
		return
	}
	switch e := e.(type) {
	case event.Waiting:
		w.now = terminal.Activity{What: string(e.For), Name: e.Name}
	case event.Message, event.Compaction:
		w.now = terminal.Activity{What: hooksRun}
	case event.Request:
		w.now, w.bytes = terminal.Activity{What: "model"}, 0
	case event.Delta:
		w.bytes += terminal.Size(e)
		w.now.Tokens, w.now.Tail = terminal.Tokens(w.bytes), tail
	case event.ToolCall:
		w.calls = append(w.calls, e)
	case event.ToolResult:
		w.calls = slices.DeleteFunc(w.calls, func(c event.ToolCall) bool { return c.ID == e.ID })
		w.now = terminal.Activity{What: hooksRun}
	case event.Session, event.Done, event.Error, event.Command: // what follows comes from the user
		w.calls = nil
		w.screen.Idle()
		w.now = terminal.Activity{}
		return
	}
	if len(w.calls) > 0 {
		w.now = terminal.Activity{What: "tool", Name: w.calls[0].Name}
	}
	if w.now != (terminal.Activity{}) {
		w.screen.Wait(w.now)
	}
}

// end stops the display, whatever events follow.
func (w *spinner) end() {
	if w.screen != nil {
		w.screen.Idle()
		w.screen = nil
	}
}
