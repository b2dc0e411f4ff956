package readguard

import (
	"context"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

// Rules say what may be done only to files that the model has seen.
type Rules struct {
	// Write is for changing a file.
	Write bool
	// Delete is for files that a call clears without reading them.
	Delete bool
}

// Enter is to be called before a tool touches the files it has named. It returns an error if one of them is guarded and
// unseen; the tool must not run then. Otherwise leave must be called once the tool is done, and told whether it succeeded:
// only then is anything recorded or cleared. What leave returns are the files that the tool changed; nil if there are none.
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
	// What a tool only reads is recorded as it was before, so that a change while the tool runs does not go unnoticed.
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
	// What the model knows and lets a tool change, it knows afterwards too.
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

// leave records, then clears. A file that cannot be looked at counts as unseen, which is what its guard will say.
func (f *Files) leave(paths sdk.ToolPaths, before map[string]Mark) {
	for _, path := range paths.Record {
		if key, err := resolve(path); err == nil {
			if mark, ok := before[key]; ok {
				f.put(key, &mark)
				continue
			}
		}
		if f.Record(path) != nil {
			_ = f.Clear(path) // fails only if there is no such path, which then has no mark either
		}
	}
	for _, path := range paths.Clear {
		_ = f.Clear(path) // as above
	}
}

// apply reports whether a guarded path has to have been seen.
func (r Rules) apply(paths sdk.ToolPaths, path string) bool {
	if slices.Contains(paths.Clear, path) && !slices.Contains(paths.Read, path) {
		return r.Delete
	}
	return r.Write
}

// Absolute returns the paths, relative ones resolved against the working directory and empty ones dropped. Links stay.
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

// Guarded returns a tool that runs only if the files it guards have been seen, and that records and clears those it names.
// A tool that does not name its files is returned as it is; so is every tool if files is nil. The result has Unwrap, and
// hands on the paths in tool.Call.
func Guarded(t tool.Tool, files *Files, rules Rules) tool.Tool {
	if g, ok := t.(guarded); ok && g.files == files {
		t = g.Tool
	}
	paths, ok := tool.As[tool.Pather](t)
	if !ok || files == nil {
		return t
	}
	return guarded{Tool: t, pather: paths, files: files, rules: rules}
}

type guarded struct {
	tool.Tool

	pather tool.Pather
	files  *Files
	rules  Rules
}

// Unwrap returns the tool inside.
func (g guarded) Unwrap() tool.Tool { return g.Tool }

// Paths are those of the tool inside, made absolute.
func (g guarded) Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error) {
	paths, err := g.pather.Paths(ctx, args)
	return g.files.Absolute(paths), err
}

// Execute checks, runs and records.
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
		return "", err
	}
	ok := false
	defer func() {
		if written := leave(ok); written != nil && call.Wrote != nil {
			call.Wrote(written)
		}
	}()
	out, err := g.Tool.Execute(ctx, call)
	ok = err == nil
	return out, err
}
