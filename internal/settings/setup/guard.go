package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/sdk"
)

// guard checks the tool calls of a role. It is located between the plugins and the tools.
type guard struct {
	source Source
	policy policy.Policy
	hooks  hooks.Runner
	role   Role
	// entries holds the catalog entries of the plugins, by name.
	entries map[string]Entry
	effects effects
}

// deniedByDefault describes the calls that a default denies.
var deniedByDefault = map[string]string{
	policy.DefaultPrefix + string(policy.Edit): "calls that change files",
	policy.DefaultPrefix + string(policy.Run):  "commands, and calls of which nobody knows what they change",
}

// featuresOrigin is the origin of the rules that are not those of an agent, a mode or a task.
const featuresOrigin = "features"

// policies returns the policy rules of each layer.
func (s Source) policies(r Role, f config.Features) []policy.Rules {
	var out []policy.Rules
	approving := s.Config.Machine.ApprovalRules() == nil
	add := func(origin string, l config.Policy) {
		if !approving {
			l.Auto = nil
		}
		out = append(out, l.Rules(origin))
	}
	add(featuresOrigin, f.Tools.Policy)
	add("agent "+r.Agent.Name, r.Agent.Tools.Policy)
	add("mode "+r.Mode.Name, r.Mode.Tools.Policy)
	add("mode "+r.Within.Name, r.Within.Tools.Policy)
	if task := s.Options.Task; task != nil {
		add("task "+task.Name, task.Tools.Policy)
	}
	return out
}

// Before checks the policy, asks the user if the policy requires it, and then runs the hooks.
func (g guard) Before(ctx context.Context, call tool.Call, t tool.Tool) (string, error) {
	if err := g.permit(ctx, call, t); err != nil || len(g.hooks.Pre) == 0 {
		return "", err
	}
	made := g.hookCall(ctx, call, t)
	made.Gone = nil // not yet
	made.Change = func(args map[string]any) ([]string, error) { return g.change(ctx, &call, t, args) }
	out, err := g.hooks.RunPre(ctx, made)
	g.tell(call, out)
	switch {
	case err != nil:
		return "", err
	case out.Blocked:
		return "", tool.Refused(tool.ByHook, out.By, errors.New(out.Append(out.Reason)))
	case out.Ask != "":
		return out.Feedback, tool.Refused(tool.ByHook, out.Ask, g.confirm(ctx, call, t, policy.Verdict{Action: policy.Confirm, Rule: "hook " + out.Ask}))
	default:
		return out.Feedback, nil
	}
}

// change replaces the arguments of a call because a hook changed them. The policy decides about the changed call too. It returns the files
// that the changed call touches.
func (g guard) change(ctx context.Context, call *tool.Call, t tool.Tool, args map[string]any) ([]string, error) {
	if call.ChangeArgs == nil {
		return nil, errors.New("this call takes no other arguments")
	}
	if err := call.ChangeArgs(args); err != nil {
		return nil, err
	}
	call.Args = args
	if err := g.permit(ctx, *call, t); err != nil {
		return nil, err
	}
	return g.hookCall(ctx, *call, t).Paths, nil
}

// hookCall returns a call in the form that hooks receive.
func (g guard) hookCall(ctx context.Context, call tool.Call, t tool.Tool) hooks.Call {
	var declared sdk.ToolPaths
	if p, ok := tool.As[tool.Pather](t); ok {
		var err error
		if declared, err = p.Paths(ctx, call.Args); err != nil && ctx.Err() == nil {
			g.source.notice("", fmt.Sprintf("asking %s which files it touches: %v; hooks see those of its arguments", t.Definition().Name, err))
		}
	}
	workdir := g.source.Config.Workdir
	return hooks.Call{
		Session: call.Context.SessionID, Tool: t.Definition().Name, Input: call.Args, Paths: hooks.Paths(workdir, call.Args, declared),
		// A tool declares what it deletes among these.
		Gone: hooks.Paths(workdir, nil, sdk.ToolPaths{Clear: declared.Clear}),
	}
}

// permit checks the policy.
func (g guard) permit(ctx context.Context, call tool.Call, t tool.Tool) error {
	name := t.Definition().Name
	verdict := g.policy.DecideCall(name, call.Args, func() policy.Effect { return g.effects.of(ctx, call, t) })
	switch verdict.Action {
	case policy.Deny:
		if what, ok := deniedByDefault[verdict.Rule]; ok {
			return tool.Refused(tool.ByPolicy, verdict.Rule, fmt.Errorf("%s denies %s (%s)", verdict.Origin, what, verdict.Rule))
		}
		return tool.Refused(tool.ByPolicy, verdict.Rule, fmt.Errorf("the policy denies it (rule %q)", verdict.Rule))
	case policy.Confirm:
		return tool.Refused(tool.ByPolicy, verdict.Rule, g.confirm(ctx, call, t, verdict))
	default:
		if t.Definition().RequiresApproval && verdict.Rule == "" {
			return tool.Refused(tool.ByPolicy, "", g.confirm(ctx, call, t, verdict))
		}
		return nil
	}
}

// confirm asks the user, unless the user approved such calls before. The verdict has no rule if the tool itself requires the
// question.
func (g guard) confirm(ctx context.Context, call tool.Call, t tool.Tool, verdict policy.Verdict) error {
	about := g.approvable(ctx, call, t, verdict.Rule)
	if g.source.approved(about) {
		return nil
	}
	ask, name := g.source.Confirm, about.Tool
	q := g.question(about, verdict, t)
	if answer, by := g.askHooks(ctx, call, t, q); by != "" {
		g.source.tellAnswer(q, answer)
		if answer.Decision == policy.Reject {
			return tool.Refused(tool.ByHook, strings.TrimPrefix(by, "hook "), errors.New(answer.Reason))
		}
		return nil
	}
	switch {
	case ask == nil && verdict.Rule == "":
		return fmt.Errorf("%s requires approval, and there is no terminal to ask on, so the call is denied; to allow it, name the tool in the policy's auto", name)
	case ask == nil:
		return fmt.Errorf("the policy requires confirmation (rule %q), and there is no terminal to ask on, so the call is denied", verdict.Rule)
	}
	notified := g.notify(ctx, call, q)
	answer, err := ask(ctx, q)
	<-notified
	if err != nil {
		return fmt.Errorf("asking whether %s may run: %w", name, err)
	}
	return g.source.applyAnswer(q, answer)
}

// After runs the hooks with the output of the tool, even if the tool failed. It adds what the network rules refused to hooks, and to plugins
// and servers between the calls of their tools.
func (g guard) After(ctx context.Context, call tool.Call, t tool.Tool, output string, failure error) string {
	note, refused := g.runAfter(ctx, call, t, output, failure), g.source.Traffic.takeRefusals()
	if note == "" || refused == "" {
		return note + refused
	}
	return strings.TrimRight(note, "\n") + "\n" + refused
}

func (g guard) runAfter(ctx context.Context, call tool.Call, t tool.Tool, output string, failure error) string {
	if len(g.hooks.Post)+len(g.hooks.Others) == 0 || ctx.Err() != nil {
		return ""
	}
	made := g.hookCall(ctx, call, t)
	made.Output = output
	made.Gone = slices.DeleteFunc(made.Gone, func(path string) bool {
		_, err := os.Lstat(path)
		return !errors.Is(err, fs.ErrNotExist)
	})
	if call.AttributeChanges != nil {
		made.Ended = func(e hooks.Entry) { call.AttributeChanges("hook "+e.Name, e.Silent) }
	}
	if failure != nil {
		made.Failure = failure.Error()
		made.Output = strings.TrimLeft(output+"\n"+made.Failure, "\n")
	}
	out, err := g.hooks.RunPost(ctx, made)
	g.tell(call, out)
	if err != nil && ctx.Err() == nil {
		g.source.notice("", err.Error())
	}
	return out.Append(out.Reason)
}

// tell reports what hooks have for the user, and ends the agent's work if one of them requests that. It also reports the hooks whose
// answers could not be parsed, because a guard among them blocks nothing.
func (g guard) tell(call tool.Call, out hooks.Outcome) {
	if out.Halt != "" && call.Halt != nil {
		call.Halt()
		g.source.notice("", "a hook stops the agent: "+out.Halt)
	}
	for _, r := range out.Reports {
		if r.Notice != "" {
			g.source.notice("hook "+r.Hook, r.Notice)
			continue
		}
		if _, wrong := errors.AsType[*hooks.AnswerError](r.Err); wrong {
			g.source.notice("", fmt.Sprintf("hook %q failed and blocks nothing: %v", r.Hook, r.Err))
		}
	}
}
