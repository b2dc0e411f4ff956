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
	// commands are names of slash commands.
	commands []string
}

func (c choosing) Commands() []frontend.CommandInfo {
	var out []frontend.CommandInfo
	for _, name := range c.commands {
		out = append(out, frontend.CommandInfo{Name: name})
	}
	return out
}

// TestOwnCommands checks that keys and pickers run aura's own commands, also if the user gave their plain names to others.
func TestOwnCommands(t *testing.T) {
	t.Parallel()
	choices := []frontend.Choice{{Value: "a", Current: true, Cycled: true}, {Value: "b", Cycled: true}}
	for _, row := range []struct {
		commands []string
		cycled   string
		// picks holds the lines that open a picker, others those that the session gets.
		picks, others []string
	}{
		{[]string{"mode", "model"}, "/mode --next", []string{"/model", "/aura:model"}, []string{"/model x", "/x"}},
		{[]string{"mode", "aura:mode", "model", "aura:model"}, "/aura:mode --next", []string{"/aura:model"}, []string{"/model"}},
	} {
		u := &UI{worker: &worker{}, session: choosing{choices: choices, commands: row.commands}, frame: &frame{}, prompt: newPrompt(nil, nil, nil), queue: queue{busy: true}}
		u.cycle("mode")
		if len(u.queue.lines) != 1 || u.queue.lines[0] != row.cycled {
			t.Errorf("%v: queued %q, want %q", row.commands, u.queue.lines, row.cycled)
		}
		for _, line := range row.picks {
			if name, ok := pickerOf(line, u.commands()); !ok || name != "model" {
				t.Errorf("%v: %s opens no picker: %q", row.commands, line, name)
			}
		}
		for _, line := range row.others {
			if name, ok := pickerOf(line, u.commands()); ok {
				t.Errorf("%v: %s opens a picker of %s", row.commands, line, name)
			}
		}
	}
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
