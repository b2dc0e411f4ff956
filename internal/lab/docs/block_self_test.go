package docs

import (
	"reflect"
	"strings"
	"testing"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		want   string
		output string
		ok     bool
	}{
		{"the same", "a\nb", "a\nb\n", true},
		{"another line", "a\nb", "a\nc\n", false},
		{"a line too many", "a", "a\nb\n", false},
		{"a line too few", "a\nb", "a\n", false},
		{"nothing", "", "", true},
		{"nothing shown, something said", "", "a\n", false},
		{"something shown, nothing said", "a", "", false},
		{"a part left out", "pid ... ready", "pid 17 ready\n", true},
		{"a part left out does not span lines", "pid ... ready", "pid 17\nready\n", false},
		{"lines left out", "a\n...\nz", "a\nb\nc\nz\n", true},
		{"no lines left out", "a\n...\nz", "a\nz\n", true},
		{"lines left out at the end", "a\n...", "a\nb\n", true},
		{"the rest must fit", "a\n...\nz", "a\nb\n", false},
		{"columns", "a  b\n  c", "a      b\n c  \n\n", true},
		{"special characters", "a.b (c)", "a.b (c)\n", true},
		{"special characters are plain", "a.b", "axb\n", false},
	}
	for _, tt := range tests {
		if got := matches(strings.Split(tt.want, "\n"), tt.output); got != tt.ok {
			t.Errorf("%s: got %t", tt.name, got)
		}
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	page := "text\n```yaml file=a/b.yaml reset\nk: v\n```\n````console\n$ one\n```\n````\n```go illustration=\"only a part\"\n```\n"
	got, err := blocks("p.md", page)
	want := []block{
		{"p.md", 2, "yaml", map[string]string{"file": "a/b.yaml", "reset": ""}, "k: v\n"},
		{"p.md", 5, "console", map[string]string{}, "$ one\n```\n"},
		{"p.md", 9, "go", map[string]string{"illustration": "only a part"}, ""},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for text, fault := range map[string]string{
		"```go\n```\n":                 "must have file=",
		"```yaml illustration=\n```\n": "needs a value",
		"```console fiel=x\n```\n":     `unknown word "fiel"`,
	} {
		list, err := blocks("p.md", text)
		if err != nil {
			if fault != "needs a value" {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if got := list[0].fault(); !strings.Contains(got, fault) {
			t.Errorf("%q: got %q, want %q", text, got, fault)
		}
	}
	for _, text := range []string{"```go\nopen\n", "```go ?\n```\n"} {
		if list, err := blocks("p.md", text); err == nil {
			t.Errorf("%q: got %+v", text, list)
		}
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	b := block{page: "p.md", line: 3, text: "$ one \\\n  more\nout\n\nput\n$ two\n"}
	got, err := b.commands()
	want := []command{{4, "one \\\n  more", []string{"out", "", "put"}}, {9, "two", nil}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := (block{text: "out\n"}).commands(); err == nil {
		t.Error("output without a command was taken")
	}
}
