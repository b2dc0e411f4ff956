package sandbox

import (
	"context"
	"encoding/json"
	"time"

	"github.com/idelchi/aura/internal/system/netgate"
)

// Argument is the hidden first argument that tells the executable that it is the child of Run. The executable must then call
// Main before it does anything else.
const Argument = "__sandbox"

// GateArgument is the hidden first argument that tells the executable that it is the gate to the network. The executable must then call
// GateMain before it does anything else.
const GateArgument = "__network"

// Call describes what a confined child runs. The sandbox passes it to the child unchanged.
type Call struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
	// Options holds what is needed to create the tool. Context holds what the tool is given about the conversation.
	Options json.RawMessage `json:"options,omitempty"`
	Context json.RawMessage `json:"context,omitempty"`
	// Gated is true if the gate is the only way of the process into the network. The child sets it.
	Gated bool `json:"-"`
}

// Tool runs a call in the child. Data passed to progress is sent to the parent at once. Several goroutines may call a Tool, and
// several goroutines may call progress.
type Tool func(ctx context.Context, call Call, progress func([]byte)) (json.RawMessage, error)

// Command describes one call in a confined process of its own. The process inherits only what is named here.
type Command struct {
	// Executable is the program to start as the child; see Argument.
	Executable string
	// Dir is the working directory; see Grants.Dir.
	Dir string
	// Env is the whole environment, as KEY=value.
	Env    []string
	Policy Policy
	Call   Call
	// Timeout ends the child and all its descendants; 0 means that only the context does.
	Timeout time.Duration
	// Progress receives the tool's progress while it runs, in order, from one goroutine; nil discards it.
	Progress func([]byte)
}

// Result is the result of a call.
type Result struct {
	// Value is the value that the tool returned.
	Value  json.RawMessage
	Report Report
	// Refused lists the names and connections that the rules for the network refused, and those that they allow and that failed.
	Refused []netgate.Event
	// Dropped is how many further events of the network there were.
	Dropped int
}

// ToolError is an error that the tool itself returned. The tool ran to its end.
type ToolError struct{ Message string }

func (e *ToolError) Error() string { return e.Message }

// frame is a line that the child writes. The first frame is a report. The last frame has a value, an error of the tool, or a fault. A fault means that the
// tool could not run.
type frame struct {
	Progress []byte          `json:"progress,omitempty"`
	Report   *Report         `json:"report,omitempty"`
	Value    json.RawMessage `json:"value,omitempty"`
	Error    *string         `json:"error,omitempty"`
	Fault    string          `json:"fault,omitempty"`
}

func (f frame) last() bool { return f.Value != nil || f.Error != nil || f.Fault != "" }
