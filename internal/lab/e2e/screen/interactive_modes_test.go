//go:build linux

package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// planning is a conversation in which the model makes a plan and carries it out once it is accepted.
const planning = `
  - tool_calls: [{name: Plan, arguments: {plan: "# The plan\n\n1. Make **one** file.\n2. Look at it.\n"}}]
  - text: Thinking again.
  - tool_calls: [{name: Write, arguments: {path: one.txt, content: x}}]
  - text: All done.
`

// offered matches the question about a plan that can be answered.
const offered = `^Accept it\?  \[1\] yes, mode ask`

// TestInteractivePlan accepts a plan in each mode, and refuses it.
func TestInteractivePlan(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		keys [][2]string
		// told is a part of what the model got.
		told string
	}{
		"accepted": {[][2]string{{"2", `mode edit · talker`}}, "The user accepted the plan. The mode is edit"},
		"refused":  {[][2]string{{"n", `Thinking again`}}, "the user said no"},
		"reason":   {[][2]string{{"r", `Reason for the model`}, {"too long" + enter, `Thinking again`}}, "the user said no: too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGolden(t, "plan-"+name)
			p := newStory(t, planning)
			s := interactive(p, "--mode", "plan", "Make a file")
			g.looks(s, "asked", offered)
			for _, k := range row.keys {
				s.send(k[0])
				g.looks(s, "after "+printable(k[0]), k[1])
			}
			s.shows(`^Thinking again`)
			s.send("Go on" + enter)
			s.shows(`^All done`)
			s.send(ctrlD)
			s.end()
			saved := p.Saved()
			harness.Complete(t, saved)
			if got := saved.Messages[2].Content; !strings.Contains(got, row.told) {
				t.Errorf("the model was given %q, want %q in it", got, row.told)
			}
			if made := p.Read("one.txt") != nil; made != (name == "accepted") {
				t.Errorf("the file was written: %v", made)
			}
		})
	}
}

// TestInteractivePlainPlan accepts a plan on the linear screen, and refuses it by a line.
func TestInteractivePlainPlan(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ line, told string }{
		"accepted": {"3", "The mode is auto"},
		"refused":  {"4", "the user said no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newStory(t, planning)
			s := interactive(p, "--plain", "--mode", "plan", "Make a file")
			s.shows(`1\. Make \*\*one\*\* file`, `1: yes, mode ask`, `Answer 1-5`)
			s.send(row.line + enter)
			s.shows(`Thinking again`)
			s.send(ctrlD)
			s.end()
			if got := p.Saved().Messages[2].Content; !strings.Contains(got, row.told) {
				t.Errorf("the model was given %q, want %q in it", got, row.told)
			}
		})
	}
}

// TestInteractiveUsualMode checks that a session begins in the mode that asks where nothing is enforced, also when it is resumed.
func TestInteractiveUsualMode(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - tool_calls: [{name: Write, arguments: {path: one.txt, content: x}}]\n  - text: Fine.\n")
	p.Write("home/.aura/config/features/tools.yaml", "tools: {max_steps: 50}\n") // keeps the mode as it is
	s := interactive(p, "Go")
	s.shows(`^mode ask · talker`, armed)
	s.send("n")
	s.shows(`^Fine`)
	s.send(shiftTab)
	s.shows(`^mode edit · talker`)
	s.send(ctrlD)
	s.end()
	s = interactive(p, "--continue")
	s.shows(`^mode edit · talker`)
	s.send(ctrlD)
	s.end()
}

// TestInteractiveModes calls tools in each mode on both screens: what asks there, and what runs. TestModesOfTools has all tools and modes.
func TestInteractiveModes(t *testing.T) {
	t.Parallel()
	for mode, row := range map[string]struct {
		// asked are the tools about which the user is asked, and says no. ran are the files of the calls that run.
		asked, ran []string
	}{
		"ask":  {[]string{"Write", "Bash"}, nil},
		"edit": {[]string{"Bash"}, []string{"written"}},
		"auto": {nil, []string{"made", "written"}},
		"plan": {nil, nil},
	} {
		for _, plain := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s plain %v", mode, plain), func(t *testing.T) {
				t.Parallel()
				p := newStory(t, "  - tool_calls: [{name: Read, arguments: {path: seen}}]\n  - tool_calls: [{name: Write, arguments: {path: written, content: x}}]\n"+
					"  - tool_calls: [{name: Bash, arguments: {command: 'echo x >made'}}]\n  - text: That is all.\n")
				p.Write("seen", "x\n")
				args, no, question := []string{"--mode", mode, "Go"}, "n", armed
				if plain {
					args, no, question = append([]string{"--plain"}, args...), "4"+enter, `^Answer 1-5:$`
				}
				s := interactive(p, args...)
				for _, name := range row.asked {
					s.shows(`^(?:Question: )?\?? ?`+name+`\b`, question)
					s.send(no)
					s.hides(question)
				}
				s.shows(`That is all\.`)
				s.send(ctrlD)
				s.end()
				for _, file := range []string{"made", "written"} {
					if ran := p.Read(file) != nil; ran != slices.Contains(row.ran, file) {
						t.Errorf("%s: the call ran: %v", file, ran)
					}
				}
				for _, m := range p.Saved().Messages {
					if m.Role == "tool" && m.ToolName == "Read" && !strings.Contains(m.Content, "x") {
						t.Errorf("Read gave %q", m.Content)
					}
				}
			})
		}
	}
}
