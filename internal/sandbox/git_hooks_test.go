package sandbox

import (
	"slices"
	"strings"
	"testing"
)

func TestParseSettings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text            string
		hooks, includes []string
	}{
		"nothing":            {"", nil, nil},
		"plain":              {"[core]\n\thooksPath = .githooks\n", []string{".githooks"}, nil},
		"one line":           {"[core] hookspath=x", []string{"x"}, nil},
		"case":               {"[CORE]\nHOOKSPATH = x", []string{"x"}, nil},
		"quotes and comment": {"[core]\nhooksPath = \"a b\" # c\n", []string{"a b"}, nil},
		"escapes":            {"[core]\nhooksPath = a\\\"b\\\\c\n", []string{`a"b\c`}, nil},
		"continued":          {"[core]\nhooksPath = a\\\nb\n", []string{"ab"}, nil},
		"last of several":    {"[core]\nhooksPath = a\n[core]\nhooksPath = b\n", []string{"a", "b"}, nil},
		"other section":      {"[hooks]\nhooksPath = a\n[other \"core\"]\nhooksPath = b", nil, nil},
		"include":            {"[include]\npath = a\n[includeIf \"gitdir:~/x\"]\npath = ~/b\n", nil, []string{"a", "~/b"}},
		"empty":              {"[core]\nhooksPath =\nhooksPath\n", nil, nil},
	} {
		hooks, includes := parseSettings(tt.text)
		if !slices.Equal(hooks, tt.hooks) || !slices.Equal(includes, tt.includes) {
			t.Errorf("%s: %q, %q", name, hooks, includes)
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	for _, seed := range []string{"[core]\nhooksPath = x", "[include]\npath=\"a", "[", "]=", "\\\n", "[a.b \"c\"] d=e;f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		hooks, includes := parseSettings(text)
		for _, value := range slices.Concat(hooks, includes) {
			if value == "" || strings.Contains(value, "\n") {
				t.Errorf("%q holds %q", text, value)
			}
		}
	})
}
