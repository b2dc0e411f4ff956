package tui

import (
	"errors"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/ui/relay"
)

// TestShare checks when the output of a command is offered, and what /share does with it.
func TestShare(t *testing.T) {
	t.Parallel()
	hide := func(text string) string { return strings.ReplaceAll(text, "secret", "[redacted]") }
	for name, row := range map[string]struct {
		output *relay.Output
		err    error
		// offer is the line below the output. sent is the text for the model, and status what it says about the end; failed is why nothing is sent.
		offer, sent, status, failed string
	}{
		"not kept":         {nil, nil, "", "", "", "no pseudo-terminals"},
		"nothing":          {output(t, "\x1b[m\n"), nil, "", "", "", "it wrote nothing"},
		"the whole screen": {output(t, "\x1b[?1049htext"), nil, "", "", "", "used the whole screen"},
		"a line":           {output(t, "one\n"), nil, "/share sends its 1 line to the model", "one", "exit status 0", ""},
		"a failure":        {output(t, "one\ntwo"), errors.New("exit status 3"), "/share sends its 2 lines to the model", "one\ntwo", "exit status 3", ""},
		"a secret":         {output(t, "the secret\n"), nil, "/share sends its 1 line to the model", "the [redacted]", "exit status 0", ""},
		"a long one":       {output(t, strings.Repeat("x\n", 1<<20)), nil, "/share sends its last 32767 lines to the model", "", "exit status 0, the end of its output", ""},
	} {
		s := newShared("a secret", row.output, row.err, hide)
		if got := s.offer(nil); got != row.offer {
			t.Errorf("%s: offers %q", name, got)
		}
		result, err := shareCommand(func() shared { return s }).Run(t.Context(), "Look @here")
		if row.failed != "" {
			if err == nil || !strings.Contains(err.Error(), row.failed) || result.Forward {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		if err != nil || !result.Forward || result.Output != "Look @here" || len(result.Files) != 1 {
			t.Fatalf("%s: got %+v, %v", name, result, err)
		}
		if f := result.Files[0]; f.Name != "a [redacted]" || row.sent != "" && f.Text != row.sent || f.About != row.status {
			t.Errorf("%s: sends %.100q of %q with %q", name, f.Text, f.Name, f.About)
		}
	}
	if _, err := shareCommand(func() shared { return shared{} }).Run(t.Context(), ""); err == nil {
		t.Error("nothing is shared before the first command")
	}
}

func output(t *testing.T, text string) *relay.Output {
	t.Helper()
	o := &relay.Output{}
	if _, err := o.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return o
}
