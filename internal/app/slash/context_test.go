package slash

import (
	"strings"
	"testing"
)

// TestComposed checks that a bar has its full width, a letter for each part that is not empty, and lines of at most 80 columns.
func TestComposed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		parts []part
		want  string
	}{
		"halves":        {[]part{{'S', "system prompt", 50}, {'.', "free", 50}}, "[" + strings.Repeat("S", 38) + strings.Repeat(".", 38) + "]\nS  system prompt          50   50.0%\n.  free                   50   50.0%"},
		"an empty one":  {[]part{{'S', "system prompt", 0}, {'.', "free", 7}}, "[" + strings.Repeat(".", 76) + "]\n.  free                    7  100.0%"},
		"a small one":   {[]part{{'S', "system prompt", 1}, {'T', "tools", 1}, {'.', "free", 1 << 40}}, "[ST" + strings.Repeat(".", 74) + "]\nS  system prompt           1    0.0%\nT  tools                   1    0.0%\n.  free            1099511627776  100.0%"},
		"small at last": {[]part{{'S', "system prompt", 1 << 30}, {'T', "tools", 1}, {'.', "free", 1}}, "[" + strings.Repeat("S", 74) + "T.]\nS  system prompt   1073741824  100.0%\nT  tools                   1    0.0%\n.  free                    1    0.0%"},
		"nothing":       {[]part{{'S', "system prompt", 0}}, "[]"},
	} {
		got := composed(row.parts)
		if got != row.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, row.want)
		}
		for line := range strings.Lines(got) {
			if len(line) > 80 {
				t.Errorf("%s: a line has %d columns", name, len(line))
			}
		}
	}
}

func TestAligned(t *testing.T) {
	t.Parallel()
	if got := aligned([][2]string{{"b", "two"}, {"much longer", ""}, {"long", "x"}}); got != "b     two\nlong  x" {
		t.Errorf("got %q", got)
	}
}
