package setup

import (
	"context"
	"slices"
	"sync"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
)

// effects says what calls do. A tool of aura's own is known. Any other does what its author declares; if that is nothing, it may do anything.
type effects struct {
	workdir string
	// reading is set if commands run so that they change nothing, or not at all.
	reading bool
	// files returns the policy of the file tools, whether it is enforced or not.
	files func() sandbox.Policy
}

func (m member) effects(confined Confinement) effects {
	return effects{
		workdir: m.source.Config.Workdir, reading: m.features.Tools.Bash.ReadOnly,
		files: sync.OnceValue(func() sandbox.Policy { return confined.Policy(sandbox.KindFiles) }),
	}
}

// of returns what a call does.
func (e effects) of(ctx context.Context, call tool.Call, t tool.Tool) policy.Effect {
	d := t.Definition()
	pather, named := tool.As[tool.Pather](t)
	switch {
	case d.Source != tool.SourceBuiltin && !declares(d.SideEffects, sdk.SideEffectNone, sdk.SideEffectRead, sdk.SideEffectWrite):
		return policy.Run
	case d.Source == tool.SourceBuiltin && d.Name == builtin.BashName:
		if e.reading {
			return policy.Read
		}
		return policy.Run
	}
	var paths sdk.ToolPaths
	if named {
		var err error
		if paths, err = pather.Paths(ctx, call.Args); err != nil {
			return policy.Run
		}
	}
	written := slices.Concat(paths.Write, paths.Clear)
	switch {
	case len(written) == 0 && (d.Source == tool.SourceBuiltin || declares(d.SideEffects, sdk.SideEffectNone, sdk.SideEffectRead)):
		return policy.Read
	case len(written) > 0 && sandbox.Check(e.files(), e.workdir, sandbox.Access{Write: written}) == nil:
		return policy.Edit
	default:
		return policy.Run
	}
}

// declares reports whether the author of a tool says what it does, and that it is nothing but these.
func declares(said []sdk.SideEffect, only ...sdk.SideEffect) bool {
	return len(said) > 0 && !slices.ContainsFunc(said, func(e sdk.SideEffect) bool { return !slices.Contains(only, e) })
}
