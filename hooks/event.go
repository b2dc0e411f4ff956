package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Event is what a hook reads on its standard input, as JSON.
type Event struct {
	// HookEvent is PreToolUse or PostToolUse.
	HookEvent string `json:"hook_event"`
	Tool      struct {
		Name  string `json:"name"`
		Input any    `json:"input"`
		// Output is there after the call only.
		Output string `json:"output,omitempty"`
	} `json:"tool"`
	CWD string `json:"cwd"`
	// FilePaths are all files of the call, also those that the hook's pattern does not fit.
	FilePaths []string `json:"file_paths,omitempty"`
}

// Call is the tool call that hooks are run for.
type Call struct {
	Tool string
	// Input are the final arguments.
	Input map[string]any
	// Output is what the tool returned, for post hooks.
	Output string
	// Paths are the files that the call touches, absolute; see Paths.
	Paths []string
	// Ended is called after each hook that ran, before the next one starts; nil is nobody.
	Ended func(e Entry)
}

var hookEvents = map[string]string{EventPre: "PreToolUse", EventPost: "PostToolUse"}

// encode is the event of a call, on one line.
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
	// Hooks look for texts such as && in what they read, often without a JSON parser.
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("encoding the call: %w", err)
	}
	return out.Bytes(), nil
}
