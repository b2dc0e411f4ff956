package terminal_test

import (
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/ui/terminal"
)

// TestStream checks what is shown of a text that arrives in pieces, and what is known at its end.
func TestStream(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		pieces      []string
		shown, rest string
		begun, open bool
	}{
		"nothing":                 {},
		"an unfinished line":      {pieces: []string{"a"}, shown: "a", begun: true, open: true},
		"a finished line":         {pieces: []string{"a", "\n"}, shown: "a\n", begun: true},
		"a split sequence":        {pieces: []string{"a\n\x1b[", "31m"}, shown: "a\n", begun: true},
		"a split character":       {pieces: []string{"\xc3", "\xa4"}, shown: "ä", begun: true, open: true},
		"half a character":        {pieces: []string{"\xc3"}, rest: "\ufffd"},
		"half after a whole line": {pieces: []string{"a\n", "\xc3"}, shown: "a\n", rest: "\ufffd", begun: true},
	} {
		var s terminal.Stream
		shown := ""
		for _, piece := range row.pieces {
			shown += s.Next(piece, true)
		}
		if s.Begun() != row.begun {
			t.Errorf("%s: begun %v", name, s.Begun())
		}
		rest, begun, open := s.End()
		if shown != row.shown || rest != row.rest || begun != row.begun || open != row.open {
			t.Errorf("%s: shown %q, rest %q, begun %v, open %v", name, shown, rest, begun, open)
		}
		if rest, begun, open = s.End(); rest != "" || begun || open {
			t.Errorf("%s: a second end: rest %q, begun %v, open %v", name, rest, begun, open)
		}
	}
}

// TestOutputs checks that the output of each call is kept apart, and forgotten at its end.
func TestOutputs(t *testing.T) {
	t.Parallel()
	var o terminal.Outputs
	if lines, printed := o.End("1"); lines != nil || printed {
		t.Errorf("a call that printed nothing: %q, %v", lines, printed)
	}
	if lines := slices.Concat(o.Next("1", "a\nb"), o.Next("2", "c\n")); !slices.Equal(lines, []string{"a", "c"}) {
		t.Errorf("lines %q", lines)
	}
	if lines, printed := o.End("1"); !slices.Equal(lines, []string{"b"}) || !printed {
		t.Errorf("the first call: %q, %v", lines, printed)
	}
	if lines, printed := o.End("2"); len(lines) != 0 || !printed {
		t.Errorf("the second call: %q, %v", lines, printed)
	}
	if _, printed := o.End("2"); printed {
		t.Error("a call that has ended is still known")
	}
}
