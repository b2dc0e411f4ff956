package cli

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func TestUsualForms(t *testing.T) {
	t.Parallel()
	root := newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard})
	for line, want := range map[string]string{
		"-p hello":                "run hello",
		"--print hello --json":    "run hello --json",
		"--model x -p hello":      "--model x run hello",
		"run -p":                  "run -p",
		"-- -p":                   "-- -p",
		"--resume":                "-- /resume",
		"--debug --resume":        "--debug -- /resume",
		"--resume abc":            "--resume abc",
		"run --resume":            "run --resume",
		"--resume -- hello":       "--resume -- hello",
		"hello":                   "hello",
		"":                        "",
		"sessions list -p":        "sessions list -p",
		"--model --resume":        "--model -- /resume",
		"-p --resume abc hello":   "run --resume abc hello",
		"-p -p":                   "run -p",
		"--agent planner -p -- x": "--agent planner run -- x",
	} {
		if got := usualForms(root, strings.Fields(line)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: got %q", line, got)
		}
	}
}
