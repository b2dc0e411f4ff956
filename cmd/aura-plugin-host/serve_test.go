//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

func TestByHand(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		"nothing":          {nil, 2, "", usage},
		"version":          {[]string{"--version"}, 0, "aura-plugin-host version " + build.Read().String() + "\n", ""},
		"help":             {[]string{"--help"}, 0, usage, ""},
		"h":                {[]string{"-h"}, 0, usage, ""},
		"unknown argument": {[]string{"--serve"}, 2, "", "aura-plugin-host: unknown argument \"--serve\"\n\n" + usage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			cmd := exec.Command(binary, tt.args...)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != tt.code {
				t.Errorf("exit code %d, %v", code, err)
			}
			if stdout.String() != tt.stdout || stderr.String() != tt.stderr {
				t.Errorf("got %q and %q", &stdout, &stderr)
			}
		})
	}
}

func TestBadSpecification(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString("{"); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	var stderr strings.Builder
	cmd := exec.Command(binary)
	cmd.Stderr, cmd.ExtraFiles = &stderr, []*os.File{r, r}
	err = cmd.Run()
	_ = r.Close()
	if cmd.ProcessState.ExitCode() != exitFailure || !strings.Contains(stderr.String(), "reading launch specification: ") {
		t.Errorf("got %v, %s", err, &stderr)
	}
}

// TestServe calls all functions of a plugin.
func TestServe(t *testing.T) {
	t.Parallel()
	p := start(t, shared.LaunchSpec{
		Name: "my-plugin", MemoryBytes: 256 << 20, Tool: sdk.ToolConfig{HomeDir: "/home/me"},
		Dir: unpack(t, source("\"fmt\"\n", `return fmt.Sprint(home, c.Agent, args), nil`)+`
var home string

func Init(cfg sdk.ToolConfig) { home = cfg.HomeDir }

func Paths(args map[string]any) (sdk.ToolPaths, error) { return sdk.ToolPaths{Read: []string{"r"}}, nil }

func Parallel() string { return "" }

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "greet"} }

func ExecuteCommand(ctx context.Context, args string, c sdk.Context) (sdk.CommandResult, error) {
	return sdk.CommandResult{Output: "hello" + args}, nil
}
`),
	})
	exports, err := p.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(exports.Hooks) != 1 || exports.Tools[0].Schema.Name != "T" || exports.Commands[0].Name != "greet" || len(exports.Warnings) != 1 {
		t.Errorf("got %+v", exports)
	}
	p.alive(t)
	text, err := p.Execute(t.Context(), shared.ToolCall{Tool: "T", Context: sdk.Context{Agent: "a"}, Args: map[string]any{"n": 1}})
	if err != nil || text != "/home/meamap[n:1]" {
		t.Errorf("Execute: %q, %v", text, err)
	}
	paths, err := p.Paths(t.Context(), shared.PathsCall{Tool: "T"})
	if err != nil || len(paths.Read) != 1 {
		t.Errorf("Paths: %v, %v", paths, err)
	}
	result, err := p.Command(t.Context(), shared.CommandCall{Name: "greet", Args: " you"})
	if err != nil || result.Output != "hello you" {
		t.Errorf("Command: %v, %v", result, err)
	}
}

// TestLoadFailure checks that every call of a plugin that does not load returns the reason.
func TestLoadFailure(t *testing.T) {
	t.Parallel()
	p := start(t, shared.LaunchSpec{Name: "my-plugin", Dir: unpack(t, "-- go.mod --\nmodule my-plugin\n-- main.go --\npackage my_plugin\n\nfunc f() { x }\n")})
	_, err1 := p.Load(t.Context())
	_, err2 := p.execute(t.Context())
	_, err3 := p.Hook(t.Context(), shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{}})
	_, err4 := p.Command(t.Context(), shared.CommandCall{})
	_, err5 := p.Paths(t.Context(), shared.PathsCall{Tool: "T"})
	for i, err := range []error{err1, err2, err3, err4, err5} {
		failure, ok := errors.AsType[*shared.Failure](err)
		if !ok || failure.Kind != shared.FailureLoad || !strings.HasSuffix(failure.Message, "main.go:3:12: undefined: x") {
			t.Errorf("call %d: got %v", i, err)
		}
	}
}

// TestOutput checks that standard output carries only the handshake, however the plugin prints.
func TestOutput(t *testing.T) {
	t.Parallel()
	p := ready(t, source("\"fmt\"\n\"log\"\n\"os\"\n", `
	fmt.Println("from fmt")
	fmt.Fprintln(os.Stdout, "from os.Stdout")
	os.NewFile(1, "1").WriteString("from descriptor 1\n")
	log.Println("from log")
	println("from println")
	return "", nil`)+`
func init() { os.Stdout.WriteString("1|1|unix|/nowhere|grpc|\n") }
`)
	if _, err := p.execute(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1|1|unix|/nowhere|grpc|", "from fmt", "from os.Stdout", "from descriptor 1", "from log", "from println"} {
		p.stderr.await(t, want)
	}
	_ = p.lifeline.Close()
	p.dies(t)
	if got := p.handshake.String(); strings.Count(got, "\n") != 1 || strings.Contains(got, "nowhere") {
		t.Errorf("standard output was %q", got)
	}
}

// TestEnvironment compares all views of the environment, before and after a task sets a variable.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	p := start(t, shared.LaunchSpec{Name: "my-plugin", Dir: unpack(t, source("\"os\"\n\"sort\"\n\"strings\"\n", `
	kernel, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		kernel = []byte(strings.Join(os.Environ(), "\x00"))
	}
	list := strings.Split(strings.Trim(string(kernel), "\x00"), "\x00")
	sort.Strings(list)
	all := os.Environ()
	sort.Strings(all)
	return strings.Join(all, " ") + "|" + strings.Join(list, " ") + "|" + os.Getenv("A"), nil`))}, "A=1", "B=2")
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "A=1 B=2|A=1 B=2|1"},
		{map[string]string{"A": strings.Repeat("x", 10000)}, "A=x… B=2|A=x… B=2|x…"},
		{map[string]string{"C": "3", "A": "one"}, "A=one B=2 C=3|A=one B=2 C=3|one"},
		{nil, "A=one B=2 C=3|A=one B=2 C=3|one"},
	} {
		got, err := p.Execute(t.Context(), shared.ToolCall{Tool: "T", Env: tt.env})
		if err != nil {
			t.Fatal(err)
		}
		if got = strings.ReplaceAll(got, strings.Repeat("x", 10000), "x…"); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

// TestCancel checks that the plugin sees its deadline before the caller gives up.
func TestCancel(t *testing.T) {
	t.Parallel()
	p := ready(t, source("", "<-ctx.Done()\nreturn ctx.Err().Error(), nil"))
	ctx, cancel := context.WithTimeout(t.Context(), shared.Grace+50*time.Millisecond)
	defer cancel()
	if got, err := p.execute(ctx); err != nil || got != context.DeadlineExceeded.Error() {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestLifeline checks that the child exits when aura is gone, in any state.
func TestLifeline(t *testing.T) {
	t.Parallel()
	for name, archive := range map[string]string{
		"idle":            source("", "return \"\", nil"),
		"loading":         source("", "return \"\", nil") + "\nfunc init() { println(\"here\"); select {} }\n",
		"busy":            source("", "return \"\", nil") + "\nfunc init() { println(\"here\"); for {} }\n",
		"signals ignored": source("\"os/signal\"\n", "return \"\", nil") + "\nfunc init() { signal.Ignore() }\n",
	} {
		for _, isolated := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := start(t, shared.LaunchSpec{Name: "my-plugin", Dir: unpack(t, archive), Isolated: isolated})
				if strings.Contains(archive, "here") {
					p.stderr.await(t, "here")
				} else if _, err := p.Load(t.Context()); err != nil {
					t.Fatal(err)
				}
				_ = p.lifeline.Close()
				p.dies(t)
			})
		}
	}
}
