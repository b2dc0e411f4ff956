// Package tool defines the tools that a model can call: the Tool interface, the registry that resolves name conflicts, and the
// validation of arguments. The built-in tools are in the package below.
package tool

import (
	"context"
	"encoding/json"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/sdk"
)

// Source is the kind of a tool's origin.
type Source string

// The sources of a tool.
const (
	SourceBuiltin Source = "built-in"
	SourcePlugin  Source = "plugin"
	SourceMCP     Source = "MCP"
)

// Definition describes a tool. It is a value and does not change while the tool is registered.
type Definition struct {
	Name        string
	Description string
	Usage       string
	Examples    string
	// Parameters is a JSON schema of type object.
	Parameters json.RawMessage
	Source     Source
	// Origin is the name of the plugin or the MCP server of the tool. It is empty for built-in tools.
	Origin string
	// Parallel tools may run concurrently with other tools.
	Parallel bool
	// AtOnce is how many calls of a parallel tool may run at the same time. If it is 0, the limit of all calls applies.
	AtOnce int
	// OptIn tools are hidden unless a filter names them.
	OptIn bool
	// Override lets the tool replace another tool of the same name.
	Override bool
	// SideEffects is what the tool does beside returning a text, as its author says; empty if unknown.
	SideEffects []sdk.SideEffect
	// RequiresApproval makes the policy ask the user before each call, unless a rule of auto names the tool.
	RequiresApproval bool
}

// Call is one execution of a tool.
type Call struct {
	Args map[string]any
	// Context is the current state of the conversation.
	Context sdk.Context
	// Paths holds the absolute paths of the files that the call will touch. It is nil if the caller has not asked a Pather.
	Paths *sdk.ToolPaths
	// Progress, if not nil, receives the output as it is produced, as valid UTF-8. It is never called concurrently, and never
	// after Execute has returned.
	Progress func(text string)
	// Status, if not nil, receives a line that says how far the call is, under the rules of Progress. It is no output of the tool.
	Status func(text string)
	// Step, if not nil, receives a line about each step of the tool's work, such as a tool call of another agent, under the rules of Progress.
	Step func(text string)
	// Attach, if not nil, receives a media file that belongs to the result, before Execute returns. It returns the name under which the
	// model gets the file, which no other file of the turn has, or why the model does not get it; the text of the result then describes it.
	Attach func(name string, data []byte) (shownAs string, err error)
	// Changed, if not nil, receives a unified diff of the call's file changes before Execute returns. The diff is for the user.
	Changed func(diff string)
	// Wrote, if not nil, receives the files that the call has changed before Execute returns.
	Wrote func(w Written)
	// WrotePaths, if not nil, receives the absolute paths of the files that the call has written before Execute returns, if it succeeded.
	WrotePaths func(paths []string)
	// Named is set if the user, and nobody else, named the file that the call reads. The sandbox then lets the call read the file
	// even if its policy does not.
	Named bool
	// Ask, if not nil, makes a call of the conversation's model, which is charged to the conversation. Model of the request is ignored.
	Ask func(ctx context.Context, request llm.Request) (llm.Response, error)
	// Sandbox is what the user granted to the call beyond the policy of its sandbox.
	Sandbox Sandbox
	// File, if not nil, receives a media file that a tool reads, before Execute returns, in the place of Attach. If the file is too large, it
	// receives the file without its content, and Execute fails. Use Give to pass on a file.
	File func(f File)
	// AttributeChanges, if not nil, is Written.AttributeChanges, for code that handles a call that has run.
	AttributeChanges func(by string, quiet bool)
	// ChangeArgs, if not nil, replaces the arguments of a call that has not run, if they match the tool's schema. Halt, if not nil, ends the
	// agent's work after the call. Both are for code that checks calls.
	ChangeArgs func(args map[string]any) error
	Halt       func()
}

// Sandbox is what a call may do beyond the policy of its sandbox, and who learns what the sandbox refuses. The zero value grants nothing.
type Sandbox struct {
	// Read and Write list paths without links that the call may read, or read and write.
	Read, Write []string
	// Create is a file of Write that is created for the call if it does not exist; empty for none.
	Create string
	// Outside lets the call run without the sandbox.
	Outside bool
	// Refused, if not nil, receives each refusal of a path, before Execute returns. Leave, if not nil, ends the run of the call, because the
	// user lets it run without the sandbox instead.
	Refused func(error)
	Leave   func()
	// Unattended is set if nobody waits for the call, so that the user is not asked to grant anything.
	Unattended bool
}

// File is a media file that a tool has read.
type File struct {
	// Name is what the call named: a path or a URL.
	Name string `json:"name,omitempty"`
	// Type is the media type.
	Type string `json:"type"`
	// Data is nil if the file is too large.
	Data []byte `json:"data,omitempty"`
}

// Written holds the files that a call has changed and whose content the model knows. They may be changed again after the call,
// for example by a formatter.
type Written interface {
	// AttributeChanges checks the files for changes since the last check. If by names who changed them, such as "hook fmt", the changes
	// count as seen. If by is empty, they count as unseen. If quiet is set, the changes are not part of the note.
	AttributeChanges(by string, quiet bool)
	// ChangeNote returns one line for the model that says who changed which files. It is empty if there were no changes.
	ChangeNote() string
}

// Tool is a tool that a model can call. Execute must be safe for concurrent use.
type Tool interface {
	Definition() Definition
	// Execute returns the text for the model. An error is shown to the model after the text. When ctx is done, Execute must
	// stop everything that it started and return.
	Execute(ctx context.Context, call Call) (string, error)
}

// Previewer is a Tool that can report what a call would change in files, without changing anything. Use As to test whether a tool
// is a Previewer.
type Previewer interface {
	// Preview returns a unified diff of all changes. It is empty if the call would fail, or if its changes are not known or too
	// long for a diff.
	Preview(args map[string]any) string
}

// Pather is a Tool that can report which files a call will touch. Paths must be safe for concurrent use. Use As to test whether
// a tool is a Pather.
type Pather interface {
	Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error)
}
