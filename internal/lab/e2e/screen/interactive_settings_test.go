//go:build linux

package screen

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestInteractiveStatusCommand checks that a command of the user writes the status line, and what the command reads.
func TestInteractiveStatusCommand(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - text: Fine.\n")
	p.Write("home/config/features/screen.yaml", `screen: {status: "cat >`+p.Path("status.json")+`; printf 'mine \\033[31mred\\nsecond'"}`+"\n")
	s := interactive(p, "--home", p.Path("home"))
	s.shows(`^mine red$`)
	s.hides(`second`)
	s.send("\x04")
	s.end()
	for _, want := range []string{`"model":"talker"`, `"branch":"story"`, `"context_limit":20000`, `"columns":80`} {
		if got := string(p.Read("status.json")); !strings.Contains(got, want) {
			t.Errorf("the command read %s, which lacks %s", got, want)
		}
	}
}

// TestInteractiveKeys checks that the user can give an action another key, and that /keys lists it.
func TestInteractiveKeys(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - text: Fine.\n")
	p.Write("home/config/features/screen.yaml", "screen: {keys: {transcript: [f5]}}\n")
	p.Write("home/config/features/tools.yaml", "tools: {mode: none}\n")
	s := startScreen(p, p.Command("--home", p.Path("home")), 120, 50).ready()
	s.send("hi\r")
	s.shows(`^Fine\.$`)
	s.send("\x1b[15~")
	s.shows(`^Transcript`)
	s.send("q/keys\r")
	s.shows(`^f5 +transcript: Show the whole transcript`)
	s.send("\x04")
	s.end()
}

// TestInteractiveNotify checks that a user who looks elsewhere is notified that a question waits and that a turn has ended.
func TestInteractiveNotify(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - tool_calls: [{name: Bash, arguments: {command: touch made}}]\n  - text: Fine.\n  - text: Again.\n")
	p.Write("home/config/features/screen.yaml", "screen: {notify: osc9, notify_after: 1ms}\n")
	p.Write("home/config/features/tools.yaml", "tools: {mode: none}\n")
	s := interactive(p, "--home", p.Path("home")).ready()
	const blur, focus = "\x1b[O", "\x1b[I"
	s.send(blur + "hi" + enter)
	s.shows(armed)
	s.send("y")
	s.shows(`^Fine\.$`)
	s.ready()
	s.send(focus + "again" + enter)
	s.shows(`^Again\.$`)
	s.ready()
	s.send(ctrlD)
	s.end()
	got := regexp.MustCompile("\x1b]9;(.*?)\x1b").FindAllStringSubmatch(string(s.received()), -1)
	var notified []string
	for _, one := range got {
		notified = append(notified, one[1])
	}
	if text := strings.Join(notified, "|"); text != "aura: a question waits|aura: the turn has ended" {
		t.Errorf("the user was notified of %q", text)
	}
}

// TestInteractiveCopy checks that /copy gives the last answer to the terminal, and that /theme changes the colours.
func TestInteractiveCopy(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - text: A `fine` answer.\n")
	s := interactive(p).ready()
	s.send("/copy\r")
	s.shows(`there is none yet`)
	s.send("hi\r")
	s.shows(`^A fine answer\.$`)
	s.send("/copy\r")
	s.shows(`gave the last answer \(16 bytes\)`)
	if want := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("A `fine` answer.")) + "\a"; !strings.Contains(string(s.received()), want) {
		t.Error("the terminal did not receive the answer for its clipboard")
	}
	s.send("/theme drak\r")
	s.shows(`there is no "drak"; did you mean "dark"\?`)
	s.send("/theme plain\r")
	s.shows(`theme plain until the session ends`)
	s.send("\x04")
	s.end()
}

// TestInteractiveAttach checks that the pasted path of an image, or of audio, becomes an attachment, that a model without images refuses it, and that
// other pasted paths stay text.
func TestInteractiveAttach(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - text: Seen.\n")
	p.Write("a b.png", "\x89PNG\r\n\x1a\n"+strings.Repeat("x", 2000))
	p.Write("notes.txt", "text")
	paste := func(text string) string { return "\x1b[200~" + text + "\x1b[201~" }
	s := interactive(p).ready()
	s.send(paste(p.Path("notes.txt")))
	s.shows(`> .*notes\.txt`)
	s.send("\x15" + paste(`'`+p.Path("a b.png")+`'`))
	s.shows(`takes no images`)
	s.send("\x15")
	s.send("\x04")
	s.end()
	p.Write(".aura/config/talk.yaml",
		"model: {name: talker, family: script, parameter_count: 8000000000, context_length: 20000, capabilities: [tools, thinking, vision, audio]}\nturns:\n  - text: Seen.\n")
	p.Write("song.mp3", "ID3\x04\x00\x00")
	s = interactive(p).ready()
	s.send(paste(`'` + p.Path("a b.png") + `'`))
	s.shows(`> \[Image #1: a b\.png, 2 KB\]`)
	s.send(paste(p.Path("song.mp3")))
	s.shows(`> \[Image #1: a b\.png, 2 KB\] \[Audio #2: song\.mp3, 1 KB\]`)
	s.send("what is it\r")
	s.shows(`^Seen\.$`)
	s.send("\x04")
	s.end()
	out := string(p.Aura("run", "--continue", "/export"))
	if !strings.Contains(out, "a b.png") || !strings.Contains(out, "song.mp3 (audio/mpeg, 6 bytes)") {
		t.Errorf("the session does not name the files: %s", out)
	}
}

// TestInteractiveClipboard checks that Ctrl-V attaches the image of the clipboard or pastes its text, and that no program of the project reads the clipboard.
func TestInteractiveClipboard(t *testing.T) {
	t.Parallel()
	programs, err := os.MkdirTemp(harness.OutsideRoot, "aura-clipboard-") //nolint:usetesting // it must not be where everybody may write
	if err != nil {
		testneed.Missing(t, testneed.Outside, err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(programs) })
	image, program := filepath.Join(programs, "image"), filepath.Join(programs, "wl-paste")
	p := newStory(t, "  - text: Seen.\n")
	p.Write(".aura/config/talk.yaml",
		"model: {name: talker, family: script, parameter_count: 8000000000, context_length: 20000, capabilities: [tools, thinking, vision]}\nturns:\n  - text: Seen.\n")
	for path, text := range map[string]string{
		p.Path("wl-paste"): "#!/bin/sh\ntouch " + p.Path("started") + "\n",
		image:              "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 2000),
		program:            "#!/bin/sh\nd=" + programs + "\ncase $* in\n--list-types) test ! -f $d/image || echo image/png ;;\n*image/png) cat $d/image ;;\n*) test ! -f $d/text || cat $d/text ;;\nesac\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil { //nolint:gosec // they are programs
			t.Fatal(err)
		}
	}
	s := startScreen(p, p.Command(), 80, 24, "WAYLAND_DISPLAY=w", "PATH=.:"+p.Path(".")+":"+programs+":"+os.Getenv("PATH")).ready()
	s.send("\x16")
	s.shows(`> \[Image #1: pasted-1\.png, 2 KB\]`)
	if err := os.Remove(image); err != nil {
		t.Fatal(err)
	}
	s.send("\x16")
	s.shows(`the clipboard has no image and no text`)
	if err := os.WriteFile(filepath.Join(programs, "text"), []byte("what is it"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.send("\x16")
	s.shows(`> \[Image #1: pasted-1\.png, 2 KB\] what is it`)
	s.send("\r")
	s.shows(`^Seen\.$`)
	s.send("\x04")
	s.end()
	if out := string(p.Aura("run", "--continue", "/export")); !strings.Contains(out, "pasted-1.png (image/png, 2008 bytes)") {
		t.Errorf("the session does not name the image: %s", out)
	}
	if _, err := os.Stat(p.Path("started")); err == nil {
		t.Error("a program of the project was started")
	}
}

// TestInteractiveSecrets checks that the prompts that aura keeps for later sessions hold no secret, and no prompt after a blank.
func TestInteractiveSecrets(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - text: Fine.\n  - text: Also fine.\n")
	s := startScreen(p, p.Command(), 80, 24, "MY_API_KEY=sk-4711-very-secret").ready()
	s.send("use sk-4711-very-secret\r")
	s.shows(`^Fine\.$`)
	s.send(" not kept\r")
	s.shows(`^Also fine\.$`)
	s.send("\x04")
	s.end()
	files := p.Find("prompts.jsonl")
	if len(files) != 1 {
		t.Fatalf("prompts are kept in %q", files)
	}
	text, err := os.ReadFile(files[0])
	p.Check(err)
	if !strings.Contains(string(text), "use [redacted]") || strings.Contains(string(text), "4711") || strings.Contains(string(text), "not kept") {
		t.Errorf("kept prompts: %s", text)
	}
}

// TestInteractiveCycle checks that Tab switches to the next agent and Shift-Tab to the next mode, and that the text of the input stays.
func TestInteractiveCycle(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - text: Fine.\n")
	p.Write(".aura/config/agents/first.md", "---\nname: first\ndefault: true\nmodel: {provider: test}\n---\n")
	p.Write(".aura/config/agents/second.md", "---\nname: second\nmodel: {provider: test}\n---\n")
	p.Write(".aura/config/modes/own.md", "---\nname: own\n---\n")
	s := interactive(p)
	s.shows(`^first · talker`)
	s.send("draft\t")
	s.shows(`^second · talker`, `^> draft$`)
	for _, mode := range []string{"ask", "edit", "auto", "plan", "own", "ask"} {
		s.send(shiftTab)
		s.shows(`^second · mode `+mode+` · talker`, `^> draft$`)
	}
	s.send("\x15\x04")
	s.end()
}
