//go:build linux

package screen

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// plainStep is a part of a story with --plain. It waits for the pattern at the end of the output, and then types keys.
type plainStep struct{ shows, keys string }

// TestInteractivePlain tells the stories of the screen with --plain. The output is linear: it has no control sequences, and the raw
// output is what the golden file holds.
func TestInteractivePlain(t *testing.T) {
	t.Parallel()
	const touch = "  - text: I touch it.\n    tool_calls: [{name: Bash, arguments: {command: touch made}}]\n  - text: All done.\n"
	question := plainStep{`Answer 1-5: $`, ""}
	answer := func(keys string) plainStep { return plainStep{question.shows, keys + enter} }
	for name, story := range map[string]struct {
		turns string
		files map[string]string
		steps []plainStep
		made  bool
		// says are pieces of a streamed answer; the keys <say> send the next one, and <end> ends the answer.
		says []string
	}{
		"start": {turns: "  - text: Hello.\n", steps: []plainStep{{`You: $`, ctrlD}}},
		"streaming": {
			says: []string{"# A story\n\nOnce upon a time there was a terminal. It was ", "80 columns wide.\n\nThen it", " grew.\n\n```go\nfunc grow() {\n", "}\n```\n\nThe end."},
			steps: []plainStep{
				{`You: $`, "Tell me a story" + enter},
				{`story\r\n`, "<say>"},
				{`It was`, "<say>"},
				{`Then it`, "<say>"},
				{`grow\(\) \{`, "<say>"},
				{`The end\.`, "<end>"},
				{`You: $`, ctrlD},
			},
		},
		"resize": {
			says: []string{"This is an answer that is long enough for more ", "than one row in a terminal ", "with few columns."},
			steps: []plainStep{
				{`You: $`, "<narrow>"},
				{``, "A prompt" + enter},
				{`prompt\r\n`, "<say>"},
				{`for more`, "<wide>"},
				{``, "<say>"},
				{`in a terminal`, "<narrow>"},
				{``, "<say>"},
				{`few columns\.`, "<end>"},
				{`You: $`, "<wide>"},
				{``, ctrlD},
			},
		},
		"completion": {turns: "  - text: Hello.\n", steps: []plainStep{{`You: $`, "/hel" + enter}, {`/help[^\n]*\r\n[\s\S]*You: $`, "/help stats" + enter}, {`You: $`, ctrlD}}},
		"quit":       {turns: "  - text: Hello.\n", steps: []plainStep{{`You: $`, "Hello" + enter}, {`Hello\.\r\nYou: $`, ctrlC}, {`quit\r\nYou: $`, ctrlC}}},
		"prompt": {
			turns: "  - {thinking: Let me think., text: \"# Answer\\n\\nThis is **the** answer.\"}\n",
			steps: []plainStep{{`You: $`, "What is it?" + enter}, {`answer\.\*?\*?\r\nYou: $`, "/exit" + enter}},
		},
		"tool": {
			turns: "  - tool_calls: [{name: Bash, arguments: {command: 'echo first; echo second'}}]\n" +
				"  - tool_calls: [{name: Write, arguments: {path: poem.txt, content: \"roses\\n\"}}, {name: Bash, arguments: {command: 'echo bad news; exit 3'}}]\n  - text: All done.\n",
			steps: []plainStep{{`You: $`, "Run it" + enter}, {`All done\.\r\nYou: $`, ctrlD}},
		},
		"approval-once":    {turns: touch, steps: []plainStep{{`You: $`, "Go" + enter}, answer("1"), {`All done\.\r\nYou: $`, ctrlD}}, made: true},
		"approval-session": {turns: touch, steps: []plainStep{{`You: $`, "Go" + enter}, answer("2"), {`: $`, "Bash:touch m*" + enter}, {`All done\.\r\nYou: $`, ctrlD}}, made: true},
		"approval-always":  {turns: touch, steps: []plainStep{{`You: $`, "Go" + enter}, answer("3"), {`: $`, enter}, {`All done\.\r\nYou: $`, ctrlD}}, made: true},
		"approval-no":      {turns: touch, steps: []plainStep{{`You: $`, "Go" + enter}, answer("4"), {`All done\.\r\nYou: $`, ctrlD}}},
		"approval-reason":  {turns: touch, steps: []plainStep{{`You: $`, "Go" + enter}, answer("5"), {`model: $`, "not now" + enter}, {`All done\.\r\nYou: $`, ctrlD}}},
		"approval-other":   {turns: touch, steps: []plainStep{{`You: $`, "Go" + enter}, answer("9"), {`9\r\nAnswer 1-5: $`, "yes" + enter}, {`yes\r\nAnswer 1-5: $`, "4" + enter}, {`All done\.\r\nYou: $`, ctrlD}}},
		"plugins": {
			turns: "  - text: Hello.\n",
			files: map[string]string{"main.go": harness.Source(`func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{Notice: "seen"}, nil }`)},
			steps: []plainStep{{`You: $`, "Hello" + enter}, {`Hello\.\r\nYou: $`, "/plugins" + enter}, {`enabled\r\n[\s\S]*You: $`, "/reload" + enter}, {`reloaded[^\n]*\r\nYou: $`, ctrlD}},
		},
		"crash": {
			turns: "  - tool_calls: [{name: Ls, arguments: {path: .git}}]\n  - text: I go on.\n",
			files: map[string]string{"main.go": harness.Source(`func AfterToolExecution(context.Context, sdk.AfterToolContext) (sdk.Result, error) { panic("boom") }`)},
			steps: []plainStep{{`You: $`, "Go" + enter}, {`I go on\.\r\nYou: $`, ctrlD}},
		},
		"queue": {
			turns: "  - tool_calls: [{name: Bash, arguments: {command: 'echo begins; while ! test -e go; do sleep 0.02; done'}}]\n  - text: First.\n  - text: Second.\n",
			steps: []plainStep{{`You: $`, "Go" + enter}, {`Output: begins\r\n`, "Next" + enter}, {`Queued: Next\r\n`, "<go>"}, {`Second\.\r\nYou: $`, ctrlD}},
		},
		"shell": {
			turns: "  - text: Hello.\n",
			steps: []plainStep{{`You: $`, "!echo from the shell; echo bad >&2; exit 3" + enter}, {`to the model\r\nYou: $`, "Hello" + enter}, {`Hello\.\r\nYou: $`, ctrlD}},
		},
		"share": {
			turns: "  - text: I see.\n",
			steps: []plainStep{
				{`You: $`, "/share" + enter},
				{`none ran[^\n]*\r\nYou: $`, "!printf 'one\\n\\033[31mtwo\\033[0m\\n'" + enter},
				{`to the model\r\nYou: $`, "/share Look" + enter},
				{`I see\.\r\nYou: $`, ctrlD},
			},
		},
		"resume": {
			turns: "  - text: Hello.\n",
			steps: []plainStep{{`You: $`, "Hello" + enter}, {`Hello\.\r\nYou: $`, "/name greeting" + enter}, {`greeting\r\nYou: $`, "/resume greeting" + enter}, {`You: $`, ctrlD}},
		},
		"agent": {
			turns: "  - text: Hello.\n",
			steps: []plainStep{{`You: $`, "/agent" + enter}, {`You: $`, "/nope" + enter}, {`You: $`, ctrlC}, {`quit\r\nYou: $`, ctrlC}},
		},
		"interrupt": {
			turns: "  - tool_calls: [{name: Bash, arguments: {command: 'echo begins; exec sleep 60'}}]\n  - text: I go on.\n",
			steps: []plainStep{{`You: $`, "Go" + enter}, {`Output: begins\r\n`, ctrlC}, {`You: $`, "Go on" + enter}, {`I go on\.\r\nYou: $`, ctrlD}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGolden(t, "plain-"+name)
			p := newStory(t, cmp.Or(story.turns, "  - text: unused\n"))
			for file, text := range story.files {
				p.Write(".aura/plugins/bad/go.mod", "module bad\n\ngo 1.25\n")
				p.Write(".aura/plugins/bad/plugin.yaml", "description: A plugin\n")
				p.Write(".aura/plugins/bad/"+file, text)
			}
			var m *model
			if story.says != nil {
				m = newModel(p)
			}
			s := interactive(p, "--plain")
			seen, said := 0, 0
			for _, step := range story.steps {
				pattern := regexp.MustCompile(step.shows)
				p.Until(step.shows, func() bool {
					at := pattern.FindIndex(s.received()[seen:])
					if at != nil {
						seen += at[1]
					}
					return at != nil
				})
				switch step.keys {
				case "<go>":
					p.Write("go", "")
				case "<say>":
					m.say(story.says[said])
					said++
				case "<end>":
					m.end()
				case "<narrow>":
					s.resize(40, 10)
				case "<wide>":
					s.resize(160, 40)
				default:
					s.send(step.keys)
				}
			}
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if made := p.Read("made") != nil; made != story.made {
				t.Errorf("the call ran: %v", made)
			}
			g.holds(s, "output")
			p.NoTrace()
		})
	}
}

// holds compares the raw output of a program that has ended with the golden one. The output has no control characters but line ends.
func (g *golden) holds(s *screen, step string) {
	s.T.Helper()
	raw := bytes.ReplaceAll(s.received(), []byte("\r\n"), []byte("\n"))
	if at := bytes.IndexFunc(raw, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }); at >= 0 {
		s.T.Errorf("the output has a control character: %q", raw[max(0, at-40):min(len(raw), at+40)])
	}
	// Whether aura must wait for a plugin or for the model depends on the machine.
	raw = regexp.MustCompile(`Waiting: (?:plugins|model)\n`).ReplaceAll(raw, nil)
	// Ctrl-C reaches the program in the shell and aura at once; either may be the first to print.
	raw = regexp.MustCompile(`\^C(Error: signal: interrupt\n(?:Note: [^\n]*\n)?)(?:You: \n?)?press Ctrl-C again to quit\n`).ReplaceAll(raw, []byte("^Cpress Ctrl-C again to quit\n$1"))
	got := strings.TrimRight(steadied(strings.ReplaceAll(string(raw), s.Dir, "<project>")), "\n") + "\n"
	if *harness.Update {
		g.add(step, got)
	} else if want := g.steps[step]; got != want {
		s.T.Errorf("the output is\n%s\nwant\n%s", got, want)
	}
}

// TestInteractivePlainContinue checks that plain output says which session goes on, and its last answer.
func TestInteractivePlainContinue(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - text: Hello.\n")
	p.Aura("run", "Hello")
	s := interactive(p, "--plain", "--continue")
	s.shows(`^Note: continues a session of 2 messages$`, `^aura: Hello\.$`, `^You:`)
	s.send(ctrlD)
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
