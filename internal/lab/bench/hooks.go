package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/idelchi/aura/hooks"
)

// hookRuns is how often each command is measured.
const hookRuns = 101

// hooks measures the cost of a trivial shell hook compared with the same command run by sh directly. The difference is the
// start of aura's own shell with its limits, and the event that the hook receives.
func (l *bench) hooks(ctx context.Context) error {
	rows := [][]string{{"command", "as a hook", "by sh -c", "difference", "ratio"}}
	for _, command := range []string{"true", "/bin/true; true", "cat"} {
		hook, sh, err := l.sideBySide(ctx, command)
		if err != nil {
			return err
		}
		rows = append(rows, []string{
			command, tenths(hook), tenths(sh), tenths(hook - sh), fmt.Sprintf("%.1f", float64(hook)/float64(sh)),
		})
	}
	l.table(fmt.Sprintf("A trivial shell hook (medians of %d, taken in turns)", hookRuns), rows)
	return nil
}

func tenths(d time.Duration) string { return fmt.Sprintf("%.1fms", float64(d.Microseconds())/1000) }

// sideBySide runs a command as a hook and by sh alternately, with the same input.
func (l *bench) sideBySide(ctx context.Context, command string) (hook, sh time.Duration, err error) {
	runner, err := hooks.Compile([]hooks.Definition{{Name: "trivial", Event: hooks.EventPost, Command: command, Silent: true}})
	if err != nil {
		return 0, 0, err
	}
	runner.Executable, runner.Dir, runner.Env = l.Bin("aura"), l.Dir, os.Environ()
	call := hooks.Call{Tool: "Write", Input: map[string]any{"path": "main.go"}, Paths: []string{"/project/main.go"}}
	var asHook, bySh []time.Duration
	for range hookRuns {
		began := time.Now()
		out, err := runner.RunPost(ctx, call)
		if err != nil {
			return 0, 0, err
		}
		asHook = append(asHook, time.Since(began))
		if report := out.Reports[0]; report.ExitCode != 0 {
			return 0, 0, fmt.Errorf("running %q as a hook: exit code %d: %s", command, report.ExitCode, report.Stderr)
		}
		began = time.Now()
		direct := exec.CommandContext(ctx, "sh", "-c", command)
		direct.Stdin = bytes.NewReader([]byte(`{"hook_event":"PostToolUse"}`))
		if err := direct.Run(); err != nil {
			return 0, 0, fmt.Errorf("running %q by sh: %w", command, err)
		}
		bySh = append(bySh, time.Since(began))
	}
	return median(asHook), median(bySh), nil
}
