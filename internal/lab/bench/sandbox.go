package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/lab"
	"github.com/idelchi/aura/internal/system/sandbox"
)

const (
	// cells is the number of sessions of each kind, which alternate. callsEach is how often each tool is called in a session.
	cells, callsEach = 5, 12
	fewPlugins       = 1
	manyPlugins      = 20
)

const quickToolSource = `package quicktool

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: "Quick"} }

func Execute(_ context.Context, _ sdk.Context, _ map[string]any) (string, error) { return "done", nil }
`

// cellTimes holds the durations of tool calls by tool name, and the durations until the first request.
type cellTimes map[string][]time.Duration

const firstRequest = "first request"

// sandbox compares tool calls and startup with and without the kernel's confinement, with few and with many plugins.
func (l *bench) sandbox(ctx context.Context) error {
	if s := sandbox.Support(); !s.Enabled {
		l.table("Sandbox: not enforced here: "+s.Reason(), nil)
		return nil
	}
	found := map[string]cellTimes{}
	for _, n := range []int{fewPlugins, manyPlugins} {
		if err := l.cellProject(n); err != nil {
			return err
		}
	}
	for range cells {
		for _, n := range []int{fewPlugins, manyPlugins} {
			for _, enabled := range []bool{false, true} {
				key := cellKey(n, enabled)
				if found[key] == nil {
					found[key] = cellTimes{}
				}
				if err := l.cellSession(ctx, n, enabled, found[key]); err != nil {
					return err
				}
			}
		}
	}
	rows := [][]string{{"what", "plugins", "unconfined", "confined", "more", "wanted", "reference without processes"}}
	for _, what := range []struct{ name, wanted, reference string }{
		{"Read", "≤ 15ms more", "41ms more, 161ms with 12 plugins, 386ms with 50"},
		{"Bash", "≤ 15ms more", "the same"},
		{"Quick", "≤ 1ms more", "the same"},
		{firstRequest, "", ""},
	} {
		for _, n := range []int{fewPlugins, manyPlugins} {
			off, on := median(found[cellKey(n, false)][what.name]), median(found[cellKey(n, true)][what.name])
			name := what.name
			if name == "Quick" {
				name = "a plugin's tool"
			}
			rows = append(rows, []string{
				name, fmt.Sprint(n), fine(off), fine(on), fmt.Sprintf("%s (× %.2f)", fine(on-off), float64(on)/float64(off)), what.wanted, what.reference,
			})
		}
	}
	alone, err := l.startAlone(ctx)
	if err != nil {
		return err
	}
	rows = append(rows, []string{"starting aura's program and nothing else", "", fine(alone), "", "", "part of every confined call", ""})
	l.table(fmt.Sprintf("Sandbox (medians of %d sessions with %d calls of each tool, interleaved)", cells, callsEach), rows)
	return l.warmBuilds(ctx)
}

// startAlone measures how long aura's program takes to start without any work. The time shows how busy the machine is.
func (l *bench) startAlone(ctx context.Context) (time.Duration, error) {
	var times []time.Duration
	for range cells * callsEach {
		cmd := exec.CommandContext(ctx, l.Bin("aura"), sandbox.Argument)
		began := time.Now()
		// The program has nothing to read and reports that by its exit status.
		var status *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &status) {
			return 0, err
		}
		times = append(times, time.Since(began))
	}
	return median(times), nil
}

func fine(d time.Duration) string { return fmt.Sprintf("%.2fms", float64(d.Microseconds())/1000) }

func cellKey(n int, enabled bool) string { return fmt.Sprintf("%d %t", n, enabled) }

func (l *bench) cellDir(n int) string { return filepath.Join(l.Dir, fmt.Sprintf("cell%d", n)) }

// cellProject creates a project with n plugins, one of which has a tool, and a model that calls tools.
func (l *bench) cellProject(n int) error {
	dir := l.cellDir(n)
	if err := l.project(dir, 0); err != nil {
		return err
	}
	files := map[string]string{
		".aura/plugins/quicktool/go.mod": "module quicktool\n\ngo 1.25\n", ".aura/plugins/quicktool/plugin.yaml": "description: quick\n",
		".aura/plugins/quicktool/main.go": quickToolSource, "file.txt": "some text\n",
		"off/config/sandbox/sandbox.yaml": "sandbox: {enabled: false}\n", "on/config/sandbox/sandbox.yaml": "sandbox: {enabled: true}\n",
	}
	for i := 1; i < n; i++ {
		at := fmt.Sprintf(".aura/plugins/quick%d/", i)
		files[at+"go.mod"], files[at+"plugin.yaml"] = "module quick\n\ngo 1.25\n", "description: quick\n"
		files[at+"main.go"] = hookSource
	}
	var script strings.Builder
	script.WriteString("turns:\n")
	for range callsEach {
		for _, call := range []string{"Read, arguments: {path: file.txt}", `Bash, arguments: {command: "true"}`, "Quick, arguments: {}"} {
			fmt.Fprintf(&script, "  - tool_calls: [{name: %s}]\n", call)
		}
	}
	script.WriteString("  - text: done\n")
	files[".aura/config/quick.yaml"] = script.String()
	return lab.WriteFiles(dir, files)
}

// cellSession runs one conversation and records its times.
func (l *bench) cellSession(ctx context.Context, n int, enabled bool, times cellTimes) error {
	return l.session(ctx, l.cellDir(n), map[bool]string{false: "off", true: "on"}[enabled], "bench", times)
}

// session runs one conversation in a project, with the settings of one of its directories and one of its providers, and records its times.
func (l *bench) session(ctx context.Context, dir, which, provider string, times cellTimes) error {
	cmd := exec.CommandContext(ctx, l.Bin("aura"), "run", "--json", "--home", "", "--config", which, "--config", ".aura", "--provider", provider, "hi")
	cmd.Dir = dir
	cmd.Env = append(environ(dir), "PATH="+os.Getenv("PATH"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	err = times.collect(bufio.NewScanner(pipe), began)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return fmt.Errorf("holding a session: %w\n%s", err, stderr.String())
	}
	return nil
}

// collect reads events until the stream ends.
func (t cellTimes) collect(lines *bufio.Scanner, began time.Time) error {
	lines.Buffer(nil, 1<<20)
	requests := 0
	for lines.Scan() {
		var e struct {
			Type, Name, Error string
			Duration          time.Duration `json:"duration_ns"`
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		switch e.Type {
		case "request":
			if requests++; requests == 1 {
				t[firstRequest] = append(t[firstRequest], time.Since(began))
			}
		case "tool_result":
			if e.Error != "" {
				return fmt.Errorf("%s: %s", e.Name, e.Error)
			}
			t[e.Name] = append(t[e.Name], e.Duration)
		}
	}
	return lines.Err()
}
