package slash

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// lines is a session that records the lines that it runs. /exit exits, "fail" fails, "stop" ends the context, and "make NAME" creates a file.
type lines struct {
	current
	ran  []string
	stop context.CancelFunc
}

// newLines returns a session in auto mode.
func newLines(workdir string) *lines {
	s := &lines{}
	s.setup = &setup.Setup{Source: setup.Source{Config: &config.Config{Workdir: workdir}}}
	s.state.Auto = true
	return s
}

func (s *lines) RunLine(ctx context.Context, line string) (exit bool, err error) {
	s.ran = append(s.ran, line)
	switch name, file, _ := strings.Cut(line, " "); name {
	case "/exit":
		return true, nil
	case "/again":
		result, err := flowCommands{s}.assert(ctx, "auto /again")
		return result.Exit, err
	case "fail":
		return false, errRefused
	case "stop":
		s.stop()
	case "make":
		return false, os.WriteFile(filepath.Join(s.setup.Config.Workdir, file), nil, 0o600)
	}
	return false, nil
}

// TestFlowCommands compares the lines that a command runs, its output and its error.
func TestFlowCommands(t *testing.T) {
	t.Parallel()
	nested := strings.TrimSuffix(strings.Repeat("/again;", maxDepth), ";")
	for name, row := range map[string]struct {
		line, ran string
		// output is the output, or a part of the error after "error: ".
		output string
		exit   bool
	}{
		"a condition that holds":             {`/assert auto "one" "/two 2"`, "one;/two 2", "", false},
		"one that does not":                  {`/assert todo_done "one"`, "", "not run, because this does not hold: todo_done", false},
		"one that must not hold":             {`/assert not auto "one"`, "", "not run, because this does not hold: not auto", false},
		"no condition":                       {`/assert`, "", "error: there is no condition", false},
		"no such condition":                  {`/assert raining "one"`, "", `error: parsing condition "raining"`, false},
		"an exit ends the actions":           {`/assert auto "one" /exit "two"`, "one;/exit", "", true},
		"a failure ends the actions":         {`/assert auto "fail" "two"`, "fail", "error: refused", false},
		"the end of the context ends them":   {`/assert auto "stop" "two"`, "stop", "error: context canceled", false},
		"commands within commands":           {`/assert auto /again`, nested, "error: running commands within commands: they are 8 deep", false},
		"until it holds already":             {`/until auto "one"`, "", "", false},
		"until it holds":                     {`/until exists:a "one" "make a"`, "one;make a", "", false},
		"until it does not hold any more":    {`/until not todo_done "one"`, "", "", false},
		"until the rounds are over":          {`/until --max 2 todo_done "one"`, "one;one", "error: 2 rounds are over", false},
		"until the exit":                     {`/until todo_done "one" /exit`, "one;/exit", "", true},
		"until a failure":                    {`/until todo_done "fail"`, "fail", "error: refused", false},
		"until the end of the context":       {`/until todo_done "stop"`, "stop", "error: context canceled", false},
		"until without an action":            {`/until todo_done`, "", "error: there is no action", false},
		"until what is no condition":         {`/until raining "one"`, "", `error: parsing condition "raining"`, false},
		"replay of a list":                   {`/replay list.yaml`, "one;/two 2", "", false},
		"replay of lines, with an exit":      {`/replay lines.txt`, "one;/exit", "", true},
		"replay without a file":              {`/replay`, "", "error: replaying: name a file", false},
		"replay of a file that is not there": {`/replay nothing`, "", "error: replaying: ", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{"list.yaml": "- one\n- /two 2\n", "lines.txt": "# a comment\none\n/exit\ntwo\n"} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := newLines(dir)
			s.stop = cancel
			set, err := command.NewSet(nil, nil, FlowCommands(s)...)
			if err != nil {
				t.Fatal(err)
			}
			name, args, _ := command.Parse(row.line)
			result, err := set.Run(ctx, name, args)
			got := result.Output
			if err != nil {
				got = "error: " + strings.TrimPrefix(err.Error(), "running /"+name+": ")
			}
			if ran := strings.Join(s.ran, ";"); ran != row.ran || result.Exit != row.exit {
				t.Errorf("ran %s, exit %v", ran, result.Exit)
			}
			if failed := strings.HasPrefix(row.output, "error: "); failed && !strings.HasPrefix(got, row.output) || !failed && got != row.output {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestPromptFails checks that a failure of a prompt is not one of the command: the conversation has reported it.
func TestPromptFails(t *testing.T) {
	t.Parallel()
	_, err := flowCommands{newLines(t.TempDir())}.assert(t.Context(), `auto "fail"`)
	if failed, ok := errors.AsType[*ConversationError](err); !ok || !errors.Is(failed, errRefused) {
		t.Errorf("got %v", err)
	}
}

// TestReplayLink replays a link that a tool may have created: it leads out of the working directory.
func TestReplayLink(t *testing.T) {
	t.Parallel()
	s, outside := newLines(t.TempDir()), filepath.Join(t.TempDir(), "outside.txt")
	if err := os.WriteFile(outside, []byte("never\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	testneed.Link(t, outside, filepath.Join(s.setup.Config.Workdir, "link.txt"))
	if _, err := (flowCommands{s}).replay(t.Context(), "link.txt"); err == nil || len(s.ran) > 0 {
		t.Errorf("ran %q, %v", s.ran, err)
	}
}
