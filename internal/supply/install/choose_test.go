package install

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		now     Selection
		enable  bool
		want    Selection
		changed bool
		failure string
	}{
		"disable":                            {want: Selection{Exclude: []string{"a"}}, changed: true},
		"disable beside another":             {now: Selection{Exclude: []string{"b"}}, want: Selection{Exclude: []string{"b", "a"}}, changed: true},
		"disable again":                      {now: Selection{Exclude: []string{"a"}}, want: Selection{Exclude: []string{"a"}}},
		"disable what a pattern excludes":    {now: Selection{Exclude: []string{"*"}}, want: Selection{Exclude: []string{"*"}}},
		"disable what is not included":       {now: Selection{Include: []string{"b"}}, want: Selection{Include: []string{"b"}}},
		"disable what is included":           {now: Selection{Include: []string{"a"}}, want: Selection{Include: []string{"a"}, Exclude: []string{"a"}}, changed: true},
		"enable":                             {now: Selection{Exclude: []string{"a", "b"}}, enable: true, want: Selection{Exclude: []string{"b"}}, changed: true},
		"enable again":                       {enable: true},
		"enable what is not included":        {now: Selection{Include: []string{"b"}}, enable: true, want: Selection{Include: []string{"b", "a"}}, changed: true},
		"enable what a pattern includes":     {now: Selection{Include: []string{"*"}}, enable: true, want: Selection{Include: []string{"*"}}},
		"enable what a pattern excludes":     {now: Selection{Exclude: []string{"[a-c]"}}, enable: true, failure: `the pattern "[a-c]"`},
		"enable what two entries exclude":    {now: Selection{Exclude: []string{"a", "*"}}, enable: true, failure: `the pattern "*"`},
		"enable what is both out and not in": {now: Selection{Include: []string{"b"}, Exclude: []string{"a"}}, enable: true, want: Selection{Include: []string{"b", "a"}, Exclude: []string{}}, changed: true},
	} {
		got, changed, err := row.now.Choose("a", row.enable)
		if _, pattern := errors.AsType[*PatternError](err); (err != nil) != (row.failure != "") || err != nil && (!pattern || !strings.Contains(err.Error(), row.failure)) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err == nil && (changed != row.changed || !slices.Equal(got.Include, row.want.Include) || !slices.Equal(got.Exclude, row.want.Exclude)) {
			t.Errorf("%s: got %v, %t", name, got, changed)
		}
	}
}

func TestEdited(t *testing.T) {
	t.Parallel()
	out := Selection{Exclude: []string{"b", "a"}}
	for name, row := range map[string]struct {
		text string
		s    Selection
		want string
	}{
		"no file":            {"", out, "plugins:\n  exclude: [b, a]\n"},
		"only a comment":     {"# mine", Selection{Exclude: []string{"a"}}, "# mine\nplugins:\n  exclude: [a]\n"},
		"no settings yet":    {"plugins:\n", Selection{Exclude: []string{"a"}}, "plugins:\n  exclude: [a]\n"},
		"an empty mapping":   {"plugins: {}\n", Selection{Exclude: []string{"a"}}, "plugins:\n  exclude: [a]\n"},
		"comments stay":      {"# top\nplugins:\n  # why\n  unsafe: true # really\n  exclude: # not these\n    - b # slow\n    - c\n", out, "# top\nplugins:\n  # why\n  unsafe: true # really\n  exclude: # not these\n    - b # slow\n    - a\n"},
		"a list in brackets": {"plugins: {exclude: [b], unsafe: true}\n", out, "plugins: {exclude: [b, a], unsafe: true}\n"},
		"the last one goes":  {"plugins:\n  exclude:\n    - a\n", Selection{Exclude: []string{}}, "plugins:\n  exclude: []\n"},
		"both lists":         {"plugins:\n  include: [b]\n", Selection{Include: []string{"b", "a"}, Exclude: []string{}}, "plugins:\n  include: [b, a]\n  exclude: []\n"},
		"other keys stay":    {"plugins:\n  config:\n    local: {a: {x: 1}}\n", Selection{Exclude: []string{"a"}}, "plugins:\n  config:\n    local: {a: {x: 1}}\n  exclude: [a]\n"},
	} {
		got, err := edited([]byte(row.text), row.s)
		if err != nil || string(got) != row.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, row.want)
		}
	}
	for name, text := range map[string]string{
		"a list": "[a]\n", "a text": "plugins: x\n", "no list": "plugins: {exclude: x}\n", "an alias": "a: &x [b]\nplugins: {exclude: *x}\n", "no YAML": "plugins: [\n", "several documents": "plugins: {}\n---\nb: 1\n", "the end is no YAML": "plugins: {}\n---\n[\n",
	} {
		if got, err := edited([]byte(text), out); err == nil {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestFeatureFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, "config", "features")
	if got, err := FeatureFile(home); err != nil || got != filepath.Join(dir, "plugins.yaml") {
		t.Errorf("got %s, %v", got, err)
	}
	if err := WriteSelection(filepath.Join(dir, "tools.yaml"), Selection{}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.example.yaml": "plugins: {}\n", "tools.yaml": "tools: {max_steps: 3}\n", "mine.yml": "plugins: {exclude: [x]}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := FeatureFile(home)
	if err != nil || file != filepath.Join(dir, "mine.yml") {
		t.Errorf("got %s, %v", file, err)
	}
	if got, err := ReadSelection(file); err != nil || !slices.Equal(got.Exclude, []string{"x"}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestWithoutDisabled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"description: x\ndisabled: true\n":         "description: x\n",
		"disabled: true # for now\ndescription: x": "description: x",
		"description: x\n":                         "description: x\n",
		"{disabled: true}\n":                       "",
		"disabled:\n  true\n":                      "",
		"- a\n":                                    "",
	} {
		got, err := withoutDisabled([]byte(text))
		if (err != nil) != (want == "") || err == nil && string(got) != want {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

// FuzzEdited checks that a file has the wanted lists after an edit, and that everything else is unchanged.
func FuzzEdited(f *testing.F) {
	for _, text := range []string{"", "plugins:\n  exclude: [a]\n", "plugins: {include: [b], unsafe: true}\n# end\n", "x: &a [b]\nplugins: {config: {global: {k: *a}}}\n"} {
		f.Add([]byte(text), "a")
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		var before, after map[string]any
		if len(text) > 4096 || yaml.Unmarshal(text, &before) != nil || strings.ContainsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) || name == "" {
			return
		}
		got, err := edited(text, Selection{Exclude: []string{name}})
		if err != nil {
			return
		}
		if err := yaml.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		plugins, _ := after["plugins"].(map[string]any)
		if list, _ := plugins["exclude"].([]any); len(list) != 1 || list[0] != name {
			t.Errorf("%q became %q", text, got)
		}
		if _, had := before["plugins"]; len(after) != len(before) && (had || len(after) != len(before)+1) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
