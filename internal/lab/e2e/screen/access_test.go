//go:build linux

package screen

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// newAccessStory returns a project with a diary beside it, which tools cannot read.
func newAccessStory(t *testing.T, calls ...string) *harness.Project {
	t.Helper()
	if harness.Bare() {
		testneed.Missing(t, testneed.Namespaces, "the kernel's messages differ without them")
	}
	var turns strings.Builder
	for _, call := range calls {
		turns.WriteString("  - tool_calls: [" + call + "]\n")
	}
	p := newStory(t, turns.String()+"  - text: That is all.\n")
	p.Check(os.RemoveAll(p.Path(".aura/config/sandbox")))
	p.Check(os.WriteFile(filepath.Join(p.Home, "diary.txt"), []byte("Dear diary\n"), 0o600))
	return p
}

// inBash returns a call of Bash.
func inBash(command string) string {
	text, err := json.Marshal(map[string]any{"name": "Bash", "arguments": map[string]string{"command": command}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// diary is the path that the questions of these tests are about.
func diary(p *harness.Project) string {
	p.T.Helper()
	path, err := filepath.EvalSymlinks(filepath.Join(p.Home, "diary.txt"))
	p.Check(err)
	return path
}

// results returns what the model got for each call of the last session.
func results(p *harness.Project) []string {
	p.T.Helper()
	var out []string
	for _, m := range p.Saved().Messages {
		if m.ToolCallID != "" {
			out = append(out, m.Content)
		}
	}
	return out
}

// accessUsers are the front ends in which a user answers. Each runs one session, answers the first question, and refuses the second one if there
// is one.
var accessUsers = map[string]func(p *harness.Project, answer string, again bool){
	"terminal": func(p *harness.Project, answer string, again bool) {
		d := talk(p, "", "", "run", "go")
		question := `\? read [^\n]*diary\.txt\r\n[\s\S]*?allow it\? [^\n]*: `
		d.answer(question, map[string]string{"once": "y\n", "session": "s\n", "always": "a\n", "outside": "o\n", "no": "\n", "reason": "n it is mine\n"}[answer])
		if again {
			d.answer(question, "n\n")
		}
		d.end(`That is all`)
	},
	"screen": func(p *harness.Project, answer string, again bool) {
		s := interactive(p, "Go")
		s.shows(`^\? read \S*diary\.txt`, hostArmed)
		s.send(map[string]string{"once": "y", "session": "s", "always": "a", "outside": "o", "no": "n", "reason": "r"}[answer])
		if answer == "reason" {
			s.shows(`^Reason`)
			s.send("it is mine" + enter)
		}
		if again {
			s.shows(`for Bash: echo again`, hostArmed)
			s.send("n")
		}
		s.shows(`^That is all`)
		s.send(ctrlD)
		s.end()
	},
	"plain": func(p *harness.Project, answer string, again bool) {
		s := interactive(p, "--plain", "Go")
		s.shows(`diary\.txt[\s\S]*Answer 1-6:$`)
		s.send(map[string]string{"once": "1", "session": "2", "always": "3", "outside": "4", "no": "5", "reason": "6"}[answer] + enter)
		if answer == "reason" {
			s.shows(`^Reason[^\n]*: ?$`)
			s.send("it is mine" + enter)
		}
		if again {
			s.shows(`for Bash: echo again[\s\S]*Answer 1-6:$`)
			s.send("5" + enter)
		}
		s.shows(`That is all[\s\S]*You:$`)
		s.send(ctrlD)
		s.end()
	},
	"editor": func(p *harness.Project, answer string, again bool) {
		e := p.Edit()
		answers := []string{map[string]string{"once": "once", "session": "session", "always": "always", "outside": "outside", "no": "reject", "reason": ""}[answer]}
		if again {
			answers = append(answers, "reject")
		}
		e.Permit = func(_ context.Context, r acp.RequestPermissionRequest) string {
			shown, err := json.Marshal(r)
			if err != nil || len(r.Options) != 5 || !strings.Contains(string(shown), "read "+diary(p)) || len(answers) == 0 {
				e.T.Errorf("asked %s, %v", shown, err)
				return ""
			}
			first := answers[0]
			answers = answers[1:]
			return first
		}
		id := e.Open()
		if stop := e.Prompt(id, "go"); stop != acp.StopReasonEndTurn || len(answers) > 0 {
			e.T.Errorf("it stopped because of %s; the user was not asked for %q", stop, answers)
		}
		e.Quit()
	},
}

// TestAccessAnswers gives each of the answers to the question about a path, in each front end. Two calls read the same file, the second one by a
// link. The command appends to a file of the project each time it runs. What is approved for good counts in the next session, where nobody can be
// asked, until it is removed; what is refused is not asked about again.
func TestAccessAnswers(t *testing.T) {
	t.Parallel()
	answers := map[string]struct {
		// first and second are whether the calls read the file. again is whether the second one is a question, and kept whether the approval is.
		first, second, again, kept bool
		// ran is how often the commands ran, and model is what the model reads about the first call.
		ran   int
		model string
	}{
		"once":    {true, false, true, false, 3, "[sandbox] the user allowed this call to read "},
		"session": {true, true, false, false, 3, "[sandbox] the user allowed, for this session, to read "},
		"always":  {true, true, false, true, 3, "[sandbox] the user allowed, for all sessions in this project, to read "},
		"outside": {true, false, true, false, 3, "[sandbox] the user let this call run outside of the sandbox. The call was stopped and then run again from its beginning"},
		"no":      {false, false, false, false, 2, "[sandbox] asked about it, the user said no; do not try"},
		"reason":  {false, false, false, false, 2, "[sandbox] asked about it, the user said no: it is mine; do not try"},
	}
	for user, tell := range accessUsers {
		for answer, want := range answers {
			t.Run(user+" "+answer, func(t *testing.T) {
				t.Parallel()
				p := newAccessStory(t, inBash("echo >>ran; cat ~/diary.txt"), inBash("echo again >>ran; ln -sfn ~ up; cat up/diary.txt"))
				tell(p, answer, want.again)
				got := results(p)
				for i, want := range []bool{want.first, want.second} {
					if strings.Contains(got[i], "Dear diary") != want {
						t.Errorf("call %d: the model was given %q", i+1, got[i])
					}
				}
				next := func(want int) {
					t.Helper()
					out, err := p.Command("run", "go").CombinedOutput()
					if n := strings.Count(string(out), "Dear diary"); n != want || err != nil {
						t.Errorf("the next session shows the diary %d times, want %d: %s, %v", n, want, out, err)
					}
				}
				if !strings.Contains(got[0], want.model) && (user != "editor" || answer != "reason") {
					t.Errorf("the model was given %q, want %q in it", got[0], want.model)
				}
				if want.ran == 2 && !strings.Contains(got[1], "the user said no earlier in this session") {
					t.Errorf("the model was given %q", got[1])
				}
				if ran := strings.Count(string(p.Read("ran")), "\n"); ran != want.ran {
					t.Errorf("the commands ran %d times, want %d", ran, want.ran)
				}
				if kept := strings.Contains(said(p, "approvals"), "sandbox.read:"+diary(p)); kept != want.kept {
					t.Errorf("the approval is kept: %v", kept)
				}
				if want.kept {
					if shown := said(p, "run", "/sandbox"); !strings.Contains(shown, "granted: sandbox.read:"+diary(p)+" (always; /policy remove 1)") {
						t.Errorf("/sandbox shows %s", shown)
					}
					next(2)
					said(p, "approvals", "rm", "1")
				}
				next(0)
				p.NoTrace()
			})
		}
	}
}

// TestAccessAsked tries the same path 20 times, by different commands, tools and names: the user is asked once.
func TestAccessAsked(t *testing.T) {
	t.Parallel()
	var calls []string
	for i := range 20 {
		calls = append(calls, []string{
			inBash("cat ~/diary.txt"), inBash("cat ~/../home/./diary.txt; false"), inBash("echo x >>~/diary.txt"),
			`{name: Read, arguments: {path: home/diary.txt}}`, `{name: Write, arguments: {path: home/diary.txt, content: x}}`,
		}[i%5])
	}
	p := newAccessStory(t, calls...)
	s := interactive(p, "Go")
	s.shows(`^\? read \S*diary\.txt`, hostArmed)
	s.send("n")
	s.shows(`^That is all`)
	s.send("/policy" + enter)
	s.shows(`refused until the session ends[\s\S]*1  sandbox\.read:\S*diary\.txt`)
	s.send("/policy remove 1" + enter)
	s.shows(`aura asks about sandbox\.read:\S*diary\.txt again`)
	s.send(ctrlD)
	s.end()
	got := results(p)
	if len(got) != 20 || string(s.received()) == "" {
		t.Fatalf("%d calls", len(got))
	}
	for i, content := range got[1:] {
		if strings.Contains(content, "Dear") || !strings.Contains(content, "the user said no earlier in this session") {
			t.Errorf("call %d: the model was given %q", i+2, content)
		}
	}
	if text, err := os.ReadFile(diary(p)); string(text) != "Dear diary\n" {
		t.Errorf("the diary is %q, %v", text, err)
	}
}

// TestAccessWriting lets a tool create a file, and a command write it; a command that fails leaves no empty file.
func TestAccessWriting(t *testing.T) {
	t.Parallel()
	p := newAccessStory(t,
		`{name: Write, arguments: {path: home/report.md, content: one}}`,
		inBash("printf ' two' >>~/report.md"), inBash("printf ' three' >>~/report.md"), inBash("mkdir ~/made"))
	s := interactive(p, "Go")
	s.shows(`^\? create and write \S*report\.md\n  for Write\n  refused by the sandbox: no path of rw`, `^Allow it\?  \[y\] once  \[s\] this session  \[a\] always  \[n\]`)
	s.send("y")
	s.shows(`^\? read and write \S*report\.md\n  for Bash: printf ' two'[\s\S]*a yes runs it again`, hostArmed)
	s.send("s")
	s.shows(`^\? create and write \S*made\n`, hostArmed)
	s.send("y")
	s.shows(`^That is all`)
	s.send(ctrlD)
	s.end()
	text, err := os.ReadFile(filepath.Join(p.Home, "report.md"))
	if string(text) != "one two three" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if _, err := os.Lstat(filepath.Join(p.Home, "made")); err == nil {
		t.Error("an empty file is left")
	}
}

// TestAccessNever tries what no question offers: secrets, what runs outside of the sandbox later, and what does not exist. Where nobody can be
// asked, nothing else is asked about either. The notes say what the rule is, and propose nothing for a secret.
func TestAccessNever(t *testing.T) {
	t.Parallel()
	secret := []string{"is a place of secrets; only the user can read or change it"}
	calls := []struct {
		call string
		want []string
	}{
		{inBash("cat ~/.ssh/id_rsa"), append([]string{"is not granted for reading"}, secret...)},
		{inBash("echo x >~/.ssh/authorized_keys"), append([]string{"[sandbox] "}, secret...)},
		{`{name: Read, arguments: {path: home/.ssh/id_rsa}}`, append([]string{"reading "}, secret...)},
		{`{name: Write, arguments: {path: home/.ssh/config, content: x}}`, append([]string{"writing "}, secret...)},
		{inBash("ln -sfn ~/.ssh keys; cat keys/id_rsa"), secret},
		{inBash("echo x >~/.bashrc"), []string{"[sandbox] writing ", "no path of rw covers it"}},
		{inBash("echo x >>~/run"), []string{"[sandbox] writing "}},
		{inBash("echo x >~/.config/autostart"), []string{"[sandbox] "}},
		{inBash("echo x >.git/hooks/pre-commit"), []string{"stays read-only, because what is there runs outside of the sandbox"}},
		{inBash("echo x >.aura/x"), []string{"stays read-only"}},
		{inBash("echo x >/etc/profile.d/x.sh"), []string{"[sandbox] writing "}},
		{inBash("cat ~/nothing"), []string{"is not granted for reading", "sandbox.extra.ro can add one"}},
		{inBash("cat secrets.env"), []string{"only the user can read or change it"}},
	}
	var all []string
	for _, c := range calls {
		all = append(all, c.call)
	}
	prepare := func(t *testing.T) *harness.Project {
		t.Helper()
		p := newAccessStory(t, all...)
		p.Check(os.MkdirAll(filepath.Join(p.Home, ".ssh"), 0o700))
		p.Check(os.WriteFile(filepath.Join(p.Home, ".ssh", "id_rsa"), []byte("key"), 0o600))
		p.Check(os.WriteFile(filepath.Join(p.Home, "run"), []byte("#!/bin/sh\n"), 0o700)) //nolint:gosec // it is a program
		p.Write("secrets.env", "A=1\n")
		return p
	}
	check := func(t *testing.T, p *harness.Project) {
		t.Helper()
		for i, got := range results(p) {
			for _, want := range calls[i].want {
				if !strings.Contains(got, want) {
					t.Errorf("%s: the model was given %q, without %q", calls[i].call, got, want)
				}
			}
			if strings.Contains(calls[i].call, "ssh") && strings.Contains(got, "extra.") {
				t.Errorf("%s: the model was given %q", calls[i].call, got)
			}
		}
	}
	t.Run("screen", func(t *testing.T) {
		t.Parallel()
		p := prepare(t)
		s := interactive(p, "Go")
		s.shows(`^That is all`)
		s.send(ctrlD)
		s.end()
		check(t, p)
	})
	t.Run("no terminal", func(t *testing.T) {
		t.Parallel()
		p := prepare(t)
		said(p, "run", "go")
		check(t, p)
	})
}

// TestAccessModes checks that a mode that only reads offers nothing that writes, and that a required sandbox is not left.
func TestAccessModes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		settings, mode string
		shows          string
	}{
		"plan":     {"", "plan", `^Allow it\?  \[y\] once  \[s\] this session  \[a\] always  \[n\]`},
		"required": {"sandbox: {required: true}\n", "auto", `^Allow it\?  \[y\] once  \[s\] this session  \[a\] always  \[n\]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := []string{inBash("cat ~/diary.txt"), inBash("echo x >>~/diary.txt")}
			if name == "required" {
				calls = calls[:1]
			}
			p := newAccessStory(t, calls...)
			p.Write(".aura/config/features/tools.yaml", "tools: {max_steps: 50}\n")
			if row.settings != "" {
				p.Write(".aura/config/sandbox/sandbox.yaml", row.settings)
			}
			s := interactive(p, "--mode", row.mode, "Go")
			s.shows(`^\? read \S*diary\.txt`, row.shows)
			s.send("s")
			s.shows(`^That is all`)
			s.send(ctrlD)
			s.end()
			if got := results(p); !strings.Contains(got[0], "Dear diary") {
				t.Errorf("the model was given %q", got)
			}
			if text, err := os.ReadFile(diary(p)); string(text) != "Dear diary\n" {
				t.Errorf("the diary is %q, %v", text, err)
			}
		})
	}
}

// TestAccessUnasked runs aura where nobody is asked: without a terminal, and with JSON on one.
func TestAccessUnasked(t *testing.T) {
	t.Parallel()
	p := newAccessStory(t, inBash("echo >>ran; cat ~/diary.txt"), `{name: Read, arguments: {path: home/diary.txt}}`)
	out, err := p.Command("run", "go").CombinedOutput()
	p.Check(err)
	if text := string(out); strings.Contains(text, "Dear") || strings.Contains(text, "? read") {
		t.Errorf("without a terminal: %s", text)
	}
	d := talk(p, "", "", "run", "--json", "go")
	d.end(`That is all`)
	if text := string(p.Stderr()); strings.Contains(text, "Dear") || strings.Contains(text, "? read") {
		t.Errorf("with --json: %s", text)
	}
	if ran := strings.Count(string(p.Read("ran")), "\n"); ran != 2 {
		t.Errorf("the command ran %d times in two sessions", ran)
	}
}
