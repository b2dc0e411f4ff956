package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/idelchi/aura/internal/agent/foreign"
)

// Event is the JSON that a hook about a tool call reads on its standard input.
type Event struct {
	// HookEvent is PreToolUse, PostToolUse, PostToolUseFailure or PermissionRequest.
	HookEvent string `json:"hook_event"`
	Tool      struct {
		Name  string `json:"name"`
		Input any    `json:"input"`
		// Output is set only after the call.
		Output string `json:"output,omitempty"`
	} `json:"tool"`
	CWD string `json:"cwd"`
	// FilePaths holds all files of the call, including those that the hook's pattern does not match.
	FilePaths []string `json:"file_paths,omitempty"`
}

// Call is the tool call, or the other moment of a session, for which hooks run.
type Call struct {
	Tool string
	// Input holds the final arguments.
	Input map[string]any
	// Output is the tool's output, with the error of a call that failed. It is set for post hooks.
	Output string
	// Failure is the error of a call that failed.
	Failure string
	// Paths holds the absolute paths of the files that the call touches. See the function Paths.
	Paths []string
	// Dir is the directory that relative paths in Input refer to. Run sets it.
	Dir string
	// Gone holds those of Paths that the call deleted. Hooks do not find them in their variables.
	Gone []string
	// Ended is called after each hook that ran, before the next hook starts. It may be nil.
	Ended func(e Entry)
	// Change is called if a hook changes the arguments. It returns the files that the changed call touches, or why the call must not be
	// made. It may be nil; then hooks cannot change arguments.
	Change func(input map[string]any) (paths []string, err error)

	// Session is the id of the session.
	Session string
	// Subject is what matchers are compared with at an event that is not about a tool call. Fields holds what the hook reads there.
	Subject string
	Fields  map[string]any
}

// change applies the arguments that a hook set. If the call must not be made with them, the hook blocks it.
func (c *Call) change(e Entry, r Report) Report {
	if r.Input == nil || r.Blocked {
		return r
	}
	if e.Protocol == ProtocolClaude {
		r.Input = foreign.AuraInput(c.Tool, c.Input, r.Input)
	}
	if c.Change == nil {
		r.Message = join(r.Message, headed(e, "", "(its change of the arguments has no effect here)"))
		return r
	}
	paths, err := c.Change(r.Input)
	if err != nil {
		r.Blocked, r.Message = true, fmt.Sprintf("hook %q changed the arguments: %v", e.Name, err)
		return r
	}
	c.Input, c.Paths = r.Input, paths
	return r
}

// encode returns what a hook reads, as one line of JSON, and the path of the transcript that it names.
func (r Runner) encode(e Entry, event string, c Call) (line []byte, transcript string, err error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	// Hooks often search their input for texts such as && without a JSON parser, so these are not escaped.
	enc.SetEscapeHTML(false)
	in := c.event(event, r.Dir)
	if e.Protocol == ProtocolClaude {
		if r.Transcript != nil {
			if transcript, err = r.Transcript(); err != nil {
				return nil, "", err
			}
		}
		in = r.claudeInput(event, transcript, c)
	}
	if err := enc.Encode(in); err != nil {
		return nil, "", fmt.Errorf("encoding the call: %w", err)
	}
	return out.Bytes(), transcript, nil
}

// event returns what a hook reads in aura's own protocol.
func (c Call) event(event, dir string) any {
	at := momentOf(event)
	if !at.tool {
		out := map[string]any{"hook_event": at.name, "cwd": dir}
		if c.Session != "" {
			out["session_id"] = c.Session
		}
		maps.Copy(out, c.Fields)
		return out
	}
	e := Event{HookEvent: at.name, CWD: dir, FilePaths: c.Paths}
	e.Tool.Name, e.Tool.Input = c.Tool, c.Input
	if c.Input == nil {
		e.Tool.Input = map[string]any{}
	}
	if event == EventPost || event == EventPostFailure {
		e.Tool.Output = c.Output
	}
	return e
}
