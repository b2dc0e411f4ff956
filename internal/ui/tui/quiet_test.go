package tui

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// choosing is a session with choices.
type choosing struct {
	frontend.Session
	choices []frontend.Choice
}

func (c choosing) Choices(context.Context, string) ([]frontend.Choice, error) { return c.choices, nil }

// TestNothingToCycle presses the keys for the next agent and the next mode where there is no other. They leave a hint, and nothing to
// print.
func TestNothingToCycle(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		choices []frontend.Choice
		cycles  bool
	}{
		"none":       {nil, false},
		"only this":  {[]frontend.Choice{{Value: "a", Current: true, Cycled: true}}, false},
		"a subagent": {[]frontend.Choice{{Value: "a", Current: true, Cycled: true}, {Value: "b"}}, false},
		"another":    {[]frontend.Choice{{Value: "a", Current: true, Cycled: true}, {Value: "b", Cycled: true}}, true},
		"no mode":    {[]frontend.Choice{{Value: "a", Cycled: true}, {Value: "none", Current: true, Cycled: true}}, true},
	} {
		u := &UI{worker: &worker{}, session: choosing{choices: row.choices}, frame: &frame{}, prompt: newPrompt(nil, nil, nil), queue: queue{busy: true}}
		u.cycle("mode")
		if queued := len(u.queue.lines) > 0; queued != row.cycles || strings.Contains(u.prompt.hint, "no other mode") == row.cycles {
			t.Errorf("%s: queued %v, hint %q", name, u.queue.lines, u.prompt.hint)
		}
	}
}

func TestShellFailure(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "sh")
	for _, row := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{exec.Command("sh", "-c", "exit 3").Run(), "exit status 3"},
		{errors.New("no such shell"), "no such shell"},
	} {
		if got := shellFailure(row.err); got != row.want {
			t.Errorf("%v: got %q", row.err, got)
		}
	}
}
