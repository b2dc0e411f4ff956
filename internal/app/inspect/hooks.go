package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// HookChoice names the agent and the mode whose hooks are requested. An empty name chooses what a run would use.
type HookChoice struct{ Agent, Mode string }

func (h HookChoice) runner(c *config.Config) (hooks.Runner, error) {
	if usual, ok := c.DefaultAgent(); ok && h.Agent == "" {
		h.Agent = usual.Name
	}
	r, err := setup.FindRole(c, h.Agent, h.Mode)
	if err != nil {
		return hooks.Runner{}, err
	}
	source := setup.Source{Config: c}
	f, err := source.Features(r)
	if err != nil {
		return hooks.Runner{}, err
	}
	return source.HooksOf(r, f)
}

// Hooks lists the hooks of a configuration: first the hooks that run, in order, then the others with the reason.
func Hooks(c *config.Config, choice HookChoice) ([]setup.Hook, error) {
	runner, err := choice.runner(c)
	if err != nil {
		return nil, err
	}
	return setup.ListHooks(c, runner), nil
}

// HookTrial describes a hook to run without a model.
type HookTrial struct {
	Name string
	// Tool, Input and Output describe the tool call that the hook receives. Output is for post hooks. For a hook of another event, Input
	// holds what it reads, and Subject is what its matcher is compared with.
	Tool    string
	Input   json.RawMessage
	Output  string
	Subject string
}

// HookReport is the result of a HookTrial.
type HookReport struct {
	Hook string `json:"hook"`
	// Skipped says why the hook does not run for such a call. If it is set, no other result is set.
	Skipped  string `json:"skipped,omitempty"`
	ExitCode int    `json:"exit_code"`
	TimedOut bool   `json:"timed_out"`
	// Duration is wall-clock time.
	Duration time.Duration `json:"duration_ns"`
	Blocked  bool          `json:"blocked"`
	// Message is the text that the model would receive.
	Message string `json:"message"`
	// Notice is the text that the user would see. Prompt replaces the prompt. Decision is the answer to a question, or "continue".
	Notice   string  `json:"notice,omitempty"`
	Prompt   *string `json:"prompt,omitempty"`
	Decision string  `json:"decision,omitempty"`
	Stdout   string  `json:"stdout"`
	Stderr   string  `json:"stderr"`
	// Error says why the hook could not be run to its end.
	Error string `json:"error,omitempty"`
}

// ErrToolMissing means that a hook about tool calls was to run without a tool.
var ErrToolMissing = errors.New("it is about tool calls; name the tool with --tool")

// TryHook runs one hook as if a tool were called or its moment had come, even if the hook is not active.
func TryHook(ctx context.Context, c *config.Config, choice HookChoice, t HookTrial) (HookReport, error) {
	runner, err := choice.runner(c)
	if err != nil {
		return HookReport{}, err
	}
	one, ok := runner.Only(t.Name)
	if !ok {
		return HookReport{}, fmt.Errorf("running hook %q: it does not exist; known hooks: %s", t.Name, setup.Names(c.Hooks))
	}
	entry := one.Active()
	if len(entry) == 0 || strings.TrimSpace(entry[0].Command) == "" {
		return HookReport{}, fmt.Errorf("running hook %q: it has no command; it is there to be inherited from", t.Name)
	}
	if entry[0].Event == "" {
		return HookReport{}, fmt.Errorf("running hook %q: it has no event; it is there to be inherited from", t.Name)
	}
	input := map[string]any{}
	if len(t.Input) > 0 {
		var err error
		if input, err = tool.ParseArguments(t.Input); err != nil {
			return HookReport{}, fmt.Errorf("reading the input for hook %q: it is not a JSON object: %w", t.Name, err)
		}
	}
	call := hooks.Call{Subject: t.Subject, Fields: input}
	if hooks.AboutTool(entry[0].Event) {
		if t.Tool == "" {
			return HookReport{}, fmt.Errorf("running hook %q: %w", t.Name, ErrToolMissing)
		}
		declared := declaredPaths(ctx, c, t.Tool, input)
		call = hooks.Call{Tool: t.Tool, Input: input, Output: t.Output, Paths: hooks.Paths(c.Workdir, input, declared), Dir: c.Workdir}
		if entry[0].Event == hooks.EventPostFailure {
			call.Failure = t.Output
		}
	}
	if why := entry[0].Skip(call); why != "" {
		return HookReport{Hook: t.Name, Skipped: why}, nil
	}
	out, err := one.Run(ctx, entry[0].Event, call)
	if err != nil {
		return HookReport{}, err
	}
	r := out.Reports[0]
	report := HookReport{
		Hook: r.Hook, ExitCode: r.ExitCode, TimedOut: r.TimedOut, Duration: r.Duration, Blocked: r.Blocked, Message: r.Message,
		Stdout: r.Stdout, Stderr: r.Stderr, Notice: r.Notice, Prompt: r.Prompt, Decision: decision(entry[0].Event, r),
	}
	if r.Err != nil {
		report.Error = r.Err.Error()
	}
	return report, nil
}

// decision names what a hook decided beside letting pass and blocking.
func decision(event string, r hooks.Report) string {
	switch {
	case r.Allow:
		return "allow"
	case r.Blocked && event == hooks.EventApproval:
		return "deny"
	case r.Continue:
		return "continue"
	default:
		return ""
	}
}

// declaredPaths returns the files that a built-in tool declares for a call.
func declaredPaths(ctx context.Context, c *config.Config, name string, input map[string]any) sdk.ToolPaths {
	for _, t := range builtin.All(builtin.Options{Workdir: c.Workdir}) {
		p, ok := tool.As[tool.Pather](t)
		if !ok || t.Definition().Name != name {
			continue
		}
		if paths, err := p.Paths(ctx, input); err == nil {
			return paths
		}
	}
	return sdk.ToolPaths{}
}
