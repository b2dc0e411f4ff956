package portable_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/portable"
)

// TestClaude reads what aura writes into plugin.json, and what it cannot read.
func TestClaude(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		extensions string
		claude     bool
		leftOut    []string
	}{
		"converted":    {`{"io.github.idelchi.aura":{"protocol":"claude","left_out":["a","b"]}}`, true, []string{"a", "b"}},
		"of another":   {`{"com.example":{"protocol":"claude"}}`, false, nil},
		"another one":  {`{"io.github.idelchi.aura":{"protocol":"codex","left_out":[1]}}`, false, nil},
		"of no object": {`{"io.github.idelchi.aura":["protocol"]}`, false, nil},
	} {
		dir := tree(t, map[string]string{"p/plugin.json": head + `,"extensions":` + row.extensions + "}"})
		p, err := portable.Open(dir)
		if err != nil || p.Claude() != row.claude || !slices.Equal(p.LeftOut, row.leftOut) {
			t.Errorf("%s: %v, %v, %v", name, p.Claude(), p.LeftOut, err)
		}
		want := map[string]string{"PLUGIN_ROOT": "/r", "PLUGIN_DATA": "/d"}
		if row.claude {
			want["CLAUDE_PLUGIN_ROOT"], want["CLAUDE_PLUGIN_DATA"] = "/r", "/d"
		}
		if got := p.Variables("/r", "/d"); !maps.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestExpandVariables has a row for each form of a variable. The values are not expanded again.
func TestExpandVariables(t *testing.T) {
	t.Parallel()
	values := map[string]string{"A": "${B}", "B": "b", "EMPTY": ""}
	lookup := func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
	for text, want := range map[string]string{
		"${A}": "${B}", "x${B}y${B}": "xbyb", "${NO:-d}": "d", "${NO:-}": "", "${B:-d}": "b", "${EMPTY}": "", "${EMPTY:-d}": "d",
		"$B ${} ${1} ${B": "$B ${} ${1} ${B", "${NO}": "!", "${B}${NO}": "!",
	} {
		got, err := portable.ExpandVariables(text, lookup)
		if (want == "!") != (err != nil) || err == nil && got != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	s := portable.Server{URL: "https://x/${U}", Args: []string{"${CLAUDE_PLUGIN_ROOT}/${A:-x}", "${PLUGIN_DATA}"}, Env: map[string]string{"K": "${A}"}, Headers: map[string]string{"H": "${T}"}}
	if got := strings.Join(s.UserVariables(), " "); got != "A T U" {
		t.Errorf("variables %q", got)
	}
}

// TestValidName turns names of other agents into names of packages.
func TestValidName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a-b.c": "a-b.c", "My Plugin": "my-plugin", "a__b--c": "a-b-c", "..a..b.": "a-b", "-": "", "../..": "", strings.Repeat("x", 70): strings.Repeat("x", 64),
		strings.Repeat("x", 63) + "-y": strings.Repeat("x", 63),
	} {
		got := portable.ValidName(name)
		if got != want {
			t.Errorf("%q: %q", name, got)
		}
		if got == "" {
			continue
		}
		if _, err := portable.Open(tree(t, map[string]string{"p/plugin.json": strings.Replace(head, `"reports"`, `"`+got+`"`, 1) + "}"})); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}
