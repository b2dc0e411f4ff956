package hooks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/hooks"
)

// TestWarnings checks which usable hooks are reported.
func TestWarnings(t *testing.T) {
	t.Parallel()
	def := func(name, event, command string, depends ...string) hooks.Definition {
		return hooks.Definition{Name: name, Event: event, Command: command, Depends: depends}
	}
	sound := def("a", hooks.EventPre, "true")
	for name, tt := range map[string]struct {
		hooks  []hooks.Definition
		filter hooks.Filter
		want   []string
	}{
		"sound":    {[]hooks.Definition{sound, def("b", hooks.EventPre, "echo $(date)", "a")}, hooks.Filter{}, nil},
		"excluded": {[]hooks.Definition{sound}, hooks.Filter{Disabled: []string{"a"}}, nil},
		"no shell": {[]hooks.Definition{def("a", hooks.EventPre, "if true; then")}, hooks.Filter{}, []string{`hook "a" fails whenever it runs: parsing its command: 1:10`}},
		"pruned": {
			[]hooks.Definition{sound, def("b", hooks.EventPre, "true", "a")},
			hooks.Filter{Disabled: []string{"a"}},
			[]string{`hook "b" does not run: it depends on a, which is not active`},
		},
	} {
		runner, err := hooks.Compile(tt.hooks, tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		got := runner.Warnings()
		if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
