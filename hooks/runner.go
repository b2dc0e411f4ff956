package hooks

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/system/shell"
)

// The limits of a hook's process.
const (
	// maxOutput is the maximum number of bytes kept of each stream. A JSON answer must fit.
	maxOutput = 1 << 20
	// maxMemory is the memory limit of the interpreter in bytes. It does not apply to the programs that a hook starts.
	maxMemory = 256 << 20
	// slowAfter is the time after which a hook counts as slow.
	slowAfter = time.Second
)

// Runner holds the active hooks in the order in which they run. The zero value runs no hooks. A Runner is safe for concurrent
// use once its fields are set.
type Runner struct {
	Pre, Post []Entry
	// Others holds the hooks of the other events, in order.
	Others []Entry
	// Excluded holds the hooks that are not active, in order, by their events.
	Excluded []Excluded

	// OnStart is called before each hook that runs. It may be nil.
	OnStart func(hookName string)
	// OnSlow is called once for a hook that has run for a second. It is called from another goroutine, and never after the hook
	// has ended. It may be nil. OnStart and OnSlow must return quickly.
	OnSlow func(hookName string)

	// Executable is the program that is started as the shell. See shell.Argument.
	Executable string
	// Dir is the working directory of the session.
	Dir string
	// Transcript returns the path of a file that a hook for Claude Code can read as the transcript of the session; empty if there is none.
	// It may be nil. If it fails, the hook fails.
	Transcript func() (string, error)
	// Env is the complete environment of the hooks, as NAME=value.
	Env []string
	// Prepare changes the command of a hook before it runs, so that it runs confined, or where no confined code can write. It may be nil.
	// If it fails, the hook fails.
	Prepare func(e Entry, transcript string, c shell.Command) (shell.Command, error)
	// Explain returns a line for a failed hook whose output shows that the sandbox refused something; empty if it does not. It may be nil.
	Explain func(e Entry, output string) string
}

// Compile compiles hooks and orders them by their dependencies. Filters are applied in order. An invalid definition is an
// *Error, even if the hook is not active.
func Compile(defs []Definition, filters ...Filter) (Runner, error) {
	entries, err := compileAll(defs)
	if err != nil {
		return Runner{}, err
	}
	names, err := order(entries)
	if err != nil {
		return Runner{}, err
	}
	all := make([]Entry, 0, len(names))
	for _, name := range names {
		all = append(all, entries[name])
	}
	disabled := map[string]bool{}
	for _, d := range defs {
		disabled[d.Name] = d.Disabled
	}
	active, excluded := split(all, disabled, filters)
	r := Runner{}
	for _, e := range active {
		r.add(e)
	}
	byEvent := func(a, b Entry) int { return cmp.Compare(rank(a.Event), rank(b.Event)) }
	slices.SortStableFunc(r.Others, byEvent)
	slices.SortStableFunc(excluded, func(a, b Excluded) int { return byEvent(a.Entry, b.Entry) })
	r.Excluded = excluded
	return r, nil
}

func (r *Runner) add(e Entry) {
	switch e.Event {
	case EventPre:
		r.Pre = append(r.Pre, e)
	case EventPost:
		r.Post = append(r.Post, e)
	default:
		r.Others = append(r.Others, e)
	}
}

// Active returns the active hooks, ordered by their events and, within an event, as they run.
func (r Runner) Active() []Entry {
	all := slices.Concat(r.Pre, r.Post, r.Others)
	slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Compare(rank(a.Event), rank(b.Event)) })
	return all
}

// at returns the active hooks of an event, in order.
func (r Runner) at(event string) []Entry {
	return slices.DeleteFunc(r.Active(), func(e Entry) bool { return e.Event != event })
}

// Only returns a Runner with just the named hook, whether or not it is active. It returns false if there is no such hook.
func (r Runner) Only(name string) (Runner, bool) {
	all := r.Active()
	for _, e := range r.Excluded {
		all = append(all, e.Entry)
	}
	r.Pre, r.Post, r.Others, r.Excluded = nil, nil, nil, nil
	for _, e := range all {
		if e.Name == name {
			r.add(e)
			return r, true
		}
	}
	return r, false
}

// RunPre runs the matching hooks before a call, until one of them blocks it. The only error is that of ctx; the call must then
// not be made either.
func (r Runner) RunPre(ctx context.Context, c Call) (Outcome, error) {
	return r.run(ctx, EventPre, r.Pre, c)
}

// RunPost runs the matching hooks after a call. If the call failed, those for failures follow. The only error is that of ctx.
func (r Runner) RunPost(ctx context.Context, c Call) (Outcome, error) {
	out, err := r.run(ctx, EventPost, r.Post, c)
	if err != nil || c.Failure == "" {
		return out, err
	}
	failed, err := r.run(ctx, EventPostFailure, r.at(EventPostFailure), c)
	return out.join(failed), err
}

// Run runs the matching hooks of any event. The only error is that of ctx.
func (r Runner) Run(ctx context.Context, event string, c Call) (Outcome, error) {
	return r.run(ctx, event, r.at(event), c)
}

func (r Runner) run(ctx context.Context, event string, entries []Entry, c Call) (Outcome, error) {
	var out Outcome
	c.Dir = r.Dir
	for _, e := range entries {
		if e.Skip(c) != "" {
			continue
		}
		report := r.runOne(ctx, event, e, c)
		if c.Ended != nil {
			c.Ended(e)
		}
		if err := ctx.Err(); err != nil {
			return out, fmt.Errorf("running hook %q: %w", e.Name, err)
		}
		out.add(c.change(e, report))
		if out.Blocked {
			break
		}
	}
	return out, nil
}

// runOne runs a hook to completion. A failure to run the hook is part of the report.
func (r Runner) runOne(ctx context.Context, event string, e Entry, c Call) Report {
	if r.OnStart != nil {
		r.OnStart(e.Name)
	}
	stdin, transcript, err := r.encode(e, event, c)
	if err != nil {
		return newReport(e, event, shell.Result{ExitCode: -1}, err)
	}
	started := time.Now()
	defer r.watch(e.Name)()
	command := shell.Command{
		Executable: r.Executable, Line: e.Command, Files: e.files(c), Dir: r.Dir, Env: append(r.environ(e), telemetry.Environ(ctx)...),
		Stdin: stdin, MaxOutput: maxOutput, MemoryBytes: maxMemory, Timeout: cmp.Or(e.Timeout, DefaultTimeout),
	}
	result := shell.Result{ExitCode: -1}
	if r.Prepare != nil {
		command, err = r.Prepare(e, transcript, command)
	}
	if err == nil {
		result, err = shell.Run(ctx, command)
	}
	if err == nil && result.ExitCode > 0 && result.ExitCode != shell.NotExecutable && r.Explain != nil {
		if text := r.Explain(e, string(result.Stderr)); text != "" {
			result.Stderr = append(bytes.TrimRight(result.Stderr, "\n"), "\n"+text...)
		}
	}
	report := newReport(e, event, result, err)
	report.Duration = time.Since(started)
	return report
}

// watch calls OnSlow once the hook is slow. The caller must call stop when the hook has ended.
func (r Runner) watch(name string) (stop func()) {
	if r.OnSlow == nil {
		return func() {}
	}
	told := make(chan struct{})
	timer := time.AfterFunc(slowAfter, func() {
		defer close(told)
		r.OnSlow(name)
	})
	return func() {
		if !timer.Stop() {
			<-told
		}
	}
}

// environ returns the environment of a hook. Scripts for Claude Code find the project by a variable.
func (r Runner) environ(e Entry) []string {
	env := withoutFiles(r.Env)
	if e.Protocol == ProtocolClaude {
		env = append(env, "CLAUDE_PROJECT_DIR="+r.Dir)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		env = append(env, name+"="+e.Env[name])
	}
	return env
}

// withoutFiles removes the variables that are set anew for each hook. An inherited value would be mistaken for a file.
func withoutFiles(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "FILE" || name == "FILES"
	})
}
