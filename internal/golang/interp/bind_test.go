package interp

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// exports is the beginning of a plugin, with the imports that exported functions need. Declarations follow from line 12 on.
const exports = `
-- go.mod --
module my-plugin
-- main.go --
package my_plugin

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

var _ = fmt.Sprint
var _ context.Context
var _ sdk.Context
`

const (
	schema  = "func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: \"T\"} }\n"
	execute = "func Execute(ctx context.Context, sc sdk.Context, args map[string]any) (string, error) { return fmt.Sprint(sc.Agent, args), nil }\n"
	command = "func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: \"greet\", Hints: []string{\"who\"}, Forward: true} }\n"
	run     = "func ExecuteCommand(ctx context.Context, args string, sc sdk.Context) (sdk.CommandResult, error) { return sdk.CommandResult{Output: sc.Agent + args}, nil }\n"
)

func TestHooks(t *testing.T) {
	t.Parallel()
	// The functions are generated from the table, so that a new row is covered automatically.
	var src strings.Builder
	src.WriteString(exports)
	for _, point := range hookpoint.All() {
		result := point.Result.String()
		src.WriteString("func " + string(point.Name) + "(ctx context.Context, c " + point.Context.String() + ") (" + result + ", error) {\n" +
			"\tvar r " + result + "\n\treturn r, fmt.Errorf(\"%s in %s\", \"" + string(point.Name) + "\", c.Agent)\n}\n")
	}
	p := mustLoad(t, src.String())
	if len(p.exports.Hooks) != len(hookpoint.All()) {
		t.Errorf("got the hooks %v", p.exports.Hooks)
	}
	for i, point := range hookpoint.All() {
		if p.exports.Hooks[i] != point.Name {
			t.Errorf("hook %d is %s, want %s", i, p.exports.Hooks[i], point.Name)
		}
		in := reflect.New(point.Context).Elem()
		in.FieldByName("Context").Set(reflect.ValueOf(sdk.Context{Agent: "plan"}))
		_, err := p.Hook(context.Background(), shared.HookCall{Point: point.Name, Context: in.Interface()})
		wantFailure(t, err, shared.FailureError, string(point.Name)+" in plan")
	}
}

func TestHookResult(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, exports+`
func AfterToolExecution(ctx context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	empty := ""
	return sdk.Result{Output: &empty, Role: sdk.RoleUser}, nil
}

func TransformMessages(ctx context.Context, c sdk.TransformContext) ([]sdk.Message, error) {
	return append(c.Messages, sdk.Message{ID: "new", Tokens: len(c.Messages)}), nil
}

func BeforeToolExecution(ctx context.Context, c sdk.BeforeToolContext) (sdk.BeforeToolResult, error) {
	c.Arguments["n"] = c.Arguments["n"].(int) + 1
	return sdk.BeforeToolResult{Arguments: c.Arguments, Block: true, Result: sdk.Result{Message: c.ToolName}}, nil
}
`)
	empty := ""
	for point, tt := range map[hookpoint.Name]struct{ in, want any }{
		hookpoint.AfterToolExecution: {sdk.AfterToolContext{}, sdk.Result{Output: &empty, Role: sdk.RoleUser}},
		hookpoint.TransformMessages: {
			sdk.TransformContext{Messages: []sdk.Message{{ID: "m0001"}}},
			[]sdk.Message{{ID: "m0001"}, {ID: "new", Tokens: 1}},
		},
		hookpoint.BeforeToolExecution: {
			sdk.BeforeToolContext{ToolName: "Bash", Arguments: map[string]any{"n": 1}},
			sdk.BeforeToolResult{Arguments: map[string]any{"n": 2}, Block: true, Result: sdk.Result{Message: "Bash"}},
		},
	} {
		got, err := p.Hook(context.Background(), shared.HookCall{Point: point, Context: tt.in})
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, %v\nwant %+v", point, got, err, tt.want)
		}
	}
	_, err := p.Hook(context.Background(), shared.HookCall{Point: "OnError", Context: sdk.OnErrorContext{}})
	wantFailure(t, err, shared.FailureUnsupported, "the plugin does not export OnError")
}

func TestTool(t *testing.T) {
	t.Parallel()
	object := sdk.ToolSchema{Name: "T", Parameters: sdk.ToolParameters{Type: "object"}}
	for name, tt := range map[string]struct {
		source   string
		want     shared.ToolExport
		warnings []string
	}{
		"defaults": {
			source: schema + execute,
			want:   shared.ToolExport{Schema: object, Sandboxable: true, Parallel: true, Available: true},
		},
		"all functions": {
			source: `
func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: home, Parameters: sdk.ToolParameters{Type: "object"}} }
` + execute + `
var home string

func Init(cfg sdk.ToolConfig) { home = cfg.HomeDir }
func Sandboxable() bool { return false }
func Parallel() bool { return false }
func Available() bool { return home == "" }
func Paths(args map[string]any) (sdk.ToolPaths, error) { return sdk.ToolPaths{Read: []string{fmt.Sprint(args["p"])}}, nil }
`,
			want: shared.ToolExport{
				Schema:   sdk.ToolSchema{Name: "/home/me", Parameters: sdk.ToolParameters{Type: "object"}},
				HasPaths: true, HasAvailable: true,
			},
		},
		"optional functions of wrong types": {
			source: schema + execute + `
func Init() {}
func Sandboxable() int { return 0 }
func Parallel(b bool) bool { return false }
func Paths(args map[string]any) sdk.ToolPaths { return sdk.ToolPaths{} }

const Available = false
`,
			want: shared.ToolExport{Schema: object, Sandboxable: true, Parallel: true, Available: true},
			warnings: []string{
				"my_plugin.Init has the signature func(), want func(sdk.ToolConfig): it is not called",
				"my_plugin.Paths has the signature func(map[string]interface {}) sdk.ToolPaths, want func(map[string]interface {}) (sdk.ToolPaths, error): no paths are declared",
				"my_plugin.Available is not a function, want func() bool: the default, true, is used",
				"my_plugin.Sandboxable has the signature func() int, want func() bool: the default, true, is used",
				"my_plugin.Parallel has the signature func(bool) bool, want func() bool: the default, true, is used",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := output(t)
			p, err := Load(Options{Dir: unpack(t, exports+tt.source), Stdout: out, Stderr: out, Tool: sdk.ToolConfig{HomeDir: "/home/me"}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Load(context.Background())
			if err != nil || !reflect.DeepEqual(got.Tools[0], tt.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got.Tools[0], err, tt.want)
			}
			if !reflect.DeepEqual(got.Warnings, tt.warnings) {
				t.Errorf("got the warnings\n%s\nwant\n%s", strings.Join(got.Warnings, "\n"), strings.Join(tt.warnings, "\n"))
			}
			if got.Module != "my-plugin" || got.Package != "my_plugin" || len(got.Hooks) != 0 || got.Commands != nil {
				t.Errorf("got %+v", got)
			}
			text, err := p.Execute(context.Background(), shared.ToolCall{Tool: toolOf(p), Context: sdk.Context{Agent: "a"}, Args: map[string]any{"x": 1}})
			if err != nil || text != "amap[x:1]" {
				t.Errorf("Execute: got %q, %v", text, err)
			}
			if _, err := p.Execute(context.Background(), shared.ToolCall{Tool: toolOf(p)}); err != nil {
				t.Errorf("Execute without arguments: %v", err)
			}
			paths, err := p.Paths(context.Background(), shared.PathsCall{Tool: toolOf(p), Args: map[string]any{"p": "/x"}})
			if tt.want.HasPaths && (err != nil || !reflect.DeepEqual(paths, sdk.ToolPaths{Read: []string{"/x"}})) {
				t.Errorf("Paths: got %+v, %v", paths, err)
			}
			if !tt.want.HasPaths {
				wantFailure(t, err, shared.FailureUnsupported, "the plugin does not export Paths")
			}
		})
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, exports+command+run)
	want := []sdk.CommandSchema{{Name: "greet", Hints: []string{"who"}, Forward: true}}
	if !reflect.DeepEqual(p.exports.Commands, want) {
		t.Errorf("got %+v", p.exports.Commands)
	}
	got, err := p.Command(context.Background(), shared.CommandCall{Name: commandOf(p), Context: sdk.Context{Agent: "a"}, Args: " b c"})
	if err != nil || got.Output != "a b c" {
		t.Errorf("got %q, %v", got.Output, err)
	}
	_, err = p.Execute(context.Background(), shared.ToolCall{Tool: toolOf(p)})
	wantFailure(t, err, shared.FailureUnsupported, "the plugin does not export Execute")
}

// TestRejectExports loads plugins with exports that cannot be bound.
func TestRejectExports(t *testing.T) {
	t.Parallel()
	const beforeChat = "want func(context.Context, sdk.BeforeChatContext) (sdk.Result, error)"
	for name, tt := range map[string]struct{ source, want string }{
		"a hook with another context": {
			"func BeforeChat(ctx context.Context, c sdk.OnErrorContext) (sdk.Result, error) { return sdk.Result{}, nil }",
			"my_plugin.BeforeChat has the signature func(context.Context, sdk.OnErrorContext) (sdk.Result, error), " + beforeChat,
		},
		"a hook without error": {
			"func BeforeChat(ctx context.Context, c sdk.BeforeChatContext) sdk.Result { return sdk.Result{} }",
			"my_plugin.BeforeChat has the signature func(context.Context, sdk.BeforeChatContext) sdk.Result, " + beforeChat,
		},
		"a hook that is a variable": {"var BeforeChat = 3", "my_plugin.BeforeChat is not a function, " + beforeChat},
		"a hook that is a constant": {"const BeforeChat = \"x\"", "my_plugin.BeforeChat is not a function, " + beforeChat},
		"a hook that is generic":    {"func BeforeChat[T any](T) {}", "my_plugin.BeforeChat is generic, " + beforeChat},
		"a hook that is a type":     {"type BeforeChat struct{}", "my_plugin.BeforeChat is not a function, " + beforeChat},
		"a hook that is nil": {
			"var BeforeChat func(context.Context, sdk.BeforeChatContext) (sdk.Result, error)",
			"my_plugin.BeforeChat is a nil function, want a func(context.Context, sdk.BeforeChatContext) (sdk.Result, error)",
		},
		"Schema alone":         {schema, "package my_plugin exports Schema without Execute, which must be a func(context.Context, sdk.Context, map[string]interface {}) (string, error)"},
		"Execute alone":        {execute, "package my_plugin exports Execute without Schema, which must be a func() sdk.ToolSchema"},
		"Command alone":        {command, "package my_plugin exports Command without ExecuteCommand, which must be a func(context.Context, string, sdk.Context) (sdk.CommandResult, error)"},
		"ExecuteCommand alone": {run, "package my_plugin exports ExecuteCommand without Command, which must be a func() sdk.CommandSchema"},
		"Schema of another type": {
			"func Schema() string { return \"\" }\n" + execute,
			"my_plugin.Schema has the signature func() string, want func() sdk.ToolSchema",
		},
		"Execute of another type": {
			schema + "func Execute(args map[string]any) (string, error) { return \"\", nil }",
			"my_plugin.Execute has the signature func(map[string]interface {}) (string, error), want func(context.Context, sdk.Context, map[string]interface {}) (string, error)",
		},
		"ExecuteCommand of another type": {
			command + "func ExecuteCommand(args string) {}",
			"my_plugin.ExecuteCommand has the signature func(string), want func(context.Context, string, sdk.Context) (sdk.CommandResult, error)",
		},
		"a tool without a name": {
			"func Schema() sdk.ToolSchema { return sdk.ToolSchema{} }\n" + execute,
			"my_plugin.Schema returned a tool without a Name",
		},
		"parameters that are no object": {
			"func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: \"T\", Parameters: sdk.ToolParameters{Type: \"array\"}} }\n" + execute,
			"my_plugin.Schema returned Parameters of Type \"array\", want \"object\"",
		},
		"a command without a name": {
			"func Command() sdk.CommandSchema { return sdk.CommandSchema{} }\n" + run,
			"my_plugin.Command returned the Name \"\", want one word without a slash",
		},
		"a command with a slash": {
			"func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: \"/greet\"} }\n" + run,
			"my_plugin.Command returned the Name \"/greet\", want one word without a slash",
		},
		"a command of two words": {
			"func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: \"greet me\"} }\n" + run,
			"my_plugin.Command returned the Name \"greet me\", want one word without a slash",
		},
		"Init panics": {
			schema + execute + "func Init(cfg sdk.ToolConfig) {\n\tpanic(\"no luck\")\n}",
			"calling my_plugin.Init: panic: no luck (in my-plugin.Init, main.go:16)",
		},
		"Schema panics": {
			"func Schema() sdk.ToolSchema { panic(fmt.Errorf(\"no %s\", \"luck\")) }\n" + execute,
			"calling my_plugin.Schema: panic: no luck (in my-plugin.Schema, main.go:13)",
		},
		"Available panics": {
			schema + execute + "func Available() bool { panic(1) }",
			"calling my_plugin.Available: panic: 1 (in my-plugin.Available, main.go:15)",
		},
		"Command panics": {
			"func Command() sdk.CommandSchema { panic(nil) }\n" + run,
			"calling my_plugin.Command: panic: panic called with nil argument (in my-plugin.Command, main.go:13)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, exports+tt.source)
			if err == nil {
				t.Fatal("it loaded")
			}
			if err.Error() != tt.want {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
		})
	}
}

// TestInitFirst checks the order Init, Available, Schema.
func TestInitFirst(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, exports+execute+`
var order string

func Init(cfg sdk.ToolConfig) { order += "I" }
func Available() bool { order += "A"; return true }
func Schema() sdk.ToolSchema { order += "S"; return sdk.ToolSchema{Name: order} }
`)
	if got := p.exports.Tools[0].Schema.Name; got != "IAS" {
		t.Errorf("got the order %s", got)
	}
}

// TestOtherExports checks that exports that are unknown to aura are harmless.
func TestOtherExports(t *testing.T) {
	t.Parallel()
	p, err := load(t, exports+schema+execute+`
type Number interface{ ~int | ~float64 }

func Max[T Number](a, b T) T { if a > b { return a }; return b }

type List[T any] struct{ items []T }

type Iface interface{ M() }

var Nil Iface

var ErrX = fmt.Errorf("x")

type S struct{ Iface }

func (s *S) M() {}

const Big = 1 << 40

func Variadic(a ...any) {}
`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Execute(context.Background(), shared.ToolCall{Tool: toolOf(p)}); err != nil {
		t.Error(err)
	}
	if _, err := as[int]("text", nil); err == nil {
		t.Error("a string was taken for an int")
	}
	if _, err := as[string](nil, errors.New("x")); err.Error() != "x" {
		t.Error(err)
	}
}

// TestLaterHooks checks that a plugin that is older than a hook point still loads if it has a function of the same name.
func TestLaterHooks(t *testing.T) {
	t.Parallel()
	p, err := load(t, exports+schema+execute+"func UserMessage(text string) string { return text }\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"my_plugin.UserMessage has the signature func(string) string, want func(context.Context, sdk.UserMessageContext) (sdk.UserMessageResult, error): it is not called"}
	if len(p.exports.Hooks) != 0 || !reflect.DeepEqual(p.exports.Warnings, want) {
		t.Errorf("got the hooks %v and the warnings %q", p.exports.Hooks, p.exports.Warnings)
	}
}

func TestSystemPrompt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ source, want, warning, fails string }{
		"alone":        {source: "func SystemPrompt() string { return \"Be kind.\" }\n", want: "Be kind."},
		"after Init":   {source: schema + execute + "var home string\n\nfunc Init(cfg sdk.ToolConfig) { home = \"set\" }\nfunc SystemPrompt() string { return home }\n", want: "set"},
		"another type": {source: schema + execute + "func SystemPrompt(n int) string { return \"\" }\n", warning: "want func() string: it is not called"},
		"panics":       {source: "func SystemPrompt() string { panic(\"no luck\") }\n", fails: "calling my_plugin.SystemPrompt: panic: no luck (in my-plugin.SystemPrompt, main.go:13)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := load(t, exports+tt.source)
			if tt.fails != "" {
				if err == nil || err.Error() != tt.fails {
					t.Errorf("got %v, want %s", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if p.exports.SystemPrompt != tt.want || (len(p.exports.Warnings) > 0) != (tt.warning != "") || !strings.Contains(strings.Join(p.exports.Warnings, ""), tt.warning) {
				t.Errorf("got %q and the warnings %q", p.exports.SystemPrompt, p.exports.Warnings)
			}
		})
	}
}

// toolOf returns the name of the plugin's first tool, or "".
func toolOf(p *Plugin) string {
	if len(p.exports.Tools) == 0 {
		return ""
	}
	return p.exports.Tools[0].Schema.Name
}

// commandOf returns the name of the plugin's first command, or "".
func commandOf(p *Plugin) string {
	if len(p.exports.Commands) == 0 {
		return ""
	}
	return p.exports.Commands[0].Name
}
