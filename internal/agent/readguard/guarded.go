package readguard

import (
	"context"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/sdk"
)

// Rules selects the operations that are allowed only on files that the model has seen.
type Rules struct {
	// Write applies to changing a file.
	Write bool
	// Delete applies to files that a call clears without reading them.
	Delete bool
}

// Enter must be called before a tool touches the files in paths. It returns an error if a guarded file is unseen; the tool must
// then not run. Otherwise leave must be called when the tool is done. ok says whether the tool succeeded: only then are files
// recorded and cleared. leave returns the files that the tool changed, or nil if there are none.
func (f *Files) Enter(paths sdk.ToolPaths, rules Rules) (leave func(ok bool) *Written, err error) {
	paths = f.Absolute(paths)
	for _, path := range paths.Guard {
		if !rules.apply(paths, path) {
			continue
		}
		if err := f.Guard(path); err != nil {
			return nil, err
		}
	}
	// A file that the tool only reads is recorded in its state before the call, so that a change during the call is detected.
	before := map[string]Mark{}
	for _, path := range paths.Record {
		if slices.Contains(paths.Write, path) {
			continue
		}
		if key, err := resolve(path); err == nil {
			if mark, err := look(key); err == nil {
				before[key] = mark
			}
		}
	}
	// If the model knows a file and lets a tool change it, the model also knows the result.
	for _, path := range paths.Write {
		if f.current(path) && !slices.Contains(paths.Record, path) {
			paths.Record = append(paths.Record, path)
		}
	}
	return func(ok bool) *Written {
		if !ok {
			return nil
		}
		f.leave(paths, before)
		return f.written(paths)
	}, nil
}

// leave records files and then clears files. A file that cannot be inspected counts as unseen, and its guard reports that.
func (f *Files) leave(paths sdk.ToolPaths, before map[string]Mark) {
	for _, path := range paths.Record {
		if key, err := resolve(path); err == nil {
			if mark, ok := before[key]; ok {
				f.put(key, &mark)
				continue
			}
		}
		if f.Record(path) != nil {
			_ = f.Clear(path) // fails only if the path cannot be resolved, and then it has no mark either
		}
	}
	for _, path := range paths.Clear {
		_ = f.Clear(path) // as above
	}
}

// apply reports whether a guarded path must have been seen.
func (r Rules) apply(paths sdk.ToolPaths, path string) bool {
	if slices.Contains(paths.Clear, path) && !slices.Contains(paths.Read, path) {
		return r.Delete
	}
	return r.Write
}

// Absolute returns the paths resolved against the working directory. It drops empty paths and does not resolve links.
func (f *Files) Absolute(paths sdk.ToolPaths) sdk.ToolPaths {
	each := func(list []string) []string {
		var out []string
		for _, path := range list {
			if path != "" {
				out = append(out, f.absolute(path))
			}
		}
		return out
	}
	return sdk.ToolPaths{
		Read: each(paths.Read), Write: each(paths.Write), Record: each(paths.Record), Guard: each(paths.Guard), Clear: each(paths.Clear),
	}
}

// Guarded returns a tool that runs only if the files that it guards have been seen, and that records and clears the files that
// it names. A tool that is not a tool.Pather is returned unchanged, as is every tool if files is nil. The result is a
// tool.Wrapper and passes the paths on in tool.Call.
func Guarded(t tool.Tool, files *Files, rules Rules) tool.Tool {
	if g, ok := t.(guarded); ok && g.files == files {
		t = g.Tool
	}
	paths, ok := tool.As[tool.Pather](t)
	if !ok || files == nil {
		return t
	}
	// A plugin that guards a file means it. The user's rule for deletions is about the tools of aura, which guard all that they delete.
	if t.Definition().Source != tool.SourceBuiltin {
		rules.Delete = rules.Delete || rules.Write
	}
	return guarded{Tool: t, pather: paths, files: files, rules: rules}
}

type guarded struct {
	tool.Tool

	pather tool.Pather
	files  *Files
	rules  Rules
}

// Unwrap returns the wrapped tool.
func (g guarded) Unwrap() tool.Tool { return g.Tool }

// Paths returns the paths of the wrapped tool, made absolute.
func (g guarded) Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error) {
	paths, err := g.pather.Paths(ctx, args)
	return g.files.Absolute(paths), err
}

// Execute checks the guarded files, runs the tool and updates the record.
func (g guarded) Execute(ctx context.Context, call tool.Call) (string, error) {
	if call.Paths == nil {
		paths, err := g.Paths(ctx, call.Args)
		if err != nil {
			return "", fmt.Errorf("finding out which files %s would touch: %w", g.Definition().Name, err)
		}
		call.Paths = &paths
	}
	leave, err := g.files.Enter(*call.Paths, g.rules)
	if err != nil {
		return "", tool.Refused(tool.BySeen, "", err)
	}
	ok := false
	defer func() {
		if written := leave(ok); written != nil && call.Wrote != nil {
			call.Wrote(written)
		}
		if ok && call.WrotePaths != nil && len(call.Paths.Write) > 0 {
			call.WrotePaths(slices.Clone(call.Paths.Write))
		}
	}()
	out, err := g.Tool.Execute(ctx, call)
	ok = err == nil
	return out, err
}
