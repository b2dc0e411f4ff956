package setup

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/agent/tool"
)

// unreading is the tool Bash where commands may only read and nothing enforces that.
type unreading struct {
	tool.Tool
	// why says why nothing enforces it.
	why string
}

// Unwrap returns the tool itself.
func (t unreading) Unwrap() tool.Tool { return t.Tool }

// Execute refuses the call.
func (t unreading) Execute(context.Context, tool.Call) (string, error) {
	return "", tool.Refused(tool.BySandbox, "", fmt.Errorf("commands may only read here (tools.bash.read_only), and nothing enforces that: %s", t.why))
}
