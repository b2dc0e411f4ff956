package terminal

import (
	"strings"
	"testing"
)

// TestInlineBacksUp checks how a frame finds the beginning of the one before: by rows that the terminal was asked for, or by backspaces
// that depend on no width.
func TestInlineBacksUp(t *testing.T) {
	t.Parallel()
	rows := []Styled{Styled(strings.Repeat("x", 35)), "rule", "> "}
	for name, row := range map[string]struct {
		backs bool
		want  string
	}{
		"counted":    {false, "\r\x1b[2A"},
		"backspaces": {true, "\r" + "\x1b[A" + "\x1b[A" + "\b\r\b\r\b\r"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			i := NewInline(&out, func() (int, int) { return 80, 24 })
			i.Reflows, i.BacksUp = true, row.backs
			if err := i.Draw(rows, 2, 2); err != nil {
				t.Fatal(err)
			}
			out.Reset()
			i.Print("finished\n")
			if err := i.Draw(rows, 2, 2); err != nil {
				t.Fatal(err)
			}
			if want := beginFrame + row.want + eraseBelow + "finished\r\n"; !strings.HasPrefix(out.String(), want) {
				t.Errorf("the frame is\n%q\nand should begin with\n%q", out.String(), want)
			}
		})
	}
}
