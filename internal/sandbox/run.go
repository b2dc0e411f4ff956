package sandbox

import (
	"context"
	"encoding/json"
	"time"
)

// Argument is the hidden first argument by which the executable knows that it is the child of Run. It must call Main before it
// does anything else.
const Argument = "__sandbox"

// Call is what a confined child is to run. The sandbox passes it on as it is.
type Call struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
	// Options is what the tool needs to be made, Context what it is told about the conversation.
	Options json.RawMessage `json:"options,omitempty"`
	Context json.RawMessage `json:"context,omitempty"`
}

// Tool runs a call in the child. What it gives to progress reaches the parent at once. It may be called from several goroutines,
// as may progress.
type Tool func(ctx context.Context, call Call, progress func([]byte)) (json.RawMessage, error)

// Command is one call in a confined process of its own. Nothing is inherited from the caller but what is named here.
type Command struct {
	// Executable is the program that is started as the child; see Argument.
	Executable string
	// Dir is the working directory; see Grants.Dir.
	Dir string
	// Env is the whole environment, as KEY=value.
	Env    []string
	Policy Policy
	Call   Call
	// Timeout ends the child, with all it started; 0 means that only the context does.
	Timeout time.Duration
	// Progress receives what the tool reports while it runs, in order, from one goroutine; nil drops it.
	Progress func([]byte)
}

// Result is how a call ended.
type Result struct {
	// Value is what the tool returned.
	Value  json.RawMessage
	Report Report
}

// ToolError is an error of the tool itself, which ran to its end.
type ToolError struct{ Message string }

func (e *ToolError) Error() string { return e.Message }

// request is what the child reads first on its standard input, which stays open for as long as the parent lives.
type request struct {
	Call      Call      `json:"call"`
	Policy    Policy    `json:"policy"`
	Isolation Isolation `json:"isolation"`
}

// frame is a line from the child. The last one has a value, an error of the tool, or a fault, which kept the tool from running.
type frame struct {
	Progress []byte          `json:"progress,omitempty"`
	Report   *Report         `json:"report,omitempty"`
	Value    json.RawMessage `json:"value,omitempty"`
	Error    *string         `json:"error,omitempty"`
	Fault    string          `json:"fault,omitempty"`
}

func (f frame) last() bool { return f.Value != nil || f.Error != nil || f.Fault != "" }
