package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/shell"
)

// The bounds of a hook's process.
const (
	// maxOutput is how many bytes of each stream are kept. A JSON answer must fit.
	maxOutput = 1 << 20
	// maxMemory is for the interpreter, not for the programs that a hook starts.
	maxMemory = 256 << 20
	// slowAfter is when a hook counts as slow.
	slowAfter = time.Second
)

// Runner holds the hooks in force, in the order in which they run. It is a value: the zero value runs nothing, and one with
// its fields set may be used from several goroutines.
type Runner struct {
	Pre, Post []Entry
	// Excluded are the hooks that are not in force, in order, pre hooks first.
	Excluded []Excluded

	// OnStart is called before each hook that runs; nil is nobody.
	OnStart func(hookName string)
	// OnSlow is called once for a hook that has run for a second, from another goroutine, and never after the hook's end;
	// nil is nobody. Both must return soon.
	OnSlow func(hookName string)

	// Executable is aura itself, which is started again as the shell; see shell.Argument.
	Executable string
	// Dir is the session's working directory.
	Dir string
	// Env is the whole environment of the hooks, as NAME=value.
	Env []string
}

// New is Compile for hooks that are part of a program: it panics if the matcher of a hook is not a regular expression.
func New(defs []Definition, filters ...Filter) (Runner, error) {
	r, err := Compile(defs, filters...)
	var fault *Error
	if errors.As(err, &fault) && fault.Field == fieldMatcher {
		panic(fault)
	}
	return r, err
}

// Compile compiles hooks and orders them by their dependencies. Filters are applied one after the other. A fault is an
// *Error, also if it is in a hook that is not in force.
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

// rank puts pre hooks first and those without an event last.
func rank(event string) int { return slices.Index([]string{EventPre, EventPost, ""}, event) }

// Only is the runner with a single one of its hooks, in force or not; false if it has no such hook.
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

// RunPre runs the hooks that match the call that is about to be made, until one blocks it. The error is that of ctx, and
// the call must not be made then either.
func (r Runner) RunPre(ctx context.Context, c Call) (Outcome, error) {
	return r.run(ctx, EventPre, r.Pre, c)
}

// RunPost runs the hooks that match the call that was made. The error is that of ctx.
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

// runOne runs a hook to its end. A failure to run it is part of the report.
func (r Runner) runOne(ctx context.Context, event string, e Entry, c Call) Report {
	if r.OnStart != nil {
		r.OnStart(e.Name)
	}
	stdin, err := c.encode(event, r.Dir)
	if err != nil {
		return judge(e, event, shell.Result{ExitCode: -1}, err)
	}
	started := time.Now()
	defer r.watch(e.Name)()
	result, err := shell.Run(ctx, shell.Command{
		Executable: r.Executable, Line: e.Command, Files: e.MatchedPaths(c.Paths), Dir: r.Dir, Env: withoutFiles(r.Env),
		Stdin: stdin, MaxOutput: maxOutput, MemoryBytes: maxMemory, Timeout: cmp.Or(e.Timeout, DefaultTimeout),
	})
	report := judge(e, event, result, err)
	report.Duration = time.Since(started)
	return report
}

// watch tells OnSlow about a hook once it is slow. What it returns ends that, and must be called.
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

// withoutFiles is the environment without what is set for each hook anew: a value from outside would pass for a file.
func withoutFiles(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "FILE" || name == "FILES"
	})
}
