package app

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/app/frontend"
)

// shelled is a front end with the user's shell, as the screens are.
type shelled struct {
	*outcome
	ran *[]string
}

func (s shelled) RunShell(_ context.Context, command string) { *s.ran = append(*s.ran, command) }

// enter opens a session, runs one line and describes what happened: the prompts that the model got, the outputs and errors of commands,
// the commands of the shell, and the end.
func (p *place) enter(line frontend.Line, shell bool) string {
	p.t.Helper()
	var out outcome
	var ran []string
	var front frontend.FrontEnd = &out
	if shell {
		front = shelled{&out, &ran}
	}
	s, err := Open(p.t.Context(), p.o, front)
	if err != nil {
		p.t.Fatal(err)
	}
	exit, err := s.RunLine(p.t.Context(), line)
	var got []string
	for _, m := range s.talk.History() {
		if m.Role == llm.RoleUser {
			got = append(got, "prompt "+m.Content)
		}
	}
	for _, command := range ran {
		got = append(got, "shell "+command)
	}
	if said := strings.TrimSpace(out.said()); said != "" {
		got = append(got, "command "+said)
	}
	if told := strings.TrimSpace(out.told()); told != "" {
		got = append(got, "told "+told)
	}
	if err != nil {
		got = append(got, "error "+err.Error())
	}
	if exit {
		got = append(got, "exit")
	}
	if err := s.Close(ReasonOf(p.t.Context(), err)); err != nil {
		p.t.Error(err)
	}
	return strings.Join(got, "; ")
}

// TestRunLine has a row for each kind of line. Every front end gives what the user typed to RunLine. The screens have the user's shell;
// run, plugins dev and editors do not.
func TestRunLine(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		".aura/config/talk.yaml":         "turns:\n  - text: Fine.\n",
		".aura/config/commands/greet.md": "---\nname: greet\n---\nSay hello to $ARGUMENTS.",
		".aura/config/commands/bang.md":  "---\nname: bang\n---\n!echo hi",
		"a.txt":                          "the content",
		"lines.txt":                      "!echo hi\n",
	}
	const empty = "error sending a prompt: it is empty"
	for name, row := range map[string]struct {
		line frontend.Line
		// want is what happens at a screen. other is what happens at other front ends if that differs.
		want, other string
	}{
		"empty":                         {frontend.Line{Text: ""}, empty, ""},
		"blanks":                        {frontend.Line{Text: " \n\t"}, empty, ""},
		"prompt":                        {frontend.Line{Text: "hello"}, "prompt hello", ""},
		"prompt of several lines":       {frontend.Line{Text: "hello\n/name it\n!echo hi"}, "prompt hello\n/name it\n!echo hi", ""},
		"prompt with added text":        {frontend.Line{Text: "hello\n", Added: "\n\nmore"}, "prompt hello\n\nmore", ""},
		"only added text":               {frontend.Line{Added: "/name it"}, "prompt /name it", ""},
		"command":                       {frontend.Line{Text: "/name it"}, "command the session is named it", ""},
		"command after blanks":          {frontend.Line{Text: " \n/name it"}, "command the session is named it", ""},
		"command of several lines":      {frontend.Line{Text: "/name one\n/two"}, "command the session is named one /two", ""},
		"command of the user":           {frontend.Line{Text: "/greet you"}, "prompt Say hello to you.", ""},
		"command that ends the session": {frontend.Line{Text: "/exit"}, "exit", ""},
		"unknown command":               {frontend.Line{Text: "/nam it"}, "told unknown command /nam; did you mean /name? /help lists the commands", ""},
		"slash alone":                   {frontend.Line{Text: "/"}, "prompt /", ""},
		"two slashes":                   {frontend.Line{Text: "//name it"}, "prompt //name it", ""},
		"slash and a blank":             {frontend.Line{Text: "/ name it"}, "prompt / name it", ""},
		"path":                          {frontend.Line{Text: "/etc/hosts is empty"}, "prompt /etc/hosts is empty", ""},
		"shell":                         {frontend.Line{Text: "!echo hi"}, "shell echo hi", "prompt !echo hi"},
		"shell with blanks":             {frontend.Line{Text: "!  echo hi "}, "shell echo hi", "prompt !  echo hi "},
		"shell of several lines":        {frontend.Line{Text: "!echo a\necho b"}, "shell echo a\necho b", "prompt !echo a\necho b"},
		"exclamation mark alone":        {frontend.Line{Text: "!"}, "prompt !", ""},
		"exclamation mark and blanks":   {frontend.Line{Text: "! \n"}, "prompt ! \n", ""},
		"exclamation mark after blanks": {frontend.Line{Text: " !echo hi"}, "prompt  !echo hi", ""},
		"shell line of a file":          {frontend.Line{Text: "/replay lines.txt"}, "prompt !echo hi", ""},
		"shell line of a command":       {frontend.Line{Text: "/bang"}, "prompt !echo hi", ""},
		"file that is not there":        {frontend.Line{Text: "see @b.txt"}, `prompt see @b.txt; told @b.txt stays text: it names no file; write \@ for a plain @`, ""},
		"command with added text":       {frontend.Line{Text: "/name it", Added: "x"}, "command the session is named it; told " + noFiles, ""},
		"command with a file": {
			frontend.Line{Text: "/name it", Attached: []frontend.Attachment{{Path: "a.txt"}}}, "command the session is named it; told " + noFiles, "",
		},
	} {
		for _, shell := range []bool{true, false} {
			want := row.want
			if !shell && row.other != "" {
				want = row.other
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if got := newPlace(t, files).enter(row.line, shell); got != want {
					t.Errorf("shell %v: got %q, want %q", shell, got, want)
				}
			})
		}
	}
	for name, line := range map[string]frontend.Line{
		"mentioned file": {Text: "see @a.txt"}, "attached file": {Text: "see", Attached: []frontend.Attachment{{Path: "a.txt"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := newPlace(t, files).enter(line, true); !strings.HasPrefix(got, "prompt see") || !strings.Contains(got, "the content") {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestRunAttaches checks which of several lines gets the files: the first prompt.
func TestRunAttaches(t *testing.T) {
	t.Parallel()
	s := &recorded{}
	err := frontend.Run(t.Context(), s, []string{"/name it", "one", "two", "/exit", "never"}, frontend.Attachment{Path: "a"}, frontend.Attachment{Path: "b"})
	if want := []string{"/name it 0", "one 2", "two 0", "/exit 0"}; err != nil || !slices.Equal(s.ran, want) {
		t.Errorf("ran %q, %v", s.ran, err)
	}
}

// recorded is a session that records lines and the number of their files.
type recorded struct {
	frontend.Session
	ran []string
}

func (r *recorded) RunLine(_ context.Context, line frontend.Line) (exit bool, err error) {
	r.ran = append(r.ran, line.Text+" "+string(rune('0'+len(line.Attached))))
	return line.Text == "/exit", nil
}
