//go:build linux

package screen

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestInteractiveStart starts the screen, sends a prompt and quits. The conversation stays on the terminal.
func TestInteractiveStart(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "start")
	p := newStory(t, "  - {thinking: 'Let me think about it.', text: \"# Answer\\n\\nThis is **the** answer, with `code`:\\n\\n- one\\n- two\\n\"}\n")
	s := interactive(p)
	g.looks(s, "start", idle)
	s.send("What is the answer?")
	g.looks(s, "typed", `> What is the answer\?`)
	s.send(enter)
	g.looks(s, "answered", `• two`)
	s.send(ctrlD)
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	g.looks(s, "ended", `• two`)
	p.NoTrace()
}

// TestInteractivePrompt starts the screen with a prompt.
func TestInteractivePrompt(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "prompt")
	s := interactive(newStory(t, "  - text: Hello yourself.\n"), "Hello to you")
	g.looks(s, "answered", `^Hello yourself`, idle)
	s.send("/exit" + enter)
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestInteractiveStreaming shows the beginning of a block before the block is complete.
func TestInteractiveStreaming(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "streaming")
	p := newStory(t, "  - text: unused\n")
	m := newModel(p)
	s := interactive(p, "Tell me a story")
	g.looks(s, "waiting", `model, \d+ s`)
	m.say("# A story\n\nOnce upon a time there was a terminal. It was ")
	g.looks(s, "tail", `It was$`)
	m.say("80 columns wide.\n\nThen it")
	g.looks(s, "next block", `^Then it$`)
	m.say(" grew.\n\n```go\nfunc grow() {\n")
	g.looks(s, "code", `func grow`)
	m.say("}\n```\n\nThe end.")
	m.end()
	g.looks(s, "done", `^The end.\n─`)
	s.send(ctrlD)
	s.end()
}

// TestInteractiveTool shows the output of a tool while it runs, and the changes that a tool made.
func TestInteractiveTool(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "tool")
	p := newStory(t, `  - text: I run something.
    tool_calls: [{name: Bash, arguments: {command: 'echo first; echo second; while ! test -e go; do sleep 0.02; done; echo third'}}]
  - tool_calls: [{name: Write, arguments: {path: poem.txt, content: "roses\nviolets\n"}}, {name: Bash, arguments: {command: 'echo bad news; exit 3'}}]
  - text: All done.
`)
	s := interactive(p, "Run it")
	g.looks(s, "running", `│ second$`)
	p.Write("go", "")
	g.looks(s, "done", `^All done`)
	s.send(ctrlD)
	s.end()
}

// touching are turns in which a tool call needs an approval, twice.
const touching = `  - text: I touch it.
    tool_calls: [{name: Bash, arguments: {command: touch made}}]
  - tool_calls: [{name: Bash, arguments: {command: touch made again}}]
  - text: All done.
`

// TestInteractiveApproval gives each of the answers to the question whether a tool call may run.
func TestInteractiveApproval(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		// keys are typed after the question, step by step; each step ends on a screen that matches the pattern.
		keys     [][2]string
		made     bool
		asks     int
		reported string
	}{
		"once":    {[][2]string{{"y", `touch made again[\s\S]*it\?  \[y\]`}}, true, 2, ""},
		"no":      {[][2]string{{"n", `touch made again[\s\S]*it\?  \[y\]`}}, false, 2, "the user said no"},
		"escape":  {[][2]string{{escape, `touch made again[\s\S]*it\?  \[y\]`}}, false, 2, "the user said no"},
		"session": {[][2]string{{"s", `Pattern for this session`}, {strings.Repeat(deleted, 4) + "*" + enter, `All done`}}, true, 1, ""},
		"always":  {[][2]string{{"a", `Pattern to approve always`}, {strings.Repeat(deleted, 4) + "m*" + enter, `All done`}}, true, 1, ""},
		"reason":  {[][2]string{{"r", `Reason for the model`}, {"touch something else" + enter, `touch made again[\s\S]*it\?  \[y\]`}}, false, 2, "touch something else"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGolden(t, "approval-"+name)
			p := newStory(t, touching)
			s := interactive(p, "Go")
			g.looks(s, "asked", armed)
			for _, k := range row.keys {
				s.send(k[0])
				g.looks(s, "after "+printable(k[0]), k[1])
			}
			if row.asks == 2 {
				s.shows(armed)
				s.send("n")
			}
			s.shows(`^All done`)
			s.send(ctrlD)
			s.end()
			if made := p.Read("made") != nil; made != row.made {
				t.Errorf("the call ran: %v", made)
			}
			saved := p.Saved()
			harness.Complete(t, saved)
			if got := saved.Messages[2].Content; !strings.Contains(got, row.reported) {
				t.Errorf("the model was given %q, want %q in it", got, row.reported)
			}
		})
	}
}

// armed matches a question that can be answered.
const armed = `^Run it\?  \[y\] once`

// printable returns keys as a name of a step.
func printable(keys string) string {
	return strings.NewReplacer(enter, "<enter>", escape, "<escape>", deleted, "<delete>").Replace(keys)
}

// TestInteractiveCrash crashes a plugin in the middle of a turn. The status line names the plugin and the conversation continues.
func TestInteractiveCrash(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "crash")
	p := newStory(t, "  - tool_calls: [{name: Ls, arguments: {path: .git}}, {name: Ls, arguments: {path: .git}}, {name: Ls, arguments: {path: .git}}]\n  - text: I go on.\n")
	p.Plugin("bad", "timeout: 20s\n", harness.Source(
		`func AfterToolExecution(context.Context, sdk.AfterToolContext) (sdk.Result, error) { go func() { panic("boom") }(); select {} }`))
	g.from = "> Are you there?" // the order of the reports of crashes and of what the tools return is open
	s := interactive(p, "Go")
	s.shows(`^I go on`, `^bad quarantined · talker · `)
	s.send("Are you there?" + enter)
	g.looks(s, "goes on", `Are you there\?\n\nI go on`, `^bad quarantined`)
	s.send("/plugins" + enter)
	g.looks(s, "plugins", `> /plugins`, `bad/AfterToolExecution`)
	s.send(ctrlD)
	s.end()
	p.NoTrace()
}

// TestInteractiveReload lists the plugins, changes one, and reloads it.
func TestInteractiveReload(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "reload")
	p := newStory(t, "  - text: Hello.\n")
	hook := func(notice string) string {
		return harness.Source(`func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{Notice: "` + notice + `"}, nil }`)
	}
	p.Plugin("bad", "description: Greets\ncondition: \"not auto\"\n", hook("old"))
	s := interactive(p, "Hello").ready()
	s.send("/plugins" + enter)
	g.looks(s, "plugins", `bad/BeforeChat`)
	p.Plugin("bad", "description: Greets\n", hook("new"))
	s.send("/reload" + enter)
	g.looks(s, "reloaded", `> /reload\n[^─]`)
	s.send("Hello again" + enter)
	g.looks(s, "new", `bad: new`)
	s.send(ctrlD)
	s.end()
}

// TestInteractiveCompletion completes a command, shows the labels of its arguments, and completes the name of a file.
func TestInteractiveCompletion(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "completion")
	p := newStory(t, "  - text: Hello.\n")
	p.Write(".aura/config/commands/greet.md", "---\nname: greet\ndescription: Greets somebody\nhints: [NAME, GREETING]\n---\nSay $2 to $1.\n")
	p.Write("source/grape.go", "package source\n")
	p.Write("source/apple.go", "package source\n")
	p.Write("ignored.log", "")
	p.Write(".gitignore", "*.log\n")
	s := interactive(p).ready()
	s.send("/gre")
	g.looks(s, "menu", `› /greet`)
	s.send(tab)
	g.looks(s, "hints", `> /greet NAME GREETING$`)
	s.send("Bob")
	g.looks(s, "argument", `> /greet Bob$`)
	s.send(strings.Repeat(deleted, len("/greet Bob")) + "Read @grap")
	g.looks(s, "file", `› @source/grape.go`)
	s.send(enter)
	g.looks(s, "file accepted", `> Read @source/grape.go`)
	s.send(" @ignored")
	g.looks(s, "ignored file", `@ignored$`)
	s.send(ctrlC + ctrlC)
	s.end()
}

// TestInteractiveQueue queues prompts while the model works, takes one back, and sends one at once.
func TestInteractiveQueue(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "queue")
	p := newStory(t, "  - text: unused\n")
	m := newModel(p)
	s := interactive(p, "One")
	s.shows(`model, \d+ s`)
	s.send("Two" + enter + "Three" + enter)
	g.looks(s, "queued", `queued: Three`)
	s.send(up)
	g.looks(s, "taken back", `> Three$`)
	s.send(" and a half" + enter)
	g.looks(s, "queued again", `queued: Three and a half`)
	m.say("First answer.")
	m.end()
	g.looks(s, "next", `> Two\n[\s\S]*queued: Three and a half`)
	s.send("Now")
	s.send(ctrlS)
	g.looks(s, "now", `^> Now$`)
	m.say("Answer to now.")
	m.end()
	s.shows(`^> Three and a half$`)
	m.say("Last answer.")
	m.end()
	g.looks(s, "done", `^Last answer.\n─`)
	s.send(ctrlD)
	s.end()
	var prompts []string
	for _, message := range p.Saved().Messages {
		if message.Role == "user" {
			prompts = append(prompts, message.Content)
		}
	}
	if got := strings.Join(prompts, "|"); got != "One|Two|Now|Three and a half" {
		t.Errorf("the prompts are %s", got)
	}
}

// TestInteractiveQueueWaits interrupts a turn while prompts are queued: they wait, a command of a key does not, and Enter sends the first.
func TestInteractiveQueueWaits(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "queue-waits")
	p := newStory(t, "  - text: unused\n")
	m := newModel(p)
	s := interactive(p, "One")
	s.shows(`model, \d+ s`)
	s.send("Two" + enter + "Three" + enter)
	s.shows(`queued: Three`)
	s.send(escape)
	g.looks(s, "waits", `the queue waits: enter`)
	s.send(shiftTab)
	g.looks(s, "mode", `(?s)waiting: Two.*mode ask`)
	s.send(enter)
	s.shows(`^> Two$`)
	m.say("Second answer.")
	m.end()
	s.shows(`^> Three$`)
	m.say("Third answer.")
	m.end()
	g.looks(s, "done", `^Third answer.\n─`)
	s.send(ctrlD)
	s.end()
}

// TestInteractiveTodos shows the open todos above the input.
func TestInteractiveTodos(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "todos")
	s := interactive(newStory(t, `  - tool_calls: [{name: TodoCreate, arguments: {items: [{content: plan, status: completed}, {content: build}, {content: test, status: in_progress}, {content: read}, {content: write}, {content: ship}]}}]
  - text: I begin.
  - tool_calls: [{name: TodoCreate, arguments: {items: [{content: plan, status: completed}]}}]
  - text: All is done.
`), "Go")
	g.looks(s, "open", `(?s)I begin.*todos: 1 of 6 completed`)
	s.send("Go on" + enter)
	s.shows(`All is done`)
	s.hides(`todos: 1 of`)
	g.looks(s, "completed", `All is done`)
	s.send(ctrlD)
	s.end()
}

// TestInteractiveResize changes the size of the terminal while nothing happens.
func TestInteractiveResize(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "resize")
	s := interactive(newStory(t, "  - text: This is an answer that is long enough for more than one row in a terminal with few columns.\n"), "A prompt")
	s.shows(`^few columns|with few`)
	s.ready()
	for _, size := range []struct {
		name          string
		columns, rows int
	}{{"narrow", 40, 24}, {"wide", 120, 24}, {"low", 120, 8}, {"high", 80, 40}} {
		s.resize(size.columns, size.rows)
		g.looks(s, size.name, idle)
	}
	s.send(ctrlD)
	s.end()
}

// TestInteractiveColumns shows the same conversation with 40 and with 300 columns.
func TestInteractiveColumns(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{40, 300} {
		t.Run(strconv.Itoa(columns), func(t *testing.T) {
			t.Parallel()
			g := newGolden(t, "columns-"+strconv.Itoa(columns))
			p := newStory(t, `  - text: "I **look** at this directory, which has a file with a very long name, and then I say what I have found in it."
    tool_calls: [{name: Bash, arguments: {command: 'echo the output of a command that writes one long line, which does not fit into a narrow terminal'}}]
  - text: "| a | b |\n| --- | --- |\n| one | two |\n"
`)
			s := startScreen(p, p.Command("Look at it, and tell me what you have found there, 宽字符 included"), columns, 24)
			g.looks(s, "answered", `one`, idle)
			s.send("/he")
			g.looks(s, "menu", `› /he`)
			s.send(ctrlC + ctrlC)
			s.end()
		})
	}
}

// TestInteractiveNoColour checks that NO_COLOR is obeyed.
func TestInteractiveNoColour(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		environ  string
		coloured bool
	}{{"NO_COLOR=1", false}, {"NO_COLOR=", true}} {
		p := newStory(t, "  - {text: '# Title', tool_calls: [{name: Ls, arguments: {path: nowhere}}]}\n  - text: \"`code` and **more**\"\n")
		s := startScreen(p, p.Command("Hello"), 80, 24, row.environ)
		s.shows(`code and more`, idle)
		s.send("/he")
		s.shows(`› /help`)
		s.send(ctrlC + ctrlC)
		s.end()
		if found := regexp.MustCompile(`\x1b\[[0-9;]*(?:3|4|9|10)[0-9](?:;[0-9;]*)?m`).Find(s.received()); (found != nil) != row.coloured {
			t.Errorf("%s: the terminal received the colour %q", row.environ, found)
		}
	}
}

// TestInteractiveQuit quits in each way.
func TestInteractiveQuit(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "quit")
	for _, way := range []struct{ name, keys string }{{"ctrl-d", ctrlD}, {"exit", "/exit" + enter}, {"ctrl-c", ctrlC + ctrlC}} {
		p := newStory(t, "  - text: Hello.\n")
		s := interactive(p, "Hello")
		s.shows(`^Hello\.$`)
		s.ready()
		s.send(way.keys)
		if code := s.end(); code != 0 {
			t.Errorf("%s: exit code %d", way.name, code)
		}
		g.looks(s, way.name)
		if saved := p.Saved(); saved.End == nil || len(saved.Messages) != 2 {
			t.Errorf("%s: the session is not saved: %+v", way.name, saved)
		}
		p.NoTrace()
	}
}

// TestInteractiveResume continues a session, and chooses one from the list.
func TestInteractiveResume(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "resume")
	p := newStory(t, "  - text: The first answer.\n")
	p.Run("run", "The first prompt")
	p.Run("run", "Another prompt")
	s := interactive(p, "--continue").ready()
	g.looks(s, "continued", idle)
	s.send("Once more" + enter)
	g.looks(s, "once more", `> Once more\n\nThe first`)
	s.send("/resume" + enter)
	g.looks(s, "picker", `^/resume`, `The first prompt`)
	s.send("first")
	g.looks(s, "filtered", `^/resume first`)
	s.send(enter)
	g.looks(s, "resumed", `(?s)> /resume.*continues a session of 2 messages.*The first answer`)
	s.send(ctrlO)
	g.looks(s, "transcript", `^Transcript`)
	s.send("q" + ctrlD)
	s.end()
}

// TestInteractiveMention shows one line for the text of a file that a prompt mentions. The model gets the text.
func TestInteractiveMention(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "mention")
	p := newStory(t, "  - text: I read it.\n")
	p.Write("notes.md", "# Notes\nA secret plan.\n")
	s := interactive(p, "Read @notes.md, please").ready()
	g.looks(s, "sent", `I read it`)
	s.send(ctrlD)
	s.end()
	if got := p.Saved().Messages[0].Content; !strings.Contains(got, "A secret plan.") {
		t.Errorf("the model got %q", got)
	}
}

// TestInteractiveTranscript opens the transcript, searches in it and closes it. The terminal then shows what it showed before.
func TestInteractiveTranscript(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "transcript")
	var turns strings.Builder
	turns.WriteString("  - {thinking: 'I need a needle.', text: I look., tool_calls: [{name: Bash, arguments: {command: seq 60}}]}\n  - text: Done.\n")
	s := interactive(newStory(t, turns.String()), "Count")
	s.shows(`^Done`)
	s.ready()
	s.send(ctrlO)
	g.looks(s, "open", `^Transcript`)
	s.send("/needle" + enter)
	g.looks(s, "found", `needle`)
	s.send("/5" + enter + "n")
	g.looks(s, "next", ` of `)
	s.send("q")
	g.looks(s, "closed", `^Done`)
	s.send(ctrlD)
	s.end()
}

// TestInteractiveNoTerminal starts the screen without a terminal.
func TestInteractiveNoTerminal(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - text: Hello.\n")
	for _, args := range [][]string{nil, {"--plain"}, {"Say hello"}} {
		cmd := p.Command(args...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(errs.String(), "aura run") {
			t.Errorf("aura %q: %v: %s", args, err, errs.String())
		}
	}
}
