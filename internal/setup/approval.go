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
	// Rule is the rule of the policy that requires the question. It is empty if the tool itself requires it.
	Rule string
	// Always describes the calls that the answer Always covers, such as "this exact command".
	Always string
}

// Answer is the user's answer to a Question.
type Answer int

// The answers. The zero value denies the call.
const (
	// Reject denies the call.
	Reject Answer = iota
	// Once lets this call run.
	Once
	// Always lets this call run, and also the calls that the question named, until the session ends.
	Always
)

// scope is what the answer Always covers, and its description.
type scope struct {
	policy.Approval
	text string
}

// scope returns what the answer Always covers. For Bash, it covers only this command line. For a built-in tool that reads or
// changes files, it covers the files directly in the same directories. For any other tool, it covers these arguments. The paths
// that a plugin declares do not count, because the plugin could declare other paths than it uses.
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

// directories returns the directories of the files that a built-in tool reads or changes, sorted and with links resolved. It
// returns none if the tool does not work on files.
func directories(ctx context.Context, call tool.Call, t tool.Tool) []string {
	p, ok := tool.As[tool.Pather](t)
	if !ok || t.Definition().Source != tool.SourceBuiltin {
		return nil
	}
	paths, err := p.Paths(ctx, call.Args)
	if err != nil || len(paths.Record)+len(paths.Guard)+len(paths.Clear) == 0 {
		return nil // the question is then about these exact arguments
	}
	var out []string
	for _, path := range slices.Concat(paths.Read, paths.Write) {
		out = append(out, physicalDir(path))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// physicalDir returns the directory in which a file is located, or would be created, after resolving links.
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

// shortened returns directories relative to the working directory if they are located in it.
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
