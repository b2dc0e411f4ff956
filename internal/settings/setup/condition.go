package setup

import (
	"context"
	"slices"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/base/condition"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/system/shell"
	"github.com/idelchi/aura/sdk"
)

// Holds evaluates a condition with the given settings.
func (s Source) Holds(ctx context.Context, f config.Features, c condition.Expr, state sdk.Context) (bool, error) {
	return c.Eval(ctx, host.ConditionState(state, s.Config.Workdir, s.RunCondition(f)))
}

// RunCondition returns a function that runs the command of a bash: condition under the policy of Bash, with the environment of
// shell hooks.
func (s Source) RunCondition(f config.Features) func(ctx context.Context, workdir, line string) (bool, error) {
	return runCondition(environment(s.Config.Environ, f.Sandbox.Env, s.TaskEnv), func() Confinement { return s.Confinement(f) })
}

// runCondition runs conditions with an environment. The confinement is made for the first condition, because most sessions have none.
func runCondition(env []string, confinement func() Confinement) func(context.Context, string, string) (bool, error) {
	confined := sync.OnceValue(confinement)
	return func(ctx context.Context, workdir, line string) (bool, error) {
		program, err := toolhost.Program()
		if err != nil {
			return false, err
		}
		command := shell.Command{Executable: program.Start, Line: line, Dir: workdir, Env: env}
		r, err := shell.Run(ctx, confined().line(caller{who: "condition", source: "condition", doing: line}, sandbox.Paths{}, command))
		if err != nil {
			return false, err
		}
		return r.ExitCode == 0, nil
	}
}

// WithTask returns an environment with a task's variables added; they override variables of the same names.
func WithTask(environ []string, task map[string]string) []string {
	out := slices.Clone(environ)
	for k, v := range task {
		out = append(out, k+"="+v)
	}
	return out
}
