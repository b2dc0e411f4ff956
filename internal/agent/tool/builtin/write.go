package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/sdk"
)

// WriteName is the name of the tool that writes files.
const WriteName = "Write"

// newFile is the mode of a new file.
const newFile = 0o644

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (o Options) write() tool.Tool {
	return builtIn[writeArgs]{
		definition: tool.Definition{
			Name:        WriteName,
			Description: "Write a file: create it, with the directories above it, or replace all it holds.",
			Parameters: object(`{"path":{"type":"string","minLength":1,"description":"the file"},`+
				`"content":{"type":"string","description":"all that the file shall hold"}}`,
				"path", "content"),
			Source: tool.SourceBuiltin,
		},
		run:     changing(o.runWrite),
		preview: func(a writeArgs) []rewrite { return o.replaced(a.Path, a.Content) },
		paths: func(a writeArgs) (sdk.ToolPaths, error) {
			file := []string{o.resolve(a.Path)}
			return sdk.ToolPaths{Write: file, Guard: file, Record: file}, nil
		},
	}
}

func (o Options) runWrite(_ context.Context, args writeArgs) (string, []rewrite, error) {
	path := o.resolve(args.Path)
	if err := regular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("writing %s: %w", args.Path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", nil, fmt.Errorf("writing %s: %w", args.Path, err)
	}
	changed := o.replaced(args.Path, args.Content)
	if err := overwrite(path, args.Content, newFile); err != nil {
		return "", nil, fmt.Errorf("writing %s: %w", args.Path, err)
	}
	return fmt.Sprintf("wrote %d bytes to %s", len(args.Content), args.Path), changed, nil
}

type mkdirArgs struct {
	Path string `json:"path"`
}

func (o Options) mkdir() tool.Tool {
	return builtIn[mkdirArgs]{
		definition: tool.Definition{
			Name:        "Mkdir",
			Description: "Make a directory, with those above it.",
			Parameters:  object(`{"path":{"type":"string","minLength":1,"description":"the directory"}}`, "path"),
			Source:      tool.SourceBuiltin,
		},
		run: silent(o.runMkdir),
		paths: func(a mkdirArgs) (sdk.ToolPaths, error) {
			return sdk.ToolPaths{Write: []string{o.resolve(a.Path)}}, nil
		},
	}
}

func (o Options) runMkdir(_ context.Context, args mkdirArgs) (string, error) {
	if err := os.MkdirAll(o.resolve(args.Path), 0o755); err != nil {
		return "", fmt.Errorf("making directory %s: %w", args.Path, err)
	}
	return "made " + args.Path, nil
}
