package hooks

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/system/shell"
)

// Exit statuses with a special meaning.
const (
	// exitBlock is the status with which a pre hook blocks a call.
	exitBlock  = 2
	signalBase = 128
	maxSignal  = 64
)

// Report describes how one hook ended.
type Report struct {
	Hook string
	// ExitCode is -1 if the hook did not exit by itself.
	ExitCode int
	// TimedOut reports whether the hook was killed at its timeout.
	TimedOut bool
	Duration time.Duration
	// Stdout and Stderr hold the output of the hook, limited in size and readable. They are also set for a silent hook.
	Stdout, Stderr string
	// Blocked means that the call must not be made. Message holds the reason.
	Blocked bool
	// Message is for the model. It is limited in size and names the hook. It is empty if there is nothing to report.
	Message string
	// Notice is for the user. It does not name the hook.
	Notice string
	// Prompt replaces the prompt if it is not nil.
	Prompt *string
	// Allow answers a question with yes, and Reason says why. Continue lets the agent go on, with Message as what it reads.
	Allow, Continue bool
	Reason          string
	// Ask requests that the user is asked about the call. Halt requests that the agent stops; it is the reason, or empty.
	Ask  bool
	Halt string
	// Input replaces the arguments of the call if it is not nil.
	Input map[string]any
	// Err is the reason why the hook could not be run to completion, or an *AnswerError.
	Err error
}

// Outcome is the combined result of all hooks of a call.
type Outcome struct {
	// Blocked means that the call must not be made.
	Blocked bool
	// By is the hook that blocked the call. Reason is for the model and names the hook.
	By, Reason string
	// Feedback is for the model, in addition to the tool's output. It names the hooks.
	Feedback string
	// Ask names the hook that requests that the user is asked about the call. Halt is why the agent must stop; empty if it need not.
	Ask, Halt string
	// Reports holds the reports of the hooks that ran, in order.
	Reports []Report
}

func (o *Outcome) add(r Report) {
	o.Reports = append(o.Reports, r)
	if r.Ask && o.Ask == "" {
		o.Ask = r.Hook
	}
	if o.Halt == "" {
		o.Halt = r.Halt
	}
	if r.Blocked {
		o.Blocked, o.By, o.Reason = true, r.Hook, r.Message
		return
	}
	o.Feedback = join(o.Feedback, r.Message)
}

// join adds a later outcome of hooks that cannot block.
func (o Outcome) join(later Outcome) Outcome {
	for _, r := range later.Reports {
		o.add(r)
	}
	return o
}

// Append returns the output of a tool followed by the feedback.
func (o Outcome) Append(output string) string { return join(output, o.Feedback) }

// join joins the non-empty texts with a blank line between them.
func join(texts ...string) string {
	var out []string
	for _, text := range texts {
		if text != "" {
			out = append(out, strings.TrimRight(text, "\n"))
		}
	}
	return strings.Join(out, "\n\n")
}

// newReport interprets how a hook ended.
func newReport(e Entry, event string, result shell.Result, err error) Report {
	r := Report{
		Hook: e.Name, ExitCode: result.ExitCode, TimedOut: result.TimedOut, Err: err,
		Stdout: readable(string(result.Stdout), result.StdoutDropped),
		Stderr: readable(string(result.Stderr), result.StderrDropped),
	}
	if e.Silent {
		return r
	}
	at, said := momentOf(event), r.Stderr
	if said == "" {
		said = r.Stdout
	}
	switch {
	case err != nil:
		r.fail(e, at, "failed: "+readable(cause(err), 0), said)
	case result.TimedOut:
		r.fail(e, at, fmt.Sprintf("was stopped after its timeout of %s", e.Timeout), said)
	case result.ExitCode == exitBlock && at.blocks:
		r.block(e, said)
	case result.ExitCode == exitBlock && at.continues:
		r.goOn(e, said)
	case result.ExitCode == exitBlock && at.inline():
		r.Message = headed(e, status(result.ExitCode), said)
	case result.ExitCode != 0:
		r.fail(e, at, status(result.ExitCode), said)
	case e.Protocol == ProtocolClaude:
		r.applyClaude(e, at, result)
	default:
		r.applyAnswer(e, at, result)
	}
	return r
}

// fail reports a hook that did not end well: to the model where the model sees what hooks print, and else to the user.
func (r *Report) fail(e Entry, at moment, what, said string) {
	if at.inline() && e.Protocol != ProtocolClaude {
		r.Message = headed(e, what, said)
		return
	}
	r.Notice = join(what, said)
}

// block prevents what follows.
func (r *Report) block(e Entry, reason string) {
	r.Blocked, r.Reason, r.Message = true, reason, blocked(e, reason)
}

// goOn lets the agent go on.
func (r *Report) goOn(e Entry, message string) {
	if message == "" {
		message = "Go on: the work is not done."
	}
	r.Continue, r.Message = true, headed(e, "", message)
}

// tell passes a text to the model, or to the user at a moment where the model reads nothing.
func (r *Report) tell(e Entry, at moment, text string) {
	switch {
	case text == "":
	case at.model:
		r.Message = headed(e, "", text)
	default:
		r.Notice = text
	}
}

// applyAnswer interprets the answer of a hook that succeeded.
func (r *Report) applyAnswer(e Entry, at moment, result shell.Result) {
	a := readAnswer(result.Stdout, at)
	if a.note != "" {
		a.note = "(" + readable(a.note, 0) + ")"
	}
	dropped := result.StdoutDropped
	if a.wrong != nil {
		r.Err = a.wrong
		r.fail(e, at, "failed: "+a.wrong.Error(), r.Stdout)
		return
	}
	if at.blocks && a.deny {
		r.block(e, join(readable(a.reason, 0), readable(a.message, dropped), a.note))
		return
	}
	r.Prompt, r.Allow = a.prompt, a.decision == decisionAllow
	if r.Allow {
		r.Reason = readable(a.reason, 0)
	}
	if a.goOn {
		r.goOn(e, join(readable(a.message, dropped), readable(a.reason, 0), a.note))
		return
	}
	// After the call there is nothing to deny, but the reason is still useful.
	if !a.deny {
		a.reason = ""
	}
	r.tell(e, at, join(readable(a.message, dropped), readable(a.context, 0), readable(a.reason, 0), a.note))
}

func headed(e Entry, what, text string) string {
	if what != "" {
		what = " " + what
	}
	return strings.TrimRight("[hook "+e.Name+what+"]\n"+text, "\n")
}

func blocked(e Entry, reason string) string {
	if reason == "" {
		reason = "it gave no reason"
	}
	return fmt.Sprintf("blocked by hook %q: %s", e.Name, reason)
}

// cause returns an error without the command line that the shell adds to it, because the hook's name is shorter and sufficient.
func cause(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return err.Error()
}

// status formats an exit status. A shell reports a program that was ended by a signal as a status above 128.
func status(code int) string {
	if code > signalBase && code <= signalBase+maxSignal {
		return fmt.Sprintf("ended with status %d (signal %d)", code, code-signalBase)
	}
	return fmt.Sprintf("ended with status %d", code)
}
