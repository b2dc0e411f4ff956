package recording

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/redact"
)

// Child is a process of a plugin.
type Child interface {
	// Refuses returns why a call must not be made again, such as its effect on the world; empty if it may.
	Refuses(c *Call) string
	// Version is the hash of the plugin's files.
	Version() string
	// Do makes one call exactly as it is given.
	Do(ctx context.Context, call any) (out any, took time.Duration, err error)
	Close()
}

// Opener starts a process of a plugin. env is the recorded environment, and answers are what the plugin is answered.
type Opener func(ctx context.Context, plugin string, env []string, answers *Answers) (Child, error)

// Result is what came of repeating a call.
type Result struct {
	Call *Call
	// Out, Failure and Kind are the outcome now, as in Call.
	Out     json.RawMessage
	Failure string
	Kind    host.ErrorKind
	Took    time.Duration
	// Version is the hash of the plugin's files now.
	Version string
	// Differences is empty if the outcome is that of the recording.
	Differences []Difference
	// Unrepeatable is why the call was not made again, or why its outcome says nothing about the plugin; empty otherwise.
	Unrepeatable string
}

// The fields of a Difference for calls that failed.
const (
	fieldFailure = "failure"
	fieldResult  = "result"
)

// Replay makes the recorded calls again, in order, and calls each with the result. plugins selects the plugins; empty selects all. Each
// process of the recording becomes a process of its own. It returns when all processes have ended.
func (r *Recording) Replay(ctx context.Context, plugins map[string]bool, secrets *redact.Redactor, open Opener, each func(Result) error) (err error) {
	p := &replay{of: r, open: open, hide: hider{secrets: secrets}, answers: NewAnswers(), children: make(map[string]process)}
	defer p.close()
	for _, c := range r.Calls {
		if len(plugins) > 0 && !plugins[c.Plugin] {
			continue
		}
		result, err := p.repeat(ctx, c)
		if err != nil {
			return err
		}
		if err := each(result); err != nil {
			return err
		}
	}
	return nil
}

type replay struct {
	of       *Recording
	open     Opener
	hide     hider
	answers  *Answers
	children map[string]process
}

// process is the running process of a plugin. run and number identify it in the recording.
type process struct {
	Child
	run, number int
	missing     string
	earlier     bool
}

// close ends all processes.
func (p *replay) close() {
	for _, c := range p.children {
		c.Close()
	}
}

// lost maps the kinds of failures that cannot be repeated to the reason.
var lost = map[host.ErrorKind]string{
	host.KindTimeout: "the recorded call timed out",
	host.KindCrash:   "the plugin's process ended in the recorded call",
	host.KindDown:    "the plugin was down",
	host.KindLoad:    "the plugin could not be loaded",
	host.KindWire:    "the recorded call or its answer could not be sent",
	KindCancelled:    "the recorded call was cancelled",
}

// repeat makes one call again.
func (p *replay) repeat(ctx context.Context, c *Call) (Result, error) {
	out := Result{Call: c, Unrepeatable: lost[c.Kind]}
	if out.Unrepeatable != "" {
		return out, nil
	}
	request, err := c.Request()
	if err != nil {
		return out, err
	}
	child, err := p.child(ctx, c)
	if err != nil {
		return out, fmt.Errorf("starting plugin %q for call %d: %w", c.Plugin, c.N, err)
	}
	if c.Child == 0 {
		defer child.Close()
	} else {
		p.answers.begin(c.Plugin, c.Asked)
	}
	if out.Unrepeatable = child.Refuses(c); out.Unrepeatable != "" {
		return out, nil
	}
	out.Version = child.Version()
	got, took, failed := child.Do(ctx, request)
	missed := p.answers.end(c.Plugin)
	if ctx.Err() != nil {
		return out, context.Cause(ctx)
	}
	out.Took = took
	if err := out.setOutcome(p.hide, got, failed); err != nil {
		return out, fmt.Errorf("repeating call %d of plugin %q: %w", c.N, c.Plugin, err)
	}
	if err := out.compare(); err != nil {
		return out, err
	}
	if len(out.Differences) > 0 {
		out.Unrepeatable = unfair(c, child.earlier, joined(child.missing, missed))
	}
	return out, nil
}

// unfair returns why a difference says nothing about the plugin.
func unfair(c *Call, earlier bool, missed string) string {
	switch {
	case earlier:
		return "the plugin's process was called before the recording began"
	case c.Redacted:
		return "secrets were removed from the recorded input"
	case c.Mixed && len(c.Asked) > 0:
		return "the plugin worked on several calls at once, so it is not known which of them asked for the time, a random number or state"
	case missed != "":
		return "the plugin asked for " + missed
	default:
		return ""
	}
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

// child returns the process for a call, a new one if the call was made by another process than the one before.
func (p *replay) child(ctx context.Context, c *Call) (process, error) {
	current, ok := p.children[c.Plugin]
	if ok && c.Child != 0 && current.run == c.run && current.number == c.Child {
		return current, nil
	}
	begun := p.of.start(c)
	p.answers.begin(c.Plugin, append(begun.Asked, asksOnce(c)...))
	opened, err := p.open(ctx, c.Plugin, begun.Env, p.answers)
	if err != nil {
		return process{}, err
	}
	next := process{Child: opened, run: c.run, number: c.Child, missing: p.answers.end(c.Plugin), earlier: begun.Earlier && c.Child != 0}
	if c.Child == 0 {
		return next, nil
	}
	if ok {
		current.Close()
	}
	p.children[c.Plugin] = next
	return next, nil
}

// asksOnce returns what a process for one call asked: it does not tell loading from the call.
func asksOnce(c *Call) []host.Ask {
	if c.Child == 0 {
		return c.Asked
	}
	return nil
}

// start returns the record of the start of a call's process. A process for one call has none, so it gets that of the process before it.
func (r *Recording) start(c *Call) Start {
	var found Start
	for _, s := range r.starts {
		if s.Plugin == c.Plugin && s.run == c.run && (s.Child == c.Child || c.Child == 0) {
			found = s.Start
		}
	}
	if c.Child == 0 {
		found.Asked = nil
	}
	return found
}

// setOutcome encodes what a call returned, without secrets.
func (r *Result) setOutcome(hide hider, got any, failed error) error {
	var c Call
	err := c.answer(hide, got, failed)
	r.Out, r.Failure, r.Kind = c.Out, c.Failure, c.Kind
	return err
}

// compare sets the differences.
func (r *Result) compare() (err error) {
	if r.Failure != r.Call.Failure {
		r.Differences = append(r.Differences, Difference{Field: fieldFailure, Before: r.Call.Failure, After: r.Failure})
		return nil
	}
	r.Differences, err = Compare(r.Call.Out, r.Out)
	for i := range r.Differences {
		if r.Differences[i].Field == "" {
			r.Differences[i].Field = fieldResult
		}
	}
	return err
}
