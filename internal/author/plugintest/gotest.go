package plugintest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/supply/install"
)

// goTest is the name under which the Go command itself is reported.
const goTest = "go_test"

// The limits of the Go command: its time, and how much of its output is read.
const (
	goTime  = 10 * time.Minute
	goBytes = 8 << 20
	goLines = 100_000
)

// goTests runs the plugin's Go tests, if it has any. Test code is the plugin's code, but it is compiled, so it runs as a command of the
// model does: in the same sandbox, with the same variables.
func (r *runner) goTests(ctx context.Context) error {
	if r.entry.Python() {
		return nil
	}
	has, err := hasGoTests(r.entry.Dir)
	if err != nil || !has {
		return err
	}
	if !hasGo(r.Config) {
		r.Report(Event{Action: ActionOutput, Plugin: r.entry.Name, Test: goTest, Output: "there is no Go toolchain in PATH, so the Go tests did not run\n"})
		r.Report(Event{Action: ActionSkip, Plugin: r.entry.Name, Test: goTest})
		return nil
	}
	bash, err := r.shell()
	if err != nil {
		return err
	}
	// A workspace or another toolchain of the author's would test something else than what aura runs.
	line := "GOWORK=off GOTOOLCHAIN=local GO111MODULE=on go test -json"
	if r.Run != nil {
		line += " -run " + quote(r.Run.String())
	}
	began := time.Now()
	out, failed := bash.Execute(ctx, tool.Call{Args: map[string]any{"command": line + " ./...", "timeout": goTime.Seconds()}})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	g := goEvents{runner: r}
	for text := range strings.Lines(out) {
		g.line(text)
	}
	if failed != nil && !g.failed {
		r.start(goTest)
		text := fmt.Sprintf("go test failed: %v", failed)
		if strings.Contains(out, pluginsource.SDKPath) {
			text += fmt.Sprintf("; 'aura plugins sdk %s' puts the SDK where Go finds it", r.entry.Name)
		}
		r.end(goTest, began, append(g.rest, text))
	}
	return nil
}

// hasGo reports whether there is a Go command in PATH.
func hasGo(c *config.Config) bool {
	path, _ := config.Lookup(c.Inherited, "PATH")
	_, err := install.LookPath("go", path, setup.Writable(c)...)
	return err == nil
}

// shell returns the tool that runs commands, in the plugin's directory.
func (r *runner) shell() (tool.Tool, error) {
	c := setup.NewConfinement(r.Config, r.Features, "")
	all := c.Builtins(builtin.Options{
		Workdir: r.entry.Dir, Env: r.Config.Environ, BashTimeout: goTime,
		Truncation: builtin.Truncation{MaxOutputBytes: goBytes, MaxLines: goLines, HeadLines: goLines / 2, TailLines: goLines / 2},
	}, nil)
	for _, t := range all {
		if t.Definition().Name == "Bash" {
			return t, nil
		}
	}
	return nil, errors.New("running go test: there is no shell")
}

// quote quotes a word for a shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// hasGoTests reports whether a plugin has Go tests of its own.
func hasGoTests(dir string) (bool, error) {
	found := false
	err := pluginsource.EachFile(dir, func(rel string) bool {
		return !slices.Contains([]string{"vendor", DirName}, filepath.Base(rel))
	}, func(rel string, kind fs.FileMode) error {
		found = found || kind.IsRegular() && strings.HasSuffix(rel, "_test.go")
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("looking for Go tests: %w", err)
	}
	return found, nil
}

// goEvents turns the output of go test -json into events.
type goEvents struct {
	*runner
	// rest holds output that belongs to no test, such as that of the compiler.
	rest   []string
	failed bool
}

func (g *goEvents) line(text string) {
	var e struct {
		Action  string
		Test    string
		Output  string
		Elapsed float64
	}
	if json.Unmarshal([]byte(text), &e) != nil {
		g.rest = append(g.rest, strings.TrimRight(text, "\n"))
		return
	}
	event := Event{Action: Action(e.Action), Plugin: g.entry.Name, Test: e.Test, Output: e.Output, Elapsed: time.Duration(e.Elapsed * float64(time.Second))}
	outermost := e.Test != "" && !strings.Contains(e.Test, "/")
	switch event.Action {
	case ActionOutput, "build-output":
		switch trimmed := strings.TrimSpace(e.Output); {
		case e.Test == "" && trimmed != "":
			g.rest = append(g.rest, strings.TrimRight(e.Output, "\n"))
		case e.Test == "" || strings.HasPrefix(trimmed, "=== ") || strings.HasPrefix(trimmed, "--- "):
		default:
			event.Output = strings.TrimPrefix(e.Output, "    ")
			g.Report(event)
		}
		return
	case ActionRun:
		if outermost {
			g.summary.Ran++
		}
	case ActionFail:
		if outermost {
			g.summary.Failed++
			g.failed = true
		}
	case ActionPass, ActionSkip:
	default:
		return
	}
	if e.Test != "" {
		g.Report(event)
	}
}
