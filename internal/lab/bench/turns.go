package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/lab"
)

const (
	// early and late are the turns that are compared. The times are taken from the window turns around them, in several
	// sessions.
	early, late = 10, 1000
	window      = 10
	sessions    = 5
	// turnsPerPrompt is the number of turns that the model takes to answer a prompt.
	turnsPerPrompt = 10
)

// observerSource is a plugin that reads the whole conversation at every turn, as far as possible without iterating over it.
const observerSource = `package observer

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

var seen string

func BeforeChat(_ context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	seen = fmt.Sprintf("%d %d %s", len(c.Turns), len(c.ToolHistory), c.Turns[len(c.Turns)-1].Content)
	return sdk.Result{}, nil
}

func AfterToolExecution(_ context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	seen = fmt.Sprintf("%d %d %s", len(c.Turns), len(c.ToolHistory), c.ToolHistory[len(c.ToolHistory)-1].Result)
	return sdk.Result{}, nil
}
`

// moment holds the measurements around one turn.
type moment struct {
	turns []time.Duration
	// aura is the memory of aura's process and plugins the average memory of its child processes, both in bytes.
	aura, plugins []int64
}

// turns compares the beginning of a long session with its end: the memory and the time of a turn, in which a tool is called,
// three plugins are called and the journal is written. Compaction is off, so that the history only grows.
func (l *bench) turns(ctx context.Context) error {
	project := filepath.Join(l.Dir, "turns")
	if err := l.longProject(project); err != nil {
		return err
	}
	moments := map[int]*moment{early: {}, late: {}}
	for range sessions {
		if err := l.longSession(ctx, project, moments); err != nil {
			return err
		}
	}
	first, last := moments[early], moments[late]
	row := func(what string, a, b float64, unit, wanted string) []string {
		number := func(v float64) string { return fmt.Sprintf("%.1f %s", v, unit) }
		return []string{what, number(a), number(b), fmt.Sprintf("%.2f", b/a), wanted}
	}
	millis := func(times []time.Duration) float64 { return float64(middle(times).Microseconds()) / 1e3 }
	megabytes := func(sizes []int64) float64 { return float64(middle(sizes)) / 1e6 }
	l.table(fmt.Sprintf("A long session (medians of %d)", sessions), [][]string{
		{"what", fmt.Sprintf("turn %d", early), fmt.Sprintf("turn %d", late), "ratio", "wanted"},
		row("time of a turn", millis(first.turns), millis(last.turns), "ms", "≤ 1.5"),
		row("PSS of aura", megabytes(first.aura), megabytes(last.aura), "MB", "≤ 1.5"),
		row("PSS per child, its copy of the history included", megabytes(first.plugins), megabytes(last.plugins), "MB", ""),
	})
	return nil
}

func middle[T time.Duration | int64](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}

// longProject creates a project with the plugins and a model that reads a small part of a file at every turn except the last
// turn of each prompt.
func (l *bench) longProject(dir string) error {
	for _, name := range []string{"session-stats", "loop-detection"} {
		from := os.DirFS(filepath.Join(l.Repo, ".aura", "plugins", "injectors", name))
		if err := os.CopyFS(filepath.Join(dir, ".aura", "plugins", name), from); err != nil {
			return err
		}
	}
	var script, file strings.Builder
	script.WriteString("model: {name: tireless, context_length: 1000000000}\nturns:\n")
	for i := range late + window {
		fmt.Fprintf(&file, "line %d: the quick brown fox jumps over the lazy dog, and the dog lets it\n", i)
		fmt.Fprintf(&script, "  - text: \"Turn %d. Something about what was read and what comes next, in about as many words as a model needs.\"\n", i)
		if i%turnsPerPrompt != turnsPerPrompt-1 {
			fmt.Fprintf(&script, "    tool_calls: [{name: Read, arguments: {path: file.txt, line_start: %d, line_end: %d}}]\n", i+1, i+15)
		}
	}
	return lab.WriteFiles(dir, map[string]string{
		".aura/plugins/observer/go.mod":      "module observer\n\ngo 1.25\n",
		".aura/plugins/observer/plugin.yaml": "description: observes\n",
		".aura/plugins/observer/main.go":     observerSource,
		".aura/config/providers/long.yaml":   "long: {type: script, file: long.yaml}\n",
		".aura/config/long.yaml":             script.String(),
		"file.txt":                           file.String(),
	})
}

// longSession runs one conversation and adds its measurements to the moments.
func (l *bench) longSession(ctx context.Context, project string, moments map[int]*moment) error {
	args := []string{"run", "--json", "--home", ""}
	for i := range (late + window) / turnsPerPrompt {
		args = append(args, fmt.Sprintf("Prompt %d: go on.", i))
	}
	cmd := exec.CommandContext(ctx, l.Bin("aura"), args...)
	cmd.Dir = project
	cmd.Env = environ(project)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = watch(stdout, cmd.Process.Pid, project, moments)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return fmt.Errorf("holding a long session: %w\n%s", err, stderr.String())
	}
	return nil
}

// watch reads events until the stream ends. It times the turns by their requests, and measures the memory at each moment.
func watch(r io.Reader, pid int, project string, moments map[int]*moment) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	count := 0
	var before time.Time
	for lines.Scan() {
		var e struct {
			Type, Error, Message string
			Number               int
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		switch e.Type {
		case "error", "plugin_error":
			return fmt.Errorf("turn %d: %s%s", count, e.Error, e.Message)
		case "request":
		default:
			continue
		}
		now := time.Now()
		for at, m := range moments {
			if turn := e.Number - 1; turn > at-window/2 && turn <= at+window/2 {
				m.turns = append(m.turns, now.Sub(before))
			}
			if e.Number == at {
				if err := m.weigh(pid, project); err != nil {
					return err
				}
			}
		}
		count, before = e.Number, time.Now()
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if count != late+window {
		return fmt.Errorf("the session ended after turn %d", count)
	}
	return nil
}

// weigh records the memory of aura and its plugins.
func (m *moment) weigh(pid int, project string) error {
	_, own, err := rollup(pid)
	if err != nil {
		return err
	}
	m.aura = append(m.aura, own)
	var sum, n int64
	for _, h := range running(project) {
		if h.Pid == 0 || !strings.HasPrefix(h.Dir, project+"/") {
			continue
		}
		_, size, err := rollup(h.Pid)
		if err != nil {
			return err
		}
		sum, n = sum+size, n+1
	}
	if n == 0 {
		return errors.New("no plugin is running")
	}
	m.plugins = append(m.plugins, sum/n)
	return nil
}
