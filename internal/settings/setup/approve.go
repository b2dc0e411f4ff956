package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/tool"
)

// Kept returns the store of the approvals that the user gave for all sessions of the project.
func (s Source) Kept() policy.Store { return policy.Store{Path: s.Config.State.Approvals()} }

// ApprovalDir returns the directory that approvals are bound to: the working directory without links.
func (s Source) ApprovalDir() string { return physical(s.Config.Workdir) }

// approved reports whether the user approved such calls before.
func (s Source) approved(about policy.Call) bool { return policy.Cover(s.given(), about) }

// given returns what the user approved for the session and always. An approval that cannot be read does not count.
func (s Source) given() []policy.Approval {
	var given []policy.Approval
	if s.Approvals != nil {
		given = s.Approvals.All()
	}
	if s.Config.Machine.Approval("project") != nil {
		return given // none is stored either; those that were stored before do not count
	}
	kept, err := s.Kept().All()
	if err != nil {
		s.notice("", err.Error())
	}
	for _, k := range kept {
		given = append(given, k.Approval)
	}
	return given
}

// applyAnswer applies the user's answer to a question. It returns an error if the call must not run. An approval that cannot be kept
// holds for the session.
func (s Source) applyAnswer(q policy.Question, answer policy.Answer) error {
	switch answer.Decision {
	case policy.Session, policy.Always:
		if err := s.Config.Machine.Approval("session"); err != nil {
			s.notice("", err.Error()+"; this call runs, and the next is asked about")
			answer = policy.Answer{Decision: policy.Once}
			break
		}
		given, err := q.About.Approves(answer.Pattern)
		if err != nil {
			return fmt.Errorf("approving calls like %q: %w", answer.Pattern, err)
		}
		if answer.Decision == policy.Always {
			if err = s.storeApproval(given); err != nil {
				s.notice("", err.Error()+"; the approval holds for this session")
				answer.Decision = policy.Session
			}
		}
		if answer.Decision == policy.Session {
			s.Approvals.Add(given)
		}
	case policy.Once, policy.Outside:
		answer.Pattern = ""
	default:
		answer = policy.Answer{Reason: answer.Reason, Via: answer.Via}
	}
	s.tellAnswer(q, answer)
	if answer.Decision == policy.Reject {
		return tool.Refused(tool.ByUser, "", &policy.RefusedError{Reason: answer.Reason})
	}
	return nil
}

// storeApproval stores an approval for all sessions of the project. It stores no secrets.
func (s Source) storeApproval(given policy.Approval) error {
	if err := s.Config.Machine.Approval("project"); err != nil {
		return err
	}
	if Secrets(s.Config, s.TaskEnv).String(given.Pattern) != given.Pattern {
		return errors.New("keeping an approval: the pattern contains a secret, which is not written to a file; put a star in its place")
	}
	return s.Kept().Add(given, time.Now())
}

// tellAnswer reports an answer as an event.
func (s Source) tellAnswer(q policy.Question, answer policy.Answer) {
	if s.Emit == nil {
		return
	}
	args, err := event.JSON(q.Args)
	if err != nil {
		s.notice("", fmt.Sprintf("encoding the arguments of %s: %v", q.Tool, err))
	}
	s.Emit(event.Approval{
		Name: q.Tool, Arguments: args, Rule: q.Rule, By: q.By, Decision: answer.Decision.String(), Pattern: answer.Pattern, Reason: answer.Reason,
		Via: answer.Via,
	})
}

// question returns the question about a call.
func (g guard) question(about policy.Call, verdict policy.Verdict, t tool.Tool) policy.Question {
	q := policy.Question{Tool: about.Tool, Args: about.Args, Rule: verdict.Rule, By: g.writtenIn(verdict), Pattern: about.Pattern(), About: about}
	if verdict.Rule == "" {
		q.By = about.Source
	}
	if p, ok := tool.As[tool.Previewer](t); ok && t.Definition().Source == tool.SourceBuiltin {
		q.Changes = p.Preview(about.Args)
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

// approvable returns a call in the form that approvals are compared with. The files count only for built-in tools, because a
// plugin could declare other paths than it uses.
func (g guard) approvable(ctx context.Context, call tool.Call, t tool.Tool, rule string) policy.Call {
	d := t.Definition()
	out := policy.Call{Tool: d.Name, Source: g.sourceOf(d), Rule: rule, Args: call.Args, Workdir: g.source.ApprovalDir()}
	if d.Source != tool.SourceBuiltin {
		return out
	}
	out.Shell = d.Name == policy.ShellTool
	out.Files = physicalFiles(ctx, call, t)
	return out
}

// sourceOf says who provides a tool, and where that is declared. Approvals are bound to it: a plugin or a server of the same name
// from another place is another source.
func (g guard) sourceOf(d tool.Definition) string {
	switch d.Source {
	case tool.SourcePlugin:
		return declaredIn(string(d.Source)+" "+d.Origin, g.entries[d.Origin].Dir)
	case tool.SourceMCP:
		return declaredIn(string(d.Source)+" "+d.Origin, g.source.Config.MCPServers[d.Origin].Source.File)
	default:
		return string(d.Source)
	}
}

// writtenIn says where a rule is written: who has it, and in which file.
func (g guard) writtenIn(v policy.Verdict) string {
	c := g.source.Config
	kind, name, _ := strings.Cut(v.Origin, " ")
	if v.Origin == featuresOrigin {
		at := c.FeaturePlaces(g.role.Agent, g.role.Mode, g.source.Options.Task)["tools.policy."+string(v.Action)]
		return declaredIn(v.Origin, g.below(at.File))
	}
	places := c.Places(kind, name)
	if len(places) == 0 {
		return v.Origin
	}
	return declaredIn(v.Origin, g.below(places[0].File))
}

// below returns a path relative to the working directory if it is located in it.
func (g guard) below(path string) string {
	if below, err := filepath.Rel(g.source.Config.Workdir, path); err == nil && filepath.IsLocal(below) {
		return below
	}
	return path
}

func declaredIn(what, path string) string {
	if path == "" {
		return what
	}
	return fmt.Sprintf("%s (%s)", what, path)
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

// physical returns a path after resolving the links in it. Of a path that does not exist, it resolves the existing part. A link to
// something that does not exist is resolved too, because writing to the link creates its target.
func physical(path string) string {
	for range maxLinks {
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			return resolved
		}
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(physical(filepath.Dir(path)), target)
		}
		path = target
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(physical(dir), filepath.Base(path))
}

// maxLinks is how many links in a row are followed, as on Linux.
const maxLinks = 40
