//go:build linux

package screen

import (
	"bytes"
	"testing"
)

// TestInteractiveHostile puts a sequence that sets the title of the terminal into everything that the screen shows: answers, thoughts,
// arguments and output of tools, names of files, descriptions of commands and agents, the branch, pasted text. The screen shows the rest
// and sends no such sequence. As a control, the test's terminal finds the sequence in what a plain program prints.
func TestInteractiveHostile(t *testing.T) {
	t.Parallel()
	const title = "\x1b]0;STOLEN"
	p := newStory(t, `  - thinking: "Thought \e]0;STOLEN-thought\a ends."
    text: "Answer \e]0;STOLEN-answer\a\u009b31m \u202Eends."
    tool_calls: [{name: Bash, arguments: {command: "printf 'Output \\033]0;STOLEN-output\\007 ends.'; : \e]0;STOLEN-argument\a"}}]
  - text: "Last."
`)
	p.Write(".git/HEAD", "ref: refs/heads/story"+title+"-branch\a\n")
	p.Write("oddity.txt", "text")
	p.Write("odd"+title+"-file\a.txt", "text")
	p.Write(".aura/config/commands/odd.md", "---\nname: odd\ndescription: \"Odd \\e]0;STOLEN-command\\a\"\n---\nDo it.\n")
	p.Write(".aura/config/agents/second.md", "---\nname: second\ndescription: \"Second \\e]0;STOLEN-agent\\a\"\nmodel: {provider: test, name: talker}\n---\nWork.\n")
	s := interactive(p).ready()
	s.send("@odd")
	s.shows(`oddity\.txt`) // the other file is not offered
	s.send("\x15/od")
	s.shows(`/odd +Odd`)
	s.send("\x15" + pasteStart + "Pasted " + title + "-paste\a ends." + pasteEnd)
	s.shows(`> Pasted`)
	s.send(enter)
	s.shows(`Answer`)
	s.shows(`^Last\.$`)
	s.shows(`Output`)
	s.send("/agent" + enter)
	s.shows(`second +Second`)
	s.send(escape)
	s.ready()
	s.send(ctrlO)
	s.shows(`^Transcript`)
	s.shows(`Thought`)
	s.send("q")
	s.ready()
	s.send(ctrlD)
	s.end()
	for _, sequence := range []string{title, "\x9b31m", "\u009b", "\u202e"} {
		if at := bytes.Index(s.received(), []byte(sequence)); at >= 0 {
			t.Errorf("the terminal received %q", s.received()[max(0, at-60):min(len(s.received()), at+60)])
		}
	}
	control := p.Command()
	control.Path, control.Args = "/bin/sh", []string{"sh", "-c", `printf '\033]0;STOLEN\007done'`}
	plain := startScreen(p, control, 80, 24)
	plain.shows(`^done`)
	plain.end()
	if !bytes.Contains(plain.received(), []byte(title)) {
		t.Error("the control did not send the sequence")
	}
}
