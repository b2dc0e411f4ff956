package builtin

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/sdk"
)

// listLimit is the maximum number of names that one call returns.
const listLimit = 1000

type lsArgs struct {
	Path string `json:"path"`
}

func (o Options) ls() tool.Tool {
	return builtIn[lsArgs]{
		definition: tool.Definition{
			Name:        "Ls",
			Description: "List a directory. Names of directories end in a slash.",
			Parameters:  object(`{"path":{"type":"string","description":"the directory; default the working directory"}}`),
			Source:      tool.SourceBuiltin,
			Parallel:    true,
		},
		run:   silent(o.runLs),
		paths: func(a lsArgs) (sdk.ToolPaths, error) { return o.reads(a.Path) },
	}
}

func (o Options) runLs(ctx context.Context, args lsArgs) (string, error) {
	// Only the first names are kept, so the size of the directory does not matter.
	var first []fs.DirEntry
	count := 0
	err := eachEntries(o.resolve(args.Path), stopper(ctx), func(some []fs.DirEntry) error {
		count += len(some)
		if first = append(first, some...); len(first) > listLimit+entriesAtOnce {
			slices.SortFunc(first, byName)
			first = first[:listLimit]
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("listing %s: %w", filepath.Clean(args.Path), err)
	}
	slices.SortFunc(first, byName)
	names := make([]string, 0, len(first))
	for _, e := range first {
		names = append(names, mark(e.Name(), e))
	}
	return listing(names, count), nil
}

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

func (o Options) glob() tool.Tool {
	return builtIn[globArgs]{
		definition: tool.Definition{
			Name:        "Glob",
			Description: "Find files and directories by name. ** stands for any number of directories.",
			Parameters: object(`{"pattern":{"type":"string","minLength":1,"description":"such as **/*.go"},`+
				`"path":{"type":"string","description":"where to look; default the working directory"}}`,
				"pattern"),
			Source:   tool.SourceBuiltin,
			Parallel: true,
		},
		run: silent(o.runGlob),
		paths: func(a globArgs) (sdk.ToolPaths, error) {
			root, _ := a.split()
			return o.reads(root)
		},
	}
}

// split returns the directory to search and the pattern. An absolute pattern contains its own directory.
func (a globArgs) split() (root, pattern string) {
	if pattern = filepath.ToSlash(a.Pattern); filepath.IsAbs(a.Pattern) {
		return doublestar.SplitPattern(pattern)
	}
	return a.Path, pattern
}

func (o Options) runGlob(ctx context.Context, args globArgs) (string, error) {
	root, pattern := args.split()
	if slices.Contains(strings.Split(pattern, "/"), "..") {
		return "", fmt.Errorf("finding %s: a pattern cannot hold ..; give the directory as path", args.Pattern)
	}
	base := o.resolve(root)
	if _, err := os.Stat(base); err != nil {
		return "", fmt.Errorf("finding %s: %w", args.Pattern, err)
	}
	found, err := (&globber{base: base, stopped: stopper(ctx)}).find(strings.TrimPrefix(pattern, "./"))
	if err != nil || ctx.Err() != nil {
		return "", fmt.Errorf("finding %s: %w", shortened(args.Pattern), cmp.Or(context.Cause(ctx), err))
	}
	delete(found, ".")
	names := make([]string, 0, len(found))
	for name, d := range found {
		names = append(names, mark(filepath.ToSlash(filepath.Join(root, name)), d))
	}
	slices.Sort(names)
	return listing(names, len(names)), nil
}

func mark(name string, d fs.DirEntry) string {
	if d.IsDir() {
		return name + "/"
	}
	return name
}

// listing returns the first of count names.
func listing(names []string, count int) string {
	switch {
	case len(names) == 0:
		return "(nothing)"
	case count > listLimit:
		return strings.Join(names[:listLimit], "\n") + fmt.Sprintf("\n[... and %d more ...]", count-listLimit)
	default:
		return strings.Join(names, "\n")
	}
}
