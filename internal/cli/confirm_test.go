package cli

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/policy"
)

func TestReplied(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]reply{
		"y":                 {decision: policy.Once},
		" Yes \n":           {decision: policy.Once},
		"s":                 {decision: policy.Session},
		"session":           {decision: policy.Session},
		"a":                 {decision: policy.Always},
		"ALWAYS":            {decision: policy.Always},
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
