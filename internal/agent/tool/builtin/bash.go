package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/system/process"
)

// lingering is how long the output is still read after the command has ended, if another process keeps it open.
const lingering = 200 * time.Millisecond

// BashName is the name of the tool that runs commands.
const BashName = "Bash"

type bashArgs struct {
	Command string `json:"command"`
	// Timeout is in seconds.
	Timeout float64 `json:"timeout"`
	// Background calls are started by the session; see background.Set.Tool.
	Background bool `json:"background"`
}

var errBackground = errors.New("the command was not run: background needs a session that goes on; run it without background")

func (o Options) bash() tool.Tool {
	return builtIn[bashArgs]{
		definition: tool.Definition{
			Name: BashName,
			Description: "Run a command in a shell, bash if there is one, and return what it prints, standard error included. " +
				"It has no terminal and no input. Whatever it leaves running ends with it; for a server or a long job set background, which returns at once. " +
				"Long output is cut in the middle and kept in a file, which the result names.",
			Parameters: object(`{"command":{"type":"string","minLength":1,"description":"the command line"},`+
				`"timeout":{"type":"number","exclusiveMinimum":0,"maximum":86400,"description":"seconds until the command is killed; default `+
				strconv.FormatFloat(o.BashTimeout.Seconds(), 'g', -1, 64)+`"},`+
				`"background":{"type":"boolean","description":"do not wait for the end; the result has the id of the command, and timeout has no default"}}`,
				"command"),
			Source: tool.SourceBuiltin,
		},
		run: func(ctx context.Context, args bashArgs, call tool.Call) (string, error) {
			if args.Background {
				return "", errBackground
			}
			return o.runBash(ctx, args, call.Progress)
		},
	}
}

func (o Options) runBash(ctx context.Context, args bashArgs, progress func(string)) (string, error) {
	limit := o.BashTimeout
	if args.Timeout > 0 {
		limit = time.Duration(args.Timeout * float64(time.Second))
	}
	expired := fmt.Errorf("the command was killed after %s, with everything it started; set timeout to allow more", limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, expired)
	defer cancel()

	output := newClip(o.Truncation, o.OutputDir)
	shown := &stream{to: output, show: progress}
	err := o.shell(ctx, args.Command, shown)
	shown.flush()
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return output.String(), err
}

// shell runs a command in its own process group. When shell returns, no process that the command started is left.
func (o Options) shell(ctx context.Context, line string, output io.Writer) error {
	args, err := command(line)
	if err != nil {
		return fmt.Errorf("starting the shell: %w", err)
	}
	spec := process.Spec{
		Path: args[0], Args: args, Dir: o.Workdir, Env: o.Env, Stdout: output, Stderr: output,
		Linger: lingering, Lifeline: true, Mark: "AURA_BASH",
	}
	if process.Reaps && o.Reaper != "" {
		// The reaper has the lifeline, so the command needs no watcher.
		spec.Path, spec.Args = shell(), []string{shell(), "-c", line}
		spec = spec.Reaped(o.Reaper)
	}
	p, err := process.Start(spec)
	if err != nil {
		return fmt.Errorf("starting the shell: %w", err)
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	return p.Wait()
}
