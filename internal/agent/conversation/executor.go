package conversation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

const (
	// parallelLimit is how many tools run in parallel.
	parallelLimit = 8
	// batchLimit is how many calls form a batch. All results of a batch are in memory at once.
	batchLimit = 2 * parallelLimit
)

// call is a tool call, from the model's request to its result.
type call struct {
	request llm.ToolCall
	// span is nil if nothing is traced.
	span *telemetry.Span
	tool tool.Tool
	args map[string]any
	// state is the state of the conversation that the tool receives.
	state sdk.Context
	// injections are added to the history after the results of the turn.
	injections []injection

	// note is the text that the guard adds to the result.
	note string
	// written holds the files that the call changed; nil if there are none. all holds the files that any call of the batch
	// changed.
	written tool.Written
	all     writtenFiles
	// paths are the absolute paths of the files that the call wrote.
	paths []string

	// files allows the tool to read a media file, which is then in file.
	files bool
	file  *tool.File
	// parts holds the media files that belong to the result.
	parts []llm.Part
	// number is the position of the call among those of the turn or of the prompt, from 1.
	number int
	// named is set if the user named the file that the call reads.
	named bool

	ran bool
	// finished is set if the call was one of Done, which ends the interaction.
	finished bool
	// halted is set if a shell hook requests that the agent stops.
	halted   bool
	output   string
	diff     string
	err      error
	duration time.Duration
}

// executor runs tool calls. It asks plugins and the guard before each call, runs the tools of a batch in parallel, and records and
// reports each result.
type executor struct {
	emit func(event.Event)
	// tape and replaced may be nil.
	tape     Tape
	replaced func(tool, result, text string)
	now      func() time.Time
	workdir  string
	running  runningCalls
	// askModel makes a model call for a tool.
	askModel func(context.Context, llm.Request) (llm.Response, error)
	// state returns the state of the conversation that tools receive.
	state      func() sdk.Context
	personas   *personas
	offer      *offer
	hooks      *hooks
	ledger     *ledger
	transcript *transcript
}

// work runs the tool calls of a response and records a result for each, in order. Once ctx is done, each remaining call gets a
// result that reports the interruption. It returns the messages that plugins add after the results, and how the turn ends: over if the
// agent has called Done, halted if a shell hook stops it.
func (x *executor) work(ctx context.Context, requests []llm.ToolCall) (queued []injection, ended step) {
	ended = worked
	number := 0
	for len(requests) > 0 {
		n := x.together(requests)
		batch := make([]*call, 0, n)
		for _, request := range requests[:n] {
			number++
			batch = append(batch, x.prepare(ctx, request, number))
		}
		x.execute(ctx, batch)
		for _, done := range batch {
			queued = append(queued, x.finishCall(ctx, done)...)
			switch {
			case done.halted:
				ended = halted
			case done.finished && ended == worked:
				ended = over
			}
		}
		requests = requests[n:]
	}
	return queued, ended
}

// together returns how many of the calls, starting with the first, may run in parallel.
func (x *executor) together(requests []llm.ToolCall) int {
	requests, tools := requests[:min(len(requests), batchLimit)], x.offer.registry()
	for i, request := range requests {
		t, ok := tools.Lookup(request.Name)
		if ok && !t.Definition().Parallel {
			return max(i, 1)
		}
	}
	return len(requests)
}

// prepare finds the tool, checks the arguments and consults plugins. A call that must not run has err set.
func (x *executor) prepare(ctx context.Context, request llm.ToolCall, number int) *call {
	p := &call{request: request, number: number, state: x.state(), span: telemetry.Tool(ctx, request.Name, request.ID)}
	ctx = p.span.Into(ctx)
	if err := x.admit(ctx, p); err != nil {
		p.err = fmt.Errorf("the call did not run: %w", err)
	}
	x.emit(event.ToolCall{ID: request.ID, Name: request.Name, Arguments: p.json()})
	return p
}

func (x *executor) admit(ctx context.Context, p *call) error {
	if err := checkSize(p.request.Arguments); err != nil {
		p.request.Arguments = json.RawMessage("{}")
		return err
	}
	args, malformed := parse(p.request.Arguments)
	p.args = args
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if err := x.check(p, malformed); err != nil {
		// For Aar, this is a call like any other: extensions see it, and may block it for another reason.
		return cmp.Or(blockedBy(x.ask(ctx, pipeline.Extensions(x.hooks.plugins()), p)), err)
	}
	return x.consult(ctx, p)
}

// check finds the tool of a call and checks the arguments. malformed is the error of parsing them.
func (x *executor) check(p *call, malformed error) (err error) {
	if p.tool, err = x.offer.find(p.request.Name); err != nil {
		return err
	}
	if malformed != nil {
		return fmt.Errorf("its arguments are not a JSON object: %w", malformed)
	}
	return x.offer.registry().Validate(p.request.Name, p.args)
}

// ask asks plugins about a call.
func (x *executor) ask(ctx context.Context, plugins pipeline.Source, p *call) pipeline.Outcome {
	return x.hooks.runOf(ctx, plugins, hookpoint.BeforeToolExecution, nil, func(state sdk.Context) any {
		return sdk.BeforeToolContext{Context: state, ToolName: p.request.Name, Arguments: p.args}
	})
}

// blockedBy returns the error of a call that plugins block, or nil.
func blockedBy(out pipeline.Outcome) error {
	if out.Block == nil {
		return nil
	}
	by := strings.Join(out.Block.By, ", ")
	reason := "blocked by " + by
	if out.Block.Message != "" {
		reason += ": " + out.Block.Message
	}
	return tool.Refused(tool.ByPlugin, by, errors.New(reason))
}

// consult lets plugins change or block the call, and then asks the guard.
func (x *executor) consult(ctx context.Context, p *call) error {
	name := p.request.Name
	out := x.ask(ctx, x.hooks.plugins(), p)
	if err := blockedBy(out); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if out.Arguments != nil {
		args, err := normal(out.Arguments)
		if err == nil {
			err = x.offer.registry().Validate(name, args)
		}
		if err != nil {
			return fmt.Errorf("plugin %s changed its arguments: %w", out.ChangedBy, err)
		}
		p.args = args
	}
	p.injections = queue(hookpoint.BeforeToolExecution, out)
	return x.askGuard(ctx, p)
}

// askGuard asks the guard, which sees the same arguments as the tool.
func (x *executor) askGuard(ctx context.Context, p *call) (err error) {
	guard := x.personas.current().Guard
	if guard == nil {
		return nil
	}
	invocation := p.invocation()
	invocation.ChangeArgs = func(changed map[string]any) error {
		args, err := normal(changed)
		if err == nil {
			err = x.offer.registry().Validate(p.request.Name, args)
		}
		if err == nil {
			p.args = args
		}
		return err
	}
	p.note, err = guard.Before(ctx, invocation, p.tool)
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return err
}

// review passes a call that ran to the guard.
func (x *executor) review(ctx context.Context, p *call) {
	if guard := x.personas.current().Guard; guard != nil && p.ran {
		p.note = joined(p.note, guard.After(ctx, p.invocation(), p.tool, p.output, p.err))
	}
}

// joined appends a note to a text, with a blank line between them.
func joined(text, note string) string {
	if text == "" || note == "" {
		return text + note
	}
	return strings.TrimRight(text, "\n") + "\n\n" + note
}

func (p *call) invocation() tool.Call {
	return tool.Call{Args: p.args, Context: p.state, AttributeChanges: p.all.attributeChanges, Halt: func() { p.halted = true }}
}

// run runs one tool. A panic in the tool is returned as an error.
func (x *executor) run(ctx context.Context, p *call) (output string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("running %s: panic: %v", p.request.Name, r)
		}
	}()
	call := p.invocation()
	call.Progress = func(text string) { x.emit(event.Progress{Tool: p.request.Name, ID: p.request.ID, Text: text}) }
	call.Status = func(text string) {
		x.emit(event.Progress{Tool: p.request.Name, ID: p.request.ID, Text: limit.Cut(text, limit.Injection, "a status"), Status: true})
	}
	call.Step = func(text string) {
		x.emit(event.Progress{Tool: p.request.Name, ID: p.request.ID, Text: limit.Cut(text, limit.Injection, "a step"), Step: true})
	}
	call.Attach = func(name string, data []byte) (string, error) { return x.addPart(p, name, data) }
	call.Wrote = func(w tool.Written) { p.written = w }
	call.WrotePaths = func(paths []string) { p.paths = paths }
	call.Changed = func(diff string) { p.diff = limit.Cut(strings.ToValidUTF8(diff, "\uFFFD"), limit.Diff, "a diff") }
	call.Named, call.Ask = p.named, x.askModel
	if p.files {
		call.File = func(f tool.File) { p.file = &f }
	}
	output, err = p.tool.Execute(ctx, call)
	return limit.Cut(output, limit.Result, "a tool result"), err
}

// finishCall records the result of a call and lets plugins see it. It returns the messages that plugins add.
func (x *executor) finishCall(ctx context.Context, p *call) []injection {
	ctx = p.span.Into(ctx)
	x.review(ctx, p)
	failure := ""
	if p.err != nil {
		failure = limit.Cut(p.err.Error(), limit.Injection, "an error")
	}
	x.recordCall(p, failure)
	refused, ok := errors.AsType[*tool.RefusedError](p.err)
	byPlugin := ok && refused.By == tool.ByPlugin
	if x.tape != nil && !byPlugin {
		x.tape.Result(p.request.Name, p.args, joined(p.output, p.note), p.err)
	}
	// The output and the error are cut separately, so that the model always learns that the call failed, even if the output is
	// long.
	content := joined(resultText(x.short(strings.ToValidUTF8(p.output, "\uFFFD")), x.short(failure)), p.note)
	// Once ctx is done, no plugin is called.
	out := x.hooks.runOf(ctx, x.hooks.plugins(), hookpoint.AfterToolExecution, p.all.afterPlugin, func(state sdk.Context) any {
		return sdk.AfterToolContext{
			Context: state, ToolName: p.request.Name, ToolResult: joined(p.output, p.note), ToolError: failure, ToolDuration: p.duration,
			Written: p.paths,
		}
	})
	if out.Output != nil {
		// Who replaces the text of a result replaces its files too.
		content, p.parts = x.replace(p, strings.ToValidUTF8(*out.Output, "\uFFFD"), failure), nil
	}
	queued := append(p.injections, queue(hookpoint.AfterToolExecution, out)...)
	if len(p.parts) > 0 {
		queued = append([]injection{partsOf(p)}, queued...)
	}
	if p.written != nil {
		changed := p.written.ChangeNote()
		content, p.note = joined(content, changed), joined(p.note, changed)
	}
	content = strings.ToValidUTF8(content, "\uFFFD")
	x.transcript.record(entry{Message: llm.Message{Role: llm.RoleTool, Content: content, ToolCallID: p.request.ID, ToolName: p.request.Name}})
	x.emit(event.ToolResult{
		ID: p.request.ID, Name: p.request.Name, Content: content, Note: p.note, Error: failure, Ran: p.ran, Diff: p.diff, Duration: p.duration,
		Attachments: described(p.parts),
		RefusedBy:   tool.RefusedBy(p.err), ByPlugin: byPlugin,
	})
	p.span.Result(string(p.json()), content)
	p.span.End(p.err, toolClass(p))
	return queued
}

// replace returns the result that a model receives if plugins replaced the output of a call. The result of a failed call still says so,
// unless the plugin's text begins with an error of its own. The history of calls and the files with the output have the text that the
// model saw.
func (x *executor) replace(p *call, text, failure string) string {
	if text != joined(p.output, p.note) {
		x.ledger.replaced(text)
		if x.replaced != nil {
			x.replaced(p.request.Name, p.output, text)
		}
	}
	if strings.HasPrefix(text, errorMark) {
		failure = ""
	}
	return resultText(x.short(text), x.short(failure))
}

// toolClass returns the kind of a failed call for a trace.
func toolClass(p *call) string {
	switch {
	case tool.RefusedBy(p.err) != "":
		return "refused"
	case !p.ran:
		return "not_run"
	default:
		return "tool_error"
	}
}

func (x *executor) recordCall(p *call, failure string) {
	succeeded := p.ran && p.err == nil
	var files []string
	if succeeded {
		files = patchedFiles(p.request.Name, p.args, x.workdir)
	}
	x.ledger.called(sdk.ToolCall{
		Name: p.request.Name, Args: p.args, ArgsJSON: string(p.json()), Result: p.output, Error: failure, Duration: p.duration,
	}, p.ran, files)
	p.finished = succeeded && p.request.Name == donetool.Name && x.offer.doneActive()
}
