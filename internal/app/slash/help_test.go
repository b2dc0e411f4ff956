package slash

import "testing"

func TestArgument(t *testing.T) {
	t.Parallel()
	for hint, want := range map[string]string{
		"FILE": "<FILE>", "a file": "<a file>",
		own("x", "", nil, "NAME|--next").Hints[0]: "[NAME|--next]",
		"[--max N] [not] CONDITION":               "[--max N] [not] CONDITION", `"ACTION"...`: `"ACTION"...`, "<file>": "<file>",
	} {
		if got := argument(hint); got != want {
			t.Errorf("%s: got %s, want %s", hint, got, want)
		}
	}
}
