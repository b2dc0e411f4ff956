package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/system/sandbox"
)

const (
	// maxRuns is how often a call runs at most: once, and once after each question.
	maxRuns = 5
	// MaxPathsRefused is how many paths the user refuses in a session before no further path is asked about.
	MaxPathsRefused = 16
)

// Escalating returns a tool whose calls can reach what the user grants them beyond the sandbox. Only aura's own tools ask: what was approved for
// them is not granted to a plugin.
func (c Confinement) Escalating(s Source, t tool.Tool) tool.Tool {
	made, ok := tool.As[confined](t)
	if !ok {
		return t
	}
	return escalating{
		Tool: t, source: s, in: c, policy: made.policy, reading: c.reading,
		outside: made.policy.Exec && !c.reading && !c.required,
		creates: slices.Contains([]string{builtin.BashName, builtin.WriteName}, t.Definition().Name),
	}
}

// escalating asks the user about what the sandbox refuses to a call, and runs the call again with what the user grants.
type escalating struct {
	tool.Tool
	source Source
	in     Confinement
	// policy is that of the tool, without grants.
	policy sandbox.Policy
	// reading is set if the tool may write nothing. outside is set if calls may run without the sandbox. creates is set if the tool can write a
	// file that was created for it.
	reading, outside, creates bool
}

// Unwrap returns the tool itself.
func (t escalating) Unwrap() tool.Tool { return t.Tool }

// Execute runs the call with what is approved. While something is refused that the user can grant, and does, it runs again.
func (t escalating) Execute(ctx context.Context, call tool.Call) (string, error) {
	unattended := call.Sandbox.Unattended
	call.Sandbox = t.approved()
	call.Sandbox.Unattended = unattended
	var notes []string
	for runs := 1; ; runs++ {
		output, denied, left, err := t.run(ctx, call)
		switch {
		case ctx.Err() != nil:
			return output, err
		case left:
			call.Sandbox = tool.Sandbox{Outside: true}
			notes = append(notes, "the user let this call run outside of the sandbox. "+ranAgain)
			continue
		case err == nil || denied == nil || runs == maxRuns || unattended:
			return noted(notes, output, err)
		}
		note, again := t.ask(ctx, &call, denied)
		if note != "" {
			notes = append(notes, note)
		}
		if !again {
			return noted(notes, output, err)
		}
	}
}

// ranAgain tells the model that what the call did may have happened twice.
const ranAgain = "The call was stopped and then run again from its beginning, so what it did before it was refused happened twice"

// run runs the call once. left is set if the user decided during the run that the call runs without the sandbox instead.
func (t escalating) run(ctx context.Context, call tool.Call) (output string, denied *sandbox.DeniedError, left bool, err error) {
	if call.Sandbox.Outside || call.Sandbox.Unattended {
		output, err = t.Tool.Execute(ctx, call)
		return output, nil, false, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	call.Sandbox.Refused = func(refusal error) { denied, _ = errors.AsType[*sandbox.DeniedError](refusal) }
	if t.outside {
		call.Sandbox.Leave = func() { cancel(errLeft) }
	}
	output, err = t.Tool.Execute(ctx, call)
	return output, denied, errors.Is(context.Cause(ctx), errLeft), err
}

// errLeft ends a run because the user lets the call run without the sandbox.
var errLeft = errors.New("the call runs outside of the sandbox instead")

// approved returns the paths that the user approved for the session or always, unless they could not be asked about any more.
func (t escalating) approved() tool.Sandbox {
	var out tool.Sandbox
	for _, a := range t.source.given() {
		path, ok := strings.CutPrefix(a.Pattern, a.Tool+":")
		if !ok || a.Source != builtinProgram || a.Dir != t.source.ApprovalDir() || a.Rule != policy.PathRule {
			continue
		}
		write := a.Tool == policy.WriteTool && !t.reading
		if denied := t.refusal(path, write); denied == nil || !t.offer(*denied).Path {
			continue
		}
		if write {
			out.Write = append(out.Write, path)
		} else {
			out.Read = append(out.Read, path)
		}
	}
	return out
}

// refusal returns why the tool's policy refuses a path; nil if it does not.
func (t escalating) refusal(path string, write bool) *sandbox.DeniedError {
	return sandbox.Refusal(t.in.grants.Open(t.policy), path, write)
}

// offer returns what the user can be asked about a refusal.
func (t escalating) offer(denied sandbox.DeniedError) sandbox.Offer {
	if denied.Write && t.reading {
		return sandbox.Offer{}
	}
	out := t.in.place.Offer(t.policy, denied)
	out.Path = out.Path && (!out.Create || t.creates)
	out.Outside = out.Outside && t.outside
	return out
}

// ask asks the user about a refusal and adds what is granted to the call. The note says to the model what was decided; again is whether the call
// runs again.
func (t escalating) ask(ctx context.Context, call *tool.Call, denied *sandbox.DeniedError) (note string, again bool) {
	offer := t.offer(*denied)
	if !offer.Any() || denied.Granted(call.Sandbox.Read, call.Sandbox.Write) {
		return "", false
	}
	q := t.question(*call, *denied, offer)
	if !q.Offers(policy.Once) && !q.Offers(policy.Outside) {
		return "", false
	}
	decision, err := t.source.askAccess(ctx, q, func() error {
		if t.source.pathsRefused() >= MaxPathsRefused {
			return fmt.Errorf("the user refused %d paths in this session; do not try further paths", MaxPathsRefused)
		}
		return nil
	})
	if _, refused := errors.AsType[*policy.RefusedError](err); refused {
		return fmt.Sprintf("asked about it, %v; do not try other ways to it", err), false
	}
	if err != nil {
		if t.source.Confirm == nil || ctx.Err() != nil || errors.Is(err, policy.ErrNotAsked) {
			return "", false // the refusal says all
		}
		return "the user could not be asked: " + err.Error(), false
	}
	what := "the user allowed this call to "
	switch decision {
	case policy.Session:
		what = "the user allowed, for this session, to "
	case policy.Always:
		what = "the user allowed, for all sessions in this project, to "
	case policy.Outside:
		call.Sandbox = tool.Sandbox{Outside: true}
		return "the user let this call run outside of the sandbox. " + ranAgain, true
	default:
	}
	note = what + q.Access.What
	if t.policy.Exec {
		note += ". " + ranAgain
	}
	grant := &call.Sandbox.Read
	if denied.Write {
		grant = &call.Sandbox.Write
	}
	*grant = append(slices.Clone(*grant), denied.Resolved)
	if offer.Create {
		call.Sandbox.Create = denied.Resolved
	}
	return note, true
}

// question returns the question about a refusal.
func (t escalating) question(call tool.Call, denied sandbox.DeniedError, offer sandbox.Offer) policy.Question {
	about := policy.Call{
		Tool: policy.ReadTool, Source: builtinProgram, Rule: policy.PathRule, Workdir: t.source.ApprovalDir(), Path: denied.Resolved,
	}
	what := "read " + denied.Resolved
	if offer.Tree {
		what += " and everything in it"
	}
	if denied.Write {
		about.Tool, what = policy.WriteTool, "read and write "+denied.Resolved
		if offer.Create {
			what = "create and write " + denied.Resolved
		}
	}
	doing, _ := call.Args["command"].(string)
	by := caller{who: t.Definition().Name, doing: doing}
	label := by.label()
	why, whole := by.shown()
	why = append(why, "refused by the sandbox: "+plaintext.OneLine(limit.Shorten(denied.Rule, longestReason)))
	if t.policy.Exec {
		why = append(why, "the command ran until then; a yes runs it again from its beginning")
	}
	q := policy.Question{
		Tool: about.Tool, Args: map[string]any{"path": denied.Resolved, "for": label}, Rule: about.Rule, By: label, About: about,
		Access: &policy.Access{What: what, Why: why, Grant: offer.Path, Outside: offer.Outside && whole},
	}
	if offer.Path {
		q.Pattern, q.Covers = about.Pattern(), "this path"
	}
	return q
}

// noted adds what was decided about a call to its result.
func noted(notes []string, output string, err error) (string, error) {
	if len(notes) == 0 {
		return output, err
	}
	text := "[sandbox] " + strings.Join(notes, "\n[sandbox] ")
	if err != nil {
		return output, fmt.Errorf("%w\n%s", err, text)
	}
	return strings.TrimLeft(strings.TrimRight(output, "\n")+"\n"+text, "\n"), nil
}

// pathsRefused returns how many paths the user refused in the session.
func (s Source) pathsRefused() int {
	n := 0
	for _, r := range s.Approvals.Refusals() {
		if r.Rule == policy.PathRule {
			n++
		}
	}
	return n
}

// createGranted creates an empty file that the user granted to a call, because only what exists can be granted; an empty path means none. The
// returned function removes the file if nobody has written to it.
func createGranted(path string) (withdraw func(), err error) {
	if path == "" || files.Exists(path) {
		return func() {}, nil
	}
	if physical(path) != path {
		return nil, fmt.Errorf("creating %s: a symbolic link was put on the way to it", path)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFileMode)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("creating the file that the user granted: %w", err)
	}
	return func() {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			_ = os.Remove(path) // an empty file that stays does no harm
		}
	}, nil
}

// newFileMode is the mode of a file that is created for a call, as for the tool Write.
const newFileMode = 0o644
