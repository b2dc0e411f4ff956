package sandbox

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

func TestParseSettings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text            string
		hooks, includes []string
		worktree        string
	}{
		"nothing":            {"", nil, nil, ""},
		"plain":              {"[core]\n\thooksPath = .githooks\n", []string{".githooks"}, nil, ""},
		"one line":           {"[core] hookspath=x", []string{"x"}, nil, ""},
		"case":               {"[CORE]\nHOOKSPATH = x", []string{"x"}, nil, ""},
		"quotes and comment": {"[core]\nhooksPath = \"a b\" # c\n", []string{"a b"}, nil, ""},
		"escapes":            {"[core]\nhooksPath = a\\\"b\\\\c\n", []string{`a"b\c`}, nil, ""},
		"continued":          {"[core]\nhooksPath = a\\\nb\n", []string{"ab"}, nil, ""},
		"last of several":    {"[core]\nhooksPath = a\n[core]\nhooksPath = b\n", []string{"a", "b"}, nil, ""},
		"other section":      {"[hooks]\nhooksPath = a\n[other \"core\"]\nhooksPath = b", nil, nil, ""},
		"include":            {"[include]\npath = a\n[includeIf \"gitdir:~/x\"]\npath = ~/b\n", nil, []string{"a", "~/b"}, ""},
		"working tree":       {"[core]\nbare = false\nworktree = ../../../m\n", nil, nil, "../../../m"},
		"empty":              {"[core]\nhooksPath =\nhooksPath\n", nil, nil, ""},
	} {
		got := parseSettings(tt.text)
		if !slices.Equal(got.hooks, tt.hooks) || !slices.Equal(got.includes, tt.includes) || got.worktree != tt.worktree {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	for _, seed := range []string{"[core]\nhooksPath = x", "[include]\npath=\"a", "[", "]=", "\\\n", "[a.b \"c\"] d=e;f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := parseSettings(text)
		for _, value := range slices.Concat(got.hooks, got.includes, []string{cmp.Or(got.worktree, "none")}) {
			if value == "" || strings.Contains(value, "\n") {
				t.Errorf("%q holds %q", text, value)
			}
		}
	})
}
