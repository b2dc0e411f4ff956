// Package tool holds what a model can call: the Tool interface, the registry that resolves name conflicts, argument
// validation, and (in the folder below) the built-in tools.
package tool

import (
	"context"
	"encoding/json"

	"github.com/idelchi/aura/sdk"
)

// Source says where a tool comes from.
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
	// Origin names the plugin or the MCP server behind the tool; empty for built-in ones.
	Origin string
	// Parallel tools may run beside others.
	Parallel bool
	// OptIn tools are hidden unless a filter names them.
	OptIn bool
	// Override lets the tool take the place of another of the same name.
	Override bool
}

// Call is one execution.
type Call struct {
	Args map[string]any
	// Context is the state of the conversation at this moment.
	Context sdk.Context
	// Paths are the files that the call will touch, absolute, if whoever runs it has asked a Pather already; nil if not.
	Paths *sdk.ToolPaths
	// Progress, if not nil, is given the output as it comes, as valid UTF-8. It is called by one goroutine at a time and never
	// after Execute has returned.
	Progress func(text string)
	// Changed, if not nil, is given what the call changed in files, as a unified diff, before Execute returns. It is for the user.
	Changed func(diff string)
	// Wrote, if not nil, is given the files that the call has changed, before Execute returns.
	Wrote func(w Written)
	// Settle, if not nil, is Written.Settle for those who see a call that ran.
	Settle func(by string, quiet bool)
}

// Written is the files that a call has changed and that the model knows. Whoever sees the call afterwards may change them again, as
// a formatter does.
type Written interface {
	// Settle looks at the files again. What has changed since the last look counts as seen if it was changed by somebody, such as
	// "hook fmt", and as unseen if by is empty. Quiet keeps the change out of the note.
	Settle(by string, quiet bool)
	// Note is one line for the model about who has changed what; empty if nobody has.
	Note() string
}

// Tool is something a model can call. Execute may be called from several goroutines.
type Tool interface {
	Definition() Definition
	// Execute returns the text for the model. An error is shown to the model after the text. Once ctx is done, Execute ends what
	// it started and returns.
	Execute(ctx context.Context, call Call) (string, error)
}

// Pather is a Tool that can say which files a call will touch. Paths may be called from several goroutines. Use As to find
// out whether a tool is one.
type Pather interface {
	Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error)
}
