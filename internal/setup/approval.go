package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/policy"
	"github.com/idelchi/aura/internal/tool"
)

// Question asks whether a tool call may run.
type Question struct {
	Tool string
	Args map[string]any
	// Rule is the rule of the policy that wants it asked.
	Rule string
	// Always names the calls that the answer Always covers, such as "this exact command".
	Always string
}

// Answer is the user's answer to a Question.
type Answer int

// The answers. The zero value is no.
const (
	// Reject denies the call.
	Reject Answer = iota
	// Once lets this call run.
	Once
	// Always lets this call run, and until the session ends those that the question named.
	Always
)

// scope is what Always covers, and the words for it.
type scope struct {
	policy.Approval
	text string
}

// scope decides what Always covers: of Bash this command line and no other; of a built-in tool that reads or changes files, the files
// right in the same directories; of any other tool, these arguments. A plugin's word on its files does not count: it could name others.
func (g guard) scope(ctx context.Context, call tool.Call, t tool.Tool, rule string) (scope, error) {
	d := t.Definition()
	out := scope{Approval: policy.Approval{Tool: d.Name, Rule: rule}}
	if line, ok := call.Args["command"].(string); ok && d.Name == policy.ShellTool && d.Source == tool.SourceBuiltin {
		out.Subjects, out.text = []string{line}, "this exact command"
		return out, nil
	}
	if dirs := directories(ctx, call, t); len(dirs) > 0 {
		out.Subjects, out.text = dirs, fmt.Sprintf("%s of files in %s", d.Name, strings.Join(g.shortened(dirs), ", "))
		return out, nil
	}
	args, err := event.JSON(call.Args)
	if err != nil {
		return out, fmt.Errorf("encoding the arguments of %s: %w", d.Name, err)
	}
	out.Subjects, out.text = []string{string(args)}, d.Name+" with exactly these arguments"
	return out, nil
}

// directories are those of the files that a built-in tool reads or changes, sorted, with links resolved; none if it is not about files.
func directories(ctx context.Context, call tool.Call, t tool.Tool) []string {
	p, ok := tool.As[tool.Pather](t)
	if !ok || t.Definition().Source != tool.SourceBuiltin {
		return nil
	}
	paths, err := p.Paths(ctx, call.Args)
	if err != nil || len(paths.Record)+len(paths.Guard)+len(paths.Clear) == 0 {
		return nil // a question about these very arguments is asked instead
	}
	var out []string
	for _, path := range slices.Concat(paths.Read, paths.Write) {
		out = append(out, physicalDir(path))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// physicalDir is the directory in which a file really is, or would be made.
func physicalDir(path string) string {
	if physical, err := filepath.EvalSymlinks(path); err == nil {
		return filepath.Dir(physical)
	}
	dir := filepath.Dir(path)
	if physical, err := filepath.EvalSymlinks(dir); err == nil {
		return physical
	}
	return dir
}

// shortened are directories as seen from the working directory, if they are in it.
func (g guard) shortened(dirs []string) []string {
	out := slices.Clone(dirs)
	workdir := g.source.Config.Workdir
	if physical, err := filepath.EvalSymlinks(workdir); err == nil {
		workdir = physical
	}
	for i, dir := range out {
		if below, err := filepath.Rel(workdir, dir); err == nil && filepath.IsLocal(below) {
			out[i] = filepath.Join(".", below) + string(filepath.Separator)
		}
	}
	return out
}
