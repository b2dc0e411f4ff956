//go:build linux

package screen

import (
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// doing is a situation in which the screen is interrupted or ended. It begins with the prompt "Go".
type doing struct {
	name string
	// turns are those of the scripted model.
	turns string
	// streams is set if a model is in the middle of its answer.
	streams bool
	// slow is set if the session is still opening, because a plugin does not start.
	slow bool
	// plain are the steps with --plain. There are none if the situation cannot come there, or cannot be seen.
	plain []doingStep
	// early is set if the situation is seen with --plain before the model is asked. The scripted answer may then be left.
	early bool
	// keys are typed after a screen that matches the pattern, step by step. The situation has come when the screen matches the last
	// pattern.
	steps []doingStep
	// interrupt is what interrupts it. quit is what quits, if that is not Ctrl-C twice.
	interrupt, quit string
}

type doingStep struct{ shows, keys string }

// doings covers everything that the screen can do.
var doings = []doing{
	{name: "opening", slow: true, steps: []doingStep{{`^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] (?:starting|plugin)[^\n]*, \d+ s`, ""}}, plain: []doingStep{{`^Waiting: plugins`, ""}}},
	{name: "model", turns: "  - {delay: 60s, text: Late.}\n  - text: I go on.\n", steps: []doingStep{{`model, \d+ s`, ""}}, plain: []doingStep{{`^Waiting: model$`, ""}}, interrupt: escape},
	{name: "streaming", streams: true, steps: []doingStep{{`^The beginning of$`, ""}}, plain: []doingStep{{`^aura: The beginning of$`, ""}}, interrupt: escape},
	{
		name:      "tool",
		turns:     "  - tool_calls: [{name: Bash, arguments: {command: 'echo begins; exec sleep 60'}}]\n  - text: I go on.\n",
		steps:     []doingStep{{`│ begins`, ""}},
		plain:     []doingStep{{`^Output: begins`, ""}},
		interrupt: escape,
	},
	{
		name:      "question",
		turns:     "  - tool_calls: [{name: Bash, arguments: {command: touch made}}]\n  - text: I go on.\n",
		steps:     []doingStep{{armed, ""}},
		plain:     []doingStep{{`^Answer 1-5:$`, ""}},
		interrupt: ctrlC,
	},
	{
		name:      "reason",
		turns:     "  - tool_calls: [{name: Bash, arguments: {command: touch made}}]\n  - text: I go on.\n",
		steps:     []doingStep{{armed, "r"}, {`^Reason for the model`, "because"}, {`^\? because$`, ""}},
		plain:     []doingStep{{`^Answer 1-5:$`, "5" + enter}, {`^Reason for the model:$`, "because"}, {`because$`, ""}},
		interrupt: ctrlC + ctrlC,
		quit:      ctrlC + ctrlC + ctrlC,
	},
	{
		name:      "compaction",
		turns:     "  - text: Hello.\n  - {delay: 60s, text: A summary.}\n  - text: I go on.\n",
		steps:     []doingStep{{`^Hello\.\n─`, "/compact" + enter}, {`compaction[^\n]*, \d+ s`, ""}},
		plain:     []doingStep{{`^aura: Hello\.\nYou:$`, "/compact" + enter}, {`^Waiting: compaction`, ""}},
		early:     true,
		interrupt: escape,
	},
	{
		name:      "transcript",
		turns:     "  - {delay: 60s, text: Late.}\n  - text: I go on.\n",
		steps:     []doingStep{{`model, \d+ s`, ctrlO}, {`^Transcript`, ""}},
		interrupt: ctrlC + escape,
		quit:      ctrlC + ctrlC + ctrlC,
	},
	{
		name:      "picker",
		turns:     "  - text: I go on.\n",
		steps:     []doingStep{{`^I go on\.\n─`, "/model" + enter}, {`^/model`, ""}},
		interrupt: ctrlC,
		quit:      ctrlC + ctrlD,
	},
	{
		name:      "shell",
		turns:     "  - text: I go on.\n",
		steps:     []doingStep{{`^I go on\.\n─`, "!echo begins; exec sleep 60" + enter}, {`^begins$`, ""}},
		plain:     []doingStep{{`^aura: I go on\.\nYou:$`, "!echo begins; exec sleep 60" + enter}, {`begins$`, ""}},
		interrupt: ctrlC,
		quit:      "-", // all keys belong to the program
	},
}

// come starts the screen and returns when the situation has come.
func (d doing) come(t *testing.T, plain bool) *screen {
	t.Helper()
	steps, args := d.steps, []string{"Go"}
	if plain {
		steps, args = d.plain, []string{"--plain", "Go"}
	}
	turns := d.turns
	if turns == "" {
		turns = "  - text: I go on.\n"
	}
	p := newStory(t, turns)
	if d.slow {
		p.Plugin("bad", "timeout: 60s\n", harness.Source(`func init() { select {} }`, harness.IdleHook))
	}
	var m *model
	if d.streams {
		m = newModel(p)
	}
	s := startScreen(p, p.Command(args...), 80, 24, "SHELL=/bin/sh")
	if d.streams {
		m.say("The beginning of")
	}
	for _, step := range steps {
		s.shows(step.shows)
		s.send(step.keys)
	}
	return s
}

// TestInteractiveInterrupt interrupts the screen in every situation. Then the next prompt is answered.
func TestInteractiveInterrupt(t *testing.T) {
	t.Parallel()
	for _, d := range doings {
		if d.interrupt == "" {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			g := newGolden(t, "interrupt-"+d.name)
			s := d.come(t, false)
			s.send(d.interrupt)
			s.shows(`^> *$`, idle)
			s.ready()
			g.looks(s, "interrupted")
			if d.streams {
				s.send(ctrlD)
				s.end()
				return
			}
			s.send("Go on" + enter)
			g.looks(s, "goes on", `> Go on\n\nI go on`)
			s.send(ctrlD)
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			harness.Complete(t, s.Saved())
			if s.Read("made") != nil {
				t.Error("a call ran that nobody approved")
			}
			s.NoTrace()
		})
	}
}

// TestInteractivePlainInterrupt is TestInteractiveInterrupt with --plain, where Ctrl-C interrupts. The output is linear.
func TestInteractivePlainInterrupt(t *testing.T) {
	t.Parallel()
	for _, d := range doings {
		if d.interrupt == "" || len(d.plain) == 0 {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			g := newGolden(t, "plain-interrupt-"+d.name)
			s := d.come(t, true)
			s.send(ctrlC)
			s.shows(`again to quit`, `\nYou:$`)
			if !d.streams && !d.early {
				s.send("Go on" + enter)
				s.shows(`^aura: I go on\.\nYou:$`)
			}
			s.send(ctrlD)
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			g.holds(s, "output")
			harness.Complete(t, s.Saved())
			if s.Read("made") != nil {
				t.Error("a call ran that nobody approved")
			}
			s.NoTrace()
		})
	}
}
