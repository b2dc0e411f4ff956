//go:build linux

package process

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

const sayer = `package sayer

import (
	"context"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func Schema() sdk.ToolSchema {
	return sdk.ToolSchema{Name: "Say", Description: "says", Parameters: sdk.ToolParameters{
		Type: "object", Properties: map[string]sdk.ToolProperty{"n": {Type: "integer"}},
	}}
}

func Parallel() bool { return true }

func Execute(context.Context, sdk.Context, map[string]any) (string, error) { return strings.Repeat("word ", 800), nil }
`

// counter is a plugin that reports the size of its tool history once the history has the given number of calls.
const counter = `package counter

import (
	"context"
	"fmt"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func AfterToolExecution(_ context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	if len(c.ToolHistory) != %d {
		return sdk.Result{}, nil
	}
	size, short := 0, 0
	for _, call := range c.ToolHistory {
		size += len(call.ArgsJSON) + len(call.Result)
		if strings.HasSuffix(call.Result, "bytes left out]") {
			short++
		}
	}
	newest := c.ToolHistory[len(c.ToolHistory)-1]
	return sdk.Result{Notice: fmt.Sprintf("%%d KiB, %%d short, the newest %%d bytes, the oldest %%s %%s", size>>10, short, len(newest.Result), c.ToolHistory[0].Name, c.ToolHistory[0].ArgsJSON)}, nil
}
`

// TestManyCalls makes so many calls that their results exceed the memory of a plugin's process, which keeps only a part.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	const turns, calls = 20, 100
	p := harness.NewProject(t)
	p.Plugin("sayer", "description: says\n", sayer)
	p.Plugin("counter", "description: counts\n", fmt.Sprintf(counter, turns*calls))
	var script strings.Builder
	script.WriteString("model: {name: m, context_length: 1000000000, capabilities: [tools]}\nturns:\n")
	for turn := range turns {
		script.WriteString("  - tool_calls:\n")
		for n := range calls {
			fmt.Fprintf(&script, "    - {name: Say, arguments: {n: %d}}\n", turn*calls+n)
		}
	}
	script.WriteString("  - text: \"All done.\"\n")
	p.Write(".aura/config/talk.yaml", script.String())
	a := p.Start("run", "--json", "go")
	if code := a.Wait(); code != 0 {
		t.Fatalf("exit code %d\n%.2000s", code, p.Stderr())
	}
	p.Wants(p.Stdout(), `"plugin":"counter","text":"[0-9]{3} KiB, 1[0-9]{3} short, the newest 4000 bytes, the oldest Say \{\\"n\\":0\}"`)
	p.Wants(p.Stdout(), `All done\.`)
}
