package hookpoint

import (
	"errors"
	"strings"

	"github.com/idelchi/aura/sdk"
)

// The moments of shell hooks outside of tool calls. They are points of the same pipeline, but plugins have no functions for them. A
// moment is named like the event of a shell hook.
const (
	MomentSessionStart  Name = "session_start"
	MomentPrompt        Name = "prompt"
	MomentApproval      Name = "approval"
	MomentStop          Name = "stop"
	MomentSubagentStart Name = "subagent_start"
	MomentSubagentStop  Name = "subagent_stop"
	MomentPreCompact    Name = "pre_compact"
	MomentPostCompact   Name = "post_compact"
	MomentNotification  Name = "notification"
	MomentPluginState   Name = "plugin_state"
	MomentSessionEnd    Name = "session_end"
)

// Moment is what a handler receives at a moment.
type Moment struct {
	sdk.Context

	// Subject is what a hook's matcher is compared with, such as the reason of an end. It is empty at moments without one.
	Subject string
	// Text is the prompt, at moments where a prompt may be replaced. It is as the handlers before this one left it.
	Text string
	// Tool, Input and Paths describe a tool call, at moments about one. Paths holds the files that it touches.
	Tool  string
	Input map[string]any
	Paths []string
	// Fields holds further facts, under the keys that a shell hook finds them.
	Fields map[string]any
}

// MomentResult is what a handler returns at a moment. Its Message is added to the conversation where the moment permits that.
type MomentResult struct {
	sdk.Result

	// Text replaces the text of the moment if it is not nil.
	Text *string
	// Block prevents what follows the moment. Allow answers a question with yes. Continue lets the agent go on instead of stopping.
	Block, Allow, Continue bool
	// Reason explains Block and Allow.
	Reason string
	// Tell is shown to the user, in addition to a Message.
	Tell string
}

// MomentOutcome is what the handlers of a moment decided together.
type MomentOutcome struct {
	// By names the handler that decided, and Reason says why. Who blocks takes precedence.
	By, Reason      string
	Allow, Continue bool
}

// Decision returns what the handlers of a moment decided.
func (o *Outcome) Decision() MomentOutcome {
	decided, _ := o.Folded.(MomentOutcome)
	return decided
}

var moments = []Point{
	moment(MomentSessionStart), moment(MomentPrompt), moment(MomentApproval), moment(MomentStop), moment(MomentSubagentStart),
	moment(MomentSubagentStop), moment(MomentPreCompact), moment(MomentPostCompact), moment(MomentNotification), moment(MomentPluginState),
	moment(MomentSessionEnd),
}

// moment returns the row of a moment. Shell hooks run one after the other, in the order of their dependencies, until one blocks.
func moment(name Name) Point {
	return Row[Moment, MomentResult]{
		Name: name, UntilBlocked: true,
		Check: func(_ Moment, r MomentResult) error {
			if r.Text != nil && strings.TrimSpace(*r.Text) == "" {
				return errors.New("its replacement of the prompt is blank")
			}
			return nil
		},
		Next: func(in *Moment, r *MomentResult) bool { return replace(&in.Text, r.Text) },
		Fold: foldMoment,
	}.Point()
}

func foldMoment(out *Outcome, handler string, r MomentResult) {
	out.Prompt = last(out.Prompt, r.Text)
	if r.Tell != "" {
		out.Notices = append(out.Notices, Notice{Handler: handler, Text: r.Tell})
	}
	decided := out.Decision()
	if r.Block {
		out.BlockBy(handler)
	}
	if r.Block || r.Allow && !decided.Allow || r.Continue && !decided.Continue {
		decided.By, decided.Reason = handler, r.Reason
	}
	decided.Allow, decided.Continue = decided.Allow || r.Allow, decided.Continue || r.Continue
	if r.Block {
		decided.Allow = false
	}
	out.Folded = decided
}
