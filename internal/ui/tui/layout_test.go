package tui

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/ui/terminal"
)

// TestFit checks which rows of what is going on are left out: heads stay longest, and the last row always.
func TestFit(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		// rows begin with # if they are heads, and are separated by spaces. A row takes as many rows as it has ones.
		rows string
		most int
		want string
	}{
		"all fit":                    {"#h1 a1 b1 #s1", 4, "#h1 a1 b1 #s1"},
		"output before its head":     {"#h1 a1 b1 #s1", 3, "#h1 b1 #s1"},
		"a long head":                {"#h1111 a1 b1 #s1", 5, "#h1111 #s1"},
		"heads from the top":         {"#h1 a1 #i1 b1 #s1", 2, "#i1 #s1"},
		"the last row only":          {"#h1 a1 #s1", 0, "#s1"},
		"the last row is not a head": {"#h1 a1 b1", 1, "b1"},
		"nothing":                    {"", 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rows []liveRow
			for text := range strings.FieldsSeq(row.rows) {
				rows = append(rows, liveRow{terminal.Styled(text), text[0] == '#'})
			}
			height := func(text terminal.Styled) int { return strings.Count(string(text), "1") }
			var got []string
			for _, r := range fit(rows, row.most, height) {
				got = append(got, string(r.text))
			}
			if strings.Join(got, " ") != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
