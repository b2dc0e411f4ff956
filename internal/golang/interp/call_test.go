package interp

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// TestFailures calls hooks that do not return a result. The plugin must stay usable.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		kind shared.FailureKind
		want string
	}{
		"error":             {`return sdk.Result{}, errors.New("went wrong")`, shared.FailureError, "went wrong"},
		"error of its own":  {`return sdk.Result{}, &fault{3}`, shared.FailureError, "fault 3"},
		"error that panics": {`return sdk.Result{}, &broken{}`, shared.FailurePanic, "no text (in my-plugin.(*broken).Error, main.go:25)"},
		"panic":             {`panic("boom")`, shared.FailurePanic, "boom (in my-plugin.BeforeChat, main.go:35)"},
		"panic with error":  {`panic(errors.New("boom"))`, shared.FailurePanic, "boom (in my-plugin.BeforeChat, main.go:35)"},
		"panic with own error": {
			`var err error = &fault{3}
	panic(err)`, shared.FailurePanic, "fault 3 (in my-plugin.BeforeChat, main.go:36)",
		},
		"panic with struct":  {`panic(fault{3})`, shared.FailurePanic, "{3} (in my-plugin.BeforeChat, main.go:35)"},
		"panic with pointer": {`panic(&fault{3})`, shared.FailurePanic, "fault 3 (in my-plugin.BeforeChat, main.go:35)"},
		"panic with any":     {`var x any = 3; panic(x)`, shared.FailurePanic, "3 (in my-plugin.BeforeChat, main.go:35)"},
		"panic with interface": {
			`var x namer = fault{3}
	panic(x)`, shared.FailurePanic, "{3} (in my-plugin.BeforeChat, main.go:36)",
		},
		"panic with nil": {`panic(nil)`, shared.FailurePanic, "panic called with nil argument (in my-plugin.BeforeChat, main.go:35)"},
		"nil map":        {`var m map[string]int; m["x"] = 1`, shared.FailurePanic, "assignment to entry in nil map (in my-plugin.BeforeChat, main.go:35)"},
		"type assertion": {`var x any = 3; _ = x.(string)`, shared.FailurePanic, "interface conversion: interface {} is int, not string (in my-plugin.BeforeChat, main.go:35)"},
		"in a function":  {`_ = deep(2)`, shared.FailurePanic, "deep (in my-plugin.deep, main.go:29)"},
		"after a recovered one": {
			`x := 1
	func() { defer func() { _ = recover() }(); deep(2 + x) }()
	panic("again")`, shared.FailurePanic, "again (in my-plugin.BeforeChat, main.go:37)",
		},
		"os.Exit":        {`os.Exit(3)`, shared.FailurePanic, "os.Exit(3) (in my-plugin.BeforeChat, main.go:35)"},
		"log.Fatal":      {`log.Fatal("x", 3)`, shared.FailurePanic, "x3 (in my-plugin.BeforeChat, main.go:35)"},
		"log.Fatalf":     {`log.Fatalf("x%d", 3)`, shared.FailurePanic, "x3 (in my-plugin.BeforeChat, main.go:35)"},
		"log.Fatalln":    {`log.Fatalln("x", 3)`, shared.FailurePanic, "x 3\n (in my-plugin.BeforeChat, main.go:35)"},
		"a logger":       {`log.New(os.Stderr, "p", 0).Fatal("x")`, shared.FailurePanic, "x (in my-plugin.BeforeChat, main.go:35)"},
		"default logger": {`log.Default().Fatal("x")`, shared.FailurePanic, "x (in my-plugin.BeforeChat, main.go:35)"},
		"runtime.Goexit": {`runtime.Goexit()`, shared.FailureGoexit, "the plugin ended the call's goroutine with runtime.Goexit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := mustLoad(t, `
-- go.mod --
module my-plugin
-- main.go --
package my_plugin

import (
	"context"
	"errors"
	"log"
	"os"
	"runtime"

	"github.com/idelchi/aura/sdk"
)

var _, _, _, _ = errors.New, log.Fatal, os.Exit, runtime.Goexit

type fault struct{ code int }

func (f *fault) Error() string { return "fault " + string(rune('0'+f.code)) }

func (f fault) Name() string { return "" }

type namer interface{ Name() string }

type broken struct{}

func (b *broken) Error() string { panic("no text") }

func deep(n int) int {
	if n == 0 {
		panic("deep")
	}
	return deep(n-1)
}

func BeforeChat(ctx context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	`+tt.body+`
	return sdk.Result{}, nil
}

func AfterResponse(ctx context.Context, c sdk.AfterResponseContext) (sdk.Result, error) {
	return sdk.Result{Message: "alive"}, nil
}
`)
			_, err := beforeChat(t, p)
			wantFailure(t, err, tt.kind, tt.want)
			out, err := p.Hook(context.Background(), shared.HookCall{Point: "AfterResponse", Context: sdk.AfterResponseContext{}})
			if result, _ := out.(sdk.Result); err != nil || result.Message != "alive" {
				t.Errorf("afterwards: got %v, %v", out, err)
			}
			if len(p.trace.panics) != 0 {
				t.Errorf("remembered %v", p.trace.panics)
			}
		})
	}
}

// TestOutput prints in every possible way and checks that all output is in the given files.
func TestOutput(t *testing.T) {
	t.Parallel()
	dir := unpack(t, hook+`
-- print.go --
package my_plugin

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/idelchi/aura/sdk"
)

type color int

func (color) String() string { return "green" }

func init() {
	fmt.Print("init ", color(1), "\n")
}

func message(context.Context, sdk.BeforeChatContext) string {
	fmt.Printf("%s %d\n", "printf", 1)
	fmt.Println("println")
	fmt.Fprintln(os.Stdout, "stdout")
	os.Stdout.WriteString("write\n")
	println("builtin", 1)
	print("print\n")
	fmt.Fprintln(os.Stderr, "stderr")
	log.SetFlags(0)
	log.SetPrefix("p: ")
	log.Println("log")
	log.Default().Print("default")
	log.New(log.Writer(), "new: ", 0).Printf("%d", 1)
	return log.Prefix()
}
`)
	stdout, stderr := output(t), output(t)
	p, err := Load(Options{Dir: dir, Stdout: stdout, Stderr: stderr})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := beforeChat(t, p); err != nil || got != "p: " {
		t.Errorf("got %q, %v", got, err)
	}
	if got, want := read(t, stdout), "init green\nprintf 1\nprintln\nstdout\nwrite\n"; got != want {
		t.Errorf("stdout: got %q, want %q", got, want)
	}
	if got, want := read(t, stderr), "builtin 1\nprint\nstderr\np: log\np: default\nnew: 1\n"; got != want {
		t.Errorf("stderr: got %q, want %q", got, want)
	}
}

// TestPanicLog checks that the log contains the interpreted and the compiled functions of a panic.
func TestPanicLog(t *testing.T) {
	t.Parallel()
	dir := unpack(t, hook+`
-- panic.go --
package my_plugin

import (
	"context"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func message(context.Context, sdk.BeforeChatContext) string { return strings.Repeat("x", -1) }
`)
	stderr := output(t)
	p, err := Load(Options{Dir: dir, Stdout: stderr, Stderr: stderr})
	if err != nil {
		t.Fatal(err)
	}
	_, err = beforeChat(t, p)
	wantFailure(t, err, shared.FailurePanic, "strings: negative Repeat count (in my-plugin.message, panic.go:10)")
	got := read(t, stderr)
	contains(t, got, "panic.go:10:")
	contains(t, got, "panic: my-plugin.message(...)")
	contains(t, got, "panic: my-plugin.BeforeChat(...)")
	contains(t, got, "panic in BeforeChat: strings: negative Repeat count\n")
	contains(t, got, "\tstrings.Repeat ")
	if strings.Contains(got, "yaegi") {
		t.Errorf("the interpreter's own functions are in the log:\n%s", got)
	}
}

// TestContext checks that a plugin sees the cancellation of its call.
func TestContext(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, hook+"func message(ctx context.Context, c sdk.BeforeChatContext) string { <-ctx.Done(); return ctx.Err().Error() }")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out, err := p.Hook(ctx, shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{}})
	if result, _ := out.(sdk.Result); err != nil || result.Message != "context canceled" {
		t.Errorf("got %v, %v", out, err)
	}
}

// TestState checks that package variables persist between calls and that calls may run concurrently.
func TestState(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, hook+`
-- state.go --
package my_plugin

import (
	"context"
	"sync"

	"github.com/idelchi/aura/sdk"
)

var (
	mu    sync.Mutex
	calls int
)

func message(context.Context, sdk.BeforeChatContext) string {
	mu.Lock()
	defer mu.Unlock()
	calls++
	if calls == 101 {
		return "all"
	}
	return ""
}
`)
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if _, err := beforeChat(t, p); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := beforeChat(t, p); err != nil || got != "all" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestTouches checks Touches for plugins that mention the lists in various ways.
func TestTouches(t *testing.T) {
	t.Parallel()
	const quiet = "func message(context.Context, sdk.BeforeChatContext) string { return \"\" }\n"
	for name, tt := range map[string]struct {
		source            string
		turns, tool, args bool
	}{
		"neither":        {hook + quiet, false, false, false},
		"part of a word": {hook + quiet + "// TurnsX XTurns _Turns TurnsXTurns ArgsJSON\n", false, false, false},
		"own source":     {hook + "func message(ctx context.Context, c sdk.BeforeChatContext) string { return c.Turns[0].Content }\n", true, false, false},
		"arguments":      {hook + "func message(ctx context.Context, c sdk.BeforeChatContext) string { return c.ToolHistory[0].Args[\"a\"].(string) }\n", false, true, true},
		"own package":    {hook + quiet + "-- a.go --\npackage my_plugin\n\nimport _ \"my-plugin/a\"\n-- a/a.go --\npackage a\n\nvar ToolHistory int\n", false, true, false},
		"vendored":       {hook + quiet + "-- a.go --\npackage my_plugin\n\nimport _ \"a.com/a\"\n-- vendor/a.com/a/a.go --\npackage a\n\nvar Turns int\n", true, false, false},
		"vendored SDK":   {hook + quiet + "-- vendor/github.com/idelchi/aura/sdk/sdk.go --\npackage sdk\n\nvar Turns, ToolHistory, Args int\n", false, false, false},
		"by reflection":  {hook + quiet + "-- a.go --\npackage my_plugin\n\nimport _ \"reflect\"\n", true, true, true},
		"by decoding":    {hook + quiet + "-- a.go --\npackage my_plugin\n\nimport \"encoding/json\"\n\nvar read = json.Unmarshal\n", true, true, true},
		"by a decoder":   {hook + quiet + "-- a.go --\npackage my_plugin\n\nimport \"encoding/json\"\n\nvar open = json.NewDecoder\n", true, true, true},
		"encoding only":  {hook + quiet + "-- a.go --\npackage my_plugin\n\nimport \"encoding/json\"\n\nvar write = json.Marshal\n", false, false, false},
		"sorting":        {hook + quiet + "-- a.go --\npackage my_plugin\n\nimport \"sort\"\n\nvar order = sort.Strings\n", false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := mustLoad(t, tt.source)
			if got := p.Touches("Turns"); got != tt.turns {
				t.Errorf("Turns: got %v", got)
			}
			if got := p.Touches("ToolHistory"); got != tt.tool {
				t.Errorf("ToolHistory: got %v", got)
			}
			if got := p.Touches("Args"); got != tt.args {
				t.Errorf("Args: got %v", got)
			}
			if !p.Touches("Other") {
				t.Error("a list that nobody looked for counts as untouched")
			}
		})
	}
}

// TestEnv does not run in parallel, because the environment belongs to the whole process.
func TestEnv(t *testing.T) {
	t.Setenv("ENV_TEST_START", "start")
	t.Setenv("ENV_TEST_TASK", "old")
	p := mustLoad(t, hook+`
-- env.go --
package my_plugin

import (
	"context"
	"os"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func message(context.Context, sdk.BeforeChatContext) string {
	looked, ok := os.LookupEnv("ENV_TEST_TASK")
	if !ok {
		looked = "unset"
	}
	out := []string{os.Getenv("ENV_TEST_START"), os.Getenv("ENV_TEST_TASK"), looked, os.ExpandEnv("$ENV_TEST_TASK")}
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "ENV_TEST_") {
			out = append(out, kv)
		}
	}
	os.Setenv("ENV_TEST_START", "changed")
	return strings.Join(out, " ")
}
`)
	call := func(env map[string]string) string {
		out, err := p.Hook(context.Background(), shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{}, Env: env})
		if err != nil {
			t.Fatal(err)
		}
		return out.(sdk.Result).Message
	}
	if got, want := call(nil), "start old old old ENV_TEST_START=start ENV_TEST_TASK=old"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	const after = "changed new new new ENV_TEST_START=changed ENV_TEST_TASK=new"
	if got := call(map[string]string{"ENV_TEST_TASK": "new"}); got != after {
		t.Errorf("got %q, want %q", got, after)
	}
	if got := call(nil); got != after {
		t.Errorf("the task's variable did not stay: got %q, want %q", got, after)
	}
	if got := os.Getenv("ENV_TEST_START"); got != "changed" {
		t.Errorf("the plugin's environment is not the process's: %q", got)
	}
	_, err := p.Hook(context.Background(), shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{}, Env: map[string]string{"A=B": ""}})
	wantFailure(t, err, shared.FailureError, `setting the task's variable "A=B": setenv: invalid argument`)
}
