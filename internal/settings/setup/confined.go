package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// confined runs a built-in tool in a separate confined process, which is an aura-tool-host.
type confined struct {
	tool.Tool
	policy  sandbox.Policy
	options builtin.Options
	place   sandbox.Place
	// outside is the tool without a sandbox.
	outside tool.Tool
	grants  *sandbox.Grants
	tell    func([]string)
	exposed func()
	traffic func(caller) *sandbox.Traffic
	// spares starts processes in advance; nil if only one call is made.
	spares *sandbox.Spares
}

// answering is how long a confined process has to answer after the deadline of its tool.
const answering = 2 * time.Second

// Unwrap returns the tool itself.
func (t confined) Unwrap() tool.Tool { return t.Tool }

// Execute sends the call to the process and waits for the answer.
func (t confined) Execute(ctx context.Context, call tool.Call) (string, error) {
	if call.Sandbox.Outside {
		return t.outside.Execute(ctx, call)
	}
	withdraw, err := createGranted(call.Sandbox.Create)
	if err != nil {
		return "", err
	}
	out, err := t.run(ctx, call)
	if err != nil {
		withdraw()
	}
	return out, err
}

func (t confined) run(ctx context.Context, call tool.Call) (string, error) {
	name := t.Definition().Name
	// The process has the same deadline and answers with what it found. If it does not answer, it is killed.
	ctx, cancel := t.options.Deadline(ctx, name, answering)
	defer cancel()
	program, err := toolhost.Program()
	if err != nil {
		return "", err
	}
	policy, err := t.policyOf(call)
	if err != nil {
		return "", err
	}
	asked, err := hostCall(ctx, t.Tool, t.options, call, network.Setting{On: policy.Network, Rules: policy.Hosts}, slices.Sorted(maps.Keys(policy.Withheld)))
	if err != nil {
		return "", err
	}
	doing, _ := call.Args["command"].(string)
	if name == builtin.WebFetchName {
		doing, _ = call.Args["url"].(string)
	}
	policy = policy.With(t.traffic(caller{who: name, source: builtinProgram, doing: doing, leave: call.Sandbox.Leave}))
	command := sandbox.Command{
		Executable: program.Start, Dir: t.grants.Dir(), Env: append(slices.Clone(t.options.Env), toolhost.NoCollection), Policy: policy, Call: asked,
	}
	if call.Progress != nil {
		command.Progress = func(text []byte) { call.Progress(string(text)) }
	}
	start := sandbox.Run
	if t.spares != nil {
		start = t.spares.Run
	}
	done, err := start(ctx, command)
	t.report(done.Report)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", err
	}
	var said toolhost.Answer
	if err := json.Unmarshal(done.Value, &said); err != nil {
		return "", fmt.Errorf("reading the answer of %s: %w", name, err)
	}
	giveFile(&said, call)
	said, denied := t.explained(said, command.Policy, done.Report.Hidden)
	if denied != nil && said.Error != "" && call.Sandbox.Refused != nil {
		call.Sandbox.Refused(denied)
	}
	addNote(&said, sandbox.ExplainNetwork(done.Refused, done.Dropped))
	if said.Diff != "" && call.Changed != nil {
		call.Changed(said.Diff)
	}
	if said.Error != "" {
		return said.Output, errors.New(said.Error)
	}
	return said.Output, nil
}

// policyOf returns the policy for a call. It grants the files that the user named, except through links that a confined process
// could have created, and except hidden files.
func (t confined) policyOf(call tool.Call) (sandbox.Policy, error) {
	policy := t.policy.Allowing(t.place, call.Sandbox.Read, call.Sandbox.Write)
	if !call.Named || call.Paths == nil {
		return t.grants.Open(policy), nil
	}
	policy.ReadOnly = slices.Concat(policy.ReadOnly, call.Paths.Read)
	policy = t.grants.Open(policy)
	return policy, sandbox.Check(policy, t.options.Workdir, sandbox.Access{Read: call.Paths.Read})
}

// explained adds a note to the answer of a command if the sandbox denied an operation and the command printed the kernel's
// error message. It returns the refusal that the note is about.
func (t confined) explained(said toolhost.Answer, policy sandbox.Policy, hidden bool) (toolhost.Answer, *sandbox.DeniedError) {
	if !policy.Exec {
		return said, nil // file tools are refused by path, with the rule
	}
	for _, text := range []*string{&said.Error, &said.Output} {
		note, denied := sandbox.Explain(policy, t.options.Workdir, *text)
		if note == "" && hidden {
			note, denied = sandbox.ExplainMissing(policy, t.options.Workdir, *text)
		}
		if note != "" {
			*text = strings.TrimRight(*text, "\n") + "\n" + note
			return said, denied
		}
	}
	return said, nil
}

// addNote adds lines to what the tool answered.
func addNote(said *toolhost.Answer, note string) {
	text := &said.Output
	if said.Error != "" {
		text = &said.Error
	}
	if note != "" {
		*text = strings.TrimRight(*text, "\n") + "\n" + note
	}
}

// report reports to the user what could not be enforced.
func (t confined) report(r sandbox.Report) {
	if t.policy.Exec && r.Confined && !r.Mounts {
		t.exposed()
	}
	if t.tell != nil {
		t.tell(r.Uncovered)
	}
}
