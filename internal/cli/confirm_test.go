package cli

import (
	"testing"

	"github.com/idelchi/aura/internal/settings/setup"
)

func TestReplied(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]reply{
		"y":                 {decision: setup.Once},
		" Yes \n":           {decision: setup.Once},
		"s":                 {decision: setup.Session},
		"session":           {decision: setup.Session},
		"a":                 {decision: setup.Always},
		"ALWAYS":            {decision: setup.Always},
		"":                  {},
		"n":                 {},
		"n  use make  ":     {rest: "use make"},
		"no: use make":      {rest: "use make"},
		"never":             {},
		"yes please":        {},
		"always, I guess":   {},
		"a b":               {},
		"e":                 {edit: true},
		"e Bash:go  test *": {edit: true, rest: "Bash:go  test *"},
		"edit Bash":         {edit: true, rest: "Bash"},
	} {
		if got := replied(line); got != want {
			t.Errorf("%q: got %+v, want %+v", line, got, want)
		}
	}
}
