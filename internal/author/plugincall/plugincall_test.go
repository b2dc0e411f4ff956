package plugincall_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/lab/testhost"
	"github.com/idelchi/aura/internal/settings/config"
)

// TestMain runs the tests with aura-plugin-host beside the test executable, where aura looks for it first.
func TestMain(m *testing.M) { os.Exit(testhost.Run(m)) }

// echo has every kind of point, and answers with what it received.
const echo = `package echo

import (
	"context"
	"errors"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

var calls int

func BeforeChat(ctx context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	calls++
	return sdk.Result{Message: fmt.Sprintf("call %d, iteration %d, limit %v, %d turns", calls, c.Iteration, c.PluginConfig["limit"], len(c.Turns))}, nil
}

func OnError(ctx context.Context, c sdk.OnErrorContext) (sdk.Result, error) {
	return sdk.Result{}, errors.New("no answer to " + c.Error)
}

func TransformMessages(ctx context.Context, c sdk.TransformContext) ([]sdk.Message, error) {
	return append(c.Messages, sdk.Message{Role: "user", Content: "more"}), nil
}

func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: "Echo", Description: "Echoes."} }

func Paths(args map[string]any) (sdk.ToolPaths, error) {
	return sdk.ToolPaths{Read: []string{fmt.Sprint(args["path"])}}, nil
}

func Execute(ctx context.Context, c sdk.Context, args map[string]any) (string, error) {
	return fmt.Sprintf("%T %T", args["whole"], args["part"]), nil
}

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "echo"} }

func ExecuteCommand(ctx context.Context, args string, c sdk.Context) (sdk.CommandResult, error) {
	return sdk.CommandResult{Output: args + " in " + c.Mode}, nil
}
`

// open returns the plugin echo with a manifest, and the directory that holds aura's state.
func open(t *testing.T, manifest string, change func(*plugincall.Options)) (*plugincall.Plugin, string) {
	t.Helper()
	dir, state := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"plugin.yaml": "description: echoes\n" + manifest, "main.go": echo,
		"go.mod": "module echo\n\ngo 1.25\n\nrequire github.com/idelchi/aura/sdk v0.1.1\n",
	} {
		path := filepath.Join(dir, ".aura/plugins/echo", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	none := ""
	c, err := config.Load(config.Options{Workdir: dir, Home: &none, Environ: append([]string{"XDG_STATE_HOME=" + state}, os.Environ()...)})
	if err != nil {
		t.Fatal(err)
	}
	o := plugincall.Options{Config: c, Features: c.Features}
	if change != nil {
		change(&o)
	}
	caller, err := plugincall.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := caller.Close(); err != nil {
			t.Error(err)
		}
	})
	p, err := caller.Open(t.Context(), "echo")
	if err != nil {
		t.Fatal(err)
	}
	return p, state
}

// call makes one call and returns its output, or its error.
func call(t *testing.T, p *plugincall.Plugin, point, input string) string {
	t.Helper()
	at, err := plugincall.ParsePoint(point)
	if err != nil {
		return err.Error()
	}
	out, err := p.Call(t.Context(), at, []byte(input))
	switch {
	case err != nil:
		return err.Error()
	case out.Err != nil:
		return out.Err.Error()
	case !out.Called:
		return "not called"
	default:
		return string(out.Output)
	}
}

func TestCheckArguments(t *testing.T) {
	t.Parallel()
	p, _ := open(t, "", nil)
	for _, tt := range []struct{ rule, point, input, want string }{
		{"what the schema allows", "tool:Echo", `{"Args":{}}`, ""},
		{"no arguments", "tool:Echo", `{}`, ""},
		{"arguments without Args", "tool:Echo", `{"whole":true}`, `it has no field "whole"; its fields are Context, Args`},
		{"an unknown argument", "tool:Echo", `{"Args":{"whole":1}}`, `reading the input of tool:Echo: Args: `},
		{"a hook has no schema", "BeforeChat", `{"Iteration":1}`, ""},
		{"no JSON", "tool:Echo", `{`, "reading the input of tool:Echo"},
	} {
		at, err := plugincall.ParsePoint(tt.point)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.CheckArguments(at, []byte(tt.input)); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v", tt.rule, err)
		}
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	p, _ := open(t, "config: {limit: 3}\n", nil)
	for _, tt := range []struct{ rule, point, input, want string }{
		{"the configuration is the plugin's", "BeforeChat", `{"Iteration":2}`, `"Message":"call 1, iteration 2, limit 3, 0 turns"`},
		{"the child keeps its state; an input may have another configuration", "BeforeChat", `{"Context":{"PluginConfig":{"limit":4},"Turns":[{"Role":"user"}]}}`, `"call 2, iteration 0, limit 4, 1 turns"`},
		{"a hook may return an error", "OnError", `{"Error":"x"}`, `plugin "echo": OnError: no answer to x`},
		{"a hook may return a list", "TransformMessages", `{"Messages":[{"Role":"system"}]}`, `"Content":"more"`},
		{"numbers keep their types", "tool:Echo", `{"Args":{"whole":1,"part":1.0}}`, `"int float64"`},
		{"a command", "command:echo", `{"Args":"hello","Context":{"Mode":"plan"}}`, `{"Output":"hello in plan"}`},
		{"a command with a slash", "command:/echo", `{}`, `{"Output":" in "}`},
		{"paths", "paths:Echo", `{"Args":{"path":"a.txt"}}`, `"Read":["a.txt"]`},
		{"an event without a handler", "event:made", `{"Payload":1}`, ``},
		{"a hook that the plugin does not have", "AfterResponse", `{}`, `it does not export that; it exports: BeforeChat, OnError, TransformMessages, tool:Echo, command:echo`},
		{"a tool that the plugin does not have", "tool:Other", `{}`, `calling tool:Other of plugin "echo": it does not export that`},
		{"no point", "BeforeChatt", `{}`, `there is no such hook; write a hook's name, tool:NAME or command:NAME; did you mean "BeforeChat"?`},
		{"an unknown kind", "file:x", `{}`, `write a hook's name, tool:NAME or command:NAME`},
		{"an unknown field", "BeforeChat", `{"Iterations":2}`, `has no field "Iterations"`},
		{"a wrong type", "BeforeChat", `{"Iteration":"2"}`, `reading the input of BeforeChat: Iteration: got a string, want a int`},
		{"no JSON", "BeforeChat", "{\n\"Iteration\": 2,\n}", `line 3: invalid character '}'`},
		{"no object", "BeforeChat", `[]`, `cannot unmarshal array`},
		{"null", "BeforeChat", `null`, `null is no JSON object`},
		{"two objects", "BeforeChat", `{} {}`, `text after the JSON object`},
	} {
		if got := call(t, p, tt.point, tt.input); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.rule, got, tt.want)
		}
	}
}

// TestConditions checks that conditions and once apply only if they are asked for.
func TestConditions(t *testing.T) {
	t.Parallel()
	const manifest = "condition: auto\nonce: true\n"
	p, _ := open(t, manifest, func(o *plugincall.Options) { o.Conditions = true })
	for _, tt := range []struct{ rule, input, want string }{
		{"the condition is false", `{}`, "not called"},
		{"the condition is true", `{"Auto":true}`, "call 1"},
		{"once", `{"Auto":true}`, "not called"},
	} {
		if got := call(t, p, "BeforeChat", tt.input); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.rule, got, tt.want)
		}
	}
	direct, _ := open(t, manifest, nil)
	for _, want := range []string{"call 1", "call 2"} {
		if got := call(t, direct, "BeforeChat", `{}`); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestScratch checks that a plugin with a scratch directory keeps nothing in aura's state. aura's own cache is no state of a plugin.
func TestScratch(t *testing.T) {
	t.Parallel()
	scratch := t.TempDir()
	p, state := open(t, "", func(o *plugincall.Options) { o.Scratch = scratch })
	if got := call(t, p, "BeforeChat", `{}`); !strings.Contains(got, "call 1") {
		t.Fatal(got)
	}
	if p.Spec().DataDir != filepath.Join(scratch, "data", "echo") {
		t.Errorf("the data directory is %s", p.Spec().DataDir)
	}
	for _, dir := range []string{"projects", "user"} {
		if _, err := os.Stat(filepath.Join(state, "aura", dir)); err == nil {
			t.Errorf("%s was written", dir)
		}
	}
}

func TestUnknownPlugin(t *testing.T) {
	t.Parallel()
	var caller *plugincall.Caller
	_, _ = open(t, "disabled: true\n", func(o *plugincall.Options) {
		var err error
		if caller, err = plugincall.New(*o); err != nil {
			t.Fatal(err)
		}
	})
	t.Cleanup(func() { _ = caller.Close() })
	_, err := caller.Open(t.Context(), "ecko")
	if unknown, ok := errors.AsType[*plugincall.UnknownError](err); !ok || !strings.Contains(unknown.Error(), "known plugins: echo") {
		t.Errorf("got %v", err)
	}
}

// TestCancelled checks that a call that the caller gave up fails with the error of the context.
func TestCancelled(t *testing.T) {
	t.Parallel()
	p, _ := open(t, "", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, err := p.Call(ctx, plugincall.Point{Name: "BeforeChat"}, []byte(`{}`))
	if err != nil || !errors.Is(out.Err, context.Canceled) {
		t.Errorf("got %+v, %v", out, err)
	}
}

// FuzzInput checks that no input makes the decoder panic.
func FuzzInput(f *testing.F) {
	for _, text := range []string{`{"Iteration":1,"Context":{"Turns":[{"Role":"user"}]}}`, `{"Args":{"$map":[["$a",1]]}}`, `{"Payload":{"$time":"x"}}`, `null`} {
		f.Add("BeforeChat", text)
		f.Add("tool:X", text)
		f.Add("event:X", text)
	}
	f.Fuzz(func(t *testing.T, point, input string) {
		at, err := plugincall.ParsePoint(point)
		if err != nil {
			return
		}
		if _, err := plugincall.Decode(at, []byte(input)); err == nil && !json.Valid([]byte(input)) {
			t.Errorf("%q is accepted", input)
		}
	})
}
