package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/internal/telemetry"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/internal/tool/builtin"
	"github.com/idelchi/aura/internal/toolhost"
)

// confined runs a built-in tool in a separate confined process, which is an aura-tool-host.
type confined struct {
	tool.Tool
	policy  sandbox.Policy
	options builtin.Options
	grants  *sandbox.Grants
	place   sandbox.Place
	tell    func([]string)
	made    func([]string)
	exposed func()
	// spares starts processes in advance; nil if only one call is made.
	spares *sandbox.Spares
}

// answering is how long a confined process has to answer after the deadline of its tool.
const answering = 2 * time.Second

// Unwrap returns the tool itself.
func (t confined) Unwrap() tool.Tool { return t.Tool }

// Execute sends the call to the process and waits for the answer.
func (t confined) Execute(ctx context.Context, call tool.Call) (string, error) {
	name := t.Definition().Name
	// The process has the same deadline and answers with what it found. If it does not answer, it is killed.
	ctx, cancel := t.options.Deadline(ctx, name, answering)
	defer cancel()
	program, err := toolhost.Program()
	if err != nil {
		return "", err
	}
	args, err := json.Marshal(call.Args)
	if err != nil {
		return "", fmt.Errorf("encoding the arguments of %s: %w", name, err)
	}
	options, err := json.Marshal(toolhost.Options{
		Workdir: t.options.Workdir, Env: append(slices.Clone(t.options.Env), telemetry.Environ(ctx)...), BashTimeout: t.options.BashTimeout, Timeout: t.options.Timeout, Truncation: t.options.Truncation, OutputDir: t.options.OutputDir,
		Files: call.File != nil,
	})
	if err != nil {
		return "", fmt.Errorf("encoding the settings of %s: %w", name, err)
	}
	policy, err := t.policyOf(call)
	if err != nil {
		return "", err
	}
	command := sandbox.Command{
		Executable: program.Start, Dir: t.grants.Dir(), Env: append(slices.Clone(t.options.Env), toolhost.NoCollection), Policy: policy,
		Call: sandbox.Call{Tool: name, Args: args, Options: options},
	}
	if call.Progress != nil {
		command.Progress = func(text []byte) { call.Progress(string(text)) }
	}
	before := t.missing()
	start := sandbox.Run
	if t.spares != nil {
		start = t.spares.Run
	}
	done, err := start(ctx, command)
	t.report(done.Report, before)
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
	said = t.explained(said, command.Policy, done.Report.Hidden)
	if said.Diff != "" && call.Changed != nil {
		call.Changed(said.Diff)
	}
	if said.File != nil && call.File != nil {
		call.File(*said.File)
	}
	if said.Error != "" {
		return said.Output, errors.New(said.Error)
	}
	return said.Output, nil
}

// policyOf returns the policy for a call. It grants the files that the user named, except through links that a confined process
// could have created, and except hidden files.
func (t confined) policyOf(call tool.Call) (sandbox.Policy, error) {
	if !call.Named || call.Paths == nil {
		return t.grants.Open(t.policy), nil
	}
	policy := t.policy
	policy.ReadOnly = slices.Concat(policy.ReadOnly, call.Paths.Read)
	policy = t.grants.Open(policy)
	return policy, sandbox.Check(policy, t.options.Workdir, sandbox.Access{Read: call.Paths.Read})
}

// explained adds a note to the answer of a command if the sandbox denied an operation and the command printed the kernel's
// error message.
func (t confined) explained(said toolhost.Answer, policy sandbox.Policy, hidden bool) toolhost.Answer {
	if !policy.Exec {
		return said // file tools are refused by path, with the rule
	}
	for _, text := range []*string{&said.Error, &said.Output} {
		note := sandbox.Explain(policy, t.options.Workdir, *text)
		if note == "" && hidden {
			note = sandbox.ExplainMissing(policy, t.options.Workdir, *text)
		}
		if note != "" {
			*text = strings.TrimRight(*text, "\n") + "\n" + note
			break
		}
	}
	return said
}

// missing returns the paths that would be protected if they existed. Only programs can create them; the other tools are refused
// by path. The kernel cannot reserve a name, so paths that appear are reported.
func (t confined) missing() []string {
	if !t.policy.Exec || t.tell == nil && t.made == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.policy.Protected), leads)
}

// leads reports whether a path exists and, if it is a link, leads to something.
func leads(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// report reports to the user what could not be enforced, and which unprotected paths were created.
func (t confined) report(r sandbox.Report, before []string) {
	if t.exposed != nil && t.policy.Exec && r.Confined && !r.Mounts {
		t.exposed()
	}
	if t.tell == nil && t.made == nil {
		return
	}
	if t.tell != nil {
		t.tell(r.Uncovered)
	}
	made := slices.DeleteFunc(before, func(path string) bool { return !leads(path) })
	if r.Mounts {
		// The sandbox itself creates an empty directory in order to protect it.
		made = slices.DeleteFunc(made, func(path string) bool { return !t.policy.Unmade(path) && isEmptyDir(path) })
	}
	if len(made) > 0 && t.made != nil {
		t.made(made)
	}
	if len(made) > 0 && t.tell != nil {
		text := t.Definition().Name + " made " + strings.Join(outermost(made), ", ") +
			", which did not exist and so was not protected; look at it, because what is there runs outside of the sandbox"
		if t.place.Hides(made) {
			text += "; while it is there, sessions in this directory do not use " + filepath.Join(t.place.Project, config.DirName)
		}
		t.tell([]string{text})
	}
}

// outermost returns the paths whose parent directory is not one of the paths.
func outermost(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return slices.Contains(paths, filepath.Dir(path)) })
}

func isEmptyDir(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0
}
