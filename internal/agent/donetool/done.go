// Package donetool implements the tool with which an agent reports that its work is finished. It is offered only while a
// conversation is in done mode. A successful call ends the interaction.
package donetool

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/idelchi/aura/internal/agent/tool"
)

// Name is the tool's name.
const Name = "Done"

const schema = `{"type":"object","properties":{"summary":{"type":"string","description":"what was done, in a few words"}},"additionalProperties":false}`

// Tool returns the tool.
func Tool() tool.Tool { return doneTool{} }

type doneTool struct{}

func (doneTool) Definition() tool.Definition {
	return tool.Definition{
		Name:        Name,
		Description: "Say that the work is finished. Call it once everything that was asked for is done, and not before.",
		Parameters:  json.RawMessage(schema),
		Source:      tool.SourceBuiltin,
	}
}

// Execute returns the summary. The conversation itself ends the interaction.
func (doneTool) Execute(_ context.Context, call tool.Call) (string, error) {
	summary, _ := call.Args["summary"].(string)
	return cmp.Or(summary, "Done."), nil
}
