// Package toolhost is the process that runs one tool call or one shell command, or that ends the descendants of a command.
//
// The program aura-tool-host is that process. It links little, because aura starts one for each call and for each command. aura itself can
// take its place: see Program.
package toolhost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/agent/web"
	"github.com/idelchi/aura/internal/runtime/native/gocmd"
	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/system/shell"
)

// Main runs what the arguments of this program ask for and returns the exit status. It returns false if they ask for nothing of this package.
// It must be called before the program does anything else. decode may be nil; see web.Fetcher.
func Main(args []string, decode web.Decode) (status int, asked bool) {
	if len(args) < 2 {
		return 0, false
	}
	run := func(ctx context.Context, call sandbox.Call, progress func([]byte)) (json.RawMessage, error) {
		return runTool(ctx, call, progress, decode)
	}
	switch args[1] {
	case sandbox.ConfinedArgument:
		return confined(args[2:], decode), true
	case shell.Argument:
		return shell.Main(args[2:], os.Stdin, os.Stdout, os.Stderr), true
	case sandbox.Argument:
		return sandbox.Main(run), true
	case Argument:
		return serve(os.Stdin, os.Stdout, os.Stderr, run), true
	case sandbox.GateArgument:
		return sandbox.GateMain(netgate.Internet()), true
	case process.ReaperArgument:
		return process.Reap(args[2:]), true
	case process.LeadArgument:
		return process.Lead(args[2:]), true
	}
	return 0, false
}

// confined confines this process and then runs what the arguments after the first one ask for. A process that could not be confined
// runs nothing; its parent knows why.
func confined(args []string, decode web.Decode) int {
	if len(args) == 0 || sandbox.Confined(args[0]) != nil {
		return process.ReaperStatus
	}
	status, asked := Main(args, decode)
	if !asked {
		return process.ReaperStatus
	}
	return status
}

// NoCollection is a variable that disables the garbage collector while the process starts, which takes most of the time of a call. The
// process enables it again. Commands do not see the variable: they have the environment of the settings.
const NoCollection = "GOGC=off"

// collectAt is Go's default garbage collection target, in percent.
const collectAt = 100

// Options are the settings of built-in tools, the options of a sandbox.Call.
type Options struct {
	Workdir     string             `json:"workdir"`
	Env         []string           `json:"env"`
	BashTimeout time.Duration      `json:"bash_timeout"`
	Timeout     time.Duration      `json:"timeout"`
	Truncation  builtin.Truncation `json:"truncation"`
	OutputDir   string             `json:"output_dir"`
	// Files allows Read to return media files.
	Files bool `json:"files,omitempty"`
	// Network decides about hosts where no gate does.
	Network network.Setting `json:"network,omitzero"`
	// Hidden lists the files and directories that Rg leaves out.
	Hidden []string `json:"hidden,omitempty"`
}

// Answer is the value that a call returns.
type Answer struct {
	Output string `json:"output"`
	// Error is empty if the tool succeeded.
	Error string `json:"error,omitempty"`
	// Diff describes the tool's changes to files.
	Diff string `json:"diff,omitempty"`
	// File is a media file that the tool has read.
	File *tool.File `json:"file,omitempty"`
}

// Build is the name of the call that runs the go command. Its arguments are a gocmd.Command.
const Build = "go build"

// runTool runs a call in this process, which aura started for it.
func runTool(ctx context.Context, call sandbox.Call, progress func([]byte), decode web.Decode) (json.RawMessage, error) {
	debug.SetGCPercent(collectAt)
	if call.Tool == Build {
		return build(ctx, call)
	}
	var o Options
	if err := json.Unmarshal(call.Options, &o); err != nil {
		return nil, fmt.Errorf("reading the settings of %s: %w", call.Tool, err)
	}
	var args map[string]any
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, fmt.Errorf("reading the arguments of %s: %w", call.Tool, err)
	}
	made := builtin.Options{
		Workdir: o.Workdir, Env: sandbox.Marked(o.Env), BashTimeout: o.BashTimeout, Timeout: o.Timeout, Truncation: o.Truncation, OutputDir: o.OutputDir,
		Network: web.Way{Setting: o.Network, Gated: call.Gated, Outside: netgate.Internet()}, Decode: decode,
		Hides: func(path string) bool { return slices.Contains(o.Hidden, path) },
	}
	for _, t := range builtin.All(made) {
		if t.Definition().Name != call.Tool {
			continue
		}
		var said Answer
		var err error
		asked := tool.Call{
			Args: args, Progress: func(text string) { progress([]byte(text)) }, Changed: func(diff string) { said.Diff = diff },
		}
		if o.Files {
			asked.File = func(f tool.File) { said.File = &f }
		}
		said.Output, err = t.Execute(ctx, asked)
		if err != nil {
			said.Error = err.Error()
		}
		return json.Marshal(said)
	}
	return nil, fmt.Errorf("running %s: it is not a built-in tool", call.Tool)
}

func build(ctx context.Context, call sandbox.Call) (json.RawMessage, error) {
	var c gocmd.Command
	if err := json.Unmarshal(call.Args, &c); err != nil {
		return nil, fmt.Errorf("reading a build: %w", err)
	}
	var said Answer
	var failed *gocmd.FailedError
	out, err := gocmd.Confined(ctx, c)
	if err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	said.Output = out
	if failed != nil {
		said.Error = failed.Reason
	}
	return json.Marshal(said)
}
