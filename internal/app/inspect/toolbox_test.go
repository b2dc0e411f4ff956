package inspect

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// newProject returns the directory of a project with these files.
func newProject(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// openBox opens a toolbox with the tools of a project.
func openBox(t *testing.T, dir string, o setup.Options) *Toolbox {
	t.Helper()
	none := ""
	o.WithoutPlugins = true
	b, err := OpenToolbox(t.Context(), ToolboxOptions{
		Options: o, Gate: &gate.Gate{Trust: true},
		Config: config.Options{Workdir: dir, Home: &none, Environ: append([]string{"XDG_STATE_HOME=" + t.TempDir()}, os.Environ()...)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestHiddenTools(t *testing.T) {
	t.Parallel()
	dir := newProject(t, map[string]string{
		".aura/config/agents/a.md":          "---\nname: a\nmode: m\ntools: {enabled: ['R*', Ls, Edit], disabled: [Rg]}\n---\n",
		".aura/config/agents/b.md":          "---\nname: b\n---\n",
		".aura/config/modes/m.md":           "---\nname: m\ntools: {disabled: [Ls]}\n---\n",
		".aura/config/features/tools.yaml":  "tools: {disabled: [Glob], opt_in: [Edit, Patch]}\n",
		".aura/config/tools/mine.yaml":      "Mkdir: {disabled: true}\nWrite: {condition: 'exists:nowhere'}\nBash: {condition: 'exists:.aura'}\n",
		".aura/config/sandbox/sandbox.yaml": "sandbox: {enabled: false}\n",
		".aura/skills/s.md":                 "---\nname: s\ndescription: d\n---\nbody",
		".aura/config/agents/helper.md":     "---\nname: helper\nsubagent: true\ndescription: helps\n---\n",
		".aura/config/mcp/late.yaml":        "late: {command: none, deferred: true}\n",
	})
	tests := []struct {
		name string
		o    setup.Options
		want map[string]string
	}{
		{"no agent", setup.Options{Agent: "b"}, map[string]string{
			"Read": "", "Bash": "", "Skill": "", "Task": "", "LoadTools": "",
			"Done": "done mode is off", "Glob": "tools: in the settings leaves it out", "Patch": "it is opt-in", "Mkdir": "disabled in ",
			"Write": `its condition "exists:nowhere" does not hold`,
		}},
		{"command line", setup.Options{Agent: "b", IncludeTools: []string{"R*", "Patch"}, ExcludeTools: []string{"Rg"}}, map[string]string{
			"Read": "", "Patch": "", "Rg": "--exclude-tools leaves it out", "Bash": "--include-tools offers only R*, Patch",
		}},
		{"agent and mode", setup.Options{Agent: "a"}, map[string]string{
			"Read": "", "Edit": "", "Rg": `agent "a" leaves it out`, "Bash": `agent "a" offers only R*, Ls, Edit`, "Ls": `mode "m" leaves it out`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found := map[string]ToolEntry{}
			for _, e := range openBox(t, dir, tt.o).List(t.Context()) {
				found[e.Name] = e
			}
			for name, want := range tt.want {
				got, ok := found[name]
				if !ok || got.Offered != (want == "") || !strings.HasPrefix(got.Hidden, want) {
					t.Errorf("%s: got %v, %q, want %q", name, got.Offered, got.Hidden, want)
				}
			}
		})
	}
}

func TestSandboxableTools(t *testing.T) {
	t.Parallel()
	dir := newProject(t, map[string]string{".aura/config/sandbox/sandbox.yaml": "sandbox: {enabled: false}\n"})
	b := openBox(t, dir, setup.Options{})
	var got []string
	for _, made := range (setup.Confinement{}).Builtins(b.options(), nil) {
		got = append(got, made.Definition().Name)
	}
	if !reflect.DeepEqual(got, filesAndShell) {
		t.Errorf("the tools for files and the shell are %q", got)
	}
	for _, e := range b.List(t.Context()) {
		if e.Sandboxable != slices.Contains(got, e.Name) {
			t.Errorf("%s: got %v", e.Name, e.Sandboxable)
		}
	}
}

func TestRunTool(t *testing.T) {
	t.Parallel()
	dir := newProject(t, map[string]string{"a.txt": "one\ntwo\n", ".aura/config/sandbox/sandbox.yaml": "sandbox: {enabled: false}\n"})
	b := openBox(t, dir, setup.Options{})
	tests := []struct {
		name   string
		call   ToolCall
		want   string
		failed string
	}{
		{"texts", ToolCall{Name: "Read", Texts: map[string]string{"path": "a.txt", "line_start": "2"}}, "two", ""},
		{"json", ToolCall{Name: "Read", Args: map[string]any{"path": "a.txt", "line_end": 1.0}}, "one", ""},
		{"nothing read before", ToolCall{Name: "Edit", Texts: map[string]string{"path": "a.txt", "old": "one", "new": "1"}}, "", ""},
		{"wrong", ToolCall{Name: "Read", Texts: map[string]string{"line_start": "x"}}, "", `missing required field "path"`},
		{"unknown", ToolCall{Name: "Nope"}, "", "it does not exist"},
		{"a tool of a session", ToolCall{Name: "Done", Texts: map[string]string{"summary": "x"}}, "", "within a conversation only"},
		{"of a server", ToolCall{Name: "mcp__x__y"}, "", "--with-mcp"},
	}
	for _, tt := range tests {
		out, err := b.Run(t.Context(), tt.call)
		if tt.failed != "" {
			if err == nil || !strings.Contains(err.Error(), tt.failed) {
				t.Errorf("%s: got %v", tt.name, err)
			}
			continue
		}
		if err != nil || !strings.Contains(out, tt.want) {
			t.Errorf("%s: got %q, %v", tt.name, out, err)
		}
	}
	var unknown *UnknownToolError
	if _, err := b.Inspect(t.Context(), "Nope"); !errors.As(err, &unknown) || unknown.Name != "Nope" {
		t.Errorf("got %v", err)
	}
	var wrong *tool.ArgumentsError
	if _, err := b.Run(t.Context(), ToolCall{Name: "Read"}); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
}

func TestParseArguments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		words []string
		raw   bool
		texts map[string]string
		args  map[string]any
		fails string
	}{
		{name: "none", texts: map[string]string{}},
		{name: "pairs", words: []string{"a=1", "b="}, texts: map[string]string{"a": "1", "b": ""}},
		{name: "a second sign", words: []string{"a=b=c"}, texts: map[string]string{"a": "b=c"}},
		{name: "an object", words: []string{` {"a":1}`}, args: map[string]any{"a": 1.0}},
		{name: "an object as a value", words: []string{`a={"b":1}`}, texts: map[string]string{"a": `{"b":1}`}},
		{name: "raw", words: []string{`{}`}, raw: true, args: map[string]any{}},
		{name: "raw without an object", words: []string{"a=1"}, raw: true, fails: "no JSON object"},
		{name: "raw null", words: []string{"null"}, raw: true, fails: "null"},
		{name: "raw without anything", raw: true, fails: "--raw takes one"},
		{name: "broken", words: []string{`{"a":`}, fails: "no JSON object"},
		{name: "no pair", words: []string{"a"}, fails: "key=value"},
		{name: "no key", words: []string{"=a"}, fails: "key=value"},
		{name: "twice", words: []string{"a=1", "a=2"}, fails: "two of that name"},
	}
	for _, tt := range tests {
		texts, args, err := ParseArguments(tt.words, tt.raw)
		if tt.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s: got %v", tt.name, err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(texts, tt.texts) || !reflect.DeepEqual(args, tt.args) {
			t.Errorf("%s: got %v, %v, %v", tt.name, texts, args, err)
		}
	}
}

func FuzzParseArguments(f *testing.F) {
	f.Add("a=1", false)
	f.Add(`{"a":[1]}`, false)
	f.Add("null", true)
	f.Fuzz(func(t *testing.T, word string, raw bool) {
		texts, args, err := ParseArguments([]string{word}, raw)
		if err == nil && (texts == nil) == (args == nil) {
			t.Errorf("%q: got %v and %v", word, texts, args)
		}
	})
}
