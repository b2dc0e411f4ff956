package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
)

// Fence returns a tool that checks its paths against its policy.
func (c Confinement) Fence(t tool.Tool) tool.Tool {
	var policy sandbox.Policy
	switch d := t.Definition(); {
	case !c.enabled && (!c.requested || d.Source != tool.SourceBuiltin):
		return t
	case !c.enabled:
		// Nothing enforces a policy, but the file tools still refuse what is hidden.
		if _, ok := tool.As[tool.Pather](t); !ok {
			return t
		}
		return fenced{Tool: t, policy: sandbox.Policy{Hiding: sandbox.Hiding{Rules: c.settings.Hidden}}, workdir: c.place.Workdir, open: true}
	case d.Source == tool.SourceBuiltin && c.files != nil:
		policy = *c.files
	case d.Source == tool.SourceBuiltin:
		policy = c.Policy(sandbox.KindFiles)
	case d.Source == tool.SourcePlugin:
		p, ok := tool.As[PluginTool](t)
		if !ok || !p.Sandboxable {
			return t
		}
		policy = p.policy
	default:
		return t
	}
	if _, ok := tool.As[tool.Pather](t); !ok {
		return t
	}
	return fenced{Tool: t, policy: c.grants.Open(policy), workdir: c.place.Workdir, grants: c.grants}
}

// fenced refuses a call that would access files outside the policy, before anything runs.
type fenced struct {
	tool.Tool
	policy  sandbox.Policy
	workdir string
	// grants finds what is hidden now; nil if the policy knows.
	grants *sandbox.Grants
	// open is set if only hidden files are refused.
	open bool
}

// Unwrap returns the tool itself.
func (t fenced) Unwrap() tool.Tool { return t.Tool }

// Execute checks the paths that the tool declares, and then runs the tool.
func (t fenced) Execute(ctx context.Context, call tool.Call) (string, error) {
	if p, ok := tool.As[tool.Pather](t.Tool); ok {
		if call.Paths == nil {
			paths, err := p.Paths(ctx, call.Args)
			if err != nil {
				return "", fmt.Errorf("asking which files the call will touch: %w", err)
			}
			call.Paths = &paths
		}
		if t.grants != nil {
			t.policy = t.grants.Hide(t.policy)
		}
		if t.open {
			err := sandbox.CheckHidden(t.policy, t.workdir, sandbox.Access{
				Write: slices.Concat(call.Paths.Write, call.Paths.Clear), Read: slices.Concat(call.Paths.Read, call.Paths.Record, call.Paths.Guard),
			})
			if err != nil {
				return "", tool.Refused(tool.BySandbox, "", err)
			}
			return t.Tool.Execute(ctx, call)
		}
		// Files that are written are usually read too. Writing is checked first, so that the more serious violation is reported.
		// A grant is for the content of a file: it can be neither removed nor renamed.
		if err := sandbox.Check(t.policy, t.workdir, sandbox.Access{Write: call.Paths.Clear}); err != nil {
			return "", tool.Refused(tool.BySandbox, "", err)
		}
		if err := t.check(call, true, call.Paths.Write); err != nil {
			return "", tool.Refused(tool.BySandbox, "", err)
		}
		err := t.check(call, false, slices.Concat(call.Paths.Read, call.Paths.Record, call.Paths.Guard))
		// Only a built-in tool has a policy that is made for each call. A path that the policy covers anyway needs no grant.
		_, builtIn := tool.As[confined](t.Tool)
		call.Named = call.Named && builtIn && (err != nil || slices.ContainsFunc(call.Paths.Read, t.replaced))
		if err != nil && !call.Named {
			return "", tool.Refused(tool.BySandbox, "", err)
		}
	}
	return t.Tool.Execute(ctx, call)
}

// check checks paths that the call reads or writes. What the user granted to the call is allowed, unless a rule refuses it whatever is granted.
func (t fenced) check(call tool.Call, write bool, paths []string) error {
	access := func(paths []string) sandbox.Access {
		if write {
			return sandbox.Access{Write: paths}
		}
		return sandbox.Access{Read: paths}
	}
	err := sandbox.Check(t.policy, t.workdir, access(paths))
	if err == nil {
		return nil // checking one by one takes longer
	}
	for _, path := range paths {
		denied, _ := errors.AsType[*sandbox.DeniedError](sandbox.Check(t.policy, t.workdir, access([]string{path})))
		if denied == nil || denied.Granted(call.Sandbox.Read, call.Sandbox.Write) {
			continue
		}
		if call.Sandbox.Refused != nil && !call.Named {
			call.Sandbox.Refused(denied)
		}
		return denied
	}
	return nil
}

// replaced reports whether a path of a call leads to another file in the tool's process. A file that the user names is the user's.
func (t fenced) replaced(path string) bool {
	return t.policy.ReplacedIn(t.workdir, path)
}

// Paths returns the paths that the tool declares.
func (t fenced) Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error) {
	if p, ok := tool.As[tool.Pather](t.Tool); ok {
		return p.Paths(ctx, args)
	}
	return sdk.ToolPaths{}, nil
}
