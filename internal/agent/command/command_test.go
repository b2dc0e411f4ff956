package command_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/command"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line, name, args string
		ok               bool
	}{
		{"/help", "help", "", true},
		{"  /help  ", "help", "", true},
		{"/greet big  world", "greet", "big  world", true},
		{"/greet\ttab", "greet", "tab", true},
		{"/note one\ntwo", "note", "one\ntwo", true},
		{"/go:fix_all.v2-x", "go:fix_all.v2-x", "", true},
		{"/größe 1", "größe", "1", true},
		{"", "", "", false},
		{"/", "", "", false},
		{"/ help", "", "", false},
		{"//help", "", "", false},
		{"help", "", "", false},
		{"what is /help", "", "", false},
		{"/etc/hosts is empty", "", "", false},
		{"/-x", "", "", false},
		{"/*.go", "", "", false},
	}
	for _, tt := range tests {
		name, args, ok := command.Parse(tt.line)
		if name != tt.name || args != tt.args || ok != tt.ok {
			t.Errorf("Parse(%q) = %q, %q, %v", tt.line, name, args, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"/help", "/greet  a b\n", "//", "/\xff", "text", "/a\u00a0b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		name, args, ok := command.Parse(line)
		if !ok {
			if name != "" || args != "" {
				t.Errorf("%q: got %q, %q beside false", line, name, args)
			}
			return
		}
		again, rest, ok := command.Parse("/" + name + " " + args)
		if !ok || again != name || rest != args {
			t.Errorf("%q: %q, %q parses as %q, %q, %v", line, name, args, again, rest, ok)
		}
	})
}

func says(source command.Source, origin, name string) command.Command {
	return command.Command{
		Name: name, Source: source, Origin: origin,
		Run: func(_ context.Context, args string) (command.Result, error) {
			return command.Result{Output: source.String() + ":" + origin + ":" + args}, nil
		},
	}
}

func TestPriority(t *testing.T) {
	t.Parallel()
	builtIn := says(command.SourceBuiltin, "", "x")
	markdown := says(command.SourceMarkdown, "x.md", "x")
	a, b := says(command.SourcePlugin, "a", "x"), says(command.SourcePlugin, "b", "x")
	all := []command.Command{a, b, markdown, builtIn}
	tests := []struct {
		name    string
		chosen  string
		in      []command.Command
		want    string
		clashes []string
		// listed has the names of all commands.
		listed string
	}{
		{"alone", "", []command.Command{a}, "plugin:a:1", nil, "x"},
		{"markdown before plugin", "", []command.Command{a, markdown}, "custom:x.md:1", []string{"a"}, "a:x x"},
		{"built-in before all", "", all, "built-in::1", []string{"x.md", "a", "b"}, "a:x b:x custom:x x"},
		{"the first of two plugins", "", []command.Command{a, b}, "plugin:a:1", []string{"b"}, "b:x x"},
		{"a chosen plugin", "b", all, "plugin:b:1", nil, "a:x aura:x custom:x x"},
		{"a chosen file", "custom", all, "custom:x.md:1", nil, "a:x aura:x b:x x"},
		{"aura itself, chosen", "aura", all, "built-in::1", nil, "a:x b:x custom:x x"},
		{"chosen without a rival", "a", []command.Command{a}, "plugin:a:1", nil, "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var clashes []string
			var chosen map[string]string
			if tt.chosen != "" {
				chosen = map[string]string{"x": tt.chosen}
			}
			set, err := command.NewSet(chosen, func(c command.Clash) { clashes = append(clashes, c.Loser.Origin) }, tt.in...)
			if err != nil {
				t.Fatal(err)
			}
			got, err := set.Run(t.Context(), "x", "1")
			if err != nil || got.Output != tt.want || !reflect.DeepEqual(clashes, tt.clashes) {
				t.Errorf("got %+v, %v, clashes %q", got, err, clashes)
			}
			var listed []string
			for _, c := range set.List() {
				listed = append(listed, c.Name)
			}
			if got := strings.Join(listed, " "); got != tt.listed {
				t.Errorf("listed %s, want %s", got, tt.listed)
			}
			// Every command can be reached by its qualified name, hidden or not.
			for _, c := range tt.in {
				owner := map[command.Source]string{command.SourceBuiltin: "aura", command.SourceMarkdown: "custom", command.SourcePlugin: c.Origin}[c.Source]
				want := c.Source.String() + ":" + c.Origin + ":1"
				if got, err := set.Run(t.Context(), owner+":x", "1"); err != nil || got.Output != want {
					t.Errorf("/%s:x: got %+v, %v", owner, got, err)
				}
			}
		})
	}
	text := command.Clash{Winner: builtIn, Loser: a}.String()
	if text != `command /x of plugin "a" is hidden by that of aura itself; type /a:x, or give it the plain name with plugins: {commands: {x: a}} in the settings` {
		t.Errorf("got %q", text)
	}
}

func TestRunFails(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	broken := command.Command{Name: "broken", Run: func(context.Context, string) (command.Result, error) { return command.Result{Exit: true}, boom }}
	set, err := command.NewSet(nil, nil, broken, says(0, "", "help"), says(0, "", "hello"), says(0, "", "reload"), says(0, "", "replay"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := set.Run(t.Context(), "broken", ""); !errors.Is(err, boom) || err.Error() != "running /broken: boom" || got.Exit {
		t.Errorf("got %+v, %v", got, err)
	}
	tests := []struct {
		name string
		near []string
	}{
		{"hepl", []string{"hello", "help"}},
		{"hel", []string{"hello", "help"}},
		{"HELP", []string{"help", "hello"}},
		{"re", []string{"reload", "replay"}},
		{"zzz", nil},
	}
	for _, tt := range tests {
		_, err := set.Run(t.Context(), tt.name, "")
		var unknown *command.UnknownError
		if !errors.As(err, &unknown) || strings.Join(unknown.Near, " ") != strings.Join(tt.near, " ") {
			t.Errorf("%s: got %v", tt.name, err)
			continue
		}
		if !strings.Contains(err.Error(), "/help") || !strings.Contains(err.Error(), "/"+tt.name) {
			t.Errorf("%q says too little", err)
		}
	}
}

func TestNewSetRefuses(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "/x", "two words", "a/b"} {
		set, err := command.NewSet(nil, nil, says(command.SourcePlugin, "p", name), says(command.SourceBuiltin, "", "fine"))
		if err == nil || !strings.Contains(err.Error(), `plugin "p"`) {
			t.Errorf("%q: got %v", name, err)
		}
		if _, ok := set.Lookup("fine"); !ok || len(set.List()) != 1 {
			t.Errorf("%q: the others are gone: %v", name, set.List())
		}
	}
}

func TestChoiceWithoutACommand(t *testing.T) {
	t.Parallel()
	set, err := command.NewSet(map[string]string{"x": "gone", "y": "p"}, nil, says(command.SourcePlugin, "p", "x"))
	want := "plugins.commands in the settings gives /x to \"gone\", which has no such command\n" +
		"plugins.commands in the settings gives /y to \"p\", which has no such command"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if _, ok := set.Lookup("gone:x"); ok {
		t.Error("a command is found that is another one's")
	}
	if _, ok := set.Lookup("x"); !ok {
		t.Error("the command that exists is gone")
	}
}

func TestListIsSorted(t *testing.T) {
	t.Parallel()
	set, err := command.NewSet(nil, nil, says(command.SourcePlugin, "p", "b"), says(command.SourceBuiltin, "", "c"), says(command.SourceMarkdown, "m", "a"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range set.List() {
		names = append(names, c.Name)
	}
	if _, ok := set.Lookup("b"); !ok || strings.Join(names, "") != "abc" {
		t.Errorf("got %q", names)
	}
}
