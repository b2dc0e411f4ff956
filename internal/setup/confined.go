package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/internal/telemetry"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/internal/tool/builtin"
)

// confined runs a built-in tool in a separate confined process, which is another instance of aura.
type confined struct {
	tool.Tool
	policy  sandbox.Policy
	options builtin.Options
	grants  *sandbox.Grants
	tell    func([]string)
	made    func([]string)
	exposed func()
	// spares starts processes in advance; nil if only one call is made.
	spares *sandbox.Spares
}

// Unwrap returns the tool itself.
func (t confined) Unwrap() tool.Tool { return t.Tool }

// answer is the answer of the confined process.
type answer struct {
	Output string `json:"output"`
	// Error is empty if the tool succeeded.
	Error string `json:"error,omitempty"`
	// Diff describes the tool's changes to files.
	Diff string `json:"diff,omitempty"`
	// File is an image or a PDF file that the tool has read.
	File *tool.File `json:"file,omitempty"`
}

// Execute sends the call to the process and waits for the answer.
func (t confined) Execute(ctx context.Context, call tool.Call) (string, error) {
	name := t.Definition().Name
	self, err := sandbox.Self()
	if err != nil {
		return "", fmt.Errorf("finding aura itself: %w", err)
	}
	args, err := json.Marshal(call.Args)
	if err != nil {
		return "", fmt.Errorf("encoding the arguments of %s: %w", name, err)
	}
	options, err := json.Marshal(toolOptions{
		Workdir: t.options.Workdir, Env: append(slices.Clone(t.options.Env), telemetry.Environ(ctx)...), BashTimeout: t.options.BashTimeout, Truncation: t.options.Truncation, OutputDir: t.options.OutputDir,
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
		Executable: self, Dir: t.grants.Dir(), Env: append(slices.Clone(t.options.Env), noCollection), Policy: policy,
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
	var said answer
	if err := json.Unmarshal(done.Value, &said); err != nil {
		return "", fmt.Errorf("reading the answer of %s: %w", name, err)
	}
	said = t.explained(said, command.Policy)
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
func (t confined) explained(said answer, policy sandbox.Policy) answer {
	if !policy.Exec {
		return said // file tools are refused by path, with the rule
	}
	for _, text := range []*string{&said.Error, &said.Output} {
		if note := sandbox.Explain(policy, t.options.Workdir, *text); note != "" {
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
	return slices.DeleteFunc(slices.Clone(t.policy.Protected), exists)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
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
	made := slices.DeleteFunc(before, func(path string) bool { return !exists(path) })
	if r.Mounts {
		// The sandbox itself creates an empty directory in order to protect it.
		made = slices.DeleteFunc(made, isEmptyDir)
	}
	if len(made) > 0 && t.made != nil {
		t.made(made)
	}
	if len(made) > 0 && t.tell != nil {
		t.tell([]string{t.Definition().Name + " made " + strings.Join(outermost(made), ", ") +
			", which did not exist and so was not protected; look at it, because what is there runs outside of the sandbox"})
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

// noCollection disables the garbage collector while the program starts, which takes most of the time of a call. RunConfined
// enables it again. Commands do not see the variable: they have the environment of the settings.
const noCollection = "GOGC=off"

// collectAt is Go's default garbage collection target, in percent.
const collectAt = 100

// toolOptions are the settings of built-in tools as they are sent to the confined process.
type toolOptions struct {
	Workdir     string             `json:"workdir"`
	Env         []string           `json:"env"`
	BashTimeout time.Duration      `json:"bash_timeout"`
	Truncation  builtin.Truncation `json:"truncation"`
	OutputDir   string             `json:"output_dir"`
	// Files allows Read to return images and PDF files.
	Files bool `json:"files,omitempty"`
}

// RunConfined runs a built-in tool. It is called in the confined process.
func RunConfined(ctx context.Context, call sandbox.Call, progress func([]byte)) (json.RawMessage, error) {
	debug.SetGCPercent(collectAt)
	if call.Tool == buildTool {
		return buildConfined(ctx, call)
	}
	var o toolOptions
	if err := json.Unmarshal(call.Options, &o); err != nil {
		return nil, fmt.Errorf("reading the settings of %s: %w", call.Tool, err)
	}
	var args map[string]any
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, fmt.Errorf("reading the arguments of %s: %w", call.Tool, err)
	}
	made := builtin.Options{
		Workdir: o.Workdir, Env: sandbox.Marked(o.Env), BashTimeout: o.BashTimeout, Truncation: o.Truncation, OutputDir: o.OutputDir,
	}
	for _, t := range builtin.All(made) {
		if t.Definition().Name != call.Tool {
			continue
		}
		var said answer
		var err error
		asked := tool.Call{
			Args: args, Progress: func(text string) { progress([]byte(text)) }, Changed: func(diff string) { said.Diff = diff },
		}
		if o.Files {
			asked.File = func(f tool.File) { said.File = &f }
		}
		said.Output, err = t.Execute(ctx, asked)
		if err != nil {
			said.Error = err.Error()
		}
		return json.Marshal(said)
	}
	return nil, fmt.Errorf("running %s: it is not a built-in tool", call.Tool)
}
