package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/lab"
	"github.com/idelchi/aura/internal/system/state"
)

const (
	// rewindPrompts is the number of prompts of a session. The first one, before which all files are read, is not compared.
	rewindPrompts = 15
	// rewindSessions is the number of sessions of each kind.
	rewindSessions = 3
	// filesPerDirectory is as in source trees.
	filesPerDirectory = 50
)

// rewindRows are the rows of the comparison.
var rewindRows = []struct {
	files  int
	call   string
	what   string
	wanted string
}{
	{10_000, "Write", "each prompt writes a file", "≤ 30ms"},
	{100_000, "Write", "each prompt writes a file", "≤ 150ms"},
	{10_000, "Read", "no prompt changes anything", "0"},
	{100_000, "Read", "no prompt changes anything", "0"},
}

// rewind compares prompts with and without keeping the files for /rewind, in directories with many files.
func (l *bench) rewind(ctx context.Context) error {
	table := [][]string{{"files", "", "not kept", "kept", "more", "wanted"}}
	for _, row := range rewindRows {
		project := filepath.Join(l.Dir, fmt.Sprintf("rewind%d%s", row.files, row.call))
		if err := manyFiles(project, row.files, row.call); err != nil {
			return err
		}
		var without, with []time.Duration
		for range rewindSessions {
			for _, kept := range []bool{false, true} {
				prompts, err := l.changingSession(ctx, project, kept)
				if err != nil {
					return err
				}
				if kept {
					with = append(with, prompts...)
				} else {
					without = append(without, prompts...)
				}
			}
		}
		a, b := middle(without), middle(with)
		table = append(table, []string{fmt.Sprint(row.files), row.what, exact(a), exact(b), exact(b - a), row.wanted})
	}
	l.table("A prompt after the first, with and without its files kept for /rewind (medians, sessions taken in turns)", table)
	return nil
}

// manyFiles creates a project with so many files, and a model that makes one call for each prompt.
func manyFiles(project string, count int, call string) error {
	for i := range count {
		dir := filepath.Join(project, "tree", fmt.Sprint(i/filesPerDirectory))
		if i%filesPerDirectory == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), fmt.Appendf(nil, "package p%d\n", i), 0o600); err != nil {
			return err
		}
	}
	var script strings.Builder
	script.WriteString("model: {name: quick, context_length: 1000000000}\nturns:\n")
	for i := range rewindPrompts {
		arguments := "{path: tree/0/f0.go}"
		if call == "Write" {
			arguments = fmt.Sprintf("{path: new%d.txt, content: text}", i)
		}
		fmt.Fprintf(&script, "  - tool_calls: [{name: %s, arguments: %s}]\n  - text: Done.\n", call, arguments)
	}
	return lab.WriteFiles(project, map[string]string{
		".aura/config/providers/quick.yaml": "quick: {type: script, file: quick.yaml}\n",
		".aura/config/quick.yaml":           script.String(),
		".gitignore":                        "tmp/\nstate/\n",
	})
}

// changingSession runs one conversation and returns the times of its prompts but the first.
func (l *bench) changingSession(ctx context.Context, project string, kept bool) ([]time.Duration, error) {
	for i := range rewindPrompts {
		if err := os.RemoveAll(filepath.Join(project, fmt.Sprintf("new%d.txt", i))); err != nil {
			return nil, err
		}
	}
	// Where a file is in the place of the directory for what is kept, nothing can be kept.
	keeping := state.Locate(stateOf(project), "", project).Rewinds()
	if err := os.RemoveAll(keeping); err != nil {
		return nil, err
	}
	if !kept {
		if err := lab.WriteFiles(filepath.Dir(keeping), map[string]string{filepath.Base(keeping): ""}); err != nil {
			return nil, err
		}
	}
	requests, err := l.requestTimes(ctx, project, rewindPrompts, nil)
	if err != nil {
		return nil, err
	}
	if len(requests) != 2*rewindPrompts {
		return nil, fmt.Errorf("the session had %d requests", len(requests))
	}
	if _, err := os.ReadDir(keeping); kept != (err == nil) && strings.HasSuffix(project, "Write") {
		return nil, fmt.Errorf("kept is %t, and the directory: %w", kept, err)
	}
	var out []time.Duration
	for i := 2; i+2 < len(requests); i += 2 {
		out = append(out, requests[i+2].Sub(requests[i]))
	}
	return out, nil
}
