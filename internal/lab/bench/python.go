package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/lab"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/aar"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

const guardSource = `package guard

import (
	"context"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func BeforeToolExecution(_ context.Context, c sdk.BeforeToolContext) (sdk.BeforeToolResult, error) {
	command, _ := c.Arguments["command"].(string)
	return sdk.BeforeToolResult{Block: strings.Contains(command, "rm -rf")}, nil
}
`

const guardExtension = `def register(api):
    @api.on("tool_call")
    def guard(event, ctx):
        if "rm -rf" in event.arguments.get("command", ""):
            return api.block("no")
`

// guardStarts is how often each kind of plugin is started.
const guardStarts = 7

// python compares an extension in Python with the same plugin in Go: a warm call, a start, and memory.
func (l *bench) python(ctx context.Context) error {
	program, err := exec.CommandContext(ctx, "python3", "-I", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		l.table("Python", [][]string{{"not measured: python3 does not run here: " + err.Error()}})
		return nil
	}
	modules, err := aar.PythonPath(l.Dir)
	if err != nil {
		return err
	}
	dir, file := filepath.Join(l.Dir, "guard"), filepath.Join(l.Dir, "guard.py")
	if err := errors.Join(
		lab.WriteFiles(dir, map[string]string{"go.mod": "module guard\n\ngo 1.25\n", "plugin.yaml": "", "main.go": guardSource}),
		lab.WriteFiles(l.Dir, map[string]string{"guard.py": guardExtension}),
	); err != nil {
		return err
	}
	specs := []host.Spec{
		{Plugin: manifest.Plugin{Name: "go", Dir: dir}},
		{
			Plugin: manifest.Plugin{Name: "python", Dir: file, Runtime: manifest.RuntimePython},
			Guest:  &shared.Guest{Program: strings.TrimSpace(string(program)), Args: aar.Args(modules, file)},
		},
	}
	session, err := host.OpenSession(host.RuntimeDir("", ""), "bench")
	if err != nil {
		return err
	}
	loads := make([][]time.Duration, len(specs))
	for range guardStarts {
		for i, spec := range specs {
			took, err := l.start(ctx, session, spec)
			if err != nil {
				return errors.Join(err, session.Close())
			}
			loads[i] = append(loads[i], took)
		}
	}
	fleet, err := host.Start(ctx, host.Options{Fixed: host.Fixed{Binary: l.Bin("aura-plugin-host"), Session: session, Workdir: l.Dir}}, specs)
	if err != nil {
		return errors.Join(err, session.Close())
	}
	defer func() {
		fleet.Close()
		_ = session.Close()
	}()
	var kinds []func() error
	for _, p := range fleet.Plugins() {
		kinds = append(kinds, func() error {
			_, err := p.Handle(ctx, hookpoint.BeforeToolExecution, sdk.BeforeToolContext{
				Context: history(10), ToolName: "Bash", Arguments: map[string]any{"command": "go test ./..."},
			})
			return err
		})
	}
	medians, err := race(kinds)
	if err != nil {
		return err
	}
	row := func(what string, of func(i int) float64, format string) []string {
		return []string{what, fmt.Sprintf(format, of(0)), fmt.Sprintf(format, of(1)), fmt.Sprintf("%.1f", of(1)/of(0))}
	}
	l.table("A guard in Go and in Python", [][]string{
		{"what", "Go", "Python", "ratio"},
		row("warm call, 10 entries of history, µs", func(i int) float64 { return float64(medians[i].Nanoseconds()) / 1000 }, "%.0f"),
		row("start, ms", func(i int) float64 {
			slices.Sort(loads[i])
			return float64(loads[i][guardStarts/2].Microseconds()) / 1000
		}, "%.0f"),
		row("memory, MB", func(i int) float64 { return float64(fleet.Plugins()[i].Health().MemoryBytes) / 1e6 }, "%.1f"),
	})
	return nil
}

// start returns how long a plugin takes from its start until it is ready.
func (l *bench) start(ctx context.Context, session *host.Session, spec host.Spec) (time.Duration, error) {
	fleet, err := host.Start(ctx, host.Options{Fixed: host.Fixed{Binary: l.Bin("aura-plugin-host"), Session: session, Workdir: l.Dir}}, []host.Spec{spec})
	if err != nil {
		return 0, err
	}
	defer fleet.Close()
	p := fleet.Plugins()[0]
	if err := p.Ready(ctx); err != nil {
		return 0, err
	}
	if err := p.Down(); err != nil {
		return 0, err
	}
	return time.Duration(p.Health().LoadMillis * float64(time.Millisecond)), nil
}
