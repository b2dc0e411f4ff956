// Package builtin holds the tools that aura brings along: the shell and the file system of the session.
package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/tool"
)

// Options say in what surroundings the tools work.
type Options struct {
	// Workdir is an absolute path. Relative paths of calls are resolved against it.
	Workdir string
	// Env is the whole environment of shell commands, as "name=value".
	Env []string
	// BashTimeout is for calls of Bash that name none. Zero means two minutes.
	BashTimeout time.Duration
}

// All returns the built-in tools, sorted by name.
func All(o Options) []tool.Tool {
	if o.BashTimeout == 0 {
		o.BashTimeout = 2 * time.Minute
	}
	return []tool.Tool{o.bash(), o.glob(), o.ls(), o.mkdir(), o.read(), o.write()}
}

// builtIn is a tool made of its description and a function on decoded arguments.
type builtIn[A any] struct {
	definition tool.Definition
	run        func(ctx context.Context, args A) (string, error)
}

func (b builtIn[A]) Definition() tool.Definition { return b.definition }

// Execute decodes the arguments and runs the tool.
func (b builtIn[A]) Execute(ctx context.Context, call tool.Call) (string, error) {
	raw, err := json.Marshal(call.Args)
	if err != nil {
		return "", fmt.Errorf("reading the arguments of %s: %w", b.definition.Name, err)
	}
	var args A
	if err := json.Unmarshal(raw, &args); err != nil {
		return "", fmt.Errorf("reading the arguments of %s: %w", b.definition.Name, err)
	}
	return b.run(ctx, args)
}

// object returns the schema of arguments with these properties and no others.
func object(properties string, required ...string) json.RawMessage {
	schema := `{"type":"object","properties":` + properties
	if len(required) > 0 {
		schema += `,"required":["` + strings.Join(required, `","`) + `"]`
	}
	return json.RawMessage(schema + `,"additionalProperties":false}`)
}

// resolve returns an absolute path. An empty path is the working directory.
func (o Options) resolve(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(o.Workdir, path)
}
