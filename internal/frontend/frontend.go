// Package frontend is the seam between a session and whatever shows it: text on a terminal, JSON lines, an editor, a screen.
package frontend

import (
	"context"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/session"
	"github.com/idelchi/aura/internal/setup"
)

// FrontEnd shows a session. A front end that can be asked is an Asker too.
type FrontEnd interface {
	// Event is given everything that happens, in order, one call at a time. The session goes on when it returns.
	Event(e event.Event)
}

// Asker is a front end with somebody who answers. Without one, what needs an approval is denied.
type Asker interface {
	// Ask returns whether a tool call may run: once, always, or not. It returns when ctx ends. The session asks one question at a
	// time, and does not ask again what an earlier Always covers.
	Ask(ctx context.Context, q setup.Question) (setup.Answer, error)
}

// ThinkingViewer is a front end that can show the model's thinking.
type ThinkingViewer interface {
	// ShowThinking says whether it is to be shown from here on.
	ShowThinking(on bool)
}

// Session is what a front end can ask of a session. Send and Command are for one goroutine; the other methods may be called at any
// moment.
type Session interface {
	// Send sends a prompt to the model and returns when it is answered.
	Send(ctx context.Context, prompt string) error
	// Command runs a slash command. It reports whether the user asked to leave. A command that fails is reported as an event; the
	// error is that of a prompt that the command sent.
	Command(ctx context.Context, line string) (exit bool, err error)
	// Cancel ends what Send or Command does at the moment, for a cause that they return. The session can be used again.
	Cancel(cause error)
	// Health reports on the plugins.
	Health() []host.PluginHealth
	// Close ends the session. Nothing may be called after it.
	Close(reason session.Reason) error
}

// Run takes prompts one after the other, slash commands among them. Whatever fails is reported, and the next one runs; the first
// failure is returned in the end.
func Run(ctx context.Context, s Session, prompts []string) error {
	var failed error
	for _, prompt := range prompts {
		var exit bool
		var err error
		if _, _, ok := command.Parse(prompt); ok {
			exit, err = s.Command(ctx, prompt)
		} else {
			err = s.Send(ctx, prompt)
		}
		if failed == nil {
			failed = err
		}
		if exit || ctx.Err() != nil {
			break
		}
	}
	return failed
}
