package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/policy"
	"github.com/idelchi/aura/internal/tool"
)

// Question asks whether a tool call may run. Its texts come from models, plugins and files; a front end cleans them before it
// shows them.
type Question struct {
	Tool string
	Args map[string]any
	// Rule is the rule of the policy that requires the question. It is empty if the tool itself requires it.
	Rule string
	// By says who requires the question and where that is written, such as "agent coder" or "plugin deploy".
	By string
	// Pattern is what the decisions Session and Always approve, unless the user edits it. It covers little more than this call.
	// It is empty if no pattern can cover the call: the user then decides about this call alone.
	Pattern string
	// Covers describes in words which calls Pattern covers, such as "this exact command".
	Covers string
	// Changes is a unified diff of what the call would change in files. It is empty if that is not known.
	Changes string

	call policy.Call
}

// Check returns why a pattern that the user edited cannot be approved: it is malformed, or does not cover the call. A front end
// calls Check before it returns the pattern, so that the user can correct it.
func (q Question) Check(pattern string) error {
	call := q.call
	if call.Tool == "" {
		call = policy.Call{Tool: q.Tool, Args: q.Args, Shell: q.Tool == policy.ShellTool}
	}
	return call.Check(pattern)
}

// Decision is what the user decides about a tool call.
type Decision int

// The decisions. The zero value denies the call.
const (
	// Reject denies the call. The turn continues.
	Reject Decision = iota
	// Once lets this call run.
	Once
	// Session lets this call run, and all calls that the pattern covers, until the session ends.
	Session
	// Always lets this call run, and all calls that the pattern covers, in this and in later sessions of the project.
	Always
)

// String returns the word for a decision in events.
func (d Decision) String() string {
	switch d {
	case Once:
		return "once"
	case Session:
		return "session"
	case Always:
		return "always"
	default:
		return "no"
	}
}

// Answer is the user's answer to a Question.
type Answer struct {
	Decision Decision
	// Pattern is what Session and Always approve: the pattern of the question, or what the user made of it.
	Pattern string
	// Reason is what the user says to the model with Reject. It may be empty.
	Reason string
}

// RefusedError is a call that the user denied.
type RefusedError struct {
	// Reason is what the user says about it. It may be empty.
	Reason string
}

func (e *RefusedError) Error() string {
	if e.Reason == "" {
		return "the user said no"
	}
	return "the user said no: " + e.Reason
}

// newQuestion returns the question about a call.
func newQuestion(about policy.Call, verdict policy.Verdict, t tool.Tool) Question {
	q := Question{Tool: about.Tool, Args: about.Args, Rule: verdict.Rule, By: verdict.Origin, Pattern: about.Pattern(), call: about}
	if verdict.Rule == "" {
		q.By = sourceOf(t.Definition())
	}
	switch {
	case q.Pattern == "":
	case about.Shell:
		q.Covers = "this exact command"
	case len(about.Files) > 0:
		q.Covers = fmt.Sprintf("%s of files in %s", about.Tool, strings.TrimPrefix(q.Pattern, about.Tool+":"))
	default:
		q.Covers = about.Tool + " with exactly these arguments"
	}
	return q
}

// sourceOf says who provides a tool. Approvals are bound to it.
func sourceOf(d tool.Definition) string {
	return strings.TrimSpace(string(d.Source) + " " + d.Origin)
}

// approvable returns a call in the form that approvals are compared with. The files count only for built-in tools, because a
// plugin could declare other paths than it uses.
func (g guard) approvable(ctx context.Context, call tool.Call, t tool.Tool, rule string) policy.Call {
	d := t.Definition()
	out := policy.Call{Tool: d.Name, Source: sourceOf(d), Rule: rule, Args: call.Args, Workdir: physical(g.source.Config.Workdir)}
	if d.Source != tool.SourceBuiltin {
		return out
	}
	out.Shell = d.Name == policy.ShellTool
	out.Files = physicalFiles(ctx, call, t)
	return out
}

// physicalFiles returns the files that a built-in tool reads or changes, sorted and with links resolved. It returns none if the
// tool does not work on files.
func physicalFiles(ctx context.Context, call tool.Call, t tool.Tool) []string {
	p, ok := tool.As[tool.Pather](t)
	if !ok {
		return nil
	}
	paths, err := p.Paths(ctx, call.Args)
	if err != nil || len(paths.Record)+len(paths.Guard)+len(paths.Clear) == 0 {
		return nil // the question is then about these exact arguments
	}
	var out []string
	for _, path := range slices.Concat(paths.Read, paths.Write) {
		out = append(out, physical(path))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// physical returns a path after resolving the links in it. Of a path that does not exist, it resolves the existing part.
func physical(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(physical(dir), filepath.Base(path))
}
