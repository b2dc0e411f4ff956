package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Event is the JSON that a hook reads on its standard input.
type Event struct {
	// HookEvent is PreToolUse or PostToolUse.
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

// Call is the tool call for which hooks run.
type Call struct {
	Tool string
	// Input holds the final arguments.
	Input map[string]any
	// Output is the tool's output. It is set for post hooks.
	Output string
	// Paths holds the absolute paths of the files that the call touches. See the function Paths.
	Paths []string
	// Gone holds those of Paths that the call deleted. Hooks do not find them in their variables.
	Gone []string
	// Ended is called after each hook that ran, before the next hook starts. It may be nil.
	Ended func(e Entry)
}

var hookEvents = map[string]string{EventPre: "PreToolUse", EventPost: "PostToolUse"}

// encode returns the event of a call as one line of JSON.
func (c Call) encode(event, dir string) ([]byte, error) {
	e := Event{HookEvent: hookEvents[event], CWD: dir, FilePaths: c.Paths}
	e.Tool.Name, e.Tool.Input = c.Tool, c.Input
	if c.Input == nil {
		e.Tool.Input = map[string]any{}
	}
	if event == EventPost {
		e.Tool.Output = c.Output
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	// Hooks often search their input for texts such as && without a JSON parser, so these are not escaped.
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("encoding the call: %w", err)
	}
	return out.Bytes(), nil
}
