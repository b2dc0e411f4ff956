package interp

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// TestToolsInLoops checks that the functions of tools that a loop makes see the variables of their own iteration.
func TestToolsInLoops(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"append literal": `for _, name := range []string{"Alpha", "Beta"} {
		out = append(out, sdk.Tool{Name: name, Execute: func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return name, nil }})
	}`,
		"paren": `for _, name := range []string{"Alpha", "Beta"} {
		out = append(out, sdk.Tool{Name: name, Execute: (func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return name, nil })})
	}`,
		"paren all": `for _, name := range []string{"Alpha", "Beta"} {
		out = append(out, (sdk.Tool{Name: name, Execute: func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return name, nil }}))
	}`,
		"iife": `for _, name := range []string{"Alpha", "Beta"} {
		out = append(out, func() sdk.Tool { return sdk.Tool{Name: name, Execute: func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return name, nil }}}())
	}`,
		"iife2": `for _, name := range []string{"Alpha", "Beta"} {
		out = append(out, sdk.Tool{Name: name, Execute: func() func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return name, nil }}()})
	}`,
		"named lit": `for _, name := range []string{"Alpha", "Beta"} {
		t := sdk.Tool{Name: name, Execute: func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return name, nil }}
		out = append(out, t)
	}`,
		"two lits": `for i := 0; i < 1; i++ {
		out = append(out, sdk.Tool{Name: "Alpha", Execute: func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return "Alpha", nil }}, sdk.Tool{Name: "Beta", Execute: func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return "Beta", nil }})
	}`,
		"elided": `for _, names := range [][]string{{"Alpha"}, {"Beta"}} {
		name := names[0]
		out = append(out, []sdk.Tool{{Name: name, Execute: func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return name, nil }}}...)
	}`,
		"pointer": `for _, name := range []string{"Alpha", "Beta"} {
		t := &sdk.Tool{Name: name, Execute: func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return name, nil }}
		out = append(out, *t)
	}`,
		"own var": `for _, name := range []string{"Alpha", "Beta"} {
		n := name
		out = append(out, sdk.Tool{Name: name, Execute: func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return n, nil }})
	}`,
		"named t": `for _, name := range []string{"Alpha", "Beta"} {
		t := sdk.Tool{Name: name}
		t.Execute = func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return name, nil }
		out = append(out, t)
	}`,
		"func var": `for _, name := range []string{"Alpha", "Beta"} {
		f := func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return name, nil }
		out = append(out, sdk.Tool{Name: name, Execute: f})
	}`,
		"helper": `for _, name := range []string{"Alpha", "Beta"} {
		out = append(out, mk(name))
	}`,
		"helper2": `out = append(out, mk("Alpha"), mk("Beta"))`,
		"list":    `out = []sdk.Tool{mk("Alpha"), mk("Beta")}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := mustLoad(t, exports+`
func mk(name string) sdk.Tool {
	return sdk.Tool{Name: name, Execute: func(ctx context.Context, c sdk.Context, args map[string]any) (string, error) { return name, nil }}
}
func Tools() []sdk.Tool {
	var out []sdk.Tool
	`+body+`
	return out
}
`)
			for _, n := range []string{"Alpha", "Beta"} {
				got, err := p.Execute(context.Background(), shared.ToolCall{Tool: n, Context: sdk.Context{}})
				if err != nil || got != n {
					t.Errorf("%s: got %q, %v", n, got, err)
				}
			}
		})
	}
}

const toolsHead = `
-- go.mod --
module my-plugin
-- main.go --
package my_plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idelchi/aura/sdk"
)

var _, _, _ = fmt.Sprint, errors.New, time.Second
`

const toolsSource = `
func tool(name string, f func(args map[string]any) string) sdk.Tool {
	return sdk.Tool{Name: name, Execute: func(_ context.Context, _ sdk.Context, args map[string]any) (string, error) { return f(args), nil }}
}
`

// TestTools checks what Tools and Commands export, and that calls reach the function of their name.
func TestTools(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, toolsHead+`
func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: "Old"} }

func Execute(context.Context, sdk.Context, map[string]any) (string, error) { return "old", nil }

func Tools() []sdk.Tool {
	return []sdk.Tool{
		{
			Name: "Deploy", Description: "Deploys", Usage: "u", Examples: "e", RequiresApproval: true, Sequential: true, Timeout: time.Second,
			SideEffects: []sdk.SideEffect{sdk.SideEffectNetwork},
			Parameters:  map[string]any{"type": "object", "properties": map[string]any{"to": map[string]any{"type": "string"}}},
			Execute:     deploy,
			Paths: func(args map[string]any) (sdk.ToolPaths, error) {
				return sdk.ToolPaths{Read: []string{fmt.Sprint(args["to"])}}, nil
			},
		},
		tool("Plain", func(args map[string]any) string { return fmt.Sprint("plain ", args) }),
	}
}

func deploy(_ context.Context, c sdk.Context, args map[string]any) (string, error) {
	return fmt.Sprint(c.Agent, " to ", args["to"]), nil
}

func Commands() []sdk.Command {
	return []sdk.Command{
		{CommandSchema: sdk.CommandSchema{Name: "one", Description: "first"}, Execute: one},
		{CommandSchema: sdk.CommandSchema{Name: "two", Silent: true}, Execute: func(context.Context, string, sdk.Context) (sdk.CommandResult, error) {
			return sdk.CommandResult{}, errors.New("two failed")
		}},
	}
}

func one(_ context.Context, args string, _ sdk.Context) (sdk.CommandResult, error) {
	return sdk.CommandResult{Output: "one" + args}, nil
}
`+toolsSource)
	old := shared.ToolExport{Schema: sdk.ToolSchema{Name: "Old", Parameters: sdk.ToolParameters{Type: "object"}}, Sandboxable: true, Parallel: true, Available: true}
	deploy := shared.ToolExport{
		Schema:     sdk.ToolSchema{Name: "Deploy", Description: "Deploys", Usage: "u", Examples: "e"},
		Parameters: []byte(`{"properties":{"to":{"type":"string"}},"type":"object"}`), SideEffects: []sdk.SideEffect{sdk.SideEffectNetwork},
		RequiresApproval: true, Timeout: time.Second, Sandboxable: true, Available: true, HasPaths: true,
	}
	plain := shared.ToolExport{
		Schema: sdk.ToolSchema{Name: "Plain"}, Parameters: []byte(`{"additionalProperties":false,"properties":{},"type":"object"}`),
		Sandboxable: true, Parallel: true, Available: true,
	}
	if got, want := p.exports.Tools, []shared.ToolExport{old, deploy, plain}; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got, want := p.exports.Commands, []sdk.CommandSchema{{Name: "one", Description: "first"}, {Name: "two", Silent: true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	for name, want := range map[string]string{"Old": "old", "Deploy": "a to x", "Plain": "plain map[to:x]"} {
		got, err := p.Execute(t.Context(), shared.ToolCall{Tool: name, Context: sdk.Context{Agent: "a"}, Args: map[string]any{"to": "x"}})
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	paths, err := p.Paths(t.Context(), shared.PathsCall{Tool: "Deploy", Args: map[string]any{"to": "/x"}})
	if err != nil || !reflect.DeepEqual(paths, sdk.ToolPaths{Read: []string{"/x"}}) {
		t.Errorf("Paths: got %+v, %v", paths, err)
	}
	if got, err := p.Command(t.Context(), shared.CommandCall{Name: "one", Args: " x"}); err != nil || got.Output != "one x" {
		t.Errorf("one: got %q, %v", got.Output, err)
	}
	_, err = p.Command(t.Context(), shared.CommandCall{Name: "two"})
	wantFailure(t, err, shared.FailureError, "two failed")
	_, err = p.Execute(t.Context(), shared.ToolCall{Tool: "Other"})
	wantFailure(t, err, shared.FailureUnsupported, "the plugin does not export Execute")
}

// TestBadTools checks what Tools and Commands must not return.
func TestBadTools(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"no name":           {`return []sdk.Tool{{Description: "d"}}`, `my_plugin.Tools returned a tool without a Name`},
		"no function":       {`return []sdk.Tool{{Name: "X"}}`, `my_plugin.Tools returned the tool "X" without Execute`},
		"negative timeout":  {`x := tool("X", nil); x.Timeout = -time.Second; return []sdk.Tool{x}`, `my_plugin.Tools returned the tool "X" with the Timeout -1s, want one above 0`},
		"no schema":         {`x := tool("X", nil); x.Parameters = map[string]any{"f": func() {}}; return []sdk.Tool{x}`, `my_plugin.Tools returned the tool "X" with Parameters that are not a JSON schema: json: unsupported type: func()`},
		"twice":             {`return []sdk.Tool{tool("X", nil), tool("X", nil)}`, `package my_plugin exports two tools of the name "X"`},
		"panic":             {`panic("boom")`, `calling my_plugin.Tools: panic: boom (in my-plugin.Tools, main.go:20)`},
		"command, no name":  {`return nil }; func Commands() []sdk.Command { return []sdk.Command{{Execute: cmd}}`, `my_plugin.Commands returned the Name "", want one word without a slash`},
		"command, no func":  {`return nil }; func Commands() []sdk.Command { return []sdk.Command{{CommandSchema: sdk.CommandSchema{Name: "x"}}}`, `my_plugin.Commands returned the command "x" without Execute`},
		"commands the same": {`return nil }; func Commands() []sdk.Command { x := sdk.Command{CommandSchema: sdk.CommandSchema{Name: "x"}, Execute: cmd}; return []sdk.Command{x, x}`, `package my_plugin exports two commands of the name "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, toolsHead+toolsSource+`
func cmd(context.Context, string, sdk.Context) (sdk.CommandResult, error) { return sdk.CommandResult{}, nil }

func Tools() []sdk.Tool { `+tt.body+` }
`)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}
