package hooks

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
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
	// Excluded holds the hooks that are not active, in order, pre hooks first.
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
	// Env is the complete environment of the hooks, as NAME=value.
	Env []string
	// Prepare changes the command of a hook before it runs, so that it runs confined, or where no confined code can write. It may be nil.
	// If it fails, the hook fails.
	Prepare func(e Entry, c shell.Command) (shell.Command, error)
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
		if e.Event == EventPre {
			r.Pre = append(r.Pre, e)
		} else {
			r.Post = append(r.Post, e)
		}
	}
	slices.SortStableFunc(excluded, func(a, b Excluded) int { return cmp.Compare(rank(a.Event), rank(b.Event)) })
	r.Excluded = excluded
	return r, nil
}

// rank orders events: pre hooks first, hooks without an event last.
func rank(event string) int { return slices.Index([]string{EventPre, EventPost, ""}, event) }

// Only returns a Runner with just the named hook, whether or not it is active. It returns false if there is no such hook.
func (r Runner) Only(name string) (Runner, bool) {
	all := slices.Concat(r.Pre, r.Post)
	for _, e := range r.Excluded {
		all = append(all, e.Entry)
	}
	r.Pre, r.Post, r.Excluded = nil, nil, nil
	for _, e := range all {
		if e.Name != name {
			continue
		}
		if e.Event == EventPre {
			r.Pre = []Entry{e}
		} else {
			r.Post = []Entry{e}
		}
		return r, true
	}
	return r, false
}

// RunPre runs the matching hooks before a call, until one of them blocks it. The only error is that of ctx; the call must then
// not be made either.
func (r Runner) RunPre(ctx context.Context, c Call) (Outcome, error) {
	return r.run(ctx, EventPre, r.Pre, c)
}

// RunPost runs the matching hooks after a call. The only error is that of ctx.
func (r Runner) RunPost(ctx context.Context, c Call) (Outcome, error) {
	return r.run(ctx, EventPost, r.Post, c)
}

func (r Runner) run(ctx context.Context, event string, entries []Entry, c Call) (Outcome, error) {
	var out Outcome
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
		out.add(report)
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
	stdin, err := c.encode(event, r.Dir)
	if err != nil {
		return newReport(e, event, shell.Result{ExitCode: -1}, err)
	}
	started := time.Now()
	defer r.watch(e.Name)()
	command := shell.Command{
		Executable: r.Executable, Line: e.Command, Files: e.files(c), Dir: r.Dir, Env: append(withoutFiles(r.Env), telemetry.Environ(ctx)...),
		Stdin: stdin, MaxOutput: maxOutput, MemoryBytes: maxMemory, Timeout: cmp.Or(e.Timeout, DefaultTimeout),
	}
	result := shell.Result{ExitCode: -1}
	if r.Prepare != nil {
		command, err = r.Prepare(e, command)
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

// withoutFiles removes the variables that are set anew for each hook. An inherited value would be mistaken for a file.
func withoutFiles(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "FILE" || name == "FILES"
	})
}
