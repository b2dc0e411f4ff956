package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/lab"
)

// recordTurns is the number of turns of a session.
const recordTurns = 200

// recordRows are the models of the comparison. Behind one that answers at once nothing hides the cost, but no model is that fast.
// sessions is the number of sessions with and without a recording.
var recordRows = []struct {
	what, delay string
	sessions    int
}{
	{"the model answers at once", "0s", 15},
	{"the model answers after 20 ms", "20ms", 3},
}

// record compares turns without tools, one of whose plugins is called, with and without a recording of the calls.
func (l *bench) record(ctx context.Context) error {
	table := [][]string{{"a turn", "not recorded", "recorded", "ratio", "wanted"}}
	for _, row := range recordRows {
		project := filepath.Join(l.Dir, "record"+row.delay)
		script := "model: {name: quick, context_length: 1000000000}\nturns:\n" +
			strings.Repeat("  - {delay: "+row.delay+", text: An answer of about as many words as a model needs to say that it is done.}\n", recordTurns)
		if err := lab.WriteFiles(project, map[string]string{
			".aura/plugins/observer/go.mod":      "module observer\n\ngo 1.25\n",
			".aura/plugins/observer/plugin.yaml": "description: observes\n",
			".aura/plugins/observer/main.go":     observerSource,
			".aura/config/providers/quick.yaml":  "quick: {type: script, file: quick.yaml}\n",
			".aura/config/quick.yaml":            script,
		}); err != nil {
			return err
		}
		var without, with []time.Duration
		for range row.sessions {
			for _, recorded := range []bool{false, true} {
				turn, err := l.quickSession(ctx, project, recorded)
				if err != nil {
					return err
				}
				if recorded {
					with = append(with, turn)
				} else {
					without = append(without, turn)
				}
			}
		}
		a, b := middle(without), middle(with)
		table = append(table, []string{row.what, a.String(), b.String(), fmt.Sprintf("%.2f", float64(b)/float64(a)), "≤ 1.10"})
	}
	l.table("Turns without tools (medians of sessions, taken in turns)", table)
	return nil
}

// quickSession runs one conversation and returns the average time between its requests.
func (l *bench) quickSession(ctx context.Context, project string, recorded bool) (time.Duration, error) {
	var flags []string
	if recorded {
		flags = []string{"--record"}
	}
	requests, err := l.requestTimes(ctx, project, recordTurns, flags)
	if err != nil {
		return 0, err
	}
	if len(requests) != recordTurns {
		return 0, fmt.Errorf("the session had %d turns", len(requests))
	}
	return requests[recordTurns-1].Sub(requests[0]) / (recordTurns - 1), nil
}

// requestTimes runs one conversation and returns the times of its requests.
func (l *bench) requestTimes(ctx context.Context, project string, prompts int, flags []string) ([]time.Time, error) {
	args := append([]string{"run", "--json", "--home", ""}, flags...)
	for i := range prompts {
		args = append(args, fmt.Sprintf("Prompt %d: go on.", i))
	}
	cmd := exec.CommandContext(ctx, l.Bin("aura"), args...)
	cmd.Dir, cmd.Env = project, environ(project)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("holding a session: %w\n%s", err, stderr.String())
	}
	var out []time.Time
	lines := bufio.NewScanner(&stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Type string
			Time time.Time
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, err
		}
		if e.Type == "request" {
			out = append(out, e.Time)
		}
	}
	return out, lines.Err()
}
