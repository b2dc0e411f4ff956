// Package notepad is a small tool that shows all that a tool can export: it tells aura which files a call touches, so that
// the sandbox lets it and a file is not overwritten unseen.
package notepad

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/sdk"
)

// Schema describes the tool to the model.
func Schema() sdk.ToolSchema {
	return sdk.ToolSchema{
		Name:        "Notepad",
		Description: "Keep notes in a scratch file: read it, or replace its content.",
		Usage:       "Read an existing file before you write it.",
		Examples:    `{"action": "write", "path": "notes.txt", "content": "remember the milk"}`,
		Parameters: sdk.ToolParameters{
			Type: "object",
			Properties: map[string]sdk.ToolProperty{
				"action":  {Type: "string", Description: "What to do", Enum: []any{"read", "write"}},
				"path":    {Type: "string", Description: "The file; a relative path starts at the working directory"},
				"content": {Type: "string", Description: "What to write; needed for write only"},
			},
			Required: []string{"action", "path"},
		},
	}
}

// Paths names the file of the call. Reading shows its content to the model; writing wants that to have happened.
func Paths(args map[string]any) (sdk.ToolPaths, error) {
	action, path, err := target(args)
	if err != nil {
		return sdk.ToolPaths{}, err
	}
	file := []string{path}
	if action == "write" {
		return sdk.ToolPaths{Write: file, Guard: file, Record: file}, nil
	}
	return sdk.ToolPaths{Read: file, Record: file}, nil
}

// Parallel is false: of two calls on one file the order matters.
func Parallel() bool {
	return false
}

// Execute reads or writes.
func Execute(_ context.Context, sc sdk.Context, args map[string]any) (string, error) {
	action, path, err := target(args)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(sc.Workdir, path)
	}
	switch action {
	case "read":
		data, err := os.ReadFile(path)
		return string(data), err
	case "write":
		return write(path, args)
	default:
		return "", fmt.Errorf("action %q is neither read nor write", action)
	}
}

func write(path string, args map[string]any) (string, error) {
	content, ok := args["content"].(string)
	if !ok {
		return "", errors.New("content is needed for action write")
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d bytes written to %s", len(content), path), nil
}

// target returns what every call must say.
func target(args map[string]any) (action, path string, err error) {
	action, _ = args["action"].(string)
	path, _ = args["path"].(string)
	if action == "" || path == "" {
		return "", "", errors.New("action and path are needed")
	}
	return action, path, nil
}
