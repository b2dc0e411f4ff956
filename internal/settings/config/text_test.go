package config_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestPromptFields(t *testing.T) {
	t.Parallel()
	c := files{project + "prompts/system/any.md": "---\nname: base\n---\n\nYou are {{ .Agent }}, not ${SET}.\n\n"}.load(t)
	got := c.Prompts["base"]
	if want := (config.Prompt{Name: "base", Body: "You are {{ .Agent }}, not ${SET}.", BodyAt: config.Place{Source: got.BodyAt.Source, Line: 5}}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestPromptRefused(t *testing.T) {
	t.Parallel()
	const path = project + "prompts/a.md"
	checkRefused(t, map[string]refused{
		"unknown key":    {files{path: "---\nname: a\ndescription: x\n---\n"}, []string{`a.md:3: unknown key "description"; known keys: name`}},
		"duplicate key":  {files{path: "---\nname: a\nname: b\n---\n"}, []string{`a.md:3: duplicate key "name"`}},
		"wrong type":     {files{path: "---\nname: 3\n---\n"}, []string{`a.md:2: key "name": expected text`}},
		"no name":        {files{path: "---\n{}\n---\ntext"}, []string{`a.md:2: key "name": missing: a prompt needs a name`}},
		"no frontmatter": {files{path: "Hello\n"}, []string{`a.md:1: key "name": missing`}},
	})
}

func TestCommandFields(t *testing.T) {
	t.Parallel()
	c := files{
		project + "commands/deep/any.md": "---\nname: review\ndescription: looks\nhints: [file, what for]\n---\n\nLook at $1.\n",
		project + "commands/fix-it.md":   "Fix $ARGUMENTS",
		project + "commands/one.md":      "---\nhints: [file]\n---\ntext\n",
	}.load(t)
	got := c.Commands["review"]
	want := config.Command{
		Name: "review", Source: got.Source, Description: "looks", Hints: []string{"file", "what for"}, Body: "Look at $1.",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := c.Commands["fix-it"]; got.Name != "fix-it" || got.Body != "Fix $ARGUMENTS" {
		t.Errorf("got %+v", got)
	}
	if got := c.Commands["one"]; !slices.Equal(got.Hints, []string{"file"}) {
		t.Errorf("got %+v", got)
	}
}

func TestCommandRefused(t *testing.T) {
	t.Parallel()
	const path = project + "commands/a.md"
	checkRefused(t, map[string]refused{
		"unknown key":   {files{path: "---\nhint: x\n---\ntext"}, []string{`a.md:2: unknown key "hint"; known keys: allowed-tools, argument-hint, description, hints, model, name`}},
		"duplicate key": {files{path: "---\nname: a\nname: b\n---\ntext"}, []string{`a.md:3: duplicate key "name"`}},
		"wrong type":    {files{path: "---\nhints: {a: b}\n---\ntext"}, []string{`a.md:2: key "hints": expected a list, got a mapping`}},
		"no list":       {files{path: "---\nhints: a\n---\ntext"}, []string{`a.md:2: key "hints": expected a list, got text "a"`}},
		"a slash":       {files{path: "---\nhints: []\nname: /a\n---\ntext"}, []string{`a.md:3: key "name": "/a" cannot be typed as a command`}},
		"two words":     {files{project + "commands/a b.md": "text"}, []string{`a b.md:1: key "name": "a b" cannot be typed`}},
		"no text":       {files{path: "---\nname: b\n---\n \n"}, []string{`a.md:2: command "b" has no text`}},
		"empty file":    {files{path: ""}, []string{`a.md:1: command "a" has no text`}},
	})
}
