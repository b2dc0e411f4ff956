// Package builtin implements aura's built-in tools, which use the shell and the file system of the session.
package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/web"
	"github.com/idelchi/aura/sdk"
)

// Options configures the tools.
type Options struct {
	// Workdir is an absolute path. Relative paths in calls are resolved against it.
	Workdir string
	// Env is the complete environment of shell commands, as "name=value".
	Env []string
	// BashTimeout is the default timeout of Bash calls. If it is zero, the timeout is two minutes.
	BashTimeout time.Duration
	// Timeout is the deadline of calls of all other tools. If it is zero, the deadline is two minutes.
	Timeout time.Duration
	// Truncation limits the output of Bash. The zero value selects the default.
	Truncation Truncation
	// OutputDir is where Bash stores output that it had to cut. If it is empty, the system's temporary directory is used.
	OutputDir string
	// Hides reports whether Rg leaves out a file or directory, given by its path without links; nil leaves out none.
	Hides func(path string) bool
	// Network is how WebFetch reaches hosts.
	Network web.Way
	// Decode reads the pages of WebFetch that are not UTF-8; see web.Fetcher.
	Decode web.Decode
	// Pages keeps the pages that WebFetch got, for code that wraps the tool; nil keeps none.
	Pages *web.Pages
	// Reaper is a program that runs process.Reap, which ends what commands leave behind. It is empty in a confined process,
	// which ends its descendants itself.
	Reaper string
	// Seen records the files that the model has read. If Seen is nil, the tools do not use a record; the code that wraps them
	// does.
	Seen *readguard.Files
	// ReadBefore selects the operations that require a file to be in that record.
	ReadBefore readguard.Rules
}

// defaultTimeout is the timeout of a call without a setting.
const defaultTimeout = 2 * time.Minute

// All returns the built-in tools, sorted by name.
func All(o Options) []tool.Tool {
	o.BashTimeout = cmp.Or(o.BashTimeout, defaultTimeout)
	if o.Truncation == (Truncation{}) {
		o.Truncation = defaultTruncation
	}
	all := []tool.Tool{o.bash(), o.edit(), o.glob(), o.ls(), o.mkdir(), o.patch(), o.read(), o.rg(), o.webFetch(), o.write()}
	for i := range all {
		if all[i].Definition().Name != BashName { // which returns when nothing that it started is left
			all[i] = timed{Tool: all[i], options: o}
		}
		all[i] = readguard.Guarded(all[i], o.Seen, o.ReadBefore)
	}
	return all
}

// builtIn is a tool that consists of a definition and functions on decoded arguments.
type builtIn[A any] struct {
	definition tool.Definition
	run        func(ctx context.Context, args A, call tool.Call) (string, error)
	// paths returns the absolute paths that a call will touch. It is nil if a call touches none.
	paths func(args A) (sdk.ToolPaths, error)
	// preview returns what a call would change. It is nil if a call changes no files, or unknown ones.
	preview func(args A) []rewrite
}

func (b builtIn[A]) Definition() tool.Definition { return b.definition }

// Execute decodes the arguments and runs the tool.
func (b builtIn[A]) Execute(ctx context.Context, call tool.Call) (string, error) {
	args, err := b.decode(call.Args)
	if err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return b.run(ctx, args, call)
}

// Paths implements tool.Pather.
func (b builtIn[A]) Paths(_ context.Context, args map[string]any) (sdk.ToolPaths, error) {
	if b.paths == nil {
		return sdk.ToolPaths{}, nil
	}
	decoded, err := b.decode(args)
	if err != nil {
		return sdk.ToolPaths{}, err
	}
	return b.paths(decoded)
}

// Preview implements tool.Previewer.
func (b builtIn[A]) Preview(args map[string]any) string {
	if b.preview == nil {
		return ""
	}
	decoded, err := b.decode(args)
	if err != nil {
		return "" // the call itself reports the error
	}
	return whole(b.preview(decoded))
}

func (b builtIn[A]) decode(args map[string]any) (A, error) {
	var out A
	raw, err := json.Marshal(args)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		return out, fmt.Errorf("reading the arguments of %s: %w", b.definition.Name, err)
	}
	return out, nil
}

// silent adapts a function that reports no progress.
func silent[A any](run func(context.Context, A) (string, error)) func(context.Context, A, tool.Call) (string, error) {
	return func(ctx context.Context, args A, _ tool.Call) (string, error) { return run(ctx, args) }
}

// object returns the schema of an object with only the given properties.
func object(properties string, required ...string) json.RawMessage {
	schema := `{"type":"object","properties":` + properties
	if len(required) > 0 {
		schema += `,"required":["` + strings.Join(required, `","`) + `"]`
	}
	return json.RawMessage(schema + `,"additionalProperties":false}`)
}

// resolve returns an absolute path. An empty path means the working directory.
func (o Options) resolve(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(o.Workdir, path)
}

// reads returns the paths of a tool that inspects one file or directory without showing its content.
func (o Options) reads(path string) (sdk.ToolPaths, error) {
	return sdk.ToolPaths{Read: []string{o.resolve(path)}}, nil
}
